//! Messages: recorded once, in order, with their conversations.

use std::collections::HashSet;

use proptest::prelude::*;
use throughline_domain::context::StoredMessage;
use throughline_domain::conversation::{GAP, opens};
use throughline_domain::lane::Lane;
use throughline_domain::message::{MessageId, Role};
use throughline_store::messages::{Append, Origin, Purpose, Reach, Reference};
use throughline_testkit::{TestStore, said};
use uuid::Uuid;

use crate::{FAR, chat, minute, record};

#[tokio::test]
async fn b2_a_message_comes_back_as_it_went_in() {
    let test = TestStore::fresh().await;
    let mut message = said(&chat("a"), 1, minute(0), "Grüße, 世界 🙂");
    message.lane = Lane::Topic("7".into());
    message.role = Role::Assistant;
    message.speaker = Some("Ana".into());
    message.agent = Some("default".into());
    message.recorded_at = minute(3);
    message.external_ids = vec!["x-1".into(), "x-2".into()];
    message.metadata.insert("source".into(), "mail".into());
    let appended = test.store.append(vec![record(message.clone())]).await.unwrap().remove(0);
    assert_eq!((appended.id, appended.conversation, appended.known), (message.id, message.id, false));
    for reference in [Reference::Id(message.id), Reference::External("x-2".into())] {
        let found = test.again().await.chat(&chat("a")).find(reference).await.unwrap().unwrap();
        assert_eq!(found.message, message);
    }
}

#[tokio::test]
async fn a_message_that_comes_again_is_known_by_its_id_its_channels_id_or_its_fingerprint() {
    let test = TestStore::fresh().await;
    let mut first = said(&chat("a"), 1, minute(0), "hello");
    first.external_ids = vec!["t-1".into()];
    test.store.append(vec![record(first.clone())]).await.unwrap();
    let mut same_external = said(&chat("a"), 2, minute(5), "hello again");
    same_external.external_ids = vec!["t-1".into()];
    let again = test.store.append(vec![record(first.clone()), record(same_external)]).await.unwrap();
    assert!(again.iter().all(|appended| appended.known && appended.id == first.id));

    let imported = |id| Append {
        message: said(&chat("a"), id, minute(9), "a line"),
        purpose: Purpose::Import([7; 16]),
        origin: Origin::File { learn: false, dated: true },
        person: None,
    };
    let lines = test.store.append(vec![imported(3), imported(4)]).await.unwrap();
    assert_eq!(lines.iter().map(|line| line.known).collect::<Vec<_>>(), [false, true]);
    assert_eq!(test.store.figures().await.unwrap().messages, 2);
}

#[tokio::test]
async fn the_same_external_id_in_another_chat_is_another_message() {
    let test = TestStore::fresh().await;
    for (id, name) in [(1, "a"), (2, "b")] {
        let mut message = said(&chat(name), id, minute(0), "hello");
        message.external_ids = vec!["1".into()];
        assert!(!test.store.append(vec![record(message)]).await.unwrap().remove(0).known);
    }
}

#[tokio::test]
async fn a_copy_of_another_chats_message_is_a_message_of_its_own_and_known_again() {
    let test = TestStore::fresh().await;
    test.store.append(vec![record(said(&chat("a"), 1, minute(0), "mine"))]).await.unwrap();
    let copy = || vec![record(said(&chat("b"), 1, minute(0), "mine"))];
    let first = test.store.append(copy()).await.unwrap().remove(0);
    let again = test.store.append(copy()).await.unwrap().remove(0);
    assert_ne!(first.id.0, Uuid::from_u128(1));
    assert_eq!((first.known, again.known, again.id), (false, true, first.id));
    assert_eq!(test.store.figures().await.unwrap().messages, 2);
}

#[tokio::test]
async fn e1_a_late_message_can_join_two_conversations() {
    let test = TestStore::fresh().await;
    let told = |id, minutes| record(said(&chat("a"), id, minute(minutes), "words"));
    let early = test.store.append(vec![told(1, 0), told(2, 40)]).await.unwrap();
    assert_ne!(early[0].conversation, early[1].conversation);
    let late = test.store.append(vec![told(3, 20)]).await.unwrap().remove(0);
    assert_eq!(late.conversation, early[0].id);
    let conversations = test.store.chat(&chat("a")).conversations(None, 10).await.unwrap();
    assert_eq!(conversations.len(), 1);
    assert_eq!((conversations[0].id, conversations[0].messages), (early[0].id, 3));
    let shown = test.store.chat(&chat("a")).conversation(early[1].id).await.unwrap();
    assert_eq!(shown.iter().map(|stored| stored.message.id.0.as_u128()).collect::<Vec<_>>(), [1, 3, 2]);
}

#[tokio::test]
async fn a_window_reaches_back_by_tokens_and_brings_the_head_of_a_long_conversation() {
    let test = TestStore::fresh().await;
    let all: Vec<_> =
        (0..200).map(|n| record(said(&chat("a"), n + 1, minute(n as i64), "some words in a row"))).collect();
    test.store.append(all).await.unwrap();
    let reach = Reach { tokens: 100, messages: usize::MAX, longest: u32::MAX, head: 30, since: None };
    let view = test
        .store
        .chat(&chat("a"))
        .lane(&Lane::Root, reach, HashSet::from([MessageId(Uuid::from_u128(200))]))
        .await
        .unwrap();
    let ordinals =
        |messages: &[StoredMessage]| messages.iter().map(|stored| stored.ordinal).collect::<Vec<_>>();
    let tail = ordinals(&view.history.messages);
    assert_eq!(tail.last(), Some(&198), "the message being answered is not its own history");
    assert!(tail.windows(2).all(|pair| pair[1] == pair[0] + 1) && tail.len() < 40);
    let head = ordinals(&view.history.head);
    assert!(!head.is_empty() && head.len() < 10);
    assert_eq!(head, (0..head.len() as u64).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn e1_conversations_are_the_same_in_whatever_order_messages_arrive(minutes in proptest::collection::vec(0i64..400, 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let test = TestStore::fresh().await;
            for (n, at) in minutes.iter().enumerate() {
                test.store.append(vec![record(said(&chat("a"), n as u128 + 1, minute(*at), "words"))]).await.unwrap();
            }
            let view = test.store.chat(&chat("a")).lane(&Lane::Root, FAR, HashSet::new()).await.unwrap();
            let lane = view.history.messages;
            let mut sorted = minutes.clone();
            sorted.sort_unstable();
            let times: Vec<_> = lane.iter().map(|stored| stored.message.occurred_at).collect();
            prop_assert_eq!(&times, &sorted.iter().map(|at| minute(*at)).collect::<Vec<_>>());
            for (n, stored) in lane.iter().enumerate() {
                let expected = n == 0 || opens(times[n - 1], times[n], GAP);
                prop_assert_eq!(stored.opens, expected);
                prop_assert_eq!(stored.ordinal, n as u64);
            }
            let starts = lane.iter().filter(|stored| stored.opens).count();
            prop_assert_eq!(test.store.chat(&chat("a")).conversations(None, 1_000).await.unwrap().len(), starts);
            prop_assert!(test.store.check().await.unwrap().iter().all(|check| check.problem.is_none()));
            Ok(())
        })?;
    }
}
