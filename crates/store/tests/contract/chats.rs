//! Which chats there are is known without reading what was said in them.

use std::sync::Arc;

use throughline_domain::lane::Lane;
use throughline_domain::memory::MemoryId;
use throughline_domain::recall::overlap::Overlap;
use throughline_store::Error;
use throughline_store::chats::{ChatCount, LaneCount};
use throughline_store::memories::Learned;
use throughline_store::messages::Reference;
use throughline_store::search::Query;
use throughline_testkit::TestStore;
use uuid::Uuid;

use crate::{chat, memory, message_id, minute, said};

async fn chats_are_listed_with_their_counts_the_most_recent_first(test: TestStore) {
    assert_eq!(test.store.chats().await.unwrap(), []);
    let told = vec![
        said("old", 1, 0).to_record(),
        said("new", 2, 5).to_record(),
        said("new", 3, 90).lane(Lane::Topic("7".to_owned())).to_record(),
    ];
    test.store.append(told).await.unwrap();
    test.store.open_chat(&chat("empty")).await.unwrap();
    test.store.open_chat(&chat("new")).await.unwrap();
    let count = |name: &str, messages, lanes, last: Option<i64>| ChatCount {
        chat: chat(name),
        messages,
        lanes,
        last_at: last.map(minute),
    };
    let expected = [count("new", 2, 2, Some(90)), count("old", 1, 1, Some(0)), count("empty", 0, 0, None)];
    assert_eq!(
        test.store.chats().await.unwrap(),
        expected,
        "a chat that was opened again keeps its messages"
    );
    let lane = |lane, messages, last| LaneCount { lane, messages, last_at: Some(minute(last)) };
    assert_eq!(
        test.store.chat(&chat("new")).lanes().await.unwrap(),
        [lane(Lane::Topic("7".to_owned()), 1, 90), lane(Lane::Root, 1, 5)]
    );
    assert_eq!(test.store.chat(&chat("unknown")).lanes().await.unwrap(), []);
    assert_eq!(test.restarted().await.store.chats().await.unwrap(), expected);
}

async fn the_chats_of_messages_are_given_in_their_order_without_those_that_are_not_there(test: TestStore) {
    test.store.append(vec![said("a", 1, 0).to_record(), said("b", 2, 0).to_record()]).await.unwrap();
    let asked = [2, 99, 1].map(message_id).to_vec();
    assert_eq!(test.store.chats_of(asked).await.unwrap(), [chat("b"), chat("a")]);
    assert_eq!(test.store.chats_of(Vec::new()).await.unwrap(), []);
}

async fn a_handle_knows_its_chat_and_making_one_opens_none(test: TestStore) {
    assert_eq!(test.store.chat(&chat("a")).id(), &chat("a"));
    assert_eq!(test.store.chat(&chat("a")).watching().await.unwrap().id(), &chat("a"));
    assert_eq!(test.store.chats().await.unwrap(), []);
}

async fn a_model_is_chosen_for_one_chat_until_it_is_taken_back(test: TestStore) {
    let model = async |test: &TestStore, name: &str| test.store.chat(&chat(name)).model().await.unwrap();
    assert_eq!(model(&test, "a").await, None);
    test.store.chat(&chat("a")).choose_model(Some("offline".to_owned())).await.unwrap();
    let test = test.restarted().await;
    assert_eq!((model(&test, "a").await.as_deref(), model(&test, "b").await), (Some("offline"), None));
    test.store.chat(&chat("a")).choose_model(None).await.unwrap();
    assert_eq!(model(&test, "a").await, None);
}

async fn a_narrowed_handle_reads_and_writes_its_own_chats_and_refuses_every_other(test: TestStore) {
    let told = ["a", "b", "c"].map(|name| said(name, u128::from(name.as_bytes()[0]), 0).to_record());
    test.store.append(told.to_vec()).await.unwrap();
    let two = test.store.narrowed(Arc::new(|chat| chat.name() != "c"));
    let one = two.narrowed(Arc::new(|chat| chat.name() != "b"));
    let names = |chats: Vec<ChatCount>| {
        let mut names: Vec<String> = chats.iter().map(|count| count.chat.name().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names(two.chats().await.unwrap()), ["a", "b"]);
    assert_eq!(names(one.chats().await.unwrap()), ["a"], "a narrowed handle only gets narrower");
    assert!(one.may_touch(&chat("a")) && !one.may_touch(&chat("b")));
    assert_eq!(one.chats_of(vec![message_id(97), message_id(98)]).await.unwrap(), [chat("a")]);
    for (number, name) in [(1, "a"), (2, "b")] {
        let learned = vec![memory(name, number, "I like tea")];
        crate::learn(&test.store, name, learned).await;
    }
    let of_memory = async |number| one.chat_of_memory(MemoryId(Uuid::from_u128(number))).await.unwrap();
    assert_eq!((of_memory(1).await, of_memory(2).await, of_memory(3).await), (Some(chat("a")), None, None));
    assert_eq!(one.chat(&chat("a")).count(&Lane::Root).await.unwrap(), 1);
    for name in ["b", "c"] {
        let closed = one.chat(&chat(name));
        let refusals = [
            closed.count(&Lane::Root).await.err(),
            closed.conversations(None, 5).await.err(),
            closed.find(Reference::Id(message_id(98))).await.err(),
            closed
                .search(Query { limit: 5, ..Query::default() }, Box::new(|_| Overlap::default()))
                .await
                .err(),
            closed.memories(Some("owner")).await.err(),
            closed.narrative(Some("owner"), minute(9)).await.err(),
            closed.all_summaries().await.err(),
            closed.summaries_elsewhere(&Lane::Root, 5).await.err(),
            closed.choose_model(None).await.err(),
            closed.learn(Learned::default()).await.err(),
            one.append(vec![said("a", 1, 1).to_record(), said(name, 2, 1).to_record()]).await.err(),
            one.append_reply(said(name, 3, 1).to_record(), Learned::default()).await.err(),
        ];
        for (at, refusal) in refusals.into_iter().enumerate() {
            assert!(
                matches!(refusal, Some(Error::OutOfScope(ref of)) if *of == chat(name)),
                "{name} {at}: {refusal:?}"
            );
        }
    }
    assert_eq!(
        one.chat(&chat("a")).count(&Lane::Root).await.unwrap(),
        1,
        "nothing of a refused batch is written"
    );
}

stories!(
    a_narrowed_handle_reads_and_writes_its_own_chats_and_refuses_every_other,
    chats_are_listed_with_their_counts_the_most_recent_first,
    the_chats_of_messages_are_given_in_their_order_without_those_that_are_not_there,
    a_handle_knows_its_chat_and_making_one_opens_none,
    a_model_is_chosen_for_one_chat_until_it_is_taken_back,
);
