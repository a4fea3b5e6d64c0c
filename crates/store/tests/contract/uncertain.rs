//! What may not have arrived is told once, and sent again only if the person asks for it.

use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::turn::Delivery;
use throughline_store::Store;
use throughline_store::forget::{Blanked, Forgetting};
use throughline_store::outbox::{OutboxFigures, Outgoing, Sent};
use throughline_store::uncertain::UncertainMessage;
use throughline_testkit::{TestStore, message};

use crate::outbox::{begin, chat, delivery, outbox_items, replied};
use crate::{FAR, message_id, minute};

/// Sends the next item, with this outcome.
async fn send(store: &Store, sent: Sent) -> i64 {
    let (item, _) = begin(store).await.unwrap();
    store.end_send(item, sent, minute(9)).await.unwrap();
    item
}

fn no_answer() -> Sent {
    Sent::Uncertain("no answer".to_owned())
}

/// A notice of these items.
fn notice(id: u128, tells: Vec<i64>) -> Outgoing {
    let said = vec![message(&chat()).id(id).at(minute(10)).role(Role::Assistant).to_record()];
    Outgoing { said, outbox: outbox_items(&["notice"]), tells, ..Outgoing::default() }
}

fn again() -> Outgoing {
    Outgoing { send_again: Some((chat(), message_id(2))), ..Outgoing::default() }
}

async fn c1_pieces_of_one_reply_are_told_together_and_once(test: TestStore) {
    let store = &test.store;
    replied(store, &["one", "two", "three"]).await;
    let first = send(store, no_answer()).await;
    assert_eq!(
        store.unreported_messages("telegram").await.unwrap(),
        [],
        "the other pieces may be uncertain, too"
    );
    send(store, Sent::Delivered(None)).await;
    let third = send(store, no_answer()).await;
    let untold = UncertainMessage {
        chat: chat(),
        lane: Lane::Root,
        message: message_id(2),
        text: "answer".to_owned(),
        items: vec![first, third],
        since: minute(9),
        is_followed: false,
    };
    let test = test.restarted().await;
    let store = &test.store;
    assert_eq!(store.unreported_messages("telegram").await.unwrap(), [untold]);
    assert_eq!(store.unreported_messages("cli").await.unwrap(), []);
    store.send_out(notice(3, vec![first, third])).await.unwrap();
    assert_eq!(store.unreported_messages("telegram").await.unwrap(), []);
    assert_eq!(store.send_out(notice(4, vec![first, third])).await.unwrap(), [], "told already");
    assert_eq!(begin(store).await.map(|(_, body)| body).as_deref(), Some("notice"));
    assert_eq!(begin(store).await, None, "one notice");
}

async fn c1_a_notice_that_is_uncertain_itself_is_not_told(test: TestStore) {
    let store = &test.store;
    replied(store, &["one"]).await;
    let first = send(store, no_answer()).await;
    store.send_out(notice(3, vec![first])).await.unwrap();
    send(store, no_answer()).await;
    assert_eq!(store.unreported_messages("telegram").await.unwrap(), []);
    assert_eq!(store.outbox_figures().await.unwrap().uncertain, 2);
}

async fn a_later_message_in_the_lane_is_noticed(test: TestStore) {
    let store = &test.store;
    replied(store, &["one"]).await;
    send(store, no_answer()).await;
    let followed = async || store.unreported_messages("telegram").await.unwrap()[0].is_followed;
    let later = |id: u128, lane: Lane| {
        let said = message(&chat()).id(id).at(minute(10)).role(Role::Assistant).lane(lane).to_record();
        Outgoing { said: vec![said], outbox: outbox_items(&["later"]), ..Outgoing::default() }
    };
    store.send_out(later(3, Lane::Topic("4".to_owned()))).await.unwrap();
    assert!(!followed().await, "another lane");
    store.send_out(later(4, Lane::Root)).await.unwrap();
    assert!(followed().await);
}

async fn c1_uncertain_pieces_are_sent_again_when_the_person_asks_for_it(test: TestStore) {
    let store = &test.store;
    replied(store, &["one", "two"]).await;
    send(store, no_answer()).await;
    send(store, Sent::Delivered(None)).await;
    let in_chat = store.chat(&chat());
    assert_eq!(in_chat.uncertain_pieces(message_id(2)).await.unwrap(), 1);
    assert_eq!(in_chat.uncertain_pieces(message_id(9)).await.unwrap(), 0);
    store.send_out(again()).await.unwrap();
    assert_eq!(delivery(store).await, Some(Delivery::Pending));
    assert_eq!(in_chat.uncertain_pieces(message_id(2)).await.unwrap(), 0);
    let (item, body) = begin(store).await.unwrap();
    assert_eq!(body, "one", "only what is uncertain");
    store.end_send(item, no_answer(), minute(9)).await.unwrap();
    assert_eq!(store.unreported_messages("telegram").await.unwrap().len(), 1, "it is told again");
    store.send_out(again()).await.unwrap();
    send(store, Sent::Delivered(None)).await;
    assert_eq!((delivery(store).await, begin(store).await), (Some(Delivery::Sent), None));
    store.send_out(again()).await.unwrap();
    assert_eq!(begin(store).await, None, "nothing is uncertain any more");
}

async fn what_was_forgotten_is_not_sent_again(test: TestStore) {
    let store = &test.store;
    replied(store, &["one"]).await;
    send(store, no_answer()).await;
    let blanked = Blanked {
        id: message_id(2),
        before: "answer".to_owned(),
        text: "[forgotten]".to_owned(),
        metadata: Default::default(),
        gone: vec!["answer".to_owned()],
    };
    let forgetting = Forgetting { messages: vec![blanked], ..crate::forget::forgetting() };
    store.chat(&chat()).forget(forgetting).await.unwrap();
    assert_eq!(store.chat(&chat()).uncertain_pieces(message_id(2)).await.unwrap(), 0);
    store.send_out(again()).await.unwrap();
    assert_eq!(begin(store).await, None);
    assert_eq!(delivery(store).await, Some(Delivery::Uncertain));
}

async fn pieces_after_a_refused_one_are_not_sent_and_the_next_turn_is_told_once(test: TestStore) {
    let store = &test.store;
    replied(store, &["one", "two", "three"]).await;
    send(store, Sent::Delivered(None)).await;
    send(store, Sent::Refused("too long".to_owned())).await;
    assert_eq!(begin(store).await, None);
    let expected = OutboxFigures { pending: 0, uncertain: 0, failed: 2 };
    assert_eq!(store.outbox_figures().await.unwrap(), expected);
    assert_eq!(delivery(store).await, Some(Delivery::Failed));
    let refused =
        async || store.chat(&chat()).lane(&Lane::Root, FAR, Default::default()).await.unwrap().refused;
    assert_eq!(refused().await, 1);
    crate::outbox::replied_as(store, 5, &[]).await;
    assert_eq!(refused().await, 0, "it was told");
}

stories!(
    c1_pieces_of_one_reply_are_told_together_and_once,
    c1_a_notice_that_is_uncertain_itself_is_not_told,
    a_later_message_in_the_lane_is_noticed,
    c1_uncertain_pieces_are_sent_again_when_the_person_asks_for_it,
    what_was_forgotten_is_not_sent_again,
    pieces_after_a_refused_one_are_not_sent_and_the_next_turn_is_told_once,
);
