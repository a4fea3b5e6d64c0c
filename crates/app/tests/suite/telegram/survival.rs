//! A reply that is shown by edits survives the end of its program: what was seen is recorded, and the message says that it
//! broke off.

use serde_json::Value;
use throughline_testkit::bot_api::{BotMessage, Fault};

use super::faults::status;
use super::scripted::{in_groups, over_url, recorded};
use super::talker::Talker;
use crate::common::served::{ANA, LONG, Served};

const GROUP: i64 = -1_002_000;
const BROKE_OFF: &str = "\n\n⚠️ My reply broke off. /retry asks again.";

/// A group in which a reply has begun to be shown.
fn with_begun_reply(test: impl FnOnce(&Talker, Served, BotMessage)) {
    Talker::serve(|talker| {
        let served = in_groups(over_url(&talker.url()));
        served.api.supergroup(GROUP, "Family");
        served.api.says(ANA, GROUP, "Tell us.");
        let begun = served.seen(GROUP, 0);
        test(talker, served, begun);
    });
}

/// Waits until the message in the group says that it broke off, and gives the words before that.
fn broke_off(served: &Served) -> String {
    served.api.wait(LONG, |api| Some(api.shown(GROUP).first()?.text.strip_suffix(BROKE_OFF)?.to_owned()))
}

/// The records of the reply.
fn replies(served: &Served) -> Vec<Value> {
    let is_reply = |line: &Value| line["text"].as_str().is_some_and(|text| text.starts_with("So on"));
    served.home.exported().into_iter().filter(is_reply).collect()
}

#[test]
fn c1_a_reply_killed_while_it_is_shown_is_recorded_as_far_as_it_was_seen_and_marked() {
    with_begun_reply(|talker, mut served, begun| {
        served.api.wait(LONG, |api| (api.versions(GROUP, begun.message_id).len() > 1).then_some(()));
        served.restart_now();
        let words = broke_off(&served);
        assert!(words.starts_with("So on and"), "{words}");
        let shown = served.api.shown(GROUP);
        assert_eq!((shown.len(), shown[0].message_id), (1, begun.message_id), "{shown:?}");
        let replies = replies(&served);
        assert_eq!((replies.len(), &replies[0]["text"]), (1, &words.as_str().into()), "{replies:?}");
        assert_eq!(replies[0]["metadata"]["shortfall"], "cut");
        status(&served.home, |status| (status["replies"]["pending"] == 0).then_some(()));
        assert_eq!(served.home.json(&["status"])["replies"]["uncertain"], 0);
        let left: u64 =
            served.home.sql().query_row("SELECT count(*) FROM live_replies", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0);

        served.api.says(ANA, GROUP, "/retry");
        served.api.wait(LONG, |api| (api.shown(GROUP).len() == 2).then_some(()));
        talker.end();
        served.api.wait(LONG, |api| api.shown(GROUP).into_iter().find(|it| it.text.ends_with("at last.")));
    });
}

#[test]
fn c1_told_to_stop_it_ends_a_reply_that_does_not_finish_in_time_by_itself() {
    with_begun_reply(|_, mut served, begun| {
        assert_eq!(served.stop(), Some(0));
        let shown = served.api.shown(GROUP);
        assert!(shown[0].text.ends_with(BROKE_OFF), "{shown:?}");
        assert_eq!((shown.len(), shown[0].message_id), (1, begun.message_id), "{shown:?}");
        let words = broke_off(&served);
        assert_eq!(recorded(&served, &words)["metadata"]["shortfall"], "cut");
        assert_eq!(served.home.json(&["status"])["turns_running"], 0);
    });
}

#[test]
fn c1_told_to_stop_it_finishes_a_reply_that_is_soon_complete() {
    with_begun_reply(|talker, mut served, begun| {
        talker.end();
        assert_eq!(served.stop(), Some(0));
        let shown = served.api.shown(GROUP);
        assert!(shown[0].text.ends_with("at last."), "{shown:?}");
        assert_eq!((shown.len(), shown[0].message_id), (1, begun.message_id), "{shown:?}");
    });
}

#[test]
fn c1_first_words_that_were_on_their_way_when_the_program_died_are_uncertain_and_told() {
    for (fault, before) in [(Fault::HangBefore, 0), (Fault::HangAfter, 1)] {
        Talker::serve(|talker| {
            let mut served = in_groups(over_url(&talker.url()));
            served.api.supergroup(GROUP, "Family");
            served.api.fault("sendMessage", fault.clone());
            served.api.says(ANA, GROUP, "Tell us.");
            served.api.wait(LONG, |api| api.calls_of("sendMessage").first().cloned());
            served.restart_now();
            status(&served.home, |status| (status["outbox"]["uncertain"] == 1).then_some(()));
            assert_eq!(replies(&served).len(), 1, "{fault:?}");
            let sql = served.home.sql();
            sql.execute("UPDATE outbox SET uncertain_at = uncertain_at - 60000000", []).unwrap();
            let notice = served.seen(GROUP, before);
            let told = "I am not sure that my last reply reached you: “So on and";
            assert!(notice.text.starts_with(told), "{fault:?}: {notice:?}");
            served.api.presses(ANA, GROUP, notice.message_id, "Send again");
            let resent = served.seen(GROUP, before + 1);
            assert!(resent.text.ends_with(BROKE_OFF), "{fault:?}: {resent:?}");
        });
    }
}

#[test]
fn c1_first_words_without_an_answer_are_not_sent_again_with_the_whole_reply() {
    Talker::serve(|talker| {
        let served = in_groups(over_url(&talker.url()));
        served.api.supergroup(GROUP, "Family");
        served.api.fault("sendMessage", Fault::CutAfter);
        served.api.says(ANA, GROUP, "Tell us.");
        served.seen(GROUP, 0);
        talker.end();
        status(&served.home, |status| (status["outbox"]["uncertain"] == 1).then_some(()));
        assert_eq!(served.api.shown(GROUP).len(), 1, "it may have been seen");
        let sql = served.home.sql();
        sql.execute("UPDATE outbox SET uncertain_at = uncertain_at - 60000000", []).unwrap();
        let notice = served.seen(GROUP, 1);
        served.api.presses(ANA, GROUP, notice.message_id, "Send again");
        assert!(served.seen(GROUP, 2).text.ends_with("at last."));
    });
}

#[test]
fn c1_first_words_that_telegram_refuses_are_no_obstacle_to_the_whole_reply() {
    Talker::serve(|talker| {
        let served = in_groups(over_url(&talker.url()));
        served.api.supergroup(GROUP, "Family");
        let description = "Bad Request: can't parse entities".to_owned();
        served.api.fault("sendMessage", Fault::Refuse { code: 400, description });
        served.api.says(ANA, GROUP, "Tell us.");
        served.api.wait(LONG, |api| api.calls_of("sendMessage").first()?.answered.clone());
        talker.end();
        assert!(served.seen(GROUP, 0).text.ends_with("at last."));
        status(&served.home, |status| (status["outbox"]["pending"] == 0).then_some(()));
        assert_eq!(served.home.json(&["status"])["outbox"]["uncertain"], 0);
    });
}

#[test]
fn c1_an_edit_whose_answer_is_lost_is_made_again() {
    with_begun_reply(|talker, served, begun| {
        served.api.fault("editMessageText", Fault::CutAfter);
        served.api.wait(LONG, |api| (api.calls_of("editMessageText").len() == 1).then_some(()));
        talker.end();
        let whole = served
            .api
            .wait(LONG, |api| api.shown(GROUP).into_iter().find(|it| it.text.ends_with("at last.")));
        assert_eq!((whole.message_id, served.api.shown(GROUP).len()), (begun.message_id, 1));
    });
}
