//! The pictures in docs/telegram.md show what a person gets: each is made from what was really sent.
//!
//! `UPDATE_DOCS=1 cargo test -p throughline --test suite pictures` draws them again.

use std::fs;
use std::path::Path;

use serde_json::Value;
use throughline_testkit::bot_api::{Fault, Form};

use super::days::{home, move_to, over};
use super::scripted::{BO, learned, private, taken_in};
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::phone::{Bubble, draw};
use crate::common::served::{ANA, LONG, Served};

/// Answers as a good model would, from what it was sent.
fn model() -> MessagesServer {
    MessagesServer::start(|asked| {
        let all = asked.to_string();
        let said = last_words(asked);
        let knows = |words: &str| all.contains(words);
        let text = if said.contains("What shall I cook") && knows("allergic to peanuts") && knows("Vera") {
            "Vera comes at seven, so something quick: vegetable curry with coconut milk. I leave out the peanuts, as you are allergic to them."
        } else if said.contains("summary to begin the day") && knows("Vera") {
            "Good morning! Today:\n• Vera comes for dinner at seven.\nLeft open: you wanted to ask her about the blue bicycle."
        } else if said.contains("allergic") {
            "Thank you for telling me. I will keep it in mind."
        } else {
            "Noted. Shall I remind you to ask her?"
        };
        Answer::Says(text.to_owned())
    })
}

fn last_words(asked: &Value) -> String {
    asked["messages"].as_array().and_then(|all| all.last()).map(Value::to_string).unwrap_or_default()
}

fn says(served: &Served, chat: &mut Vec<Bubble>, words: &str) {
    let reply = served.ask(words);
    chat.extend([Bubble::Person(None, words.to_owned()), Bubble::of(&reply)]);
}

/// Compares a picture with the one in the docs, or writes it there.
#[expect(clippy::disallowed_methods, reason = "how the person who runs the tests asks for an update")]
fn check(name: &str, picture: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let file = file.join("docs/telegram").join(format!("{name}.svg"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, picture).unwrap();
    }
    let drawn = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(drawn, picture, "docs/telegram/{name}.svg shows something else; look at it and update it");
}

#[test]
fn the_picture_of_a_day_with_the_bot() {
    let server = model();
    server.serve(|| {
        let settings = "[routines.morning-summary]\nenabled = true\n";
        let mut served = Served::with(|| over(&server, home(settings, "2026-03-02T17:30:00Z")));
        let mut chat = vec![Bubble::Day("Monday, 2 March".to_owned())];
        says(&served, &mut chat, "I am allergic to peanuts.");
        learned(&served, &private(), "peanuts");
        says(
            &served,
            &mut chat,
            "Vera comes for dinner tomorrow at seven. I want to ask her about the blue bicycle.",
        );
        move_to(&mut served, "2026-03-03T06:00:00Z");
        chat.push(Bubble::Day("Tuesday, 3 March".to_owned()));
        chat.push(Bubble::of(&served.seen(ANA, 2)));
        move_to(&mut served, "2026-03-03T15:10:00Z");
        says(&served, &mut chat, "What shall I cook tonight?");
        check("a-day", &draw("Throughline", &chat));
    });
}

#[test]
fn the_picture_of_forgetting_and_looking_things_up() {
    let served = Served::with(|| home("capture = \"off\"\n", "2026-03-02T17:30:00Z"));
    served.ask("The spare key is under the blue pot.");
    let mut chat = vec![Bubble::Day("Monday, 2 March".to_owned())];
    says(&served, &mut chat, "/search spare key");
    says(&served, &mut chat, "/forget spare key");
    let question = served.api.shown(ANA).pop().unwrap();
    served.api.presses(ANA, ANA, question.message_id, "Forget this");
    let done = served
        .api
        .wait(LONG, |api| api.shown(ANA).into_iter().find(|message| message.text.starts_with("✓ Forgotten")));
    chat.push(Bubble::of(&done));
    says(&served, &mut chat, "/conversations");
    check("commands", &draw("Throughline", &chat));
}

#[test]
fn the_picture_of_a_group_and_of_a_reply_that_may_be_lost() {
    const GROUP: i64 = -1_002_000;
    let server = MessagesServer::start(|asked| {
        let said = last_words(asked);
        let text = if said.contains("Bo: ") && said.contains("Ana: ") {
            "Ana: the train leaves at 9:40 from platform 3. Bo: yes, the picnic blanket is still in the blue bag."
        } else {
            "Platform 3, and you have twenty minutes."
        };
        Answer::Says(text.to_owned())
    });
    server.serve(|| {
        let moment = "2026-03-07T08:10:00Z";
        let settings = "[telegram]\ngroups = \"all\"\n";
        let served = Served::with(|| {
            let home = over(&server, home(settings, moment)).with("TELEGRAM_PAUSE_MS", "60000");
            home.with("TELEGRAM_ALLOWED_USERS", &BO.to_string())
        });
        served.api.person(BO, "Bo");
        served.api.supergroup(GROUP, "Picnic");
        let mut chat = vec![Bubble::Day("Saturday, 7 March".to_owned())];
        let mut says = |person: i64, name: &str, words: &str| {
            served.api.says(person, GROUP, words);
            chat.push(Bubble::Person(Some(name.to_owned()), words.to_owned()));
        };
        says(ANA, "Ana", "When does the train leave?");
        says(BO, "Bo", "Is the blanket still in the blue bag?");
        taken_in(&served.api);
        // A command ends the pause.
        served.api.says(ANA, GROUP, "/new");
        chat.push(Bubble::of(&served.seen(GROUP, 0)));
        served.seen(GROUP, 1);
        served.api.fault("sendMessage", Fault::ErrorAfter { code: 504, form: Form::Html });
        let question = "Which platform was it again?";
        served.api.says(ANA, GROUP, question);
        chat.push(Bubble::Person(Some("Ana".to_owned()), question.to_owned()));
        taken_in(&served.api);
        served.api.says(ANA, GROUP, "/new");
        chat.push(Bubble::of(&served.seen(GROUP, 2)));
        let told = served
            .api
            .wait(LONG, |api| api.shown(GROUP).into_iter().find(|message| !message.keyboard.is_empty()));
        chat.push(Bubble::of(&told));
        check("group", &draw("Picnic", &chat));
    });
}
