//! Ids as people write them, the words that prove a memory, and searches over all of the owner's chats.

use serde_json::Value;

use crate::common::Home;

fn id(document: &Value) -> &str {
    document.as_str().unwrap()
}

#[test]
fn a_short_id_is_shown_and_taken_wherever_an_id_is() {
    let home = Home::new();
    let shown = home.ok(&["record", "I live in Oslo."]);
    let short = shown.split_whitespace().nth(2).unwrap().to_owned();
    let whole = home.exported()[0]["id"].as_str().unwrap().to_owned();
    assert!(short.len() < whole.len() && whole.starts_with(&short), "{shown}");
    home.ok(&["record", "I have two cats."]);

    assert_eq!(home.json(&["conversations", "show", &short])["id"], whole);
    let reply = home.json(&["record", "--reply-to", &short, "In the center."]);
    assert_eq!(reply["lane"], "root:main", "it answers a message that we know");
    assert!(home.ok(&["context", "--reply-to", &short, "-m", "why?"]).contains("Oslo"));

    let listed = home.ok(&["memory", "list"]);
    let memory =
        listed.lines().find(|line| line.contains("Oslo")).unwrap().split_whitespace().next().unwrap();
    assert!(memory.len() < 36, "{listed}");
    assert!(home.ok(&["memory", "show", memory]).contains("Oslo"));
    assert!(home.ok(&["memory", "history", memory]).contains("Oslo"));
    home.ok(&["memory", "edit", memory, "--kind", "preference"]);

    let listed = home.ok(&["memory", "list"]);
    let cats = listed.lines().find(|line| line.contains("cats")).unwrap().split_whitespace().next().unwrap();
    let forgotten = home.ok(&["forget", "--id", cats, "--yes"]);
    let receipt = forgotten.split_whitespace().last().unwrap();
    assert!(receipt.len() < 36, "{forgotten}");
    home.ok(&["forget", "--undo", receipt]);
    assert!(home.ok(&["memory", "list"]).contains("cats"));
    assert!(id(&home.json(&["memory", "list"])["memories"][0]["id"]).len() == 36, "--json keeps whole ids");
}

#[test]
fn an_id_that_names_several_is_answered_with_the_candidates() {
    let home = Home::new();
    home.ok(&["record", "I live in Oslo."]);
    home.ok(&["record", "I have two cats."]);
    let begins = home.exported()[0]["id"].as_str().unwrap()[..6].to_owned();
    let begins = begins.as_str();
    for words in [
        &["conversations", "show", begins] as &[&str],
        &["memory", "show", begins],
        &["forget", "--id", begins, "--yes"],
        &["record", "--reply-to", begins, "x"],
        &["context", "--reply-to", begins],
    ] {
        let ran = home.run(words);
        assert_eq!(ran.code, Some(1), "{words:?}: {ran:?}");
        assert!(ran.stderr.contains("beginning of several ids"), "{words:?}: {ran:?}");
        let candidates = ran.stderr.matches(begins).count();
        assert!(candidates >= 3, "itself and the candidates: {}", ran.stderr);
    }
    assert_eq!(home.messages(), 2, "nothing was changed");
    let other = home.run(&["conversations", "show", begins, "--chat", "work"]);
    assert!(!other.stderr.contains("several"), "another chat's ids are no candidates: {other:?}");
}

#[test]
fn a_memory_is_shown_with_the_words_that_prove_it() {
    let home = Home::new().with("USER_TIMEZONE", "UTC");
    home.ok(&[
        "record",
        "--at",
        "2026-03-02T18:00:00Z",
        "--speaker",
        "Ana",
        "Thanks, that helped. I work as a nurse in Oslo. What should I cook?",
    ]);
    home.ok(&["status"]);
    let memory = id(&home.json(&["memory", "list"])["memories"][0]["id"]).to_owned();
    let shown = home.ok(&["memory", "show", &memory]);
    assert!(shown.contains("“I work as a nurse in Oslo.” (Ana, 2026-03-02 18:00)"), "{shown}");
    let quotes = &home.json(&["memory", "show", &memory])["memories"][0]["quotes"];
    assert_eq!(
        (&quotes[0]["text"], &quotes[0]["speaker"]),
        (&"I work as a nurse in Oslo.".into(), &"Ana".into()),
        "{quotes}"
    );
    assert_eq!(quotes[0]["at"], "2026-03-02T18:00:00Z");
}

#[test]
fn all_chats_of_the_owner_are_searched_and_nobody_else_s() {
    let home = Home::new()
        .with("TELEGRAM_USER_ID", "4711")
        .configured("[chats.\"cli:chat:bob\"]\nperson = \"bob\"\n");
    for (chat, text) in [
        ("main", "The spare key is with Ana."),
        ("work", "The key of the server room is in the drawer."),
        ("telegram:chat:4711", "I lost a key on the tram."),
        ("telegram:chat:815", "Guest: my key is under the mat."),
        ("telegram:chat:-100", "Group: who has the key?"),
        ("cli:chat:bob", "Bob: the key to my safe."),
    ] {
        home.ok(&["record", "--chat", chat, text]);
    }
    let found = home.json(&["search", "--all", "key", "--kind", "message"]);
    let mut chats: Vec<&str> = found["hits"].as_array().unwrap().iter().map(|hit| id(&hit["chat"])).collect();
    chats.sort_unstable();
    assert_eq!(chats, ["cli:chat:main", "cli:chat:work", "telegram:chat:4711"], "{found}");
    let shown = home.ok(&["search", "--all", "server room key"]);
    let first = shown.lines().next().unwrap();
    assert!(first.ends_with("cli:chat:work"), "the best hit first, with its chat: {shown}");
    assert!(!shown.contains("Guest") && !shown.contains("Bob") && !shown.contains("Group"), "{shown}");
    let one = home.ok(&["search", "key", "--kind", "message"]);
    assert!(!one.contains("cli:chat:main") && !one.contains("server"), "one chat needs no label: {one}");
    assert_eq!(home.json(&["search", "--all", "key", "--limit", "1"])["hits"].as_array().unwrap().len(), 1);
    assert_eq!(home.run(&["search", "--all", "--chat", "work", "key"]).code, Some(2));
}
