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

pub fn over_claude(server: &MessagesServer) -> Home {
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
    let home = server.home();
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
        let home = server.home();
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
    let home = server.home().configured("fallback = [\"offline\"]\nsmall_model = \"offline\"\n");
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
    let home = server.home().with("THROUGHLINE_SMALL_MODEL", "offline");
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
    let home = server.home().configured("[background]\ndaily_tokens = 0\n");
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

#[test]
fn g1_a_model_for_one_run_is_named_on_the_command_line() {
    let server = MessagesServer::start(|_| Answer::Says("Fine.".to_owned()));
    let home = server.home().with("THROUGHLINE_SMALL_MODEL", "offline");
    server.serve(|| {
        let turn = home.json(&["chat", "--model", "anthropic/claude-opus-5", "-m", "hello"]);
        assert_eq!(turn["receipt"]["model"], "anthropic/claude-opus-5");
        assert_eq!(server.asked()[0]["model"], "claude-opus-5");
        let turn = home.json(&["chat", "--model", "offline", "-m", "hello"]);
        assert_eq!(turn["receipt"]["model"], "offline");
        assert_eq!(home.json(&["chat", "-m", "hello"])["receipt"]["model"], "anthropic/claude-sonnet-4-5");
        assert_eq!(server.asked().len(), 2);
        for words in [&["chat"][..], &["serve"], &["routine", "run", "morning-summary"]] {
            let ran = home.run(&[words, &["--model", "gpt"]].concat());
            assert_eq!(ran.code, Some(2), "{ran:?}");
            assert!(ran.stderr.contains("claude-cli/NAME") && ran.stdout.is_empty(), "{ran:?}");
        }
    });
}

#[test]
fn g1_each_provider_has_a_small_model_for_background_work() {
    let small = |model: &str, set: &[(&'static str, &'static str)]| {
        let home = Home::new()
            .with("THROUGHLINE_MODEL", model)
            .with("ANTHROPIC_API_KEY", "test")
            .with("OPENAI_API_KEY", "test");
        let home = set.iter().fold(home, |home, (name, value)| home.with(name, value));
        let status = home.json(&["status"]);
        (status["model"].as_str().unwrap().to_owned(), status["small_model"].as_str().unwrap().to_owned())
    };
    const LOCAL: (&str, &str) = ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    type Variables = &'static [(&'static str, &'static str)];
    let cases: [(&str, Variables, &str, &str); 11] = [
        ("claude-cli", &[], "claude-cli", "claude-cli/haiku"),
        ("claude-cli/opus", &[], "claude-cli/opus", "claude-cli/haiku"),
        ("anthropic/claude-opus-5", &[], "anthropic/claude-opus-5", "anthropic/claude-haiku-4-5"),
        ("anthropic/qwen3", &[], "anthropic/qwen3", "anthropic/qwen3"),
        ("openai/gpt-5.4", &[], "openai/gpt-5.4", "openai/gpt-5-mini"),
        ("openai/gpt-5-nano", &[], "openai/gpt-5-nano", "openai/gpt-5-nano"),
        ("openai/qwen3", &[LOCAL], "openai/qwen3", "openai/qwen3"),
        ("ollama/gemma3:4b", &[], "ollama/gemma3:4b", "ollama/gemma3:4b"),
        ("claude-cli", &[("THROUGHLINE_SMALL_MODEL", "claude-cli")], "claude-cli", "claude-cli/haiku"),
        ("claude-cli", &[("THROUGHLINE_SMALL_MODEL", "ollama/phi4")], "claude-cli", "ollama/phi4"),
        // Neither key nor program is found before the server.
        ("auto", &[LOCAL, ("ANTHROPIC_API_KEY", "")], "openai", "openai"),
    ];
    for (model, set, answers, works) in cases {
        assert_eq!(small(model, set), (answers.to_owned(), works.to_owned()), "{model} {set:?}");
    }
}

#[test]
fn g7_background_work_asks_the_small_model_and_replies_the_other() {
    let server = MessagesServer::start(|_| Answer::Says(r#"{"memories":[]}"#.to_owned()));
    let home = server.home();
    server.serve(|| {
        home.json(&["chat", "-m", "I play the cello, and I practice in the attic."]);
        let models: Vec<Value> = server.asked().iter().map(|asked| asked["model"].clone()).collect();
        assert_eq!(models, ["claude-sonnet-4-5", "claude-haiku-4-5"]);
    });
}

#[test]
fn g7_replies_have_a_limit_of_tokens_and_a_daily_cap_that_names_its_setting() {
    let server = MessagesServer::start(|_| Answer::Says("Fine.".to_owned()));
    let home = server
        .home()
        .with("THROUGHLINE_SMALL_MODEL", "offline")
        .configured("[replies]\nmost_tokens = 77\ndaily_tokens = 20\n");
    server.serve(|| {
        home.json(&["chat", "-m", "hello"]);
        assert_eq!(server.asked()[0]["max_tokens"], 77);
        let ran = home.run(&["chat", "-m", "and again"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        let told = "took 34 tokens, and the most is 20; raise replies.daily_tokens in config.toml";
        assert!(ran.stderr.contains(told), "{ran:?}");
        assert_eq!(server.asked().len(), 1, "the cap is kept before the model is asked");
        assert_eq!(home.json(&["chat", "--model", "offline", "-m", "/retry"])["receipt"]["model"], "offline");
    });
}

#[test]
fn g1_the_real_claude_gets_its_model_and_blocks_that_a_prompt_cache_can_use() {
    let server = MessagesServer::start(|_| Answer::Says("All right.".to_owned()));
    let home = over_claude(&server);
    server.serve(|| {
        let said = ["My locker is number 4417.", "My bike is green.", "/etc/hosts is a file."];
        for text in said {
            let turn = home.json(&["chat", "--model", "claude-cli/haiku", "-m", text]);
            assert_eq!(turn["reply"], "All right.");
            assert_eq!(turn["receipt"]["model"], "claude-cli/haiku");
        }
        let asked: Vec<Value> =
            server.asked().into_iter().filter(|asked| asked.to_string().contains("4417")).collect();
        assert_eq!(asked.len(), 3, "each message is one call");
        assert!(asked[0]["model"].as_str().unwrap().contains("haiku"), "{}", asked[0]["model"]);
        // The blocks up to the last mark of a request are those that the next one begins with.
        let blocks = |asked: &Value| -> Vec<Value> {
            let messages = asked["messages"].as_array().unwrap().iter();
            let content = messages.filter(|message| message["role"] == "user");
            content.flat_map(|message| message["content"].as_array().unwrap().clone()).collect()
        };
        let texts = |blocks: &[Value]| -> Vec<String> {
            blocks.iter().map(|block| block["text"].as_str().unwrap().to_owned()).collect()
        };
        let marked = |blocks: &[Value]| -> Vec<usize> {
            (0..blocks.len()).filter(|index| blocks[*index].get("cache_control").is_some()).collect()
        };
        let (second, third) = (blocks(&asked[1]), blocks(&asked[2]));
        let stable = marked(&second)[0] + 1;
        assert!(stable < second.len(), "the message itself is behind the mark: {second:#?}");
        assert_eq!(texts(&second)[..stable], texts(&third)[..stable]);
        assert!(marked(&third)[0] >= stable, "{third:#?}");
        assert!(texts(&third).last().unwrap().contains("/etc/hosts is a file."));
        let marks = asked[2].to_string().matches("cache_control").count();
        assert!(marks <= 4, "a server takes four marks: {marks}");
        let path = home.path();
        for request in server.asked() {
            assert!(!request.to_string().contains(path.to_str().unwrap()), "{request}");
        }
    });
}
