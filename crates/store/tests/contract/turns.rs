//! One turn at a time in a lane; a dead owner's turn is closed without losing a message or repeating a reply.

use std::sync::Arc;

use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Role, Shortfall};
use throughline_domain::pending::PendingSlot;
use throughline_domain::turn::{Delivery, Receipt, TurnId, TurnStatus};
use throughline_store::ledger::Call;
use throughline_store::memories::Learned;
use throughline_store::messages::Reference;
use throughline_store::outbox::Outgoing;
use throughline_store::turns::{Answer, Entry, OpenQuestion, Take, TurnEntry, TurnRecord};
use throughline_store::{Error, Store};
use throughline_testkit::TestStore;
use throughline_text::answers::Expected;
use uuid::Uuid;

use crate::ledger::call;
use crate::{FAR, chat, holder, message_id, minute, said};

fn turn(n: u128) -> TurnId {
    TurnId(Uuid::from_u128(1_000 + n))
}

async fn hear(store: &Store, id: u128) {
    let question = said("a", id, id as i64).text(format!("question {id}"));
    store.append(vec![question.to_answer()]).await.unwrap();
}

async fn enter(store: &Store, n: u128, dead: Option<TurnId>) -> Entry {
    let mut unfinished = store.unfinished_turns().await.unwrap();
    unfinished.retain(|(turn, _)| Some(*turn) == dead);
    store.abandon_turns(unfinished, minute(50)).await.unwrap();
    let holder = holder(&format!("owner {n}"));
    store.enter_lane(&chat("a"), &Lane::Root, turn(n), &holder, Take::Waiting, minute(50)).await.unwrap()
}

fn ids(entry: Entry) -> Vec<u128> {
    match entry {
        Entry::Active(messages) => messages.iter().map(|stored| stored.message.id.0.as_u128()).collect(),
        other => panic!("{other:?}"),
    }
}

/// The answer of turn `1000 + n` in chat `a`: message `500 + n`.
pub(crate) fn answer(n: u128) -> Answer {
    Answer {
        turn: turn(n),
        reply: said("a", 500 + n, 60).role(Role::Assistant).text("the answer").build(),
        receipt: Receipt::default(),
        tells_uncertain: true,
        outbox: Vec::new(),
        run: None,
        learned: Learned::default(),
        call: None,
        used: Vec::new(),
        pending: None,
        at: minute(60),
        now: minute(60),
    }
}

async fn what_arrives_during_a_turn_is_answered_together_by_the_next(test: TestStore) {
    assert_eq!(enter(&test.store, 1, None).await, Entry::Nothing, "there is no such lane yet");
    hear(&test.store, 1).await;
    assert_eq!(ids(enter(&test.store, 1, None).await), [1]);
    hear(&test.store, 2).await;
    hear(&test.store, 3).await;
    assert_eq!(
        enter(&test.again().await, 2, None).await,
        Entry::Busy { holder: holder("owner 1"), turn: turn(1) }
    );
    let view = test.store.chat(&chat("a")).lane(&Lane::Root, FAR, Default::default()).await.unwrap();
    assert_eq!(view.history.messages.len(), 1, "what waits is not history yet");
    test.store.record_answer(answer(1)).await.unwrap();
    assert_eq!(ids(enter(&test.store, 2, None).await), [2, 3]);
    test.store.record_answer(answer(2)).await.unwrap();
    assert_eq!(enter(&test.store, 3, None).await, Entry::Nothing);
}

async fn a_turn_is_recorded_with_its_reply_its_receipt_and_how_far_it_came(test: TestStore) {
    let in_chat = test.store.chat(&chat("a"));
    assert_eq!(in_chat.last_turn(&Lane::Root).await.unwrap(), None);
    hear(&test.store, 1).await;
    assert_eq!(in_chat.turn_of(message_id(1)).await.unwrap(), None, "nothing has answered it");
    enter(&test.store, 1, None).await;
    let running = TurnRecord {
        id: turn(1),
        status: TurnStatus::Running,
        started_at: minute(50),
        reply: None,
        delivery: None,
        receipt: None,
    };
    assert_eq!(in_chat.turn_of(message_id(1)).await.unwrap(), Some(running.clone()));
    assert_eq!(in_chat.last_turn(&Lane::Root).await.unwrap(), None, "it has no receipt yet");
    let receipt = Receipt { model: "scripted".to_owned(), budget: 900, tokens: 30, ..Receipt::default() };
    let answer = Answer { receipt: receipt.clone(), ..answer(1) };
    test.store.record_answer(answer.clone()).await.unwrap();
    let pending = TurnRecord {
        status: TurnStatus::Answered,
        reply: Some(answer.reply.clone()),
        delivery: Some(Delivery::Pending),
        receipt: Some(receipt),
        ..running
    };
    assert_eq!(in_chat.last_turn(&Lane::Root).await.unwrap(), Some(pending.clone()));
    test.store.mark_delivery(turn(1), Delivery::Sent, vec!["tg-9".into()]).await.unwrap();
    let mut reply = answer.reply;
    reply.external_ids = vec!["tg-9".to_owned()];
    let sent = TurnRecord { delivery: Some(Delivery::Sent), reply: Some(reply.clone()), ..pending };
    let test = test.restarted().await;
    let in_chat = test.store.chat(&chat("a"));
    assert_eq!(in_chat.turn_of(message_id(1)).await.unwrap(), Some(sent.clone()));
    assert_eq!(in_chat.last_turn(&Lane::Root).await.unwrap(), Some(sent));
    let seqs: Vec<i64> =
        in_chat.following(&Lane::Root, None, 9).await.unwrap().iter().map(|stored| stored.seq).collect();
    let of_replies = in_chat.turns_of_replies(seqs.clone()).await.unwrap();
    assert_eq!(of_replies.into_iter().collect::<Vec<_>>(), [(seqs[1], turn(1))], "the question is no reply");
    assert_eq!(in_chat.find("tg-9".into()).await.unwrap().map(|found| found.message), Some(reply));
    assert_eq!(in_chat.last_turn(&Lane::Topic("7".to_owned())).await.unwrap(), None);
    test.store.open_chat(&chat("b")).await.unwrap();
    let elsewhere = test.store.chat(&chat("b"));
    assert_eq!(elsewhere.turn_of(message_id(1)).await.unwrap(), None);
    assert!(elsewhere.turns_of_replies(seqs).await.unwrap().is_empty());
    assert_eq!(elsewhere.last_turn(&Lane::Root).await.unwrap(), None);
    assert_eq!(test.store.unfinished_turns().await.unwrap(), []);
}

async fn b5_a_lane_keeps_its_last_reply_and_its_question_until_the_next_answer(test: TestStore) {
    let slot = PendingSlot {
        question: message_id(501),
        expected: Expected::Choice(vec!["tea".to_owned(), "coffee".to_owned()]),
        asked_at: minute(60),
        expires_at: minute(90),
    };
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    test.store.record_answer(Answer { pending: Some(slot.clone()), ..answer(1) }).await.unwrap();
    let test = test.restarted().await;
    let view = async || {
        let view = test.store.chat(&chat("a")).lane(&Lane::Root, FAR, Default::default()).await.unwrap();
        (view.last_reply.map(|reply| reply.id), view.pending)
    };
    assert_eq!(view().await, (Some(message_id(501)), Some(slot)));
    hear(&test.store, 2).await;
    enter(&test.store, 2, None).await;
    test.store.record_answer(answer(2)).await.unwrap();
    assert_eq!(view().await, (Some(message_id(502)), None));
}

async fn a_turn_that_no_message_started_holds_its_lane_too(test: TestStore) {
    let begin = async |n: u128| {
        test.store
            .enter_lane(&chat("a"), &Lane::Root, turn(n), &holder("me"), Take::Nothing, minute(50))
            .await
            .unwrap()
    };
    assert_eq!(begin(1).await, Entry::Active(Vec::new()));
    assert_eq!(begin(2).await, Entry::Busy { holder: holder("me"), turn: turn(1) });
    hear(&test.store, 1).await;
    test.store.record_answer(answer(1)).await.unwrap();
    assert_eq!(ids(enter(&test.store, 2, None).await), [1], "the message was not part of it");
}

async fn c1_messages_of_a_turn_that_died_unseen_wait_again(test: TestStore) {
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    assert_eq!(ids(enter(&test.store, 2, Some(turn(1))).await), [1]);
}

async fn c1_a_reply_that_may_have_been_seen_is_uncertain_and_not_repeated(test: TestStore) {
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    test.store.begin_reply(turn(1)).await.unwrap();
    hear(&test.store, 2).await;
    assert_eq!(ids(enter(&test.store, 2, Some(turn(1))).await), [2], "the first is not answered again");
    assert_eq!(test.store.figures().await.unwrap().uncertain_replies, 1);
    let uncertain = || async {
        test.store.chat(&chat("a")).lane(&Lane::Root, FAR, Default::default()).await.unwrap().uncertain
    };
    assert_eq!(uncertain().await, 1, "the next turn is told");
    test.store.record_answer(answer(2)).await.unwrap();
    assert_eq!(uncertain().await, 0, "and told once");
}

async fn c1_a_reply_recorded_by_an_owner_that_died_before_it_was_shown_is_uncertain(test: TestStore) {
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    test.store.record_answer(answer(1)).await.unwrap();
    assert_eq!(test.store.unfinished_turns().await.unwrap(), [(turn(1), holder("owner 1"))]);
    hear(&test.store, 2).await;
    assert_eq!(ids(enter(&test.store, 2, Some(turn(1))).await), [2], "it is not answered again");
    assert_eq!(test.store.figures().await.unwrap().uncertain_replies, 1);
}

async fn c1_a_turn_that_was_renewed_is_not_closed_and_one_that_was_closed_answers_nothing(test: TestStore) {
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    let judged = test.store.unfinished_turns().await.unwrap();
    test.store.renew_turn(turn(1), minute(90)).await.unwrap();
    test.store.abandon_turns(judged, minute(61)).await.unwrap();
    assert!(matches!(enter(&test.store, 2, None).await, Entry::Busy { .. }), "its process lives");
    assert_eq!(ids(enter(&test.store, 2, Some(turn(1))).await), [1]);
    let late = test.store.record_answer(answer(1)).await.unwrap_err();
    assert!(matches!(late, Error::Conflict(_)), "{late}");
    assert!(test.store.begin_reply(turn(1)).await.is_err());
    test.store.fail_turn(turn(1), "late", minute(62)).await.unwrap();
    assert!(matches!(enter(&test.store, 3, None).await, Entry::Busy { .. }), "the lane stays the other's");
    test.store.record_answer(answer(2)).await.unwrap();
    let kept = test.store.chat(&chat("a")).recorded_after(0, 10).await.unwrap();
    assert_eq!(kept.len(), 2, "one question, one answer");
}

async fn a_failed_turn_frees_its_lane(test: TestStore) {
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    test.store.fail_turn(turn(1), "no model", minute(51)).await.unwrap();
    let record = test.store.chat(&chat("a")).turn_of(message_id(1)).await.unwrap().unwrap();
    assert_eq!(record.status, TurnStatus::Failed);
    hear(&test.store, 2).await;
    assert_eq!(ids(enter(&test.store, 2, None).await), [2]);
}

async fn a_question_is_open_until_a_whole_reply_stands_for_it(test: TestStore) {
    let in_chat = test.store.chat(&chat("a"));
    let open = async || in_chat.open_question(&Lane::Root).await.unwrap();
    assert_eq!(open().await, None, "there is no such lane yet");
    hear(&test.store, 1).await;
    assert_eq!(open().await, Some(OpenQuestion { turn: None, text: "question 1".to_owned() }), "it waits");
    enter(&test.store, 1, None).await;
    test.store.record_answer(answer(1)).await.unwrap();
    assert_eq!(open().await, None);
    hear(&test.store, 2).await;
    enter(&test.store, 2, None).await;
    let notice = said("a", 600, 61).role(Role::Assistant).text("I could not answer.");
    let notice = Outgoing {
        said: vec![
            notice
                .metadata("shortfall", "unanswered")
                .metadata("failed_turn", turn(2).to_string())
                .to_record(),
        ],
        ..Outgoing::default()
    };
    test.store.fail_turn_with_notice(turn(2), "no model", minute(61), notice).await.unwrap();
    let failed = OpenQuestion { turn: Some(turn(2)), text: "question 2".to_owned() };
    assert_eq!(open().await, Some(failed.clone()));
    hear(&test.store, 3).await;
    enter(&test.store, 3, None).await;
    test.store.record_answer(answer(3)).await.unwrap();
    assert_eq!(open().await, Some(failed), "a later answer does not answer it");
    in_chat.ask_again(turn(2)).await.unwrap();
    let shortfall =
        async || in_chat.find(Reference::Id(message_id(600))).await.unwrap().unwrap().message.shortfall();
    assert_eq!(shortfall().await, Some(Shortfall::Replaced));
    assert_eq!(ids(enter(&test.store, 4, None).await), [2], "the same message, not another one");
    let cut = Answer {
        reply: said("a", 504, 70).role(Role::Assistant).metadata("shortfall", "cut").build(),
        ..answer(4)
    };
    test.store.record_answer(cut).await.unwrap();
    assert_eq!(open().await.and_then(|open| open.turn), Some(turn(4)), "it broke off");
    let again = Outgoing { again: Some((chat("a"), turn(4))), ..Outgoing::default() };
    test.store.send_out(again).await.unwrap();
    assert_eq!(ids(enter(&test.store, 5, None).await), [2]);
    test.store.record_answer(answer(5)).await.unwrap();
    assert_eq!(open().await, None);
}

async fn turns_are_listed_newest_first_page_by_page_and_only_of_chats_that_may_be_touched(test: TestStore) {
    for n in 1..=3 {
        hear(&test.store, n).await;
        enter(&test.store, n, None).await;
        test.store.record_answer(answer(n)).await.unwrap();
    }
    let other = said("b", 9, 0).to_answer();
    test.store.append(vec![other]).await.unwrap();
    let held = holder("me");
    test.store.enter_lane(&chat("b"), &Lane::Root, turn(4), &held, Take::Waiting, minute(55)).await.unwrap();
    let call = Call { turn: Some(turn(3)), ..call(Some(chat("a")), "reply", 1) };
    test.store.begin_call(call).await.unwrap();
    let ids = |found: &[TurnEntry]| found.iter().map(|entry| entry.id).collect::<Vec<_>>();
    let list = async |store: &Store, of: Option<&ChatId>, before, limit| {
        store.turns(of, before, limit).await.unwrap()
    };
    let all = list(&test.store, None, None, 9).await;
    assert_eq!(ids(&all), [turn(4), turn(3), turn(2), turn(1)]);
    let newest = &all[1];
    assert_eq!(
        (newest.chat.clone(), newest.lane.as_str(), newest.status),
        (chat("a"), "root:a", TurnStatus::Answered)
    );
    assert_eq!((newest.reply, newest.receipt.clone()), (Some(message_id(503)), Some(Receipt::default())));
    assert_eq!((newest.spent.calls, newest.ended_at), (1, Some(minute(60))));
    assert_eq!((all[0].status, all[0].reply, all[0].ended_at), (TurnStatus::Running, None, None));
    assert_eq!(ids(&list(&test.store, Some(&chat("a")), Some(turn(3)), 1).await), [turn(2)]);
    assert_eq!(ids(&list(&test.store, Some(&chat("nowhere")), None, 9).await), []);
    let narrow = test.store.narrowed(Arc::new(|chat| chat.name() == "a"));
    assert_eq!(ids(&list(&narrow, None, None, 2).await), [turn(3), turn(2)]);
    assert!(matches!(narrow.turns(Some(&chat("b")), None, 9).await, Err(Error::OutOfScope(_))));
    assert_eq!(narrow.turn(turn(3)).await.unwrap().as_ref(), Some(newest));
    assert_eq!((narrow.turn(turn(4)).await.unwrap(), narrow.turn(turn(9)).await.unwrap()), (None, None));
    let a = test.store.chat(&chat("a"));
    let said = a.recorded_after(0, 99).await.unwrap();
    let replies = a.turns_of_replies(said.iter().map(|stored| stored.seq).collect()).await.unwrap();
    let of = |stored: &StoredMessage| Some((stored.message.id, *replies.get(&stored.seq)?));
    let of_replies: Vec<_> = said.iter().filter_map(of).collect();
    assert_eq!(of_replies, [1, 2, 3].map(|n| (message_id(500 + n), turn(n))), "and of no other message");
}

stories!(
    turns_are_listed_newest_first_page_by_page_and_only_of_chats_that_may_be_touched,
    what_arrives_during_a_turn_is_answered_together_by_the_next,
    a_turn_is_recorded_with_its_reply_its_receipt_and_how_far_it_came,
    b5_a_lane_keeps_its_last_reply_and_its_question_until_the_next_answer,
    a_turn_that_no_message_started_holds_its_lane_too,
    c1_messages_of_a_turn_that_died_unseen_wait_again,
    c1_a_reply_that_may_have_been_seen_is_uncertain_and_not_repeated,
    c1_a_reply_recorded_by_an_owner_that_died_before_it_was_shown_is_uncertain,
    c1_a_turn_that_was_renewed_is_not_closed_and_one_that_was_closed_answers_nothing,
    a_failed_turn_frees_its_lane,
    a_question_is_open_until_a_whole_reply_stands_for_it,
);
