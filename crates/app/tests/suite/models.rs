//! Turns over real wires: the `claude` command itself and Anthropic's API, against a server on this machine.

use std::path::PathBuf;

use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::{Home, MAIN};
use serde_json::Value;

/// The `claude` command that `./test` installs from npm.
fn claude() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/clients");
    let claude = folder.join("node_modules/.bin/claude");
    assert!(
        claude.exists(),
        "the claude command is missing: run ./test, or npm install --prefix {} @anthropic-ai/claude-code",
        folder.display()
    );
    claude.canonicalize().unwrap()
}

fn over_claude(server: &MessagesServer) -> Home {
    Home::new()
        .with("THROUGHLINE_MODEL", "claude-cli")
        .with("THROUGHLINE_SMALL_MODEL", "offline")
        .with("CLAUDE_PATH", claude().to_str().unwrap())
        .with("ANTHROPIC_BASE_URL", &server.url())
        .with("ANTHROPIC_API_KEY", "test")
        .with("DISABLE_TELEMETRY", "1")
        .with("DISABLE_ERROR_REPORTING", "1")
        .with("DISABLE_AUTOUPDATER", "1")
        .with("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
}

fn over_anthropic(server: &MessagesServer) -> Home {
    Home::new()
        .with("THROUGHLINE_MODEL", "anthropic/claude-sonnet-4-5")
        .with("ANTHROPIC_BASE_URL", &server.url())
        .with("ANTHROPIC_API_KEY", "test")
}

/// The request that carries a person's words.
fn request_with(server: &MessagesServer, words: &str) -> String {
    let asked = server.asked();
    let found = asked.iter().map(Value::to_string).rfind(|request| request.contains(words));
    found.unwrap_or_else(|| panic!("no request has {words:?}: {asked:?}"))
}

#[test]
fn g1_l25_a_fact_told_to_the_real_claude_is_in_a_later_request_after_a_restart() {
    let server = MessagesServer::start(|_| Answer::Says("All right, I have that.".to_owned()));
    let home = over_claude(&server);
    server.serve(|| {
        let first = home.json(&["chat", "-m", "My locker at the pool is the blue one, number 4417."]);
        assert_eq!(first["reply"], "All right, I have that.");
        assert_eq!(first["receipt"]["model"], "claude-cli");
        let second = home.json(&["chat", "-m", "Which locker is mine?"]);
        assert_eq!(second["reply"], "All right, I have that.");
        let request = request_with(&server, "Which locker is mine?");
        assert!(request.contains("number 4417"), "{request}");
        assert!(request.len() < 20_000, "a lean call, not {} bytes", request.len());
    });
}

#[test]
fn g2_hostile_words_reach_the_real_claude_unchanged() {
    let server = MessagesServer::start(|_| Answer::Says("ok".to_owned()));
    let home = over_claude(&server);
    let hostile = "--help $(touch /tmp/x) `id` \"quoted\" \\ 日本語 🙂 /etc/passwd";
    let long = format!("{hostile} {}", "lorem ipsum ".repeat(20_000));
    server.serve(|| {
        let ran = home.feed(&["record", "--chat", MAIN, "-"], long.as_bytes());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        home.json(&["chat", "-m", hostile]);
        let request = request_with(&server, "touch");
        let shown = serde_json::to_string(hostile).unwrap();
        assert!(request.contains(shown.trim_matches('"')), "{}", &request[..2_000]);
    });
}

#[test]
fn i1_i5_a_model_learns_by_json_and_tags_and_neither_is_shown() {
    let server = MessagesServer::start(|asked| {
        let text = asked.to_string();
        Answer::Says(if text.contains("You keep the long-term memory") {
            r#"{"memories":[{"kind":"fact","text":"Plays the cello","quote":"I play the cello"}]}"#.to_owned()
        } else {
            "Lovely. [REMEMBER: practices in the attic] Which piece?".to_owned()
        })
    });
    let home = over_anthropic(&server);
    server.serve(|| {
        let turn = home.json(&["chat", "-m", "I play the cello, and I practice in the attic."]);
        assert_eq!(turn["reply"], "Lovely. Which piece?");
        assert_eq!(turn["usage"]["input_tokens"], 25);
        assert!(turn["usage"]["cost_usd"].as_f64().unwrap() > 0.0);
        let memories = home.json(&["memory", "list"]).to_string();
        assert!(
            memories.contains("Plays the cello") && memories.contains("practices in the attic"),
            "{memories}"
        );
        let status = home.json(&["status"]);
        assert!(status["background"]["today_tokens"].as_u64().unwrap() > 0, "g7: {status}");
    });
}

#[test]
fn g6_a_model_that_fails_is_told_in_words_and_the_message_stays() {
    for case in ["500 Internal Server Error", "429 Too Many Requests"] {
        let server = MessagesServer::start(move |_| Answer::Fails(case));
        let home = over_anthropic(&server);
        server.serve(|| {
            let ran = home.run(&["chat", "-m", "The spare key is under the pot"]);
            assert_eq!(ran.code, Some(1), "{case}: {ran:?}");
            assert!(ran.stderr.contains("recorded") && !ran.stderr.contains("test"), "{case}: {ran:?}");
            let found = home.json(&["search", "spare key", "--chat", MAIN]).to_string();
            assert!(found.contains("under the pot"), "{case}: {found}");
        });
    }
}

#[test]
fn g1_a_fallback_answers_where_the_model_fails_and_the_receipt_says_so() {
    let server = MessagesServer::start(|_| Answer::Fails("500 Internal Server Error"));
    let home = over_anthropic(&server).configured("fallback = [\"offline\"]\nsmall_model = \"offline\"\n");
    server.serve(|| {
        home.run(&["chat", "-m", "The spare key is under the pot"]);
        let ran = home.run(&["--json", "chat", "-m", "Where is the spare key?"]);
        let told = "anthropic/claude-sonnet-4-5: the model is overloaded";
        assert!(ran.stderr.contains(told) && ran.stderr.contains("offline answered instead"), "{ran:?}");
        let turn: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(turn["reply"].to_string().contains("under the pot"), "{turn}");
        assert_eq!(turn["receipt"]["model"], "offline");
        assert!(turn["receipt"]["degraded"].to_string().contains("anthropic"), "{turn}");
        let next = home.json(&["context", "-m", "And the other key?"]);
        assert!(next.to_string().contains("a stand-in answered, because the model failed"), "{next}");
    });
}

#[test]
fn c1_a_reply_that_breaks_off_is_kept_as_far_as_it_was_seen() {
    let server = MessagesServer::start(|_| Answer::BreaksOff("The key is under ".to_owned()));
    let home = over_anthropic(&server).with("THROUGHLINE_SMALL_MODEL", "offline");
    server.serve(|| {
        let ran = home.run(&["--json", "chat", "-m", "Where is the key?"]);
        assert_eq!(ran.code, Some(1), "a script can tell: {ran:?}");
        assert!(ran.stderr.contains("The reply broke off"), "{ran:?}");
        let turn: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(turn["reply"].as_str().unwrap().trim(), "The key is under");
        assert!(home.json(&["context", "-m", "Go on"]).to_string().contains("[broken off]"));
        assert!(turn["receipt"]["degraded"].to_string().contains("broke off"), "{turn}");
    });
}

#[test]
fn g7_the_daily_cap_stops_background_work_and_the_rules_take_over() {
    let server = MessagesServer::start(|_| Answer::Says("Fine.".to_owned()));
    let home = over_anthropic(&server).configured("[background]\ndaily_tokens = 0\n");
    server.serve(|| {
        home.json(&["chat", "-m", "I live in Tromsø."]);
        assert_eq!(server.asked().len(), 1, "only the reply was asked for");
        let memories = home.json(&["memory", "list"]).to_string();
        assert!(memories.contains("Tromsø"), "{memories}");
    });
}

#[test]
fn g1_a_missing_claude_says_how_to_get_it() {
    let home = Home::new().with("THROUGHLINE_MODEL", "claude-cli").with("CLAUDE_PATH", "/nowhere/claude");
    let ran = home.run(&["chat", "-m", "hello"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("npm install") || ran.stderr.contains("CLAUDE_PATH"), "{ran:?}");
}
