//! Memories of mem0, as its export or `get_all` gives them. Each is a statement of the person with its own date.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::{Map, Value};
use throughline_domain::channel::ChannelKind;
use throughline_engine::Inbound;

use super::conversation::{Written, chat_named};
use super::stream::{HeadKeys, Layout, Object, read_entries};
use super::{Defaults, Importer, LONGEST_ENTRY, Sink, explain};
use crate::output::Failure;

/// The chat of memories that name no one.
const UNNAMED: &str = "default";

/// Memories of mem0.
pub struct Mem0;

impl Importer for Mem0 {
    fn name(&self) -> &'static str {
        "mem0"
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        let keys = HeadKeys::of(head).entry;
        let has = |name: &str| keys.iter().any(|key| key == name);
        let is_memory = has("memory") && (has("id") || has("user_id"));
        let is_statement = (has("data") || has("text")) && has("user_id");
        (is_memory || is_statement) && !has("role")
    }

    fn read(
        &self,
        source: &mut dyn BufRead,
        defaults: &Defaults,
        sink: &mut Sink<'_>,
    ) -> Result<(), Failure> {
        let layout = Layout {
            expects: "an array of memories, or an object with one in `results` or `memories`",
            object: Object::Lists(&["results", "memories"]),
            longest: LONGEST_ENTRY,
        };
        read_entries(source, &layout, sink, &mut |json, line, sink| sink(line, read_memory(json, defaults)))
    }
}

#[derive(Deserialize)]
struct Memory {
    id: Option<Value>,
    memory: Option<String>,
    data: Option<String>,
    text: Option<String>,
    user_id: Option<String>,
    agent_id: Option<String>,
    run_id: Option<String>,
    created_at: Option<Written>,
    updated_at: Option<Value>,
    metadata: Option<Value>,
    categories: Option<Value>,
}

fn read_memory(json: &str, defaults: &Defaults) -> Result<Inbound, String> {
    let memory: Memory =
        serde_json::from_str(json).map_err(|error| explain(&error, "a memory needs id and memory"))?;
    let text = memory.memory.or(memory.data).or(memory.text).filter(|text| !text.trim().is_empty());
    let text = text.ok_or("the memory has no text")?;
    let at = memory.created_at.map(|at| at.moment(&defaults.zone)).transpose()?;
    let names = [&memory.user_id, &memory.agent_id, &memory.run_id];
    let name = names.into_iter().flatten().find(|name| !name.is_empty());
    let chat = chat_named(ChannelKind::Mem0, name.map_or(UNNAMED, String::as_str));
    let external = memory.id.and_then(|id| match id {
        Value::String(id) => Some(id),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    });
    // The metadata of a memory is kept below a name of its own, where it cannot be taken for ours.
    let kept = [
        ("source", Some(Value::from(ChannelKind::Mem0.name()))),
        ("categories", memory.categories),
        ("agent_id", memory.agent_id.map(Value::from)),
        ("run_id", memory.run_id.map(Value::from)),
        ("updated_at", memory.updated_at),
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
