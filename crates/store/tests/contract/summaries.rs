//! Summaries of one scope follow each other without gap or overlap, and messages stay.

use throughline_domain::lane::Lane;
use throughline_domain::summary::{End, Position, Scope, Summary};
use throughline_store::Error;
use throughline_testkit::{TestStore, said};
use throughline_text::summarize::sections::Sections;
use uuid::Uuid;

use crate::{chat, minute, record};

async fn with_messages(test: &TestStore, minutes: &[i64]) -> Vec<End> {
    let mut ends = Vec::new();
    for (n, at) in minutes.iter().enumerate() {
        let appended = test
            .store
            .append(vec![record(said(&chat("a"), n as u128 + 1, minute(*at), "words"))])
            .await
            .unwrap()
            .remove(0);
        ends.push(End { id: appended.id, position: Position { at: minute(*at), seq: appended.seq } });
    }
    ends
}

fn summary(id: u128, first: End, last: End, messages: u64) -> Summary {
    Summary {
        id: Uuid::from_u128(id),
        scope: Scope::Conversation,
        text: format!("summary {id}"),
        sections: Sections::default(),
        // The newest of five messages.
        made_after: 5,
        messages,
        first,
        last,
        version: 1,
        updated_at: minute(100),
        stale: false,
    }
}

#[tokio::test]
async fn b3_a_summary_follows_the_watermark_or_is_refused() {
    let test = TestStore::fresh().await;
    let ends = with_messages(&test, &[0, 1, 2, 3, 4]).await;
    let in_chat = test.store.chat(&chat("a"));
    in_chat.add_summary(&Lane::Root, summary(1, ends[0], ends[1], 2)).await.unwrap();
    for (first, last, why) in [(1, 2, "overlaps"), (3, 4, "gap of 1"), (3, 2, "before it begins")] {
        let error =
            in_chat.add_summary(&Lane::Root, summary(9, ends[first], ends[last], 2)).await.unwrap_err();
        assert!(matches!(&error, Error::Conflict(said) if said.contains(why)), "{error}");
    }
    in_chat.add_summary(&Lane::Root, summary(2, ends[2], ends[4], 3)).await.unwrap();
    let stored = in_chat.summaries(&Lane::Root).await.unwrap();
    assert_eq!(stored, [summary(1, ends[0], ends[1], 2), summary(2, ends[2], ends[4], 3)]);
    assert_eq!(test.store.figures().await.unwrap().messages, 5, "b1: summarising changes no message");
}

#[tokio::test]
async fn b3_a_message_behind_the_watermark_makes_its_summary_stale() {
    let test = TestStore::fresh().await;
    let ends = with_messages(&test, &[0, 10, 20, 30]).await;
    let in_chat = test.store.chat(&chat("a"));
    in_chat.add_summary(&Lane::Root, summary(1, ends[0], ends[1], 2)).await.unwrap();
    in_chat.add_summary(&Lane::Root, summary(2, ends[2], ends[3], 2)).await.unwrap();
    test.store.append(vec![record(said(&chat("a"), 99, minute(25), "late"))]).await.unwrap();
    let stale: Vec<bool> =
        in_chat.summaries(&Lane::Root).await.unwrap().iter().map(|summary| summary.stale).collect();
    assert_eq!(stale, [false, true]);
}

#[tokio::test]
async fn b1_summaries_leave_the_originals_as_they_are() {
    let test = TestStore::fresh().await;
    let ends = with_messages(&test, &[0, 1]).await;
    let in_chat = test.store.chat(&chat("a"));
    let before = in_chat.recorded_after(0, 10).await.unwrap();
    in_chat.add_summary(&Lane::Root, summary(1, ends[0], ends[1], 2)).await.unwrap();
    assert_eq!(in_chat.recorded_after(0, 10).await.unwrap(), before);
}
