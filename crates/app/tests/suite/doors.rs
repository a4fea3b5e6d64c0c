//! The commands as people and programs see them: what they print, how they end, and what they leave in the home.

use crate::common::{Home, MAIN, mode, set_mode};
use serde_json::{Value, json};

/// The names of an object's fields.
fn fields(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().map(String::as_str).collect()
}

/// Fails unless the object has at least these fields: more may be added.
fn has(value: &Value, wanted: &[&str]) {
    let there = fields(value);
    let missing: Vec<_> = wanted.iter().filter(|name| !there.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?} are missing from {value}");
}

fn home_with_two_messages() -> Home {
    let home = Home::new();
    home.record("The spare key is with Ana");
    home.ok(&["record", "--chat", MAIN, "--role", "assistant", "I will remember where the spare key is"]);
    home
}

#[test]
fn record_says_where_the_message_went() {
    let home = Home::new();
    let first = home.json(&["record", "--chat", MAIN, "one"]);
    has(&first, &["id", "chat", "lane", "conversation"]);
    assert_eq!((&first["chat"], &first["lane"]), (&json!(MAIN), &json!("root:main")));
    assert_eq!(first["conversation"], first["id"], "the first message opens the conversation");
    let second = home.json(&["record", "--chat", MAIN, "two"]);
    assert_eq!(second["conversation"], first["id"]);
    let piped: Value = home.feed(&["record", "--chat", MAIN, "--json"], b"three\n").document();
    assert_ne!(piped["id"], second["id"]);
    assert_eq!(home.texts(), ["one", "two", "three"]);
    let said = home.ok(&["record", "--chat", MAIN, "four"]);
    assert!(said.contains("recorded") && !said.contains('\u{1b}'), "no colors in a pipe: {said:?}");
}

#[test]
fn f1_context_has_its_eight_layers_in_order() {
    let home = home_with_two_messages();
    let context = home.json(&["context", "--chat", MAIN, "-m", "where is the key?", "--explain"]);
    has(&context, &["chat", "lane", "preset", "format", "thread", "budget", "tokens", "layers", "text"]);
    assert_eq!(
        (&context["preset"], &context["format"], &context["thread"]),
        (&json!("standard"), &json!("xml"), &json!("continuation"))
    );
    let layers = context["layers"].as_array().unwrap();
    let names: Vec<&str> = layers.iter().map(|layer| layer["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["policy", "identity", "profile", "summaries", "memories", "recent", "quote", "message"]
    );
    for layer in layers {
        has(layer, &["name", "tokens", "budget", "text", "items", "dropped"]);
        for item in layer["items"].as_array().unwrap() {
            has(item, &["kind", "id", "tokens", "why"]);
        }
        for item in layer["dropped"].as_array().unwrap() {
            has(item, &["kind", "id", "why"]);
        }
        assert_eq!(
            layer["text"] == "",
            layer["tokens"] == 0,
            "f4: nothing to say is an empty string: {layer}"
        );
    }
    let tokens =
        |name: &str| layers.iter().find(|layer| layer["name"] == name).unwrap()["tokens"].as_u64().unwrap();
    let but_the_message: u64 = names.iter().filter(|name| **name != "message").map(|name| tokens(name)).sum();
    assert_eq!(context["tokens"], but_the_message);
    assert!(context["tokens"].as_u64() <= context["budget"].as_u64());
    let text = context["text"].as_str().unwrap();
    for layer in layers {
        assert!(text.contains(layer["text"].as_str().unwrap()), "{} is not in the text", layer["name"]);
    }
    assert_eq!(
        home.ok(&["context", "--chat", MAIN, "-m", "where is the key?"]).trim_end(),
        text,
        "the same words without --json"
    );
    assert_eq!(home.messages(), 2, "a look at the context records nothing");

    for (provider, system_inside) in [("anthropic", false), ("openai", true)] {
        let context = home.json(&[
            "context",
            "--chat",
            MAIN,
            "--format",
            "messages",
            "--provider",
            provider,
            "-m",
            "where?",
        ]);
        assert!(context.get("text").is_none());
        let messages = context["messages"]["messages"].as_array().unwrap();
        for message in messages {
            has(message, &["role", "content"]);
        }
        assert_eq!(messages[0]["role"] == "system", system_inside, "{provider}: {context}");
        assert_eq!(messages.last().unwrap()["role"], "user");
    }
    let small = home.json(&["context", "--chat", MAIN, "--budget", "400"]);
    assert_eq!(small["budget"], 400);
    assert!(small["tokens"].as_u64().unwrap() <= 400);
}

#[test]
fn search_gives_its_hits_with_reasons() {
    let home = home_with_two_messages();
    let found = home.json(&["search", "spare key", "--chat", MAIN, "--kind", "message"]);
    has(&found, &["query", "verdict", "took_ms", "hits"]);
    assert_eq!((&found["query"], &found["verdict"]), (&json!("spare key"), &json!("strong")));
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 2);
    for hit in hits {
        has(hit, &["score", "kind", "id", "chat", "lane", "conversation", "role", "at", "text", "why"]);
        has(&hit["why"], &["words", "meaning", "time"]);
        assert_eq!((&hit["kind"], &hit["chat"]), (&json!("message"), &json!(MAIN)));
    }
    assert_eq!(
        home.json(&["search", "spare key", "--chat", MAIN, "--limit", "1"])["hits"].as_array().unwrap().len(),
        1
    );
    assert_eq!(home.json(&["search", "spare key", "--chat", MAIN, "--kind", "summary"])["verdict"], "none");
    assert_eq!(
        home.json(&["search", "spare key", "--chat", MAIN, "--until", "2020-01-01"])["verdict"],
        "none"
    );
    assert_eq!(
        home.json(&["search", "spare key", "--chat", MAIN, "--since", "2020-01-01"])["verdict"],
        "strong"
    );
}

#[test]
fn h4_any_string_is_a_valid_query() {
    let home = home_with_two_messages();
    for query in [
        "",
        " ",
        "\"",
        "key AND",
        "NEAR(",
        "-key",
        "*",
        "'; DROP TABLE messages; --",
        "🔑",
        "钥匙",
        "a:b",
        "()",
        "\\",
        "%_",
    ] {
        has(&home.json(&["search", "--chat", MAIN, "--", query]), &["verdict", "hits"]);
    }
    assert_eq!(home.messages(), 2);
}

#[test]
fn conversations_are_listed_and_shown() {
    let home = home_with_two_messages();
    let listed = home.json(&["conversations", "list"]);
    let rows = listed["conversations"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    has(&rows[0], &["id", "lane", "from", "to", "messages"]);
    assert_eq!(rows[0]["messages"], 2);
    let shown = home.json(&["conversations", "show", rows[0]["id"].as_str().unwrap()]);
    let messages = shown["messages"].as_array().unwrap();
    has(&messages[0], &["id", "role", "at", "text"]);
    assert_eq!(messages.len(), 2);
    // Any of its messages names the conversation.
    assert_eq!(home.json(&["conversations", "show", messages[1]["id"].as_str().unwrap()]), shown);
}

#[test]
fn a_turn_is_one_document_with_its_receipt() {
    let home = home_with_two_messages();
    let turn = home.json(&["chat", "-m", "Where is the spare key?"]);
    has(&turn, &["reply", "turn", "receipt", "usage"]);
    has(&turn["usage"], &["input_tokens", "output_tokens", "cost_usd"]);
    assert!(turn["reply"].as_str().unwrap().contains("The spare key is with Ana"), "{turn}");
    let receipt = turn["receipt"].to_string();
    assert!(!receipt.contains("Ana"), "a receipt holds ids and figures, never text: {receipt}");
    assert_eq!(home.messages(), 4);
    let plain = home.ok(&["chat", "-m", "Where is the spare key?"]);
    assert!(plain.contains("The spare key is with Ana") && plain.ends_with('\n'), "{plain:?}");
}

#[test]
fn status_doctor_and_config_are_documents_too() {
    let home = home_with_two_messages();
    let status = home.json(&["status"]);
    has(&status, &["home", "database", "model", "zone", "messages", "waiting", "replies", "jobs", "chats"]);
    assert_eq!((&status["messages"], &status["chats"][0]["chat"]), (&json!(2), &json!(MAIN)));
    let doctor = home.json(&["doctor"]);
    assert_eq!(doctor["ok"], true);
    for check in doctor["checks"].as_array().unwrap() {
        has(check, &["check", "state", "message"]);
    }
    assert_eq!(home.json(&["config", "check"]), json!({ "problems": [] }));
    let schema = home.json(&["config", "schema"]);
    assert!(schema["properties"]["model"].is_object(), "{schema}");
    let shown = home.json(&["config", "show"]).to_string();
    assert!(shown.contains("model") && shown.contains("offline") || shown.contains("auto"), "{shown}");
    assert_eq!(home.json(&["reindex"])["indexed"], 2);
}

#[test]
fn help_and_completions_end_well() {
    let home = Home::new();
    for words in [
        &["--help"][..],
        &["record", "--help"],
        &["--version"],
        &["completions", "bash"],
        &["completions", "zsh"],
    ] {
        assert!(home.ok(words).contains("throughline"), "{words:?}");
    }
    assert!(!home.path().exists(), "asking for help makes no home");
    assert_eq!(home.run::<&str>(&[]).code, Some(2));
}

#[test]
fn an_unseen_chat_is_empty_and_a_missing_home_is_made_private() {
    let home = Home::new();
    let found = home.json(&["search", "anything", "--chat", "telegram:chat:1"]);
    assert_eq!((&found["verdict"], &found["hits"]), (&json!("none"), &json!([])));
    let context = home.json(&["context", "--chat", "telegram:chat:1"]);
    assert_eq!(context["thread"], "new");
    let recent =
        context["layers"].as_array().unwrap().iter().find(|layer| layer["name"] == "recent").unwrap().clone();
    assert_eq!(recent["items"], json!([]));
    assert_eq!(
        home.json(&["conversations", "list", "--chat", "telegram:chat:1"])["conversations"],
        json!([])
    );
    assert_eq!(home.ok(&["export", "--chat", "telegram:chat:1"]), "");
    assert_eq!(home.messages(), 0);
    assert_eq!(home.json(&["status"])["chats"], json!([]), "looking at a chat does not make it");
    assert_eq!(mode(&home.path()), 0o700);
    for (file, _) in home.files() {
        if file.to_string_lossy().contains("throughline.db") {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }
    // Without any word on where it lies, it is in the person's own folder.
    let mut command = home.command(&["record", "--chat", MAIN, "x"]);
    assert!(command.env_remove("THROUGHLINE_HOME").status().unwrap().success());
    assert_eq!(mode(&home.beside(".throughline")), 0o700);
}

/// Secrets of each class, put together here so that no scanner takes this file for a leak.
fn secrets() -> Vec<String> {
    vec![
        ["sk-ant-", "api03-", &"x9Yz".repeat(12)].concat(),
        ["ghp_", &"a1B2c3".repeat(6)].concat(),
        ["AKIA", "QZ7XN3RT5WVB2LMD"].concat(),
        [
            "eyJhbGciOiJIUzI1NiJ9.",
            "eyJzdWIiOiIxMjM0NTY3ODkwIn0.",
            "dBjftJeZ4CVPmB92K27uhbUJU1p1rwW1gFWFOEjXk",
        ]
        .concat(),
        ["123456789:", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"].concat(),
    ]
}

#[test]
fn c6_a_secret_is_nowhere_in_the_home() {
    let home = Home::new();
    for secret in secrets() {
        let text = format!("my token is {secret}, keep it");
        home.ok(&["record", "--chat", MAIN, &text]);
        home.ok(&[
            "record",
            "--chat",
            MAIN,
            "--metadata",
            &json!({ "note": text, "deep": [{ "token": secret }] }).to_string(),
            "see the note",
        ]);
        home.ok(&["record", "--chat", MAIN, "--speaker", &secret, "who am I"]);
        home.import(&[
            json!({ "chat": MAIN, "role": "tool_result", "text": text, "metadata": { "env": text } }),
        ]);
        home.run(&["-vv", "chat", "-m", &text]);
        home.run(&["-vv", "search", &secret, "--chat", MAIN]);
        home.run(&["-vv", "context", "--chat", MAIN, "-m", &text]);
        // What is refused goes into the log as well.
        home.run(&["-vv", "import", &format!("/nowhere/{secret}")]);
        for (file, bytes) in home.files() {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "a secret is in {}", file.display());
        }
    }
    let password = "Tr0ub4dor-and-3";
    home.ok(&["record", "--chat", MAIN, &format!("postgres://ana:{password}@db.example.com/shop")]);
    let export = home.ok(&["export"]);
    assert!(!export.contains(password));
    // Only the secrets are gone: what stood around them was recorded.
    assert!(export.contains("my token is [redacted") && export.contains("keep it"), "{export}");
    assert!(export.contains("db.example.com/shop"), "{export}");
}

#[test]
fn c6_l17_identifiers_are_no_secrets() {
    let home = Home::new();
    let kept = [
        "the AWS account is 4711-0815-2342",
        "order 550e8400-e29b-41d4-a716-446655440000",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "+49 151 23456789",
    ];
    for text in kept {
        home.record(text);
    }
    assert_eq!(home.texts(), kept);
}

#[test]
fn c6_card_numbers_and_ibans_are_redacted_unless_the_settings_keep_them() {
    let texts = ["pay with 4012 8888 8888 1881 please", "send it to GB29 NWBK 6016 1331 9268 19 today"];
    let home = Home::new();
    for text in texts {
        home.record(text);
    }
    let redacted = ["pay with [redacted:card-number] please", "send it to [redacted:iban] today"];
    assert_eq!(home.texts(), redacted);
    let home = Home::new().configured("[privacy]\nredact_numbers = false\n");
    home.ok(&["config", "check"]);
    for text in texts {
        home.record(text);
    }
    home.record("my password is hunter2");
    assert_eq!(home.texts(), [texts[0], texts[1], "my password is [redacted:password]"]);
    let home = Home::new().configured("[privacy]\nredact_numbers = \"some\"\n");
    let ran = home.run(&["config", "check"]);
    assert!(ran.code != Some(0) && ran.stdout.contains("privacy.redact_numbers"), "{ran:?}");
}

#[test]
fn c6_an_answer_to_a_question_for_a_secret_reaches_no_file() {
    let home = Home::new();
    home.record("what is the wifi password?");
    home.record("bananabread");
    home.import(&[
        json!({ "chat": MAIN, "role": "user", "text": "here is the PIN of the card:" }),
        json!({ "chat": MAIN, "role": "user", "text": "4831" }),
    ]);
    assert_eq!(
        home.texts().iter().filter(|text| *text == "[redacted:password]").count(),
        2,
        "{:?}",
        home.texts()
    );
    for (file, bytes) in home.files() {
        let found = bytes.windows(11).any(|window| window == b"bananabread");
        assert!(!found, "the answer is in {}", file.display());
    }
}

#[test]
fn doctor_finds_a_home_that_is_open_to_others_and_closes_it() {
    let home = home_with_two_messages();
    set_mode(&home.path(), 0o755);
    let ran = home.run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("755") && ran.stdout.contains("doctor --fix"), "{ran:?}");
    assert!(home.ok(&["doctor", "--fix"]).contains("755"));
    assert_eq!(mode(&home.path()), 0o700);
    home.ok(&["doctor"]);
}

#[test]
fn doctor_finds_a_broken_word_index_and_mends_it() {
    let beside_the_index = home_with_two_messages();
    let in_the_index = Home::new();
    let lines: Vec<Value> = (0..300)
        .map(|n| json!({ "chat": MAIN, "role": "user", "text": format!("letter {n} about the spare key") }))
        .collect();
    in_the_index.import(&lines);
    let cases = [
        (&beside_the_index, "DELETE FROM unindexed"),
        (&in_the_index, "DELETE FROM postings WHERE term LIKE 'spar%'"),
        (&in_the_index, "DELETE FROM postings"),
        (&in_the_index, "UPDATE chats SET indexed_messages = 7"),
    ];
    for (home, damage) in cases {
        assert!(home.sql().execute(damage, []).unwrap() > 0, "{damage} did no damage");
        let ran = home.run(&["doctor", "--json"]);
        assert_eq!(ran.code, Some(1), "{damage}: {ran:?}");
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let broken: Vec<&Value> = document["checks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["state"] == "broken")
            .collect();
        assert!(
            broken.len() == 1 && broken[0]["message"].as_str().unwrap().contains("throughline reindex"),
            "{damage}: {document}"
        );
        home.ok(&["doctor", "--fix"]);
        home.ok(&["doctor"]);
        assert_eq!(home.json(&["search", "spare key", "--chat", MAIN])["verdict"], "strong", "{damage}");
    }
}

#[test]
fn a_message_comes_from_the_line_a_file_or_a_pipe_and_a_bare_word_names_a_chat() {
    let home = Home::new();
    let file = home.file("question.txt", "From a file.\n");
    home.ok(&["chat", "--chat", "work", "From the line."]);
    home.ok(&["chat", "--chat", "work", "-m", &format!("@{file}")]);
    home.feed(&["chat", "--chat", "cli:chat:work", "-m", "-"], b"From a pipe,\nin two lines.\n").ok();
    home.feed(&["chat", "--chat", "work"], b"From a pipe alone.").ok();
    home.ok(&["chat", "Elsewhere."]);
    let said = |chat: &str| -> Vec<String> {
        let export = home.ok(&["export", "--chat", chat]);
        let lines = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let said = lines.filter(|line| line["role"] == "user");
        said.map(|line| line["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        said("work"),
        ["From the line.", "From a file.", "From a pipe,\nin two lines.", "From a pipe alone."]
    );
    assert_eq!(said("main"), ["Elsewhere."]);
    let missing = home.run(&["chat", "-m", "@nowhere.txt"]);
    assert!(missing.code == Some(1) && missing.stderr.contains("written without -m"), "{missing:?}");
    let nothing = home.run(&["chat"]);
    assert!(nothing.code == Some(2) && nothing.stderr.contains("there is no message"), "{nothing:?}");
}
