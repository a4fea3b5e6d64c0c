//! Access: the bot serves people who are on the list or were paired. Messages of others leave nothing behind.

use std::io::{BufRead, BufReader};

use super::scripted::told;
use serde_json::{Value, json};
use throughline_testkit::bot_api::{BotApi, BotMessage, Call};

use crate::common::Home;
use crate::common::served::{ANA, LONG, Served};

const BEN: i64 = 815;
const STRANGER: i64 = 99_887_766;
const GROUP: i64 = -1_001_500;
/// The moment at which the clock of a test stands, where pairing is tested.
const NOON: &str = "2026-03-02T12:00:00Z";

/// Waits until everything that arrived was taken in.
fn took_in(api: &BotApi) {
    api.wait(LONG, |api| (api.pending() == 0 && api.is_polled()).then_some(()));
}

/// Restarts the program with a variable set.
fn restart_with(served: &mut Served, name: &'static str, value: &str) {
    served.settle();
    served.kill();
    let home = std::mem::replace(&mut served.home, Home::new());
    served.home = home.with(name, value);
    served.start();
}

/// What the program says about the bot when it begins to serve.
fn introduction(home: &Home) -> String {
    let mut child = home.command(&["serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.map(Result::unwrap).find(|line| line.trim_start().starts_with("telegram "));
    child.kill().unwrap();
    child.wait().unwrap();
    said.unwrap_or_default().trim_start().trim_start_matches("telegram").trim().to_owned()
}

#[test]
fn a2_the_program_says_when_nobody_is_served() {
    let api = BotApi::start();
    let bare = || Home::new().with("TELEGRAM_API_URL", &api.url());
    let named = || bare().with("TELEGRAM_BOT_TOKEN", &api.token());
    let cases = [
        (bare(), "off; "),
        (bare().with("TELEGRAM_USER_ID", "4711"), "off; "),
        (named(), "on, but serves nobody: "),
        (named().with("TELEGRAM_USER_ID", "4711"), "on"),
        (named().with("TELEGRAM_ALLOWED_USERS", "4711"), "on"),
        (named().configured("[telegram]\npairing = \"on\"\n"), "on"),
    ];
    for (home, said) in cases {
        let is = introduction(&home);
        assert!(is == said || (said.ends_with(' ') && is.starts_with(said)), "{is:?}, not {said:?}");
    }
}

/// The files of a home that hold any of these words.
fn holding(home: &Home, words: &[&str]) -> Vec<String> {
    let holds = |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    let files = home.files().into_iter();
    let files = files.filter(|(_, bytes)| words.iter().any(|word| holds(bytes, word)));
    files.map(|(path, _)| path.display().to_string()).collect()
}

/// Everything that a person can do to be noticed.
fn tries_everything(api: &BotApi, person: i64, chat: i64) {
    let said = api.says(person, chat, "@throughline_test_bot do you like the velvet giraffe?");
    api.edits(person, chat, said, "@throughline_test_bot velvet giraffe, please");
    api.says(person, chat, "/start velvet giraffe");
    api.message(person, chat).photo().caption("velvet giraffe").send();
    api.message(person, chat).document("velvet giraffe.pdf").send();
    api.message(person, chat).text("velvet giraffe").forwarded_from("velvet giraffe").send();
    let chat_kind = if chat == person { "private" } else { "supergroup" };
    let from = json!({ "id": person, "is_bot": false, "first_name": "Mallory" });
    let at = json!({ "id": chat, "type": chat_kind });
    // Telegram never sends these, but an attacker might.
    api.push(
        json!({ "message": { "message_id": 9_001, "date": "velvet giraffe", "from": from, "chat": at } }),
    );
    api.push(json!({ "callback_query": { "id": "1", "from": from, "data": "velvet giraffe" } }));
}

#[test]
fn a2_an_empty_list_serves_nobody_and_keeps_nothing_of_what_they_say() {
    let mut served = Served::new();
    restart_with(&mut served, "TELEGRAM_USER_ID", "");
    served.api.person(STRANGER, "Mallory");
    served.api.supergroup(GROUP, "Mallory's");
    for (person, chat) in [(ANA, ANA), (STRANGER, STRANGER), (STRANGER, GROUP), (ANA, GROUP)] {
        tries_everything(&served.api, person, chat);
    }
    took_in(&served.api);
    assert_eq!(served.stop(), Some(0));
    // A pressed button is released without a word; people see nothing else.
    let is_seen = |call: &Call| match call.method.as_str() {
        "getMe" | "getUpdates" | "setMyCommands" => false,
        "answerCallbackQuery" => call.params["text"] != "",
        _ => true,
    };
    let seen: Vec<Call> = served.api.calls().into_iter().filter(is_seen).collect();
    assert!(seen.is_empty(), "{seen:?}");
    let status = served.home.json(&["status"]);
    assert_eq!((&status["messages"], &status["chats"]), (&json!(0), &json!([])));
    let words = ["velvet", "giraffe", "Mallory", "99887766"];
    assert_eq!(holding(&served.home, &words), [""; 0]);

    restart_with(&mut served, "TELEGRAM_USER_ID", &ANA.to_string());
    served.ask("I like the velvet giraffe.");
    assert!(!holding(&served.home, &words).is_empty(), "what is kept would have been found");
}

#[test]
fn a2_a_stranger_gets_silence_while_others_are_served() {
    let served = Served::new();
    served.api.person(STRANGER, "Mallory");
    served.api.supergroup(GROUP, "Family");
    tries_everything(&served.api, STRANGER, STRANGER);
    tries_everything(&served.api, STRANGER, GROUP);
    let reply = served.ask_in(ANA, GROUP, "@throughline_test_bot The cabin is booked for May.");
    assert_eq!(reply.text, "Noted.");
    assert_eq!(served.ask("My sister is called Annabel.").text, "Noted.");
    took_in(&served.api);
    assert_eq!((served.api.shown(STRANGER).len(), served.api.shown(GROUP).len()), (0, 1));
    assert!(served.api.typing(STRANGER).is_empty());
    assert_eq!(holding(&served.home, &["velvet", "giraffe", "Mallory", "99887766"]), [""; 0]);
}

#[test]
fn people_on_the_list_are_kept_apart() {
    let served = Served::with(|| Home::new().with("TELEGRAM_ALLOWED_USERS", &BEN.to_string()));
    served.api.person(BEN, "Ben");
    served.ask("My sister is called Annabel.");
    served.ask_in(BEN, BEN, "My dog is called Rex.");
    let to_ben = served.ask_in(BEN, BEN, "What is my sister called?").text;
    assert!(!to_ben.contains("Annabel"), "{to_ben}");
    let to_ana = served.ask("What is my sister called?").text;
    assert!(to_ana.contains("Annabel"), "{to_ana}");
    let memory = |person: i64| {
        let chat = format!("telegram:chat:{person}");
        served.home.ok(&["context", "--chat", &chat, "-m", "What do you know about my sister and my dog?"])
    };
    assert!(!memory(BEN).contains("Annabel") && !memory(ANA).contains("Rex"));
}

/// A home that allows pairing, at noon.
fn pairing() -> Served {
    let served = Served::with(|| {
        Home::new().with("THROUGHLINE_NOW", NOON).configured("[telegram]\npairing = \"on\"\n")
    });
    served.api.person(BEN, "Ben");
    served
}

/// The code that the owner sees for a person.
fn waiting(served: &Served, person: i64) -> Option<Value> {
    let list = served.home.json(&["pairing", "list"]);
    let person = format!("telegram:{person}");
    list["waiting"].as_array().unwrap().iter().find(|request| request["person"] == person.as_str()).cloned()
}

fn code(served: &Served, person: i64) -> String {
    waiting(served, person).unwrap()["code"].as_str().unwrap().to_owned()
}

#[test]
fn an_unknown_person_gets_a_code_and_is_paired_with_it() {
    let served = pairing();
    let knocked = served.ask_in(BEN, BEN, "Hello, my dog is called Rex.").text;
    let code = code(&served, BEN);
    assert!(knocked.contains(&code), "{knocked}");
    assert_eq!(waiting(&served, BEN).unwrap()["name"], "Ben");
    // Copied by hand, with a blank and in small letters.
    let (first, second) = code.split_at(4);
    let typed = format!("{first} {second}").to_lowercase();
    let approved = served.home.json(&["pairing", "approve", &typed]);
    assert_eq!(approved, json!({ "approved": "telegram:815", "name": "Ben" }));
    assert!(served.seen(BEN, 1).text.starts_with("You are in."));
    assert_eq!(served.ask_in(BEN, BEN, "My cat is called Tom.").text, "Noted.");
    let list = served.home.json(&["pairing", "list"]);
    assert_eq!((&list["waiting"], &list["paired"][0]["person"]), (&json!([]), &json!("telegram:815")));
    assert!(!served.home.texts().iter().any(|text| text.contains("Rex")), "what a stranger said is not kept");

    let again = served.home.run(&["pairing", "approve", &code]);
    assert_eq!(again.code, Some(1), "a code is used once: {again:?}");
}

#[test]
fn a_code_holds_for_ten_minutes() {
    let served = pairing();
    served.ask_in(BEN, BEN, "Hello!");
    let request = waiting(&served, BEN).unwrap();
    assert_eq!(request["until"], "2026-03-02T12:10:00Z");
    let approve = |now: &str| served.home.run(&["--now", now, "pairing", "approve", &code(&served, BEN)]);
    let late = approve("2026-03-02T12:10:00Z");
    assert_eq!(late.code, Some(1), "{late:?}");
    assert!(late.stderr.contains("ten minutes"), "{late:?}");
    assert_eq!(served.home.json(&["--now", "2026-03-02T12:10:00Z", "pairing", "list"])["waiting"], json!([]));
    assert_eq!(approve("2026-03-02T12:09:59Z").code, Some(0));
}

#[test]
fn codes_are_given_out_sparingly() {
    let mut served = pairing();
    for text in ["Hello!", "Hello?", "Anybody there?"] {
        served.api.says(BEN, BEN, text);
    }
    served.seen(BEN, 0);
    let first = code(&served, BEN);
    // A crowd at the door.
    for person in 1..=30 {
        served.api.says(person, person, "Hello!");
    }
    took_in(&served.api);
    assert_eq!(served.api.shown(BEN).len(), 1, "one code a minute");
    assert_eq!(served.home.json(&["pairing", "list"])["waiting"].as_array().unwrap().len(), 20);

    restart_with(&mut served, "THROUGHLINE_NOW", "2026-03-02T12:01:01Z");
    served.api.says(BEN, BEN, "Hello again!");
    let second = served.seen(BEN, 1).text;
    let newest = code(&served, BEN);
    assert!(second.contains(&newest) && newest != first, "{second}");
    assert_eq!(
        served.home.run(&["pairing", "approve", &first]).code,
        Some(1),
        "a new code takes the old one's place"
    );
    // Those who are served need none.
    served.api.says(ANA, ANA, "My sister is called Annabel.");
    let (asked, noted) = served.api.wait(LONG, |api| {
        let shown = api.shown(ANA).into_iter().map(|it| it.text);
        let (asked, others): (Vec<String>, Vec<String>) =
            shown.partition(|text| text.contains("wants to talk to me"));
        (!others.is_empty()).then_some((asked, others))
    });
    assert_eq!((asked.len(), noted), (5, vec!["Noted.".to_owned()]), "the owner is not flooded: {asked:?}");
    assert_eq!(asked.iter().filter(|text| text.starts_with("Ben")).count(), 1, "{asked:?}");
}

/// The owner's question about a person, once it is there.
fn asked_about(served: &Served, name: &str) -> BotMessage {
    served.api.wait(LONG, |api| {
        let mut shown = api.shown(ANA).into_iter();
        shown.find(|it| it.text.starts_with(name) && !it.keyboard.is_empty())
    })
}

/// What stands in place of a question that was decided.
fn decided(served: &Served, question: &BotMessage) -> String {
    served.api.wait(LONG, |api| {
        let now = api.shown(ANA).into_iter().find(|it| it.message_id == question.message_id)?;
        now.keyboard.is_empty().then_some(now.text)
    })
}

#[test]
fn the_owner_approves_a_person_in_the_chat() {
    let served = pairing();
    served.ask_in(BEN, BEN, "Hello, my dog is called Rex.");
    let question = asked_about(&served, "Ben");
    assert!(question.text.contains("815") && !question.text.contains("Rex"), "{question:?}");
    let keys: Vec<&str> = question.keyboard.iter().flatten().map(|key| key.text.as_str()).collect();
    assert_eq!(keys, ["Approve", "Reject"]);
    let press = served.api.presses(ANA, ANA, question.message_id, "Approve");
    assert_eq!(told(&served.api, &press), "✓ Ben (815) may talk to me now.");
    assert_eq!(decided(&served, &question), "✓ Ben (815) may talk to me now.");
    assert!(served.seen(BEN, 1).text.starts_with("You are in."));
    assert_eq!(served.ask_in(BEN, BEN, "My cat is called Tom.").text, "Noted.");
    assert_eq!(served.api.shown(BEN).len(), 3, "told once: {:?}", served.api.shown(BEN));
}

#[test]
fn a_button_works_while_the_code_does_and_who_is_rejected_waits_a_day() {
    let mut served = pairing();
    served.ask_in(BEN, BEN, "Hello!");
    let question = asked_about(&served, "Ben");
    restart_with(&mut served, "THROUGHLINE_NOW", "2026-03-02T12:10:01Z");
    let late = served.api.presses(ANA, ANA, question.message_id, "Approve");
    assert!(told(&served.api, &late).starts_with("The ten minutes are over."));
    // Asking again renews it, and the owner is not asked twice.
    served.ask_in(BEN, BEN, "Hello again!");
    let rejected = served.api.presses(ANA, ANA, question.message_id, "Reject");
    assert!(told(&served.api, &rejected).contains("turned away"));
    assert!(decided(&served, &question).contains("cannot ask again for a day"));
    served.api.says(BEN, BEN, "Please?");
    took_in(&served.api);
    assert_eq!((served.api.shown(BEN).len(), served.api.shown(ANA).len()), (2, 1));
    assert_eq!(served.home.json(&["pairing", "list"])["waiting"], json!([]));
}

#[test]
fn what_is_sent_in_the_name_of_a_chat_is_nobodys_and_leaves_nothing() {
    let served = Served::with(|| Home::new().configured("[telegram]\ngroups = \"all\"\n"));
    served.api.supergroup(GROUP, "Family");
    let chat = json!({ "id": GROUP, "type": "supergroup", "title": "Family" });
    let admin = json!({ "id": 1_087_968_824, "is_bot": true, "first_name": "Group" });
    // Even with the number of a person on the list.
    let ana = json!({ "id": ANA, "is_bot": false, "first_name": "Ana" });
    for (number, from) in [(9_001, admin), (9_002, ana)] {
        served.api.push(json!({ "message": {
            "message_id": number, "date": 1_772_442_000, "text": "I like the velvet giraffe.", "from": from,
            "sender_chat": chat, "chat": chat,
        } }));
    }
    took_in(&served.api);
    assert_eq!(served.ask_in(ANA, GROUP, "My sister is called Annabel.").text, "Noted.");
    assert_eq!(served.api.shown(GROUP).len(), 1);
    assert_eq!(holding(&served.home, &["velvet", "giraffe"]), [""; 0]);
}

#[test]
fn what_cannot_be_read_or_recorded_is_logged_and_told() {
    let mut served = Served::new();
    let from = json!({ "id": ANA, "is_bot": false, "first_name": "Ana" });
    let chat = json!({ "id": ANA, "type": "private" });
    let message = |content: Value| {
        let mut message = json!({ "message_id": 9_001, "date": 1_772_442_000, "from": from, "chat": chat });
        message.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
        message
    };
    let unread = [json!({ "date": "yesterday" }), json!({ "hologram": {} }), json!({ "text": "\u{1}\u{7}" })];
    for (number, content) in unread.into_iter().enumerate() {
        served.api.push(json!({ "update_id": 900_000_001 + number, "message": message(content) }));
        let told = served.seen(ANA, number).text;
        assert!(told.starts_with("I could not read your last message."), "{told}");
    }
    // Nobody said this.
    served.api.push(json!({ "message": message(json!({ "pinned_message": {} })) }));
    assert_eq!(served.ask("My sister is called Annabel.").text, "Noted.");
    assert_eq!((served.api.shown(ANA).len(), served.stop()), (4, Some(0)));
    let logs: String = served
        .home
        .files()
        .into_iter()
        .filter(|(path, _)| path.starts_with(served.home.path().join("logs")))
        .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
        .collect();
    for number in ["900000001", "900000002", "900000003"] {
        let line =
            logs.lines().find(|line| line.contains(number)).unwrap_or_else(|| panic!("{number}: {logs}"));
        assert!(line.contains("WARN") && line.contains("message"), "{line}");
    }
}

#[test]
fn codes_cannot_be_guessed_from_each_other() {
    let served = pairing();
    for person in 1..=15 {
        served.api.says(person, person, "Hello!");
    }
    for person in 1..=15 {
        served.seen(person, 0);
    }
    let list = served.home.json(&["pairing", "list"]);
    let codes: Vec<&str> =
        list["waiting"].as_array().unwrap().iter().map(|request| request["code"].as_str().unwrap()).collect();
    assert_eq!(codes.len(), 15);
    for place in 0..8 {
        let mut letters: Vec<u8> = codes.iter().map(|code| code.as_bytes()[place]).collect();
        letters.sort_unstable();
        letters.dedup();
        assert!(letters.len() > 3, "place {place} hardly differs: {codes:?}");
    }
    let guessed = served.home.run(&["pairing", "approve", "AAAAAAAA"]);
    assert_eq!(guessed.code, Some(1), "{guessed:?}");
}

#[test]
fn who_is_turned_away_or_shown_out_is_not_served() {
    let mut served = pairing();
    served.ask_in(BEN, BEN, "Hello!");
    let first = code(&served, BEN);
    assert_eq!(served.home.json(&["pairing", "reject", &first])["rejected"], "telegram:815");
    assert_eq!(served.home.run(&["pairing", "approve", &first]).code, Some(1));
    assert_eq!(served.home.run(&["pairing", "reject", &first]).code, Some(1));

    served.api.says(BEN, BEN, "Please?");
    took_in(&served.api);
    assert_eq!(served.api.shown(BEN).len(), 1, "not again on the same day");
    restart_with(&mut served, "THROUGHLINE_NOW", "2026-03-03T12:00:01Z");
    served.ask_in(BEN, BEN, "Please?");
    served.home.ok(&["pairing", "approve", &code(&served, BEN)]);
    served.seen(BEN, 2);
    assert_eq!(served.ask_in(BEN, BEN, "My cat is called Tom.").text, "Noted.");
    assert_eq!(served.home.json(&["pairing", "revoke", "815"])["revoked"], "telegram:815");
    let after = served.ask_in(BEN, BEN, "What is my cat called?").text;
    assert!(after.contains("pairing code") && !after.contains("Tom"), "{after}");
    assert_eq!(served.home.run(&["pairing", "revoke", "815"]).code, Some(1));
    let listed = served.home.run(&["pairing", "revoke", &ANA.to_string()]);
    assert_eq!(listed.code, Some(1), "who is in the settings is taken out there: {listed:?}");
}

#[test]
fn a_group_and_a_bot_get_no_code_and_a_name_steers_no_terminal() {
    let served = pairing();
    served.api.supergroup(GROUP, "Family");
    served.api.says(BEN, GROUP, "@throughline_test_bot let me in");
    let bot = json!({ "id": 4_242, "is_bot": true, "first_name": "Robot" });
    served.api.push(json!({ "message": {
        "message_id": 9_001, "date": 1_772_442_000, "text": "Let me in", "from": bot,
        "chat": { "id": 4_242, "type": "private" },
    } }));
    served.api.person(STRANGER, "Mal\u{1b}[2J\u{7}lory");
    served.ask_in(STRANGER, STRANGER, "Hello!");
    let list = served.home.ok(&["pairing", "list"]);
    assert_eq!(list.lines().count(), 1, "{list}");
    assert!(list.contains("lory") && !list.contains('\u{1b}') && !list.contains('\u{7}'), "{list:?}");
    assert!(served.api.shown(GROUP).is_empty());
}

#[test]
fn who_was_let_in_stays_when_nobody_else_may_ask() {
    let mut served = pairing();
    served.ask_in(BEN, BEN, "Hello!");
    served.home.ok(&["pairing", "approve", &code(&served, BEN)]);
    served.seen(BEN, 1);
    served.stop();
    std::fs::write(served.home.path().join("config.toml"), "").unwrap();
    served.start();
    assert_eq!(served.ask_in(BEN, BEN, "My cat is called Tom.").text, "Noted.");
    served.api.says(STRANGER, STRANGER, "Hello!");
    took_in(&served.api);
    assert!(served.api.shown(STRANGER).is_empty());
    restart_with(&mut served, "TELEGRAM_USER_ID", "");
    served.stop();
    assert_eq!(
        introduction(&served.home),
        "on",
        "a paired person is served, though nobody is in the settings"
    );
}
