use serde_json::json;

use super::super::tests::read_all;
use super::*;

/// A line of a session in /home/ana/shop.
fn line(kind: &str, uuid: &str, prompt: Option<&str>, content: Value) -> String {
    let line = json!({
        "type": kind, "uuid": uuid, "sessionId": "s", "promptId": prompt, "cwd": "/home/ana/shop",
        "timestamp": "2026-02-18T07:02:00Z", "message": { "role": kind, "content": content },
    });
    format!("{line}\n")
}

fn texts(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

/// The text and the ids of each message.
fn read(lines: &[String]) -> Vec<(String, Vec<String>)> {
    let read = read_all(&ClaudeCode, &lines.concat()).into_iter().map(|(_, entry)| entry.unwrap());
    read.map(|message| (message.text, message.external_ids)).collect()
}

#[test]
fn c4_tools_are_single_lines_between_the_words_and_our_own_are_left_out() {
    let call = |id: &str, name: &str, input: Value| json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]);
    let answer =
        |id: &str, content: Value| json!([{ "type": "tool_result", "tool_use_id": id, "content": content }]);
    let lines = [
        line("user", "u1", None, json!("Which tests fail?")),
        line("assistant", "a1", None, json!([{ "type": "thinking", "thinking": "Let me see." }])),
        line("assistant", "a2", None, call("t1", "Bash", json!({ "command": "x".repeat(900) }))),
        line("user", "u2", None, answer("t1", json!([{ "type": "text", "text": "two fail" }]))),
        line(
            "assistant",
            "a3",
            None,
            call("t2", "mcp__throughline__search_memories", json!({ "query": "tests" })),
        ),
        line("user", "u3", None, answer("t2", json!("Found in earlier conversations."))),
        line("assistant", "a4", None, texts("The two of the parser.")),
    ];
    let found: Vec<Inbound> =
        read_all(&ClaudeCode, &lines.concat()).into_iter().map(|(_, entry)| entry.unwrap()).collect();
    let told: Vec<(Role, &str)> = found.iter().map(|it| (it.role, it.text.get(..8).unwrap())).collect();
    assert_eq!(
        told,
        [
            (Role::User, "Which te"),
            (Role::ToolUse, "{\"comman"),
            (Role::ToolResult, "two fail"),
            (Role::Assistant, "The two "),
        ]
    );
    assert!(found[1].text.chars().count() <= LONGEST_INPUT + 1);
    assert_eq!(json!(found[2].metadata), json!({ "source": "claude-code", "session": "s", "tool": "Bash" }));
    assert!(found.iter().all(|it| it.chat.as_str() == "claude-code:chat:/home/ana/shop" && it.at.is_some()));
}

#[test]
fn of_the_prompts_with_a_forks_first_id_the_last_is_its_own() {
    let found = read(&[
        line("user", "u1", Some("fork"), texts("continue")),
        line("assistant", "a1", None, texts("Done.")),
        line("user", "u2", Some("fork"), json!("continue")),
        line("assistant", "a2", None, texts("Done.")),
        line("user", "u3", Some("next"), json!("thanks")),
        line("user", "u4", Some("next"), json!("again")),
    ]);
    let ids: Vec<Vec<&str>> =
        found.iter().map(|(_, ids)| ids.iter().map(|id| id.split(":").next().unwrap()).collect()).collect();
    assert_eq!(
        ids,
        [
            vec!["u1"],
            vec!["a1"],
            vec!["u2", "prompt"],
            vec!["a2", "answer"],
            vec!["u3", "prompt"],
            vec!["u4"]
        ]
    );
    assert_eq!(found[2].1[1], "prompt:fork");
    assert_eq!(found[3].1[1], answer_id("s", Some("fork"), "Done.", 0));
}

#[test]
fn equal_prompts_of_an_old_version_are_told_apart_by_their_place() {
    let found = read(&[
        line("user", "u1", None, json!("continue\n")),
        line("assistant", "a1", None, texts("Done.")),
        line("user", "u2", None, json!("continue")),
        line("assistant", "a2", None, texts("Done.")),
    ]);
    let expected = [0, 1].map(|place| prompt_id("s", None, "continue", place));
    assert_eq!([&found[0].1[1], &found[2].1[1]], [&expected[0], &expected[1]]);
    assert_ne!(found[1].1[1], found[3].1[1]);
}

#[test]
fn a_half_written_last_line_is_left_for_the_next_time_and_one_in_the_middle_is_reported() {
    let whole = line("user", "u1", Some("p"), json!("hello"));
    let half: String = whole.chars().take(whole.len() / 2).collect();
    assert_eq!(read(&[whole.clone(), half.clone()]).len(), 1);
    let found = read_all(&ClaudeCode, &format!("{half}\n{whole}"));
    assert!(found[0].0 == 1 && found[0].1.is_err() && found[1].1.is_ok(), "{found:?}");
}
