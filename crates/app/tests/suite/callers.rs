//! Programs that bring their own model: `record`, `context`, and streamed turns.

use serde_json::{Value, json};

use crate::common::{Home, MAIN};

#[test]
fn a_recorded_reply_is_kept_without_its_tags_and_they_are_honored() {
    let home = Home::new();
    home.ok(&["record", "My sister Ines is a marine biologist. I want to run a marathon by 3 May."]);
    let reply = "Lovely!\n[REMEMBER: my sister Ines is a marine biologist]\n[GOAL: run a marathon | DEADLINE: 3 May]\n\
                 [REMEMBER: the person is a famous singer]\nGood luck.";
    let recorded = home.json(&["record", "--role", "assistant", reply]);
    assert_eq!(recorded["text"], "Lovely!\nGood luck.");
    assert_eq!(home.texts().last().unwrap(), "Lovely!\nGood luck.");
    let known = home.json(&["memory", "list"]).to_string();
    assert!(known.contains("Ines") && known.contains("marathon"), "{known}");
    assert!(!known.contains("singer"), "only the person's own words are proof: {known}");

    home.ok(&["record", "I ran the marathon!"]);
    home.ok(&["record", "--role", "assistant", "Well done. [DONE: run a marathon]"]);
    let all = home.json(&["memory", "list", "--all", "--kind", "goal"]);
    assert_eq!(all["memories"][0]["status"], "done", "{all}");

    let shown = home.ok(&["record", "--role", "assistant", "Noted. [REMEMBER: nothing of this was said]"]);
    assert!(shown.contains("recorded") && shown.ends_with("\nNoted.\n"), "{shown}");
    let code = home.json(&["record", "--role", "assistant", "Write `[DONE: x]` to end it."]);
    assert_eq!(code["text"], "Write `[DONE: x]` to end it.");
    let person = home.json(&["record", "What does [DONE: x] mean?"]);
    assert_eq!(person.get("text"), None);
    assert_eq!(home.texts().last().unwrap(), "What does [DONE: x] mean?", "a person's words stay");
}

#[test]
fn a_memory_that_a_tag_asked_for_names_the_words_that_prove_it() {
    let home = Home::new();
    let said = home.record("Good morning. There go the two cats that I have, hungry again.");
    let recorded = home.json(&["record", "--role", "assistant", "Lovely! [REMEMBER: I have two cats]"]);
    assert_eq!(recorded["memories"][0]["sources"], json!([said]), "{recorded}");
    let id = recorded["memories"][0]["id"].as_str().unwrap();
    let shown = home.json(&["memory", "show", id]);
    assert_eq!(
        shown["memories"][0]["quotes"][0]["text"], "There go the two cats that I have, hungry again.",
        "{shown}"
    );
}

#[test]
fn a_reply_of_nothing_but_tags_acknowledges_and_one_that_comes_twice_teaches_once() {
    let home = Home::new();
    home.ok(&["record", "Guess who plays the oboe in our band: that would be me, badly."]);
    let recorded = home.json(&["record", "--role", "assistant", "[REMEMBER: I play the oboe]"]);
    assert_eq!((&recorded["text"], home.texts().pop().unwrap().as_str()), (&json!("Noted."), "Noted."));
    assert_eq!(recorded["memories"].as_array().unwrap().len(), 1, "{recorded}");
    let again =
        ["record", "--role", "assistant", "--external-id", "r-1", "Nice. [REMEMBER: I collect old maps]"];
    home.ok(&["record", "I collect old maps."]);
    home.json(&again);
    let count = |home: &Home| home.json(&["memory", "list"])["memories"].as_array().unwrap().len();
    let before = count(&home);
    assert_eq!(home.json(&again)["memories"], json!([]));
    assert_eq!(count(&home), before);
}

#[test]
fn a_context_teaches_tags_unless_it_is_told_not_to() {
    let home = Home::new();
    assert!(home.ok(&["context", "-m", "hello"]).contains("[REMEMBER:"));
    let without = home.ok(&["context", "-m", "hello", "--no-tags"]);
    assert!(!without.contains("[REMEMBER:") && without.contains("<policy>"), "{without}");
}

#[test]
fn a_streamed_turn_is_one_event_on_a_line() {
    let home = Home::new();
    home.record("The umbrella hangs behind the door.");
    let printed = home.ok(&["chat", "--json", "--stream", "-m", "Where is the umbrella?"]);
    let events: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (done, deltas) = events.split_last().unwrap();
    assert!(deltas.len() > 1 && deltas.iter().all(|event| event["event"] == "delta"), "{printed}");
    let said: String = deltas.iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!((done["event"].as_str(), done["reply"].as_str()), (Some("done"), Some(said.as_str())));
    assert!(done["turn"].is_string() && done["receipt"].is_object() && done["usage"].is_object(), "{done}");
    let command = home.ok(&["chat", "--json", "--stream", "-m", "/help"]);
    assert_eq!(serde_json::from_str::<Value>(&command).unwrap()["event"], "done");

    let refused = home.run(&["chat", "--stream", "-m", "hello"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--json"), "{refused:?}");
    let failed = home.run(&["chat", "--json", "--stream", "-m", " "]);
    let event: Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!((failed.code, event["event"].as_str()), (Some(1), Some("error")));
    assert_eq!(event["error"]["code"], "invalid_message");
}

#[test]
fn an_error_names_the_setting_that_mends_it() {
    let home = Home::new();
    home.record("I live in Oslo.");
    let settings = home.json(&["config", "schema"]).to_string();
    let lost = home.path().join("nowhere/at/all.db");
    let elsewhere = Home::new().with("THROUGHLINE_DATABASE_URL", &format!("sqlite:{}", lost.display()));
    let long = "word ".repeat(190_000);
    let file = home.file("long.txt", &long);
    for (ran, setting) in [
        (home.run(&["chat", "-m", &format!("@{file}")]), "context.budget"),
        (elsewhere.run(&["record", "--chat", MAIN, "x"]), "database_url"),
        (home.run(&["forget", "--undo", "01a1e54c"]), "memory.undo_hours"),
        (home.with("THROUGHLINE_MODEL", "gpt").run(&["chat", "-m", "x"]), "THROUGHLINE_MODEL"),
    ] {
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(setting), "{setting}: {}", ran.stderr);
        let key = setting.rsplit('.').next().unwrap();
        assert!(settings.contains(key) || setting.starts_with("THROUGHLINE_"), "{setting} is no setting");
    }
}
