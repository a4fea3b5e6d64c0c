//! A reply that is shown while it is written: what was shown is on disk, whatever becomes of its process.

use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, Role};
use throughline_domain::turn::{Delivery, TurnId, TurnStatus};
use throughline_store::live::LiveReply;
use throughline_store::outbox::{Outgoing, Sent};
use throughline_store::relayed::RelayedReply;
use throughline_store::turns::{Entry, Take};
use throughline_store::{Error, Store};
use throughline_testkit::{TestStore, message};
use uuid::Uuid;

use crate::outbox::{TURN, begin, chat, delivery, outbox_items, record};
use crate::{holder, message_id, minute};

/// A turn that runs.
async fn asked(store: &Store) {
    store.append(vec![message(&chat()).at(minute(1)).to_answer()]).await.unwrap();
    store.enter_lane(&chat(), &Lane::Root, TURN, &holder("me"), Take::Waiting, minute(1)).await.unwrap();
}

fn live(words: &str, external_id: Option<&str>) -> LiveReply {
    let (words, external_id) = (words.to_owned(), external_id.map(str::to_owned));
    LiveReply { chat: chat(), lane: Lane::Root, words, external_id }
}

fn reply(text: &str) -> Message {
    message(&chat()).id(2).at(minute(2)).role(Role::Assistant).text(text).build()
}

async fn the_words_are_on_disk_until_the_reply_is_recorded(test: TestStore) {
    asked(&test.store).await;
    test.store.show_live(&chat(), TURN, "So").await.unwrap();
    test.store.name_live(TURN, "71").await.unwrap();
    test.store.show_live(&chat(), TURN, "So on").await.unwrap();
    let test = test.restarted().await;
    assert_eq!(test.store.live_reply(TURN).await.unwrap(), Some(live("So on", Some("71"))));
    record(&test.store, &["edit"]).await;
    assert_eq!(test.store.live_reply(TURN).await.unwrap(), None);
    assert_eq!(begin(&test.store).await.map(|(_, body)| body).as_deref(), Some("edit"));
    let late = test.store.show_live(&chat(), TURN, "So on and").await.unwrap_err();
    assert!(matches!(late, Error::Conflict(_)), "{late}");
}

async fn c1_a_reply_whose_first_words_got_no_answer_is_uncertain(test: TestStore) {
    asked(&test.store).await;
    test.store.show_live(&chat(), TURN, "So").await.unwrap();
    record(&test.store, &["one", "two"]).await;
    let (second, body) = begin(&test.store).await.unwrap();
    assert_eq!(body, "two", "the first may have been seen");
    test.store.end_send(second, Sent::Delivered(None), minute(3)).await.unwrap();
    assert_eq!(delivery(&test.store).await, Some(Delivery::Uncertain));
    assert_eq!(test.store.unreported_messages("telegram").await.unwrap().len(), 1);
}

async fn a_reply_is_not_shown_before_earlier_messages_of_its_chat_are_sent(test: TestStore) {
    let store = &test.store;
    store.send_out(Outgoing { outbox: outbox_items(&["earlier"]), ..Outgoing::default() }).await.unwrap();
    asked(store).await;
    assert!(!store.show_live(&chat(), TURN, "So").await.unwrap());
    assert_eq!(store.live_reply(TURN).await.unwrap(), None);
    let (earlier, _) = begin(store).await.unwrap();
    assert!(!store.show_live(&chat(), TURN, "So").await.unwrap(), "it is on its way");
    store.end_send(earlier, Sent::Delivered(None), minute(3)).await.unwrap();
    assert!(store.show_live(&chat(), TURN, "So").await.unwrap());
    store.send_out(Outgoing { outbox: outbox_items(&["later"]), ..Outgoing::default() }).await.unwrap();
    assert!(store.show_live(&chat(), TURN, "So on").await.unwrap(), "what is shown grows");
}

async fn a_reply_of_which_nothing_was_shown_after_all_is_as_if_it_was_not_begun(test: TestStore) {
    asked(&test.store).await;
    test.store.show_live(&chat(), TURN, "So").await.unwrap();
    test.store.withdraw_live(TURN).await.unwrap();
    assert_eq!(test.store.live_reply(TURN).await.unwrap(), None);
    let unfinished = test.store.unfinished_turns().await.unwrap();
    test.store.abandon_turns(unfinished, minute(5)).await.unwrap();
    let next = TurnId(Uuid::from_u128(901));
    let again =
        test.store.enter_lane(&chat(), &Lane::Root, next, &holder("you"), Take::Waiting, minute(6)).await;
    assert!(matches!(again.unwrap(), Entry::Active(_)), "the message waits again");
}

async fn c1_what_was_shown_by_a_process_that_died_is_recorded_and_its_message_marked(test: TestStore) {
    asked(&test.store).await;
    test.store.show_live(&chat(), TURN, "So on").await.unwrap();
    test.store.name_live(TURN, "71").await.unwrap();
    let test = test.restarted().await;
    let store = &test.store;
    assert_eq!(store.unfinished_turns().await.unwrap(), [(TURN, holder("me"))]);
    assert_eq!(store.broken_off("telegram").await.unwrap(), [], "its process may live");
    let mut other = holder("me");
    other.leased_to = minute(99);
    store.break_off(TURN, &other, reply("So on"), minute(5)).await.unwrap();
    assert_eq!(store.unfinished_turns().await.unwrap().len(), 1, "a renewed lease holds");
    store.break_off(TURN, &holder("me"), reply("So on"), minute(5)).await.unwrap();
    store.break_off(TURN, &holder("me"), reply("So on"), minute(5)).await.unwrap();
    assert_eq!(store.unfinished_turns().await.unwrap(), []);
    let record = store.chat(&chat()).turn_of(message_id(1)).await.unwrap().unwrap();
    assert_eq!((record.status, record.delivery), (TurnStatus::Abandoned, Some(Delivery::Pending)));
    assert_eq!(record.reply.unwrap().text, "So on");
    assert_eq!(store.chat(&chat()).open_question(&Lane::Root).await.unwrap().unwrap().turn, Some(TURN));
    assert_eq!(store.broken_off("cli").await.unwrap(), []);
    assert_eq!(store.broken_off("telegram").await.unwrap(), [(TURN, live("So on", Some("71")))]);
    store.complete_live(TURN, outbox_items(&["edit"]), minute(6)).await.unwrap();
    store.complete_live(TURN, outbox_items(&["edit"]), minute(6)).await.unwrap();
    assert_eq!(store.broken_off("telegram").await.unwrap(), []);
    let (item, _) = begin(store).await.unwrap();
    store.end_send(item, Sent::Delivered(Some("71".to_owned())), minute(7)).await.unwrap();
    assert_eq!((delivery(store).await, begin(store).await), (Some(Delivery::Sent), None));
    assert_eq!(store.chat(&chat()).sent_as(message_id(2)).await.unwrap(), ["71"]);
}

async fn c1_a_reply_that_broke_off_before_its_message_was_known_is_uncertain(test: TestStore) {
    let store = &test.store;
    asked(store).await;
    store.show_live(&chat(), TURN, "So on").await.unwrap();
    store.break_off(TURN, &holder("me"), reply("So on"), minute(5)).await.unwrap();
    store.complete_live(TURN, outbox_items(&["one"]), minute(6)).await.unwrap();
    assert_eq!((delivery(store).await, begin(store).await), (Some(Delivery::Uncertain), None));
    assert_eq!(store.chat(&chat()).uncertain_pieces(message_id(2)).await.unwrap(), 1);
}

async fn c1_the_words_of_a_passing_reply_are_on_disk_until_it_ends(test: TestStore) {
    let reply = |number, words: &str| RelayedReply {
        id: Uuid::from_u128(number),
        chat: chat(),
        words: words.to_owned(),
    };
    let unknown = test.store.show_relayed(reply(1, "One")).await.unwrap_err();
    assert!(matches!(unknown, Error::NotFound { what: "chat", .. }), "{unknown}");
    test.store.append(vec![message(&chat()).to_record()]).await.unwrap();
    for (number, words) in [(1, "One"), (2, "Uno"), (1, "One, two")] {
        test.store.show_relayed(reply(number, words)).await.unwrap();
    }
    let test = test.restarted().await;
    assert_eq!(test.store.relayed().await.unwrap(), [reply(1, "One, two"), reply(2, "Uno")]);
    test.store.end_relayed(Uuid::from_u128(1)).await.unwrap();
    assert_eq!(test.store.relayed().await.unwrap(), [reply(2, "Uno")]);
}

stories!(
    c1_the_words_of_a_passing_reply_are_on_disk_until_it_ends,
    the_words_are_on_disk_until_the_reply_is_recorded,
    c1_a_reply_whose_first_words_got_no_answer_is_uncertain,
    a_reply_is_not_shown_before_earlier_messages_of_its_chat_are_sent,
    a_reply_of_which_nothing_was_shown_after_all_is_as_if_it_was_not_begun,
    c1_what_was_shown_by_a_process_that_died_is_recorded_and_its_message_marked,
    c1_a_reply_that_broke_off_before_its_message_was_known_is_uncertain,
);
