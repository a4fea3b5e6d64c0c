//! Groups: who said what, and what of a private chat stays out of them.

use super::scripted::{BO, in_groups, learned, memories, over, private};
use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, Served};

const GROUP: i64 = -1_002_000;
const OTHER: i64 = -1_003_000;

fn chat(number: i64) -> String {
    format!("telegram:chat:{number}")
}

#[test]
fn a5_the_model_sees_who_said_what_in_a_group() {
    let server = MessagesServer::start(|_| Answer::Says("All right.".to_owned()));
    server.serve(|| {
        let served = in_groups(over(&server));
        served.api.supergroup(GROUP, "Family");
        served.ask_in(ANA, GROUP, "I bring the salad.");
        served.ask_in(BO, GROUP, "I bring the bread.");
        let asked = server.asked().pop().unwrap()["messages"].to_string();
        assert!(asked.contains("Bo: I bring the bread."), "who speaks now: {asked}");
        served.ask_in(ANA, GROUP, "Who brings what?");
        let asked = server.asked().pop().unwrap()["messages"].to_string();
        for words in ["Ana: I bring the salad.", "Bo: I bring the bread."] {
            assert!(asked.contains(words), "{words}: {asked}");
        }
        served.ask("Only you and me.");
        let asked = server.asked().pop().unwrap().to_string();
        assert!(!asked.contains("the salad") && !asked.contains("the bread"), "a1: {asked}");
    });
}

#[test]
fn a5_a_private_memory_never_enters_a_group_and_a_groups_memory_stays_there() {
    let server = MessagesServer::start(|_| Answer::Says("All right.".to_owned()));
    server.serve(|| {
        let served = in_groups(over(&server));
        served.api.supergroup(GROUP, "Family");
        served.api.supergroup(OTHER, "Choir");
        served.ask("I am allergic to peanuts.");
        learned(&served, &private(), "peanuts");
        served.ask_in(BO, GROUP, "I live in Lisbon.");
        learned(&served, &chat(GROUP), "Lisbon");
        let listed = served.home.json(&["memory", "list", "--chat", &chat(GROUP)]).to_string();
        assert!(listed.contains("Bo"), "with the speaker's name: {listed}");

        let questions = [
            (GROUP, "What do you know about allergies, and about Lisbon?", "Lisbon", "peanuts"),
            (ANA, "And what do you know here, of Lisbon and allergies?", "peanuts", "I live in"),
        ];
        for (place, question, known, unknown) in questions {
            served.ask_in(ANA, place, question);
            let asked = server.asked().pop().unwrap().to_string();
            assert!(asked.contains(known) && !asked.contains(unknown), "{place}: {asked}");
        }
        served.ask_in(BO, OTHER, "Where do I live, and who has which allergies?");
        let asked = server.asked().pop().unwrap().to_string();
        assert!(!asked.contains("I live in Lisbon") && !asked.contains("peanuts"), "{asked}");
        assert_eq!(memories(&served, &chat(OTHER)), Vec::<String>::new());
        assert_eq!(memories(&served, &chat(BO)), Vec::<String>::new(), "a group's memory is the group's");
    });
}

#[test]
fn a5_what_was_told_in_private_is_seen_in_the_persons_other_private_chats() {
    let served = Served::with(|| Home::new().configured(&format!("person = \"telegram:{ANA}\"\n")));
    served.ask("I am allergic to peanuts.");
    learned(&served, &private(), "peanuts");
    learned(&served, "cli:chat:main", "peanuts");
    let turn = served.home.json(&["chat", "-m", "What am I allergic to?"]);
    assert!(turn["reply"].to_string().contains("peanuts"), "{turn}");
    assert_eq!(memories(&served, "api:chat:desk"), Vec::<String>::new());
}

#[test]
fn a_group_where_everything_is_heard_is_answered_when_the_bot_is_meant() {
    let mut served = Served::with(|| Home::new().with("TELEGRAM_ALLOWED_USERS", &BO.to_string()));
    served.api.person(BO, "Bo");
    served.api.supergroup(GROUP, "Family");
    served.api.says(BO, GROUP, "The spare key is under the blue pot.");
    let answer = served.ask_in(ANA, GROUP, "@throughline_test_bot where is the spare key?");
    assert!(answer.text.contains("under the blue pot"), "what was not meant for it was heard: {answer:?}");
    assert_eq!(served.stop(), Some(0));
    assert_eq!(served.api.shown(GROUP).len(), 1);
}
