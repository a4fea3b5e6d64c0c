//! What is sent leaves in order, once, and what became of it is known.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::turn::{Delivery, Receipt, TurnId};
use throughline_store::Store;
use throughline_store::memories::Learned;
use throughline_store::messages::{Append, Origin, Purpose, Reference};
use throughline_store::outbox::{Button, NewOutboxItem, Outgoing, Sent};
use throughline_store::turns::{Answer, Take};
use throughline_testkit::{TestStore, said};
use uuid::Uuid;

use crate::{FAR, holder, minute, record};

const TURN: TurnId = TurnId(Uuid::from_u128(900));

fn chat() -> ChatId {
    "telegram:chat:5".parse().unwrap()
}

fn outbox_items(bodies: &[&str]) -> Vec<NewOutboxItem> {
    bodies
        .iter()
        .map(|body| NewOutboxItem {
            chat: chat(),
            body: (*body).to_owned(),
            is_repeatable: body.starts_with("edit"),
        })
        .collect()
}

/// A turn whose reply goes out in these pieces.
async fn replied(store: &Store, bodies: &[&str]) {
    let question = said(&chat(), 1, minute(1), "question");
    let append = Append { message: question, purpose: Purpose::Answer, origin: Origin::Heard, person: None };
    store.append(vec![append]).await.unwrap();
    store.enter_lane(&chat(), &Lane::Root, TURN, &holder("me"), Take::Waiting, minute(1)).await.unwrap();
    let mut reply = said(&chat(), 2, minute(2), "answer");
    reply.role = Role::Assistant;
    let answer = Answer {
        turn: TURN,
        reply,
        receipt: Receipt::default(),
        tells_uncertain: true,
        outbox: outbox_items(bodies),
        run: None,
        call: None,
        used: Vec::new(),
        learned: Learned { at: minute(2), ..Learned::default() },
        pending: None,
        at: minute(2),
    };
    store.record_answer(answer).await.unwrap();
}

async fn begin(store: &Store) -> Option<(i64, String)> {
    let post = store.begin_send(&chat(), &holder("me"), minute(9)).await.unwrap();
    post.map(|post| (post.id, post.body))
}

async fn delivery(store: &Store) -> Option<Delivery> {
    let question =
        store.chat(&chat()).find(Reference::Id(said(&chat(), 1, minute(1), "x").id)).await.unwrap().unwrap();
    store.chat(&chat()).turn_of(question.message.id).await.unwrap().unwrap().delivery
}

#[tokio::test]
async fn c1_pieces_leave_one_at_a_time_in_order_and_their_ids_lead_to_the_message() {
    let test = TestStore::fresh().await;
    let store = &test.store;
    replied(store, &["one", "two"]).await;
    let (first, body) = begin(store).await.unwrap();
    assert_eq!((body.as_str(), begin(store).await), ("one", None), "the second waits for the first");
    store.end_send(first, Sent::Delivered(Some("71".to_owned()))).await.unwrap();
    assert_eq!(delivery(store).await, Some(Delivery::Pending));
    let (second, _) = begin(store).await.unwrap();
    store.end_send(second, Sent::Delivered(Some("72".to_owned()))).await.unwrap();
    assert_eq!((delivery(store).await, begin(store).await), (Some(Delivery::Sent), None));
    for id in ["71", "72"] {
        let found = store.chat(&chat()).find(Reference::External(id.to_owned())).await.unwrap().unwrap();
        assert_eq!(found.message.text, "answer");
        assert_eq!(found.message.external_ids, ["71", "72"]);
    }
}

#[tokio::test]
async fn c1_what_was_leaving_when_its_process_died_is_uncertain_and_what_was_not_still_leaves() {
    let test = TestStore::fresh().await;
    replied(&test.store, &["one", "two"]).await;
    begin(&test.store).await.unwrap();
    let test = test.restarted().await;
    let store = &test.store;
    assert_eq!(store.unfinished_turns().await.unwrap(), [], "the turn itself is over");
    assert_eq!(store.send_owners().await.unwrap(), [holder("me")]);
    store.mark_uncertain(vec![holder("me")]).await.unwrap();
    let (second, body) = begin(store).await.unwrap();
    assert_eq!(body, "two", "the first is never sent again");
    store.end_send(second, Sent::Delivered(None)).await.unwrap();
    assert_eq!(delivery(store).await, Some(Delivery::Uncertain));
    let view = store.chat(&chat()).lane(&Lane::Root, FAR, Default::default()).await.unwrap();
    assert_eq!(view.uncertain, 1, "the next turn is told");
    assert_eq!(store.figures().await.unwrap().uncertain_replies, 1);
}

#[tokio::test]
async fn a_change_that_was_leaving_when_its_process_died_is_made_again() {
    let test = TestStore::fresh().await;
    test.store.send_out(Outgoing { outbox: outbox_items(&["edit"]), ..Outgoing::default() }).await.unwrap();
    begin(&test.store).await.unwrap();
    test.store.mark_uncertain(vec![holder("me")]).await.unwrap();
    assert_eq!(begin(&test.store).await.map(|(_, body)| body).as_deref(), Some("edit"));
}

#[tokio::test]
async fn what_did_not_leave_is_tried_again_when_it_is_due_perhaps_in_another_form() {
    let test = TestStore::fresh().await;
    let store = &test.store;
    store.send_out(Outgoing { outbox: outbox_items(&["html"]), ..Outgoing::default() }).await.unwrap();
    let (id, _) = begin(store).await.unwrap();
    let again = |body: Option<&str>, at: Timestamp| Sent::Again {
        body: body.map(str::to_owned),
        at,
        problem: "later".to_owned(),
    };
    store.end_send(id, again(None, minute(20))).await.unwrap();
    assert_eq!(begin(store).await, None, "not before its time");
    assert_eq!(store.unsent("telegram").await.unwrap(), [(chat(), minute(20))]);
    store.begin_send(&chat(), &holder("me"), minute(21)).await.unwrap().unwrap();
    store.end_send(id, again(Some("plain"), minute(0))).await.unwrap();
    assert_eq!(begin(store).await, Some((id, "plain".to_owned())));
    store.end_send(id, Sent::Refused("blocked".to_owned())).await.unwrap();
    let figures = store.outbox_figures().await.unwrap();
    assert_eq!((figures.pending, figures.uncertain, figures.failed), (0, 0, 1));
}

#[tokio::test]
async fn c2_what_no_turn_made_is_uncertain_to_the_next_turn_all_the_same() {
    let test = TestStore::fresh().await;
    let store = &test.store;
    let mut briefing = said(&chat(), 3, minute(3), "briefing");
    briefing.role = Role::Assistant;
    let outgoing =
        Outgoing { said: vec![record(briefing)], outbox: outbox_items(&["briefing"]), ..Outgoing::default() };
    store.send_out(outgoing).await.unwrap();
    let (id, _) = begin(store).await.unwrap();
    store.end_send(id, Sent::Uncertain("no answer".to_owned())).await.unwrap();
    let uncertain = async || {
        let view = store.chat(&chat()).lane(&Lane::Root, FAR, Default::default()).await;
        view.unwrap().uncertain
    };
    assert_eq!(uncertain().await, 1);
    replied(store, &[]).await;
    assert_eq!(uncertain().await, 0, "it was told");
}

#[tokio::test]
async fn a_button_holds_in_its_chat_until_its_bundle_is_used_or_its_time_is_over() {
    let test = TestStore::fresh().await;
    let store = &test.store;
    let button = |id: &str, bundle: u128| Button {
        id: id.to_owned(),
        bundle: Uuid::from_u128(bundle),
        chat: chat(),
        person: "telegram:5".to_owned(),
        action: "{}".to_owned(),
        until: minute(60),
    };
    let buttons = vec![button("yes", 1), button("no", 1), button("other", 2)];
    store.send_out(Outgoing { buttons, ..Outgoing::default() }).await.unwrap();
    let there = async |id: &str, at: i64| store.chat(&chat()).button(id, minute(at)).await.unwrap().is_some();
    assert!(there("yes", 1).await && !there("yes", 60).await && !there("nothing", 1).await);
    let elsewhere: ChatId = "telegram:chat:6".parse().unwrap();
    assert_eq!(store.chat(&elsewhere).button("yes", minute(1)).await.unwrap(), None);
    store.send_out(Outgoing { used: vec![Uuid::from_u128(1)], ..Outgoing::default() }).await.unwrap();
    assert!(!there("yes", 1).await && !there("no", 1).await && there("other", 1).await);
}
