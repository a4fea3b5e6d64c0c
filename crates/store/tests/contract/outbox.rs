//! The outbox: what is sent leaves in order, once, and what became of it is known.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::turn::{Delivery, Receipt, TurnId, TurnStatus};
use throughline_store::Store;
use throughline_store::memories::Learned;
use throughline_store::messages::Reference;
use throughline_store::outbox::{Button, NewOutboxItem, OutboxFigures, OutboxItem, Outgoing, Sent};
use throughline_store::turns::{Answer, Take};
use throughline_testkit::{TestStore, message};
use uuid::Uuid;

use crate::{FAR, holder, message_id, minute};

pub(crate) const TURN: TurnId = TurnId(Uuid::from_u128(900));

pub(crate) fn chat() -> ChatId {
    "telegram:chat:5".parse().unwrap()
}

pub(crate) fn outbox_items(bodies: &[&str]) -> Vec<NewOutboxItem> {
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
pub(crate) async fn replied(store: &Store, bodies: &[&str]) {
    replied_as(store, 2, bodies).await;
}

/// The same, with the reply's id. The question's is the one before, and the turn's is higher by 898.
pub(crate) async fn replied_as(store: &Store, id: u128, bodies: &[&str]) {
    let question = message(&chat()).id(id - 1).at(minute(1)).text("question");
    store.append(vec![question.to_answer()]).await.unwrap();
    let turn = TurnId(Uuid::from_u128(898 + id));
    store.enter_lane(&chat(), &Lane::Root, turn, &holder("me"), Take::Waiting, minute(1)).await.unwrap();
    record_as(store, id, bodies).await;
}

/// Records the reply of the turn that runs.
pub(crate) async fn record(store: &Store, bodies: &[&str]) {
    record_as(store, 2, bodies).await;
}

async fn record_as(store: &Store, id: u128, bodies: &[&str]) {
    let reply = message(&chat()).id(id).at(minute(2)).role(Role::Assistant).text("answer").build();
    let answer = Answer {
        turn: TurnId(Uuid::from_u128(898 + id)),
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
        now: minute(2),
    };
    store.record_answer(answer).await.unwrap();
}

pub(crate) async fn begin(store: &Store) -> Option<(i64, String)> {
    let item = store.begin_send(&chat(), &holder("me"), minute(9)).await.unwrap();
    item.map(|item| (item.id, item.body))
}

pub(crate) async fn delivery(store: &Store) -> Option<Delivery> {
    store.chat(&chat()).turn_of(message_id(1)).await.unwrap().unwrap().delivery
}

async fn c1_pieces_leave_one_at_a_time_in_order_and_their_ids_lead_to_the_message(test: TestStore) {
    let store = &test.store;
    replied(store, &["one", "two"]).await;
    let (first, body) = begin(store).await.unwrap();
    assert_eq!((body.as_str(), begin(store).await), ("one", None), "the second waits for the first");
    store.end_send(first, Sent::Delivered(Some("71".to_owned())), minute(9)).await.unwrap();
    assert_eq!(delivery(store).await, Some(Delivery::Pending));
    let (second, _) = begin(store).await.unwrap();
    store.end_send(second, Sent::Delivered(Some("72".to_owned())), minute(9)).await.unwrap();
    assert_eq!((delivery(store).await, begin(store).await), (Some(Delivery::Sent), None));
    for id in ["71", "72"] {
        let found = store.chat(&chat()).find(Reference::External(id.to_owned())).await.unwrap().unwrap();
        assert_eq!(found.message.text, "answer");
        assert_eq!(found.message.external_ids, ["71", "72"]);
    }
}

async fn c1_what_was_leaving_when_its_process_died_is_uncertain_and_what_was_not_still_leaves(
    test: TestStore,
) {
    replied(&test.store, &["one", "two"]).await;
    begin(&test.store).await.unwrap();
    let test = test.restarted().await;
    let store = &test.store;
    assert_eq!(store.unfinished_turns().await.unwrap(), [], "the turn itself is over");
    assert_eq!(store.send_owners().await.unwrap(), [holder("me")]);
    store.mark_uncertain(vec![holder("me")], minute(9)).await.unwrap();
    let (second, body) = begin(store).await.unwrap();
    assert_eq!(body, "two", "the first is never sent again");
    store.end_send(second, Sent::Delivered(None), minute(9)).await.unwrap();
    assert_eq!(delivery(store).await, Some(Delivery::Uncertain));
    let view = store.chat(&chat()).lane(&Lane::Root, FAR, Default::default()).await.unwrap();
    assert_eq!(view.uncertain, 1, "the next turn is told");
    assert_eq!(store.figures().await.unwrap().uncertain_replies, 1);
}

async fn a_change_that_was_leaving_when_its_process_died_is_made_again(test: TestStore) {
    test.store.send_out(Outgoing { outbox: outbox_items(&["edit"]), ..Outgoing::default() }).await.unwrap();
    begin(&test.store).await.unwrap();
    test.store.mark_uncertain(vec![holder("me")], minute(9)).await.unwrap();
    assert_eq!(begin(&test.store).await.map(|(_, body)| body).as_deref(), Some("edit"));
}

async fn what_did_not_leave_is_tried_again_when_it_is_due_perhaps_in_another_form(test: TestStore) {
    let store = &test.store;
    store.send_out(Outgoing { outbox: outbox_items(&["html"]), ..Outgoing::default() }).await.unwrap();
    let (id, _) = begin(store).await.unwrap();
    let again = |body: Option<&str>, at: Timestamp| Sent::Again {
        body: body.map(str::to_owned),
        at,
        problem: "later".to_owned(),
    };
    store.end_send(id, again(None, minute(20)), minute(9)).await.unwrap();
    assert_eq!(begin(store).await, None, "not before its time");
    assert_eq!(store.unsent("telegram").await.unwrap(), [(chat(), minute(20))]);
    let again_sent = store.begin_send(&chat(), &holder("me"), minute(21)).await.unwrap();
    let expected = OutboxItem { id, chat: chat(), body: "html".to_owned(), attempts: 1 };
    assert_eq!(again_sent, Some(expected));
    store.end_send(id, again(Some("plain"), minute(0)), minute(9)).await.unwrap();
    assert_eq!(begin(store).await, Some((id, "plain".to_owned())));
    store.end_send(id, Sent::Refused("blocked".to_owned()), minute(9)).await.unwrap();
    let expected = OutboxFigures { pending: 0, uncertain: 0, failed: 1 };
    assert_eq!(test.restarted().await.store.outbox_figures().await.unwrap(), expected);
}

async fn c2_what_no_turn_made_is_uncertain_to_the_next_turn_all_the_same(test: TestStore) {
    let store = &test.store;
    let briefing = message(&chat()).id(3).at(minute(3)).role(Role::Assistant).to_record();
    let outgoing =
        Outgoing { said: vec![briefing], outbox: outbox_items(&["briefing"]), ..Outgoing::default() };
    store.send_out(outgoing).await.unwrap();
    let (id, _) = begin(store).await.unwrap();
    store.end_send(id, Sent::Uncertain("no answer".to_owned()), minute(9)).await.unwrap();
    let uncertain = async || {
        let view = store.chat(&chat()).lane(&Lane::Root, FAR, Default::default()).await;
        view.unwrap().uncertain
    };
    assert_eq!(uncertain().await, 1);
    replied(store, &[]).await;
    assert_eq!(uncertain().await, 0, "it was told");
}

async fn a_button_holds_in_its_chat_until_its_bundle_is_used_or_its_time_is_over(test: TestStore) {
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
    assert_eq!(store.chat(&chat()).button("no", minute(1)).await.unwrap(), Some(button("no", 1)));
    assert!(there("yes", 1).await && !there("yes", 60).await && !there("nothing", 1).await);
    let elsewhere: ChatId = "telegram:chat:6".parse().unwrap();
    assert_eq!(store.chat(&elsewhere).button("yes", minute(1)).await.unwrap(), None);
    store.send_out(Outgoing { used: vec![Uuid::from_u128(1)], ..Outgoing::default() }).await.unwrap();
    assert!(!there("yes", 1).await && !there("no", 1).await && there("other", 1).await);
}

async fn how_far_a_message_has_come_is_told_by_its_pieces(test: TestStore) {
    let in_chat = test.store.chat(&chat());
    assert_eq!(in_chat.delivery_of(message_id(3)).await.unwrap(), None);
    assert_eq!(in_chat.sent_as(message_id(3)).await.unwrap(), Vec::<String>::new());
    let told = |id: u128| message(&chat()).id(id).at(minute(3)).role(Role::Assistant).to_record();
    let outgoing = Outgoing {
        said: vec![told(2), told(3)],
        outbox: outbox_items(&["one", "two"]),
        ..Outgoing::default()
    };
    let recorded = test.store.send_out(outgoing).await.unwrap();
    assert_eq!(recorded.iter().map(|one| one.id).collect::<Vec<_>>(), [message_id(2), message_id(3)]);
    assert_eq!(in_chat.delivery_of(message_id(2)).await.unwrap(), None, "the pieces are those of the last");
    for (external, expected) in [("71", Delivery::Pending), ("72", Delivery::Sent)] {
        assert_eq!(in_chat.delivery_of(message_id(3)).await.unwrap(), Some(Delivery::Pending));
        let (item, _) = begin(&test.store).await.unwrap();
        test.store.end_send(item, Sent::Delivered(Some(external.to_owned())), minute(9)).await.unwrap();
        assert_eq!(in_chat.delivery_of(message_id(3)).await.unwrap(), Some(expected));
    }
    let test = test.restarted().await;
    assert_eq!(test.store.chat(&chat()).sent_as(message_id(3)).await.unwrap(), ["71", "72"]);
    let elsewhere: ChatId = "telegram:chat:6".parse().unwrap();
    test.store.open_chat(&elsewhere).await.unwrap();
    assert_eq!(test.store.chat(&elsewhere).delivery_of(message_id(3)).await.unwrap(), None);
    assert_eq!(test.store.chat(&elsewhere).sent_as(message_id(3)).await.unwrap(), Vec::<String>::new());

    for (id, sent, expected) in [
        (4, Sent::Refused("blocked".to_owned()), Delivery::Failed),
        (5, Sent::Uncertain("no answer".to_owned()), Delivery::Uncertain),
    ] {
        let outgoing =
            Outgoing { said: vec![told(id)], outbox: outbox_items(&["one"]), ..Outgoing::default() };
        test.store.send_out(outgoing).await.unwrap();
        let (item, _) = begin(&test.store).await.unwrap();
        test.store.end_send(item, sent, minute(9)).await.unwrap();
        assert_eq!(test.store.chat(&chat()).delivery_of(message_id(id)).await.unwrap(), Some(expected));
    }
}

async fn a_turn_that_fails_frees_its_lane_and_tells_the_person_as_one(test: TestStore) {
    let store = &test.store;
    store.append(vec![message(&chat()).at(minute(1)).to_answer()]).await.unwrap();
    store.enter_lane(&chat(), &Lane::Root, TURN, &holder("me"), Take::Waiting, minute(1)).await.unwrap();
    let notice = || {
        let said = vec![message(&chat()).id(9).at(minute(2)).role(Role::Assistant).to_record()];
        Outgoing { said, outbox: outbox_items(&["it failed"]), ..Outgoing::default() }
    };
    store.fail_turn_with_notice(TURN, "no model", minute(2), notice()).await.unwrap();
    assert_eq!(begin(store).await.map(|(_, body)| body).as_deref(), Some("it failed"));
    let record = store.chat(&chat()).turn_of(message_id(1)).await.unwrap().unwrap();
    assert_eq!((record.status, record.delivery), (TurnStatus::Failed, None));
    assert_eq!(store.unfinished_turns().await.unwrap(), []);
    store.fail_turn_with_notice(TURN, "once more", minute(3), notice()).await.unwrap();
    let expected = OutboxFigures { pending: 1, uncertain: 0, failed: 0 };
    assert_eq!(store.outbox_figures().await.unwrap(), expected, "a turn that is over tells nothing");
}

async fn a_matter_is_told_once_until_it_is_settled(test: TestStore) {
    let store = &test.store;
    let notice = |n: u128| Outgoing {
        said: vec![
            message(&chat()).id(n).at(minute(1)).role(Role::Assistant).text("The disk is full.").to_record(),
        ],
        outbox: outbox_items(&["The disk is full."]),
        ..Outgoing::default()
    };
    assert!(!store.was_told("disk").await.unwrap());
    assert!(store.tell_once("disk", notice(1)).await.unwrap());
    assert!(!store.tell_once("disk", notice(2)).await.unwrap());
    assert!(store.was_told("disk").await.unwrap() && !store.was_told("model").await.unwrap());
    assert_eq!(store.outbox_figures().await.unwrap().pending, 1);
    store.settle("disk").await.unwrap();
    assert!(store.tell_once("disk", notice(3)).await.unwrap());
    assert_eq!(store.outbox_figures().await.unwrap().pending, 2);
    assert_eq!(store.chat(&chat()).count(&Lane::Root).await.unwrap(), 2, "it is recorded as well");
}

stories!(
    a_matter_is_told_once_until_it_is_settled,
    c1_pieces_leave_one_at_a_time_in_order_and_their_ids_lead_to_the_message,
    c1_what_was_leaving_when_its_process_died_is_uncertain_and_what_was_not_still_leaves,
    a_change_that_was_leaving_when_its_process_died_is_made_again,
    what_did_not_leave_is_tried_again_when_it_is_due_perhaps_in_another_form,
    c2_what_no_turn_made_is_uncertain_to_the_next_turn_all_the_same,
    a_button_holds_in_its_chat_until_its_bundle_is_used_or_its_time_is_over,
    how_far_a_message_has_come_is_told_by_its_pieces,
    a_turn_that_fails_frees_its_lane_and_tells_the_person_as_one,
);
