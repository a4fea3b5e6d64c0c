//! What one home hands to another: everything from one snapshot, stored again under the ids that it had.

use std::sync::Arc;

use throughline_domain::chat::ChatId;
use throughline_domain::forget::Suppression;
use throughline_domain::lane::Lane;
use throughline_store::Store;
use throughline_store::carried::{Carried, CarriedMemory, Exported, ImportOutcome};
use throughline_store::forget::Forgetting;
use throughline_store::memories::Learning;
use throughline_testkit::TestStore;
use tokio::sync::mpsc;

use crate::forget::forgetting;
use crate::summaries::{end_of, summary};
use crate::{chat, learn, memory, memory_of, message_id, minute, said};

async fn exported(store: &Store, only: Option<ChatId>) -> Vec<Exported> {
    let (send, mut pieces) = mpsc::channel(1);
    let gather = async {
        let mut all = Vec::new();
        while let Some(piece) = pieces.recv().await {
            all.push(piece);
        }
        all
    };
    let (ended, all) = tokio::join!(store.export(only, send), gather);
    ended.unwrap();
    all
}

/// What is carried beside the messages, and the ids and texts of those.
fn sorted(all: Vec<Exported>) -> (Vec<String>, Vec<Carried>) {
    let (mut texts, mut carried) = (Vec::new(), Vec::new());
    for piece in all {
        match piece {
            Exported::Message(stored, _) => {
                texts.push(format!("{} {}", stored.message.id, stored.message.text))
            }
            Exported::Carried(one) => carried.push(one),
        }
    }
    (texts, carried)
}

async fn with_messages(store: &Store) {
    let all = [said("b", 1, 0).text("one"), said("a", 2, 1).text("two"), said("a", 3, 2).text("three")];
    store.append(all.map(|message| message.to_record()).into()).await.unwrap();
}

/// Two chats with a memory each, a summary, and a value that was forgotten.
async fn filled(test: &TestStore) {
    with_messages(&test.store).await;
    learn(&test.store, "b", vec![memory("b", 11, "Keeps bees")]).await;
    learn(&test.store, "a", vec![memory_of("ana", "a", 12, "Lives in Berlin")]).await;
    let (first, last) = (end_of(&test.store, 2).await, end_of(&test.store, 3).await);
    test.store.chat(&chat("a")).add_summary(&Lane::Root, summary(21, first, last, 2)).await.unwrap();
    let key = test.store.suppression_key().await.unwrap();
    let suppressions = vec![Suppression::of(&key, "I collect stamps")];
    let forgetting = Forgetting { person: Some("ana".to_owned()), suppressions, ..forgetting() };
    test.store.chat(&chat("a")).forget(forgetting).await.unwrap();
}

async fn everything_of_a_home_is_there_again_in_another(test: TestStore) {
    filled(&test).await;
    let (texts, carried) = sorted(exported(&test.store, None).await);
    let kinds: Vec<&str> = carried
        .iter()
        .map(|one| match one {
            Carried::Memory(_) => "memory",
            Carried::Summary(_) => "summary",
            Carried::Suppression(_) => "suppression",
        })
        .collect();
    assert_eq!(kinds, ["memory", "memory", "summary", "suppression"]);
    let other = TestStore::fresh().await;
    assert_eq!(other.store.import_carried(carried.clone()).await.unwrap()[2], ImportOutcome::MissingMessages);
    with_messages(&other.store).await;
    let taken = other.store.import_carried(carried.clone()).await.unwrap();
    assert_eq!(
        taken,
        [ImportOutcome::Known, ImportOutcome::Known, ImportOutcome::Stored, ImportOutcome::Known]
    );
    let again = sorted(exported(&other.store, None).await);
    // A memory whose newest message was not there yet begins with the chat.
    let dated = |one: Carried| match one {
        Carried::Memory(memory) => Carried::Memory(Box::new(CarriedMemory { after: None, ..*memory })),
        other => other,
    };
    assert_eq!(again.1, carried.into_iter().map(dated).collect::<Vec<_>>());
    assert_eq!(again.0, texts);
    assert_eq!(other.store.learning().await.unwrap(), Learning { memories: 2, waiting: 3 });
}

async fn pieces_that_follow_their_messages_are_equal_and_known_when_they_come_again(test: TestStore) {
    filled(&test).await;
    let all = exported(&test.store, None).await;
    let (_, carried) = sorted(all.clone());
    let other = TestStore::fresh().await;
    with_messages(&other.store).await;
    let taken = other.store.import_carried(carried.clone()).await.unwrap();
    assert_eq!(
        taken,
        [ImportOutcome::Stored, ImportOutcome::Stored, ImportOutcome::Stored, ImportOutcome::WithoutKey],
        "another home, another key"
    );
    assert_eq!(sorted(exported(&other.store, None).await), sorted(all));
    let again = other.store.import_carried(carried).await.unwrap();
    assert_eq!(again, [ImportOutcome::Known; 4]);
}

async fn a1_an_export_holds_only_the_chats_that_were_asked_for_and_may_be_touched(test: TestStore) {
    filled(&test).await;
    let (texts, carried) = sorted(exported(&test.store, Some(chat("b"))).await);
    assert_eq!(texts, [format!("{} one", message_id(1))]);
    assert!(
        matches!(&carried[..], [Carried::Memory(only)] if only.memory.text == "Keeps bees"),
        "{carried:?}"
    );
    let narrowed = test.store.narrowed(Arc::new(|chat| chat.name() == "b"));
    assert_eq!(exported(&narrowed, None).await, exported(&test.store, Some(chat("b"))).await);
    assert!(narrowed.import_carried(sorted(exported(&test.store, None).await).1).await.is_err());
}

async fn j2_a_memory_or_summary_that_holds_what_was_forgotten_here_is_left_out(test: TestStore) {
    filled(&test).await;
    let old = |at| {
        Carried::Memory(Box::new(CarriedMemory {
            memory: memory_of("ana", "b", 13, "She collects stamps"),
            learned_at: minute(at),
            changed_at: minute(at),
            after: None,
            offered: false,
        }))
    };
    assert_eq!(test.store.import_carried(vec![old(49)]).await.unwrap(), [ImportOutcome::Forgotten]);
    assert_eq!(
        test.store.import_carried(vec![old(51)]).await.unwrap(),
        [ImportOutcome::Stored],
        "said again later"
    );
}

stories!(
    everything_of_a_home_is_there_again_in_another,
    pieces_that_follow_their_messages_are_equal_and_known_when_they_come_again,
    a1_an_export_holds_only_the_chats_that_were_asked_for_and_may_be_touched,
    j2_a_memory_or_summary_that_holds_what_was_forgotten_here_is_left_out,
);
