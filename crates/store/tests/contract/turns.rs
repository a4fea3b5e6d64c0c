//! One turn at a time in a lane; a dead owner's turn is closed without losing a message or repeating a reply.

use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::turn::{Delivery, Receipt, TurnId};
use throughline_store::memories::Learned;
use throughline_store::messages::{Append, Origin, Purpose};
use throughline_store::turns::{Answer, Entry, Take};
use throughline_store::{Error, Store};
use throughline_testkit::{TestStore, said};
use uuid::Uuid;

use crate::{FAR, chat, holder, minute};

fn turn(n: u128) -> TurnId {
    TurnId(Uuid::from_u128(1_000 + n))
}

async fn hear(store: &Store, id: u128) {
    let message = said(&chat("a"), id, minute(id as i64), &format!("question {id}"));
    store
        .append(vec![Append { message, purpose: Purpose::Answer, origin: Origin::Heard, person: None }])
        .await
        .unwrap();
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
        Entry::Held(messages) => messages.iter().map(|stored| stored.message.id.0.as_u128()).collect(),
        other => panic!("{other:?}"),
    }
}

fn answer(n: u128) -> Answer {
    let mut reply = said(&chat("a"), 500 + n, minute(60), "the answer");
    reply.role = Role::Assistant;
    Answer {
        turn: turn(n),
        reply,
        receipt: Receipt::default(),
        tells_uncertain: true,
        outbox: Vec::new(),
        run: None,
        learned: Learned::default(),
        call: None,
        used: Vec::new(),
        pending: None,
        at: minute(60),
    }
}

#[tokio::test]
async fn what_arrives_during_a_turn_is_answered_together_by_the_next() {
    let test = TestStore::fresh().await;
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
    let record = test.store.chat(&chat("a")).last_turn(&Lane::Root).await.unwrap().unwrap();
    assert_eq!(record.delivery, Some(Delivery::Pending));
    test.store.mark_delivery(turn(2), Delivery::Sent, vec!["tg-9".into()]).await.unwrap();
    let found = test.store.chat(&chat("a")).find("tg-9".into()).await.unwrap().unwrap();
    assert_eq!(found.message.id.0.as_u128(), 502);
}

#[tokio::test]
async fn c1_messages_of_a_turn_that_died_unseen_wait_again() {
    let test = TestStore::fresh().await;
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    assert_eq!(ids(enter(&test.store, 2, Some(turn(1))).await), [1]);
}

#[tokio::test]
async fn c1_a_reply_that_may_have_been_seen_is_uncertain_and_not_repeated() {
    let test = TestStore::fresh().await;
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

#[tokio::test]
async fn c1_a_reply_recorded_by_an_owner_that_died_before_it_was_shown_is_uncertain() {
    let test = TestStore::fresh().await;
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    test.store.record_answer(answer(1)).await.unwrap();
    assert_eq!(test.store.unfinished_turns().await.unwrap(), [(turn(1), holder("owner 1"))]);
    hear(&test.store, 2).await;
    assert_eq!(ids(enter(&test.store, 2, Some(turn(1))).await), [2], "it is not answered again");
    assert_eq!(test.store.figures().await.unwrap().uncertain_replies, 1);
}

#[tokio::test]
async fn c1_a_turn_that_was_renewed_is_not_closed_and_one_that_was_closed_answers_nothing() {
    let test = TestStore::fresh().await;
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

#[tokio::test]
async fn a_failed_turn_frees_its_lane() {
    let test = TestStore::fresh().await;
    hear(&test.store, 1).await;
    enter(&test.store, 1, None).await;
    test.store.fail_turn(turn(1), "no model", minute(51)).await.unwrap();
    hear(&test.store, 2).await;
    assert_eq!(ids(enter(&test.store, 2, None).await), [2]);
}
