//! Messages that may not have arrived: the person is told once and can have them sent again; what was certainly not
//! delivered is sent again, and what was refused is not.

use std::time::Duration;

use serde_json::json;
use throughline_testkit::bot_api::{BotMessage, Button, Fault, Form};

use super::faults::status;
use super::scripted::{Gate, in_groups, last_words, over, told};
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, LONG, Served};

const GROUP: i64 = -1_002_000;
const NOTED: &str = "I am not sure that my last reply reached you: “Noted.”";

/// Lets a minute pass for everything that is uncertain, once so many messages are.
fn a_minute_passes(served: &Served, uncertain: u64) {
    status(&served.home, |status| (status["outbox"]["uncertain"] == uncertain).then_some(()));
    let sql = served.home.sql();
    sql.execute("UPDATE outbox SET uncertain_at = uncertain_at - 60000000", []).unwrap();
}

fn texts(served: &Served, chat: i64) -> Vec<String> {
    served.api.shown(chat).into_iter().map(|message| message.text).collect()
}

fn labels(message: &BotMessage) -> Vec<&str> {
    message.keyboard.iter().flatten().map(|Button { text, .. }| text.as_str()).collect()
}

/// Waits until nothing is to be sent.
fn all_sent(served: &Served) {
    status(&served.home, |status| (status["outbox"]["pending"] == 0).then_some(()));
}

#[test]
fn c1_after_a_minute_the_person_is_told_and_may_have_it_sent_again_once() {
    let faults = [
        Fault::ErrorAfter { code: 500, form: Form::Json },
        Fault::ErrorAfter { code: 504, form: Form::Html },
        Fault::CutBefore,
    ];
    for fault in faults {
        let served = Served::new();
        let before = usize::from(fault != Fault::CutBefore);
        served.api.fault("sendMessage", fault.clone());
        served.api.says(ANA, ANA, "My sister is called Annabel.");
        status(&served.home, |status| (status["outbox"]["uncertain"] == 1).then_some(()));
        assert_eq!(served.api.calls_of("sendMessage").len(), 1, "{fault:?}: it is not sent again");
        a_minute_passes(&served, 1);
        let notice = served.seen(ANA, before);
        assert_eq!((notice.text.as_str(), labels(&notice)), (NOTED, vec!["Send again"]), "{fault:?}");
        let press = served.api.presses(ANA, ANA, notice.message_id, "Send again");
        assert_eq!(told(&served.api, &press), "Sent again.");
        let resent = served.seen(ANA, before + 1);
        assert_eq!(resent.text, "Noted.", "{fault:?}");
        let changed = served
            .api
            .wait(LONG, |api| api.shown(ANA).into_iter().nth(before).filter(|it| it.text == "Sent again."));
        assert!(changed.keyboard.is_empty(), "{fault:?}: the button is used up");
        all_sent(&served);
        let done = json!({ "pending": 0, "uncertain": 0, "failed": 0 });
        assert_eq!(served.home.json(&["status"])["outbox"], done, "{fault:?}");
        assert_eq!(served.api.shown(ANA).len(), before + 2, "{fault:?}");
    }
}

#[test]
fn c1_a_button_that_is_pressed_twice_sends_once() {
    let served = Served::new();
    served.api.fault("sendMessage", Fault::CutBefore);
    served.api.says(ANA, ANA, "My sister is called Annabel.");
    a_minute_passes(&served, 1);
    let notice = served.seen(ANA, 0);
    // The first press is answered slowly, and the second is there before.
    served.api.fault("answerCallbackQuery", Fault::Slow(Duration::from_millis(300)));
    let [first, second] = [(); 2].map(|()| served.api.presses(ANA, ANA, notice.message_id, "Send again"));
    assert_eq!(told(&served.api, &first), "Sent again.");
    assert_eq!(told(&served.api, &second), "This has expired.");
    all_sent(&served);
    assert_eq!(texts(&served, ANA), ["Sent again.", "Noted."]);
}

#[test]
fn c1_a_notice_that_is_uncertain_itself_is_not_told() {
    let served = Served::new();
    served.api.fault("sendMessage", Fault::CutAfter);
    served.api.fault("sendMessage", Fault::CutAfter);
    served.api.says(ANA, ANA, "My sister is called Annabel.");
    a_minute_passes(&served, 1);
    a_minute_passes(&served, 2);
    assert!(served.ask("What is my sister called?").text.contains("Annabel"));
    all_sent(&served);
    let shown = texts(&served, ANA);
    assert_eq!((shown.len(), shown[1].as_str()), (3, NOTED), "{shown:?}");
}

#[test]
fn c1_pieces_of_one_reply_are_one_notice_and_only_the_uncertain_ones_are_sent_again() {
    let reply: String = (0..600).map(|number| format!("Word{number} and so on. ")).collect();
    let server = MessagesServer::start(move |_| Answer::Says(reply.clone()));
    server.serve(|| {
        let served = Served::with(|| over(&server));
        for fault in [Fault::CutBefore, Fault::Slow(Duration::ZERO), Fault::CutBefore] {
            served.api.fault("sendMessage", fault);
        }
        served.api.says(ANA, ANA, "Tell me.");
        a_minute_passes(&served, 2);
        let notice = served.seen(ANA, 1);
        assert!(notice.text.ends_with("“Word0 and so on. Word1 and so on. Word2…”"), "{notice:?}");
        served.api.presses(ANA, ANA, notice.message_id, "Send again");
        let shown = served.api.wait(LONG, |api| Some(api.shown(ANA)).filter(|shown| shown.len() == 4));
        assert!(shown[2].text.starts_with("Word0 ") && shown[3].text.contains("Word599 "), "{shown:?}");
        all_sent(&served);
        assert_eq!(served.api.shown(ANA).len(), 4);
    });
}

#[test]
fn c1_in_a_group_a_notice_stands_in_the_lane_of_its_reply_and_anybody_may_press() {
    let server = MessagesServer::start(|asked| {
        Answer::Says(if last_words(asked).contains("Lisbon") { "By train." } else { "Hello." }.to_owned())
    });
    server.serve(|| {
        let served = in_groups(over(&server));
        served.api.forum(GROUP, "Family");
        let trips = served.api.topic(GROUP, "Trips");
        served.api.fault("sendMessage", Fault::CutBefore);
        served.api.message(ANA, GROUP).topic(trips).text("How do we get to Lisbon?").send();
        status(&served.home, |status| (status["outbox"]["uncertain"] == 1).then_some(()));
        served.api.message(ANA, GROUP).text("Hello").send();
        assert_eq!(served.seen(GROUP, 0).text, "Hello.", "another lane has nothing to do with it");
        a_minute_passes(&served, 1);
        let notice = served.seen(GROUP, 1);
        assert_eq!((notice.topic, labels(&notice)), (Some(trips), vec!["Send again"]));
        served.api.presses(super::scripted::BO, GROUP, notice.message_id, "Send again");
        let resent = served.seen(GROUP, 2);
        assert_eq!((resent.text.as_str(), resent.topic), ("By train.", Some(trips)));
    });
}

#[test]
fn what_finds_nobody_at_the_port_is_sent_once_somebody_is_there() {
    let (keeper, gate) = Gate::new();
    let server = MessagesServer::start(move |_| {
        gate.wait();
        Answer::Says("By train.".to_owned())
    });
    server.serve(|| {
        let served = Served::with(|| over(&server));
        served.api.says(ANA, ANA, "How do we get to Lisbon?");
        keeper.wait();
        served.api.refuse(true);
        keeper.open();
        let sql = served.home.sql();
        let attempts = || sql.query_row("SELECT max(attempts) FROM outbox", [], |row| row.get(0)).ok();
        status(&served.home, |_| attempts().filter(|attempts: &u32| *attempts >= 2));
        served.api.refuse(false);
        assert_eq!(served.seen(ANA, 0).text, "By train.");
        let done = json!({ "pending": 0, "uncertain": 0, "failed": 0 });
        status(&served.home, |status| (status["outbox"] == done).then_some(()));
        assert_eq!(served.api.shown(ANA).len(), 1);
    });
}

#[test]
fn pieces_after_a_refused_one_are_not_sent_and_the_next_turn_knows() {
    let long: String = (0..600).map(|number| format!("Word{number} and so on. ")).collect();
    let server = MessagesServer::start(move |asked| {
        Answer::Says(if last_words(asked).contains("Tell me") { long.clone() } else { "Yes.".to_owned() })
    });
    server.serve(|| {
        let served = Served::with(|| over(&server));
        served.api.fault("sendMessage", Fault::Slow(Duration::ZERO));
        let description = "Bad Request: message is too long".to_owned();
        served.api.fault("sendMessage", Fault::Refuse { code: 400, description });
        served.api.says(ANA, ANA, "Tell me.");
        status(&served.home, |status| (status["outbox"]["failed"] == 2).then_some(()));
        assert_eq!(served.ask("Are you there?").text, "Yes.");
        assert_eq!(served.ask("And now?").text, "Yes.");
        assert_eq!(served.api.shown(ANA).len(), 3, "the last piece was not sent");
    });
    let told: Vec<bool> =
        server.asked().iter().map(|asked| asked.to_string().contains("could not be delivered")).collect();
    assert_eq!(told, [false, true, false]);
}

#[test]
fn the_log_tells_what_a_crash_made_uncertain_without_its_words() {
    let mut served = Served::new();
    served.api.fault("sendMessage", Fault::HangBefore);
    served.api.says(ANA, ANA, "My sister is called Annabel.");
    served.api.wait(LONG, |api| api.calls_of("sendMessage").first().cloned());
    served.restart_now();
    status(&served.home, |status| (status["outbox"]["uncertain"] == 1).then_some(()));
    let log = std::fs::read_to_string(served.home.path().join("logs/throughline.log")).unwrap();
    let line = log.lines().find(|line| line.contains("uncertain")).unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains(&format!("chat=telegram:chat:{ANA} count=1")), "{line}");
    assert!(!log.contains("Noted") && !log.contains("Annabel"), "{log}");
}
