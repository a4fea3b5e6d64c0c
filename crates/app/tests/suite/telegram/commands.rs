//! Commands: listed with Telegram, answered in the chat, recorded, and left alone where another bot is meant.

use super::scripted::{in_groups, learned, memories, private, taken_in, told};
use crate::common::Home;
use crate::common::served::{ANA, LONG, Served};

const GROUP: i64 = -1_002_000;

#[test]
fn j1_j5_all_commands_are_listed_with_telegram() {
    let served = Served::new();
    let listed = served.api.wait(LONG, |api| Some(api.commands()).filter(|commands| !commands.is_empty()));
    let names: Vec<&str> = listed.iter().map(|(name, _)| name.as_str()).collect();
    for name in [
        "memory", "forget", "remember", "summary", "start", "help", "new", "search", "why", "context",
        "export", "status", "routines", "cost",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(listed.iter().all(|(_, does)| !does.is_empty()), "{listed:?}");
}

#[test]
fn j1_j3_what_is_remembered_is_shown_and_both_are_recorded() {
    let served = Served::new();
    assert_eq!(
        served.ask("/remember I am allergic to peanuts").text,
        "✓ Remembered: I am allergic to peanuts"
    );
    served.ask("I want to run a marathon by May.");
    learned(&served, &private(), "marathon");
    let memory = served.ask("/memory").text;
    for words in
        ["📋 YOUR PROFILE", "👤 Personal Facts", "peanuts", "🎯 Active Goals", "marathon", "💬 Conversation:"]
    {
        assert!(memory.contains(words), "{words}: {memory}");
    }
    let texts = served.home.texts();
    assert!(texts.contains(&"/remember I am allergic to peanuts".to_owned()), "c2: {texts:?}");
    assert!(texts.iter().any(|text| text.contains("YOUR PROFILE")), "c2: {texts:?}");
}

#[test]
fn j4_j5_each_command_answers_in_the_chat() {
    let served = Served::new();
    served.ask("The spare key is under the blue pot.");
    let cases = [
        ("/start", "/memory"),
        ("/help", "/forget"),
        ("/search spare key", "under the blue pot"),
        ("/why", "offline"),
        ("/context where is the key?", "under the blue pot"),
        ("/summary", "ongoing"),
        ("/status", "essage"),
        ("/routines", "outine"),
        ("/cost", ""),
        ("/new", "new conversation"),
        ("/nonsense", "There is no /nonsense"),
    ];
    for (line, words) in cases {
        let answer = served.ask(line).text;
        assert!(!answer.is_empty() && answer.contains(words), "{line}: {answer}");
    }
    served.api.says(ANA, ANA, "/export");
    let file = served.api.wait(LONG, |api| api.documents(ANA).pop());
    let text = String::from_utf8(file.bytes).unwrap();
    assert!(file.file_name.ends_with(".md") && text.contains("under the blue pot"), "{text}");
}

#[test]
fn j5_what_commands_print_fits_a_phone() {
    let served = Served::with(|| {
        Home::new().configured(
            "[routines.water]\nschedule = \"0 10 * * *\"\nkind = \"message\"\ntext = \"A glass of water?\"\n",
        )
    });
    served.ask("The spare key is under the blue pot.");
    served.ask("My sister Vera lives in Lisbon.");
    let home = served.home.path().display().to_string();
    for line in [
        "/help",
        "/search spare key",
        "/why",
        "/conversations",
        "/status",
        "/routines",
        "/cost",
        "/summary",
        "/memory",
    ] {
        let answer = served.ask(line).text;
        let is_id = |word: &str| word.len() >= 8 && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        let is_score = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
        for shown in answer.lines() {
            assert!(!shown.trim_start().contains("  "), "{line}: columns: {shown:?}");
            for word in shown.split_whitespace() {
                assert!(!is_id(word) && !is_score(word), "{line}: {word:?} in {shown:?}");
            }
        }
        assert!(!answer.contains(&home) && !answer.contains("root:"), "{line}: {answer}");
    }
    let found = served.ask("/search spare key").text;
    assert!(
        found.contains("You, today at ") && found.contains("“The spare key is under the blue pot.”"),
        "{found}"
    );
    assert!(served.ask("/routines").text.contains("• water: "), "when it runs next");
}

#[test]
fn j5_an_answer_that_is_too_long_for_a_message_comes_as_a_file_too() {
    let served = Served::new();
    let lines: Vec<serde_json::Value> = (0..80)
        .map(|n| {
            let text = format!(
                "Chapter {n} of the orchard book tells how pears, plums and quinces are grafted in spring."
            );
            serde_json::json!({ "chat": private(), "role": "user", "text": text })
        })
        .collect();
    served.home.import(&lines);
    let shown = served.ask("/context what does the orchard book tell about plums?").text;
    let file = served.api.wait(LONG, |api| api.documents(ANA).pop());
    let whole = String::from_utf8(file.bytes).unwrap();
    assert!(whole.starts_with(shown.lines().next().unwrap()) && whole.len() > shown.len(), "{shown}");
    let texts: Vec<String> = served.api.shown(ANA).into_iter().map(|message| message.text).collect();
    assert_eq!(texts, [shown, "All of it".to_owned()], "one message, and the words under the file");
}

#[test]
fn a_command_may_name_the_bot_and_one_for_another_bot_is_left_alone() {
    let mut served = in_groups(Home::new());
    served.api.supergroup(GROUP, "Family");
    let answer = served.ask_in(ANA, GROUP, "/remember@throughline_test_bot We eat at seven");
    assert_eq!(answer.text, "✓ Remembered: We eat at seven");
    served.api.says(ANA, GROUP, "/remember@another_bot We eat at nine");
    taken_in(&served.api);
    assert_eq!(served.stop(), Some(0));
    assert_eq!(served.api.shown(GROUP).len(), 1);
    let known = memories(&served, &format!("telegram:chat:{GROUP}"));
    assert!(known.len() == 1 && known[0].contains("seven"), "{known:?}");
    assert!(!served.home.texts().iter().any(|text| text.contains("nine")));
}

#[test]
fn i1_a_suggestion_is_saved_or_skipped_as_the_person_says() {
    for (button, text, kept) in [("Save", "✓ Remembered: ", &["active"][..]), ("Skip", "Skipped.", &[])] {
        let served = Served::with(|| Home::new().configured("capture = \"suggest\"\n"));
        served.ask("I am allergic to peanuts.");
        let offer = served.seen(ANA, 1);
        assert!(offer.text.contains("peanuts"), "{offer:?}");
        assert_eq!(statuses(&served), ["suggested"], "nothing is kept unasked");
        let press = served.api.presses(ANA, ANA, offer.message_id, button);
        assert!(told(&served.api, &press).starts_with(text));
        let settled = served
            .api
            .wait(LONG, |api| api.shown(ANA).into_iter().nth(1).filter(|it| it.keyboard.is_empty()));
        assert!(settled.text.starts_with(text), "{settled:?}");
        assert_eq!(statuses(&served), kept, "{button}");
    }
}

/// What holds of what was learned of Ana.
fn statuses(served: &Served) -> Vec<String> {
    let listed = served.home.json(&["memory", "list", "--chat", &private()]);
    let memories = listed["memories"].as_array().unwrap().iter();
    memories.map(|memory| memory["status"].as_str().unwrap().to_owned()).collect()
}
