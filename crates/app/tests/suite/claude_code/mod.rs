//! Claude Code: its hooks, its transcripts, our entries in its settings, and the program itself in several versions.

mod cli;
mod hooks;
mod install;
mod transcripts;

use serde_json::{Value, json};

use crate::common::Home;

/// The folder of the project that tests speak in.
const PROJECT: &str = "/home/ana/shop";
const CHAT: &str = "claude-code:chat:/home/ana/shop";

/// What Claude Code passes to a hook of a session.
fn input(home: &Home, session: &str, more: Value) -> Value {
    let transcript = home.beside(&format!("projects/-home-ana-shop/{session}.jsonl"));
    let mut input = json!({ "session_id": session, "transcript_path": transcript, "cwd": PROJECT });
    input.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    input
}

/// Runs a hook, which must succeed and be quiet on stderr, and gives the text that it adds; empty if it says nothing.
fn hook(home: &Home, event: &str, input: &Value) -> String {
    let ran = home.feed(&["hook", event], input.to_string().as_bytes()).ok();
    match ran.is_empty() {
        true => String::new(),
        false => {
            let answer: Value = serde_json::from_str(&ran).unwrap();
            let output = &answer["hookSpecificOutput"];
            let native = output["hookEventName"].as_str().unwrap().to_lowercase();
            assert_eq!(native, event.replace('-', ""));
            output["additionalContext"].as_str().unwrap().to_owned()
        }
    }
}

/// A home in which hooks have all the time they need, however busy the machine is, and nothing is learned meanwhile.
fn patient() -> Home {
    Home::new().configured("capture = \"explicit\"\n[claude_code]\nhook_ms = 60000\n")
}

/// A prompt of a session.
fn prompt(home: &Home, session: &str, id: Option<&str>, text: &str) -> String {
    hook(home, "user-prompt-submit", &input(home, session, json!({ "prompt": text, "prompt_id": id })))
}

/// Writes the transcript of a session, one line for each message: who, uuid, prompt id, text.
fn transcript(home: &Home, session: &str, lines: &[(&str, &str, Option<&str>, &str)]) -> String {
    let folder = home.beside("projects/-home-ana-shop");
    std::fs::create_dir_all(&folder).unwrap();
    let line = |(kind, uuid, prompt, text): &(&str, &str, Option<&str>, &str)| {
        let line = json!({
            "type": kind, "uuid": uuid, "promptId": prompt, "sessionId": session, "cwd": PROJECT,
            "timestamp": "2026-02-18T07:02:00Z", "message": { "role": kind, "content": [{ "type": "text", "text": text }] },
        });
        format!("{line}\n")
    };
    let path = folder.join(format!("{session}.jsonl"));
    std::fs::write(&path, lines.iter().map(line).collect::<String>()).unwrap();
    path.to_str().unwrap().to_owned()
}
