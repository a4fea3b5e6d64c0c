//! Lanes: where a message belongs by its evidence, where the answer goes, and in which order a lane is worked off.

use throughline_testkit::bot_api::{Fault, Message};

use super::scripted::{Gate, answered, in_groups, last_words, over, private, recorded, settled, taken_in};
use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::{ANA, LONG, Served};

const FORUM: i64 = -1_001_000;
const GROUP: i64 = -1_002_000;
/// Somebody whom the bot does not serve.
const ZOE: i64 = 99;

/// Sends a text, and checks the lane it is recorded in and the topic in which it is answered; gives the message and the
/// answer.
fn goes(
    served: &Served,
    chat: i64,
    text: &str,
    place: impl for<'a> Fn(Message<'a>) -> Message<'a>,
    lane: &str,
    topic: Option<i64>,
) -> (i64, i64) {
    let (id, answer) = answered(served, chat, place(served.api.message(ANA, chat).text(text)));
    assert_eq!(answer.topic, topic, "{text}");
    assert_eq!(recorded(served, text)["lane"], lane, "{text}");
    settled(served);
    (id, answer.message_id)
}

#[test]
fn a4_a_lane_comes_from_evidence_and_the_answer_goes_where_the_question_was() {
    let served = in_groups(Home::new());
    let api = &served.api;
    api.forum(FORUM, "Trips");
    api.supergroup(GROUP, "Family");
    let trip = api.topic(FORUM, "Lisbon");
    let (topic, root) = (format!("topic:{FORUM}:{trip}"), format!("root:{FORUM}"));
    let (group, home) = (format!("root:{GROUP}"), format!("root:{ANA}"));

    let (said, answer) = goes(&served, ANA, "A private message.", |it| it, &home, None);
    goes(&served, ANA, "A reply to what was said.", |it| it.reply_to(said), &home, None);
    goes(&served, ANA, "A reply to what was answered.", |it| it.reply_to(answer), &home, None);

    let (said, answer) =
        goes(&served, FORUM, "A message in a topic.", |it| it.topic(trip), &topic, Some(trip));
    goes(&served, FORUM, "A reply in a topic.", |it| it.reply_to(said), &topic, Some(trip));
    goes(&served, FORUM, "A reply to the bot in a topic.", |it| it.reply_to(answer), &topic, Some(trip));
    let (said, _) = goes(&served, FORUM, "A message in General.", |it| it, &root, None);
    goes(&served, FORUM, "A reply in General, with a thread id.", |it| it.reply_to(said), &root, None);

    let (said, answer) = goes(&served, GROUP, "A message in a group.", |it| it, &group, None);
    goes(&served, GROUP, "A reply in a group, with a thread id.", |it| it.reply_to(said), &group, None);
    goes(&served, GROUP, "A reply to the bot in a group.", |it| it.reply_to(answer), &group, None);

    let typed: Vec<Option<i64>> = api.typing(FORUM).into_iter().map(|action| action.topic).collect();
    assert!(typed.contains(&Some(trip)) && typed.contains(&Some(1)), "General is typed with: {typed:?}");
    assert!(!typed.contains(&None), "{typed:?}");
    let typed = api.typing(GROUP);
    assert!(!typed.is_empty() && typed.iter().all(|action| action.topic.is_none()), "{typed:?}");
    let refused =
        api.calls().into_iter().find(|call| call.answered.as_ref().is_some_and(|it| it["ok"] == false));
    assert!(refused.is_none(), "nothing was sent that Telegram refuses: {refused:?}");
}

#[test]
fn a4_a_private_chat_may_have_topics() {
    let mut served = Served::new();
    served.api.set_me(|me| me["has_topics_enabled"] = true.into());
    served.restart();
    served.ask("Good morning.");
    let trip = served.api.topic(ANA, "Lisbon");
    let lane = format!("topic:{ANA}:{trip}");
    goes(&served, ANA, "The ferry leaves at nine.", |it| it.topic(trip), &lane, Some(trip));
    goes(&served, ANA, "The boat is blue.", |it| it, &format!("root:{ANA}"), None);
}

#[test]
fn a4_an_unknown_target_opens_a_lane_and_every_piece_of_its_answer_reopens_it() {
    let long = "A long way round. ".repeat(500);
    let whole = long.clone();
    let server = MessagesServer::start(move |asked| {
        Answer::Says(if last_words(asked).contains("the long story") {
            long.clone()
        } else {
            "Yes.".to_owned()
        })
    });
    server.serve(|| {
        let served = in_groups(over(&server));
        let api = &served.api;
        api.supergroup(GROUP, "Family");
        api.person(ZOE, "Zoe");
        let unknown = api.says(ZOE, GROUP, "Who has the keys?");
        let lane = format!("reply:{GROUP}:{unknown}");
        let (_, first) =
            goes(&served, GROUP, "Tell her the long story.", |it| it.reply_to(unknown), &lane, None);
        let pieces = api.wait(LONG, |api| {
            let shown = api.shown(GROUP);
            let length: usize = shown.iter().map(|piece| piece.text.split_whitespace().count()).sum();
            (length >= whole.split_whitespace().count()).then_some(shown)
        });
        assert!(pieces.len() >= 3, "{} pieces", pieces.len());
        assert_eq!(first, pieces[0].message_id);
        settled(&served);
        for (piece, text) in pieces.iter().zip(["To the first.", "To the second.", "To the third."]) {
            goes(&served, GROUP, text, |it| it.reply_to(piece.message_id), &lane, None);
        }
        goes(&served, GROUP, "To her once more.", |it| it.reply_to(unknown), &lane, None);
        goes(&served, GROUP, "To all.", |it| it, &format!("root:{GROUP}"), None);
        assert!(!last_words(server.asked().last().unwrap()).contains("her once more"));
        assert!(!api.calls().iter().any(|call| call.params.get("message_thread_id").is_some()));
    });
}

#[test]
fn a4_what_cannot_be_said_in_a_deleted_topic_is_said_at_the_root_and_goes_on_there() {
    let mut served = in_groups(Home::new());
    served.api.forum(FORUM, "Trips");
    let trip = served.api.topic(FORUM, "Lisbon");
    let at = |message: Message<'_>, text: &str| answered(&served, FORUM, message.text(text)).1;
    at(served.api.message(ANA, FORUM).topic(trip), "The ferry to Cacilhas leaves at nine.");
    served.stop();
    served.api.message(ANA, FORUM).topic(trip).text("When does the ferry leave?").send();
    served.api.delete_topic(FORUM, trip);
    served.start();
    let answer = served.seen(FORUM, 0);
    assert!(answer.topic.is_none() && answer.text.contains("leaves at nine"), "{answer:?}");
    settled(&served);
    let root = format!("root:{FORUM}");
    goes(&served, FORUM, "I am glad that it continues.", |it| it.reply_to(answer.message_id), &root, None);
    let status = served.home.json(&["status"]);
    assert_eq!((&status["replies"]["pending"], &status["replies"]["uncertain"]), (&0.into(), &0.into()));
}

#[test]
fn a4_a_group_that_became_a_supergroup_takes_its_memory_along() {
    let served = in_groups(Home::new());
    served.api.group(-5, "Family");
    served.ask_in(ANA, -5, "The spare key is under the blue pot.");
    served.api.migrate(-5, GROUP);
    let answer = served.ask_in(ANA, GROUP, "Where is the spare key?");
    assert!(answer.text.contains("under the blue pot"), "{answer:?}");
    let found = |chat: &str| served.home.json(&["search", "spare key", "--chat", chat])["hits"].to_string();
    assert!(found(&format!("telegram:chat:{GROUP}")).contains("blue pot"));
    assert_eq!(found("telegram:chat:-5"), "[]");
}

#[test]
fn a4_a_move_that_only_a_failed_send_tells_of_is_followed() {
    let (keeper, gate) = Gate::new();
    let server = MessagesServer::start(move |asked| {
        if last_words(asked).contains("blue pot") {
            gate.wait();
        }
        Answer::Says("Good to know.".to_owned())
    });
    server.serve(|| {
        let served = in_groups(over(&server));
        served.api.group(-5, "Family");
        taken_in(&served.api);
        // The poll that waits brings the message; the next one is kept from telling of the move.
        served.api.fault("getUpdates", Fault::TooMany { retry_after: 3 });
        served.api.says(ANA, -5, "The spare key is under the blue pot.");
        served.api.wait(LONG, |api| {
            let answered = api.calls_of("getUpdates").last()?.answered.clone()?;
            (answered["error_code"] == 429).then_some(())
        });
        served.api.migrate(-5, GROUP);
        keeper.open();
        let answer = served.seen(GROUP, 0);
        assert_eq!(answer.text, "Good to know.");
        let failed = served.api.calls_of("sendMessage").into_iter().next().unwrap();
        assert_eq!(failed.answered.unwrap()["parameters"]["migrate_to_chat_id"], GROUP);
        assert_eq!(recorded(&served, "Good to know.")["chat"], format!("telegram:chat:{GROUP}"));
        served.ask_in(ANA, GROUP, "Where is the spare key?");
        let asked = server.asked().last().unwrap().to_string();
        assert!(asked.contains("under the blue pot"), "{asked}");
        assert_eq!(served.api.shown(GROUP).len(), 2, "nothing was said twice");
    });
}

#[test]
fn messages_that_arrive_during_a_turn_are_answered_together_and_commands_keep_their_place() {
    let (keeper, gate) = Gate::new();
    let server = MessagesServer::start(move |asked| {
        let words = last_words(asked);
        if words.contains("Take your time.") {
            gate.wait();
        }
        let told = ["Take your time.", "a second", "a third", "a fourth"].into_iter();
        Answer::Says(told.filter(|told| words.contains(told)).collect::<Vec<_>>().join(", "))
    });
    server.serve(|| {
        let mut served = Served::with(|| over(&server));
        served.api.says(ANA, ANA, "Take your time.");
        keeper.wait();
        for text in ["Here is a second.", "And a third.", "/remember I have a boat", "At last a fourth."] {
            served.api.says(ANA, ANA, text);
        }
        taken_in(&served.api);
        assert_eq!(served.api.shown(ANA).len(), 0, "one turn at a time");
        keeper.open();
        served.seen(ANA, 3);
        assert_eq!(served.stop(), Some(0));
        let shown: Vec<String> = served.api.shown(ANA).into_iter().map(|message| message.text).collect();
        assert_eq!(
            shown,
            ["Take your time.", "a second, a third", "✓ Remembered: I have a boat", "a fourth"]
        );
        let asked: Vec<String> = server.asked().iter().map(last_words).collect();
        assert_eq!(asked.len(), 3, "{asked:#?}");
        let (second, third) = (asked[1].find("Here is a second."), asked[1].find("And a third."));
        assert!(second.is_some() && second < third, "{}", asked[1]);
        assert!(!asked[1].contains("a fourth") && !asked[2].contains("a third."), "{asked:#?}");
        assert!(asked[2].contains("At last a fourth."));
    });
}

#[test]
fn two_lanes_are_answered_side_by_side() {
    let (keeper, gate) = Gate::new();
    let server = MessagesServer::start(move |asked| {
        if last_words(asked).contains("Take your time.") {
            gate.wait();
            return Answer::Says("At last.".to_owned());
        }
        Answer::Says("At once.".to_owned())
    });
    server.serve(|| {
        let served = in_groups(over(&server));
        let api = &served.api;
        api.forum(FORUM, "Trips");
        let (slow, quick) = (api.topic(FORUM, "Slow"), api.topic(FORUM, "Quick"));
        api.message(ANA, FORUM).topic(slow).text("Take your time.").send();
        keeper.wait();
        let (_, answer) = answered(&served, FORUM, api.message(ANA, FORUM).topic(quick).text("Hurry."));
        assert_eq!((answer.text.as_str(), answer.topic), ("At once.", Some(quick)));
        assert_eq!(served.ask("Me, too.").text, "At once.");
        keeper.open();
        let answer = served.seen(FORUM, 1);
        assert_eq!((answer.text.as_str(), answer.topic), ("At last.", Some(slow)));
        let hurried =
            server.asked().iter().map(ToString::to_string).find(|it| it.contains("Hurry.")).unwrap();
        assert!(!hurried.contains("Take your time."), "a lane sees its own messages: {hurried}");
        assert_eq!(recorded(&served, "Me, too.")["chat"], private());
    });
}
