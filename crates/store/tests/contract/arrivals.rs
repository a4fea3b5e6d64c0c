//! Updates are taken in once, inbound_actions keep their place in the lane, and a chat that moves takes everything along.

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_store::Store;
use throughline_store::arrivals::{Arrival, InboundAction, Ingested, Mark, Next};
use throughline_store::messages::{Append, Origin, Purpose, Reference};
use throughline_store::outbox::{NewOutboxItem, Outgoing};
use throughline_store::turns::{Entry, Take};
use throughline_testkit::{TestStore, said};
use uuid::Uuid;

use crate::{FAR, minute};

fn group(name: &str) -> ChatId {
    format!("telegram:chat:{name}").parse().unwrap()
}

fn mark(update: i64) -> Mark {
    Mark { account: "telegram:7".to_owned(), update, at: minute(update) }
}

fn heard(chat: &ChatId, id: u128, external: &str, lane: Lane) -> Arrival {
    let mut message = said(chat, id, minute(id as i64), &format!("word {id}"));
    message.external_ids = vec![external.to_owned()];
    message.lane = lane;
    Arrival::Message(Box::new(Append {
        message,
        purpose: Purpose::Answer,
        origin: Origin::Heard,
        person: None,
    }))
}

fn action(chat: &ChatId, what: &str) -> Arrival {
    Arrival::InboundAction { chat: chat.clone(), lane: Lane::Root, what: what.to_owned() }
}

async fn next(store: &Store, chat: &ChatId) -> Next {
    store.chat(chat).next_in_lane(&Lane::Root).await.unwrap()
}

#[tokio::test]
async fn c1_an_update_is_taken_in_once_with_the_place_to_listen_on_from() {
    let (test, chat) = (TestStore::fresh().await, group("5"));
    test.store.open_account("telegram:7").await.unwrap();
    assert!(matches!(
        test.store.ingest(mark(10), heard(&chat, 1, "1", Lane::Root)).await.unwrap(),
        Ingested::Message(_)
    ));
    let other = || heard(&chat, 2, "2", Lane::Root);
    assert_eq!(test.store.ingest(mark(10), other()).await.unwrap(), Ingested::Known, "whatever it says");
    let test = test.restarted().await;
    assert_eq!(test.store.ingest(mark(10), other()).await.unwrap(), Ingested::Known, "after a restart, too");
    let account = test.store.open_account("telegram:7").await.unwrap();
    assert_eq!((account.next, account.heard_at), (11, Some(minute(10))));
    assert_eq!(test.store.figures().await.unwrap().messages, 1);
    let another = Mark { account: "telegram:8".to_owned(), ..mark(10) };
    assert!(
        matches!(test.store.ingest(another, other()).await.unwrap(), Ingested::Message(_)),
        "of another account"
    );
}

#[tokio::test]
async fn what_arrived_before_an_errand_is_answered_before_it_and_what_came_later_after() {
    let (test, chat) = (TestStore::fresh().await, group("5"));
    let store = &test.store;
    store.ingest(mark(1), heard(&chat, 1, "1", Lane::Root)).await.unwrap();
    store.ingest(mark(2), action(&chat, "first")).await.unwrap();
    store.ingest(mark(3), heard(&chat, 2, "2", Lane::Root)).await.unwrap();
    store.ingest(mark(4), action(&chat, "second")).await.unwrap();
    assert_eq!(store.lanes_with_work("telegram").await.unwrap(), [(chat.clone(), Lane::Root)]);
    assert_eq!(store.lanes_with_work("cli").await.unwrap(), []);

    let Next::Turn(Some(upto)) = next(store, &chat).await else { panic!("the message first") };
    let turn = throughline_domain::turn::TurnId(Uuid::from_u128(77));
    let entry = store
        .enter_lane(&chat, &Lane::Root, turn, &crate::holder("me"), Take::UpTo(upto), minute(5))
        .await
        .unwrap();
    let Entry::Held(messages) = entry else { panic!("{entry:?}") };
    assert_eq!(messages.iter().map(|stored| stored.message.text.as_str()).collect::<Vec<_>>(), ["word 1"]);
    store.fail_turn(turn, "no matter", minute(5)).await.unwrap();

    let Next::InboundAction(InboundAction { id, what }) = next(store, &chat).await else {
        panic!("then the errand")
    };
    assert_eq!(what, "first");
    store.send_out(Outgoing { action: Some(id), ..Outgoing::default() }).await.unwrap();
    assert!(matches!(next(store, &chat).await, Next::Turn(Some(_))), "then the second message");
}

#[tokio::test]
async fn a4_a_chat_that_moves_takes_its_memory_along_and_its_numbers_begin_anew() {
    let (test, old, new) = (TestStore::fresh().await, group("-5"), group("-1005"));
    let store = &test.store;
    store.ingest(mark(1), heard(&old, 1, "1", Lane::Topic("4".to_owned()))).await.unwrap();
    let post = NewOutboxItem { chat: old.clone(), body: "hello".to_owned(), is_repeatable: false };
    store.send_out(Outgoing { outbox: vec![post], ..Outgoing::default() }).await.unwrap();
    store.open_chat(&new).await.unwrap();
    store.ingest(mark(2), Arrival::Move { from: old.clone(), to: new.clone() }).await.unwrap();

    let view = store.chat(&new).lane(&Lane::Topic("4".to_owned()), FAR, Default::default()).await.unwrap();
    assert!(view.history.messages.is_empty(), "it waits for a turn");
    assert_eq!(
        store.lanes_with_work("telegram").await.unwrap(),
        [(new.clone(), Lane::Topic("4".to_owned()))]
    );
    let unsent = store.unsent("telegram").await.unwrap();
    assert!(unsent.iter().all(|(chat, _)| *chat == new) && unsent.len() == 1, "{unsent:?}");
    assert_eq!(store.chat(&old).find(Reference::External("1".to_owned())).await.unwrap(), None);
    let kept = store.ingest(mark(3), heard(&new, 2, "1", Lane::Root)).await.unwrap();
    assert!(
        matches!(kept, Ingested::Message(appended) if !appended.known),
        "another message under the same number"
    );
    assert_eq!(
        store.check().await.unwrap().into_iter().filter_map(|check| check.problem).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn bots_that_take_turns_may_give_their_messages_the_same_numbers() {
    let (test, chat) = (TestStore::fresh().await, group("5"));
    let store = &test.store;
    // Each counts its own messages.
    for (count, account, external) in
        [(1, "telegram:7", "1"), (2, "telegram:8", "1"), (3, "telegram:7", "2"), (4, "telegram:8", "2")]
    {
        store.open_account(account).await.unwrap();
        let mark = Mark { account: account.to_owned(), ..mark(count) };
        let kept = store.ingest(mark, heard(&chat, count as u128, external, Lane::Root)).await.unwrap();
        assert!(matches!(kept, Ingested::Message(appended) if !appended.known), "{account} {external}");
    }
    let first = store.chat(&chat).find(Reference::External("1".to_owned())).await.unwrap().unwrap();
    assert_eq!(first.message.text, "word 2", "the numbers of whoever listens now are valid");
}

#[tokio::test]
async fn a4_a_topic_that_is_gone_is_known_to_be() {
    let (test, chat, topic) = (TestStore::fresh().await, group("-5"), Lane::Topic("4".to_owned()));
    test.store.ingest(mark(1), heard(&chat, 1, "1", topic.clone())).await.unwrap();
    assert!(!test.store.chat(&chat).is_closed(&topic).await.unwrap());
    test.store.chat(&chat).close_lane(&topic).await.unwrap();
    assert!(test.store.chat(&chat).is_closed(&topic).await.unwrap());
    assert!(!test.store.chat(&chat).is_closed(&Lane::Root).await.unwrap());
}
