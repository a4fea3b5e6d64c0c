//! Memories of mem0, from its export or `get_all`. Each is imported as a dated statement of the person.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::{Map, Value};
use throughline_domain::channel::ChannelKind;
use throughline_engine::Inbound;

use super::conversation::{Written, chat_named};
use super::stream::{HeadKeys, Layout, Object, read_entries};
use super::{Defaults, Importer, LONGEST_ENTRY, Sink, explain};
use crate::output::Failure;

/// The chat of memories without an owner.
const UNNAMED: &str = "default";

/// Memories of mem0.
pub struct Mem0;

impl Importer for Mem0 {
    fn name(&self) -> &'static str {
        "mem0"
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        let keys = HeadKeys::of(head);
        is_memory(&keys.entry) || is_memory(&keys.document)
    }

    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        // An object per line is a memory; a single object contains a list of memories.
        let head = input.fill_buf()?;
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
        let object = match is_memory(&HeadKeys::of(head).document) {
            true => Object::Entry,
            false => Object::Lists(&["results", "memories"]),
        };
        let layout = Layout {
            expects: "an array of memories, or an object with one in `results` or `memories`",
            object,
            longest: LONGEST_ENTRY,
        };
        read_entries(input, &layout, sink, &mut |json, line, sink| sink(line, read_memory(json, defaults)))
    }
}

/// Returns true if an object with these keys is a memory.
fn is_memory(keys: &[String]) -> bool {
    let has = |name: &str| keys.iter().any(|key| key == name);
    let states = has("memory") && (has("id") || has("user_id"));
    (states || (has("data") || has("text")) && has("user_id")) && !has("role") && !has("chat")
}

#[derive(Deserialize)]
#[serde(expecting = "a memory")]
struct Memory {
    id: Option<Value>,
    memory: Option<String>,
    data: Option<String>,
    text: Option<String>,
    user_id: Option<String>,
    agent_id: Option<String>,
    run_id: Option<String>,
    created_at: Option<Written>,
    updated_at: Option<Written>,
    metadata: Option<Value>,
    categories: Option<Value>,
}

fn read_memory(json: &str, defaults: &Defaults) -> Result<Inbound, String> {
    let memory: Memory =
        serde_json::from_str(json).map_err(|error| explain(&error, "a memory needs id and memory"))?;
    let text = memory.memory.or(memory.data).or(memory.text).filter(|text| !text.trim().is_empty());
    let text = text.ok_or("the memory has no text")?;
    let at = memory.created_at.as_ref().or(memory.updated_at.as_ref());
    let at = at.map(|at| at.moment(&defaults.zone)).transpose()?;
    let names = [&memory.user_id, &memory.agent_id, &memory.run_id];
    let name = names.into_iter().flatten().find(|name| !name.is_empty());
    let chat = chat_named(ChannelKind::Mem0, name.map_or(UNNAMED, String::as_str));
    let external = memory.id.and_then(|id| match id {
        Value::String(id) => Some(id),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    });
    // mem0's metadata is nested below one key, so that it does not mix with this program's.
    let kept = [
        ("source", Some(Value::from(ChannelKind::Mem0.name()))),
        ("categories", memory.categories),
        ("agent_id", memory.agent_id.map(Value::from)),
        ("run_id", memory.run_id.map(Value::from)),
        ("updated_at", memory.updated_at.map(Value::from)),
        ("metadata", memory.metadata),
    ];
    let metadata: Map<String, Value> = kept
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value.filter(|value| !value.is_null())?)))
        .collect();
    Ok(Inbound {
        text,
        at,
        external_ids: external.into_iter().collect(),
        metadata,
        ..Inbound::in_chat(chat.ok_or("the memory has no user_id that can name a chat")?)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use throughline_domain::message::Role;

    use super::super::tests::read_all;
    use super::*;

    #[test]
    fn an_array_results_memories_and_lines_hold_the_same_statements() {
        let memories = json!([
            {
                "id": "m1", "memory": "Likes oolong tea", "user_id": "ana", "hash": "h", "agent_id": "tea-bot",
                "created_at": "2024-07-25T20:33:58.742-07:00", "updated_at": "2024-08-01T00:00:00Z",
                "metadata": { "source": "command" }, "categories": ["food"], "score": null,
            },
            { "id": 7, "data": "Lives in Ghent", "user_id": "ana maria" },
            { "text": "Has two cats", "run_id": "r1", "categories": null },
            { "memory": "Plays chess", "updated_at": "2025-01-01T00:00:00Z" },
        ]);
        let read = |text: Value| -> Vec<Inbound> {
            read_all(&Mem0, &text.to_string()).into_iter().map(|(_, entry)| entry.unwrap()).collect()
        };
        let found = read(memories.clone());
        for other in [json!({ "results": memories, "relations": [] }), json!({ "memories": memories })] {
            assert_eq!(format!("{:?}", read(other)), format!("{found:?}"));
        }
        let lines: Vec<String> = memories.as_array().unwrap().iter().map(Value::to_string).collect();
        let by_line = read_all(&Mem0, &format!("\u{feff}{}\n", lines.join("\n")));
        let by_line: Vec<Inbound> = by_line.into_iter().map(|(_, entry)| entry.unwrap()).collect();
        assert_eq!(format!("{by_line:?}"), format!("{found:?}"), "one a line");
        let told: Vec<_> =
            found.iter().map(|it| (it.chat.as_str(), it.text.as_str(), it.external_ids.concat())).collect();
        assert_eq!(
            told,
            [
                ("mem0:chat:ana", "Likes oolong tea", "m1".to_owned()),
                ("mem0:chat:ana%20maria", "Lives in Ghent", "7".to_owned()),
                ("mem0:chat:r1", "Has two cats", String::new()),
                ("mem0:chat:default", "Plays chess", String::new()),
            ]
        );
        assert_eq!(found[0].at, Some("2024-07-26T03:33:58.742Z".parse().unwrap()));
        assert_eq!(found[3].at, Some("2025-01-01T00:00:00Z".parse().unwrap()));
        assert!(found.iter().all(|it| it.role == Role::User));
        assert_eq!(
            json!(found[0].metadata),
            json!({
                "source": "mem0", "categories": ["food"], "agent_id": "tea-bot",
                "updated_at": "2024-08-01T00:00:00Z", "metadata": { "source": "command" },
            })
        );
    }

    #[test]
    fn a_broken_memory_is_reported_with_its_line_and_the_next_one_is_read() {
        let found = read_all(
            &Mem0,
            "[\n{\"id\":\"1\"},\n\"x\",\n{\"memory\":\"x\",\"created_at\":\"soon\"},\n{\"memory\":\"kept\"}]",
        );
        let lines: Vec<u64> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 4, 5]);
        assert_eq!(found[0].1.as_ref().unwrap_err(), "the memory has no text");
        assert!(found[1].1.as_ref().unwrap_err().contains("expected a memory"), "{found:?}");
        assert!(found[2].1.as_ref().unwrap_err().contains("soon"), "{found:?}");
        assert_eq!(found[3].1.as_ref().unwrap().text, "kept");
    }
}
