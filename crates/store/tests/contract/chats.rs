//! Which chats there are is known without reading what was said in them.

use throughline_domain::lane::Lane;
use throughline_store::chats::ChatCount;
use throughline_testkit::TestStore;

use crate::{chat, message_id, minute, said};

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

stories!(
    chats_are_listed_with_their_counts_the_most_recent_first,
    the_chats_of_messages_are_given_in_their_order_without_those_that_are_not_there,
    a_handle_knows_its_chat_and_making_one_opens_none,
    a_model_is_chosen_for_one_chat_until_it_is_taken_back,
);
