//! The thread of a conversation through the doors: time, zones, recall, and picking up after a restart. Each command
//! is a process of its own, so every step here is a restart.

use crate::common::{Home, MAIN};
use serde_json::{Value, json};

#[test]
fn e1_under_thirty_minutes_is_a_continuation_and_minute_31_loses_nothing_but_the_greeting_rule() {
    let home = Home::new();
    home.ok(&["--now", "2026-02-18T12:00:00Z", "record", "--chat", MAIN, "the violin needs new strings"]);
    for (now, thread) in [
        ("2026-02-18T12:00:01Z", "continuation"),
        ("2026-02-18T12:29:59Z", "continuation"),
        ("2026-02-18T12:31:00Z", "new"),
        ("2026-02-19T12:00:00Z", "new"),
    ] {
        let context = home.json(&["--now", now, "context", "--chat", MAIN, "-m", "hello"]);
        assert_eq!(context["thread"], thread, "{now}");
        let text = context["text"].as_str().unwrap();
        assert_eq!(text.contains("Do not greet again"), thread == "continuation", "{now}: {text}");
        assert!(text.contains("the violin needs new strings"), "{now}: {text}");
    }
    let conversation =
        |now: &str| home.json(&["--now", now, "record", "--chat", MAIN, "and?"])["conversation"].clone();
    let first = conversation("2026-02-18T12:29:00Z");
    assert_eq!(conversation("2026-02-18T12:58:00Z"), first, "the chain of gaps continues");
    assert_ne!(conversation("2026-02-18T13:29:00Z"), first);
    assert_eq!(home.json(&["conversations", "list"])["conversations"].as_array().unwrap().len(), 2);
}

#[test]
fn the_calendar_stands_where_now_says() {
    let home = Home::new().with("USER_TIMEZONE", "UTC");
    home.ok(&["--now", "2026-02-18T12:00:00Z", "record", "--chat", MAIN, "one"]);
    assert_eq!(home.exported()[0]["at"], "2026-02-18T12:00:00Z");
    let context = home.ok(&["--now", "2026-02-18T12:05:00Z", "context", "--chat", MAIN]);
    assert!(
        context.contains("Wednesday, 18 February 2026, 12:05") && context.contains("5 min ago"),
        "{context}"
    );
    let by_variable = Home::new().with("THROUGHLINE_NOW", "2030-01-01T00:00:00Z");
    by_variable.record("two");
    assert_eq!(by_variable.exported()[0]["at"], "2030-01-01T00:00:00Z");
}

#[test]
fn e2_l7_times_are_the_person_s_and_never_utc() {
    let home = Home::new().with("USER_TIMEZONE", "Asia/Singapore");
    let forecast =
        json!({ "source": "routine", "routine": "morning-summary", "summary": "Rain until noon." })
            .to_string();
    // 23:02 UTC is 07:02 of the next day in Singapore.
    home.ok(&[
        "record",
        "--chat",
        MAIN,
        "--role",
        "assistant",
        "--at",
        "2026-02-17T23:02:00Z",
        "--metadata",
        &forecast,
        "Rain until noon, then sun.",
    ]);
    home.ok(&["record", "--chat", MAIN, "--at", "2026-02-17T10:30:00Z", "see you tomorrow"]);
    let now = "2026-02-18T07:02:00Z";
    let text = home.ok(&["--now", now, "context", "--chat", MAIN, "--format", "text", "-m", "will it rain?"]);
    for shown in [
        "Wednesday, 18 February 2026",
        "Tuesday, 17 February 2026",
        "07:02 AM, 8h ago",
        "06:30 PM",
        "03:02 PM",
        "Asia/Singapore",
    ] {
        assert!(text.contains(shown), "{shown} is not in {text}");
    }
    let xml = home.ok(&["--now", now, "context", "--chat", MAIN, "-m", "will it rain?"]);
    assert!(xml.contains("timestamp=\"2026-02-17 18:30\"") && xml.contains("15:02"), "{xml}");
    let outputs = [
        text,
        xml,
        home.ok(&["--now", now, "search", "rain", "--chat", MAIN]),
        home.ok(&["--now", now, "conversations", "list"]),
        home.ok(&["export", "--format", "markdown"]),
        home.ok(&["--now", now, "chat", "-m", "will it rain?"]),
    ];
    for shown in outputs {
        for utc in ["UTC", "23:02", "10:30", "11:02 PM"] {
            assert!(!shown.contains(utc), "{utc} leaks into {shown}");
        }
    }
    // A moment without an offset is the person's, too.
    home.ok(&["record", "--chat", MAIN, "--at", "2026-02-18T07:30", "at the bus stop"]);
    assert_eq!(home.exported().last().unwrap()["at"], "2026-02-17T23:30:00Z");
}

#[test]
fn l1_l15_what_was_said_just_now_is_recalled_after_a_restart() {
    let home = Home::new();
    home.ok(&["chat", "-m", "My sister Ines moved to Porto in May."]);
    for question in ["Where did my sister move?", "Who lives in Porto?", "When did Ines move?"] {
        let reply = home.ok(&["chat", "-m", question]);
        assert!(reply.contains("My sister Ines moved to Porto in May."), "{question} {reply}");
    }
}

#[test]
fn a_statement_is_acknowledged_without_being_repeated_and_nothing_known_is_said_so() {
    let home = Home::new();
    let reply = home.ok(&["chat", "-m", "Where is the umbrella?"]);
    assert!(reply.contains("nothing"), "{reply}");
    let reply = home.ok(&["chat", "-m", "The umbrella hangs behind the door."]);
    assert!(!reply.contains("umbrella") && !reply.trim().is_empty(), "{reply}");
}

#[test]
fn l17_an_exact_number_is_found_by_window_and_by_search() {
    let home = Home::new();
    let number = "4711-0815-2342";
    home.ok(&[
        "record",
        "--chat",
        MAIN,
        "--at",
        "2026-02-10T09:00:00Z",
        &format!("The AWS account for billing is {number}."),
    ]);
    let just_after = home.ok(&["--now", "2026-02-10T09:01:00Z", "context", "--chat", MAIN, "-m", "go on"]);
    assert!(just_after.contains(number), "by window: {just_after}");

    let lines: Vec<Value> = (0..200)
        .map(|n| {
            let (hour, minute) = (10 + n / 60, n % 60);
            let text = format!("We talked about chapter {n} of the book, its {} people and account books.", n * 7);
            json!({ "chat": MAIN, "role": if n % 2 == 0 { "user" } else { "assistant" }, "text": text, "at": format!("2026-02-12T{hour:02}:{minute:02}:00Z") })
        })
        .collect();
    home.import(&lines);
    let now = "2026-02-18T12:00:00Z";
    for query in [number, "AWS account", "which account is for billing?"] {
        let found = home.json(&["--now", now, "search", query, "--chat", MAIN]);
        assert!(
            found["hits"][0]["text"].as_str().is_some_and(|text| text.contains(number)),
            "{query}: {found}"
        );
    }
    let reply = home.ok(&["--now", now, "chat", "-m", "What is the AWS account for billing?"]);
    assert!(reply.contains(number), "{reply}");
}

#[test]
fn l20_it_picks_up_where_it_left_off() {
    let home = Home::new();
    home.ok(&[
        "--now",
        "2026-02-18T20:00:00Z",
        "chat",
        "-m",
        "We compare two flats: the one in Mill Lane has a balcony.",
    ]);
    home.ok(&["--now", "2026-02-18T20:02:00Z", "chat", "-m", "The other one in Bridge Street is cheaper."]);
    let next = home.json(&[
        "--now",
        "2026-02-19T07:30:00Z",
        "context",
        "--chat",
        MAIN,
        "-m",
        "Let us go on with the flats.",
    ]);
    assert_eq!(next["thread"], "new");
    let text = next["text"].as_str().unwrap();
    let (first, second) = (text.find("Mill Lane").unwrap(), text.find("Bridge Street").unwrap());
    assert!(first < second, "in the order in which it was said: {text}");
    let reply = home.ok(&["--now", "2026-02-19T07:31:00Z", "chat", "-m", "Which flat has a balcony?"]);
    assert!(reply.contains("Mill Lane") && reply.contains("yesterday"), "{reply}");
}

#[test]
fn c4_tool_traffic_is_cut_for_storage_and_for_history_and_system_messages_are_no_history() {
    let home = Home::new();
    let result = format!("first line {}", "x".repeat(60_000));
    home.ok(&["record", "--chat", MAIN, "list the files"]);
    home.ok(&["record", "--chat", MAIN, "--role", "tool_use", "--metadata", r#"{"tool":"shell"}"#, "ls"]);
    home.feed(
        &["record", "--chat", MAIN, "--role", "tool_result", "--metadata", r#"{"tool":"shell"}"#, "-"],
        result.as_bytes(),
    )
    .ok();
    home.ok(&["record", "--chat", MAIN, "--role", "system", "the moon is full"]);
    let stored = &home.texts()[2];
    assert!(stored.ends_with("[truncated for storage]") && stored.chars().count() < 50_100);
    let context = home.ok(&["context", "--chat", MAIN]);
    assert!(context.contains("first line") && !context.contains("the moon is full"), "{context}");
    assert!(!context.contains(&"x".repeat(501)), "at most 500 characters of a result are history");
}
