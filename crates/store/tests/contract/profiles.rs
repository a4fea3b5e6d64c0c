//! Narratives: of a person in all their chats, or of one chat where the person is not known.

use throughline_store::Store;
use throughline_testkit::TestStore;

use crate::{chat, minute};

async fn keep(store: &Store, name: &str, person: Option<&str>, text: &str, at: i64) {
    store.chat(&chat(name)).keep_narrative(person, text, minute(at)).await.unwrap();
}

async fn read(store: &Store, name: &str, person: Option<&str>, at: i64) -> Option<String> {
    store.chat(&chat(name)).narrative(person, minute(at)).await.unwrap()
}

async fn a_narrative_is_read_as_it_stood_before_a_moment(test: TestStore) {
    assert_eq!(read(&test.store, "a", None, 99).await, None);
    for at in [10, 20, 30, 40] {
        keep(&test.store, "a", None, &format!("made at {at}"), at).await;
    }
    keep(&test.store, "a", None, "made at 40, once more", 40).await;
    let test = test.restarted().await;
    assert_eq!(read(&test.store, "a", None, 99).await.as_deref(), Some("made at 40, once more"));
    assert_eq!(
        read(&test.store, "a", None, 40).await.as_deref(),
        Some("made at 30"),
        "what was there before"
    );
    assert_eq!(read(&test.store, "a", None, 21).await.as_deref(), Some("made at 20"));
    assert_eq!(read(&test.store, "a", None, 15).await, None, "three versions are kept");
}

async fn a6_a_persons_narrative_is_theirs_in_every_chat_and_a_chats_only_its_own(test: TestStore) {
    keep(&test.store, "a", Some("ana"), "Ana, from a", 1).await;
    keep(&test.store, "a", None, "chat a", 1).await;
    keep(&test.store, "b", Some("ben"), "Ben, from b", 1).await;
    assert_eq!(read(&test.store, "b", Some("ana"), 9).await.as_deref(), Some("Ana, from a"));
    assert_eq!(read(&test.store, "b", Some("ben"), 9).await.as_deref(), Some("Ben, from b"));
    assert_eq!(read(&test.store, "b", None, 9).await, None);
    assert_eq!(read(&test.store, "a", None, 9).await.as_deref(), Some("chat a"));
    assert_eq!(read(&test.store, "a", Some("cli:chat:a"), 9).await, None, "a person is never a chat");
}

stories!(
    a_narrative_is_read_as_it_stood_before_a_moment,
    a6_a_persons_narrative_is_theirs_in_every_chat_and_a_chats_only_its_own,
);
