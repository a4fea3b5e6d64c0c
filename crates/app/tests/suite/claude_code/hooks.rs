//! Hooks as Claude Code runs them: JSON on stdin, an answer or silence, and never a failure.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{CHAT, hook, input, patient, prompt, transcript};
use crate::common::Home;

const TOLD: &str = "The staging database is called heron and listens on port 6543.";
const ASKED: &str = "Which port does the staging database listen on?";

#[test]
fn h3_a_later_session_gets_what_bears_on_its_prompt_and_the_same_session_does_not() {
    let home = patient();
    assert_eq!(prompt(&home, "s1", Some("p1"), TOLD), "");
    assert_eq!(prompt(&home, "s1", Some("p2"), ASKED), "", "the session shows it itself");
    let recalled = prompt(&home, "s2", Some("p3"), ASKED);
    assert!(recalled.starts_with("<throughline-memory>") && recalled.contains("port 6543"), "{recalled}");
    assert!(recalled.contains("not instructions"), "f5: {recalled}");
    for small_talk in ["thanks!", "ok, go on", "What is the capital of Peru?"] {
        assert_eq!(prompt(&home, "s2", None, small_talk), "", "{small_talk}");
    }
    hook(&home, "session-start", &input(&home, "s1", json!({ "source": "compact" })));
    let recalled = prompt(&home, "s1", Some("p4"), ASKED);
    assert!(recalled.contains("port 6543"), "what was compacted is no longer shown: {recalled}");
}

#[test]
fn e1_a_session_starts_with_the_profile_and_where_the_last_one_stopped() {
    let home = patient();
    home.ok(&["remember", "My name is Ana and I prefer tabs over spaces"]);
    prompt(&home, "s1", Some("p1"), TOLD);
    let last = json!({ "prompt_id": "p1", "last_assistant_message": "Noted: heron, 6543." });
    assert_eq!(hook(&home, "stop", &input(&home, "s1", last)), "");
    let start = hook(&home, "session-start", &input(&home, "s2", json!({ "source": "startup" })));
    for piece in
        ["tabs over spaces", "port 6543", "Noted: heron", "<thread-status thread=\"continuation\">It is "]
    {
        assert!(start.contains(piece), "{piece}: {start}");
    }
    let resumed = hook(&home, "session-start", &input(&home, "s1", json!({ "source": "resume" })));
    assert!(resumed.contains("tabs over spaces") && !resumed.contains("6543"), "{resumed}");
    assert!(resumed.contains(" It is "), "{resumed}");
    let elsewhere = json!({ "source": "startup", "cwd": "/home/ana/blog" });
    let elsewhere = hook(&home, "session-start", &input(&home, "s3", elsewhere));
    assert!(elsewhere.contains("tabs over spaces") && !elsewhere.contains("6543"), "a1, a5: {elsewhere}");
}

#[test]
fn d6_a_start_keeps_to_its_budget_however_much_is_known() {
    let home = patient();
    let long = format!(
        "The parser was rewritten. {}",
        "It reads one line at a time and keeps the rest. ".repeat(60)
    );
    for at in 0..12 {
        prompt(&home, "s1", Some(&format!("p{at}")), &format!("Step {at}. {long}"));
    }
    let start = hook(&home, "session-start", &input(&home, "s2", json!({ "source": "startup" })));
    assert!(start.contains("Step 11.") && !start.contains("Step 1."), "{start}");
    assert!(start.len() < 9_000, "{} bytes", start.len());
}

#[test]
fn c6_what_a_hook_records_is_redacted_and_commands_are_not_recorded() {
    let home = patient();
    let secret = ["sk-ant-", "api03-", &"x9Yz".repeat(12)].concat();
    prompt(&home, "s1", Some("p1"), &format!("My key is {secret}, keep it out of the logs."));
    for command in ["/compact keep colors", "<task-notification>done</task-notification>"] {
        assert_eq!(prompt(&home, "s1", None, command), "");
    }
    prompt(&home, "s1", None, "/home/ana/shop has no tests");
    let texts = home.texts();
    assert!(texts[0].starts_with("My key is [redacted"), "{texts:?}");
    assert_eq!(texts[1..], ["/home/ana/shop has no tests"]);
    assert!(home.files().iter().all(|(_, bytes)| !String::from_utf8_lossy(bytes).contains(&secret)));
}

#[test]
fn c1_what_a_hook_and_the_transcript_tell_is_one_message() {
    // With and without ids of prompts; the same prompt twice; the answer before and after its line is written.
    for ids in [[Some("p1"), Some("p2")], [None, None]] {
        let home = patient();
        for id in ids {
            prompt(&home, "s1", id, "continue\n");
            let last = json!({ "prompt_id": id, "last_assistant_message": "Done." });
            hook(&home, "stop", &input(&home, "s1", last));
        }
        let path = transcript(
            &home,
            "s1",
            &[
                ("user", "u1", ids[0], "continue"),
                ("assistant", "a1", None, "Done."),
                ("user", "u2", ids[1], "continue"),
                ("assistant", "a2", None, "Done."),
                ("user", "u3", ids[1].map(|_| "p3"), "and now?"),
                ("assistant", "a3", None, "Not yet."),
            ],
        );
        // No text comes with the event: it is read from the transcript.
        hook(&home, "stop", &input(&home, "s1", json!({})));
        let report = home.json(&["import", "--format", "claude-code", &path]);
        assert_eq!((report["imported"].as_u64(), report["skipped"].as_u64()), (Some(1), Some(5)), "{ids:?}");
        let mut texts = home.texts();
        texts.sort();
        assert_eq!(texts, ["Done.", "Done.", "Not yet.", "and now?", "continue", "continue"], "{ids:?}");
        // A fork copies the lines, and gives them the id of its own first prompt.
        let fork = transcript(
            &home,
            "s2",
            &[
                ("user", "u1", ids[0].map(|_| "f1"), "continue"),
                ("assistant", "a1", None, "Done."),
                ("user", "u9", ids[0].map(|_| "f1"), "another way"),
            ],
        );
        prompt(&home, "s2", ids[0].map(|_| "f1"), "another way");
        let report = home.json(&["import", &fork]);
        assert_eq!((report["imported"].as_u64(), report["skipped"].as_u64()), (Some(0), Some(3)), "{ids:?}");
    }
}

#[test]
fn g6_whatever_is_broken_the_hook_says_nothing_and_succeeds() {
    let told = input(&Home::new(), "s1", json!({ "prompt": TOLD })).to_string();
    let broken_settings = Home::new().configured("frobnicate = 1\n");
    let broken_database = Home::new();
    broken_database.record("hello");
    std::fs::write(broken_database.database(), "this is no database at all, whatever it is called").unwrap();
    let file = Home::new();
    file.file("home", "a file in the place of the home");
    let fine = Home::new();
    let off = Home::new().with("THROUGHLINE_HOOKS", "off");
    for (home, event, told) in [
        (&broken_settings, "user-prompt-submit", told.as_str()),
        (&broken_database, "user-prompt-submit", &told),
        (&file, "session-start", &told),
        (&fine, "user-prompt-submit", "{\"session_id\": "),
        (&fine, "user-prompt-submit", ""),
        (&fine, "stop", "[]"),
        (&fine, "a-new-event", &told),
        (&off, "user-prompt-submit", &told),
    ] {
        let ran = home.feed(&["hook", event], told.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{event} {told}: {ran:?}");
    }
    let log = std::fs::read_to_string(fine.path().join("logs/throughline.log")).unwrap();
    assert!(log.contains("the hook failed"), "{log}");
    assert_eq!(off.messages(), 0);
}

#[test]
fn c1_a_locked_database_delays_no_one_and_loses_nothing() {
    let home = Home::new();
    home.record("hello");
    let lock = home.sql();
    lock.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let began = Instant::now();
    let ran = home.feed(
        &["hook", "user-prompt-submit"],
        input(&home, "s1", json!({ "prompt": TOLD })).to_string().as_bytes(),
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    drop(lock);
    let deadline = Instant::now() + Duration::from_secs(30);
    while home.json(&["search", "heron staging database", "--chat", CHAT])["hits"]
        .as_array()
        .unwrap()
        .is_empty()
    {
        assert!(Instant::now() < deadline, "the prompt was lost: {:?}", home.texts());
    }
}
