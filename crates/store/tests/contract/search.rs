//! Words are found as soon as they are written, whatever the index has taken in so far.

use proptest::prelude::*;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_store::search::{Hit, Query};
use throughline_store::{InChat, Store};
use throughline_testkit::{TestStore, said};
use throughline_text::words;
use uuid::Uuid;

use crate::{chat, minute, record};

async fn ask(store: &Store, name: &str, text: &str) -> Vec<Hit> {
    search(&store.chat(&chat(name)), Query { terms: words::query_terms(text), limit: 10, ..Query::default() })
        .await
}

/// By words alone, as a search goes when there is no embedder.
async fn search(in_chat: &InChat, query: Query) -> Vec<Hit> {
    in_chat.search(query, Box::new(|_| 0.0)).await.unwrap()
}

fn texts(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.stored.message.text.as_str()).collect()
}

#[tokio::test]
async fn b6_a_message_is_found_by_its_words_from_another_process_as_soon_as_it_is_recorded() {
    let test = TestStore::fresh().await;
    let other = test.again().await;
    for n in 0..700u32 {
        let text = format!("entry number{n} about weather");
        test.store
            .append(vec![record(said(&chat("a"), u128::from(n) + 1, minute(i64::from(n)), &text))])
            .await
            .unwrap();
        if n % 50 == 0 || n > 690 {
            assert_eq!(texts(&ask(&other, "a", &format!("number{n}")).await).first(), Some(&text.as_str()));
        }
    }
    assert_eq!(ask(&other, "a", "weather").await.len(), 10);
    test.store.chat(&chat("a")).index_unindexed().await.unwrap();
    let figures = test.store.figures().await.unwrap();
    assert!(figures.unindexed < 256, "the index has taken most in");
}

#[tokio::test]
async fn other_chats_do_not_shift_the_ranking() {
    let test = TestStore::fresh().await;
    let tell = |name: &str, id: u128, text: &str| record(said(&chat(name), id, minute(id as i64), text));
    let own = vec![
        tell("a", 1, "the cat sat on the mat"),
        tell("a", 2, "the dog sat on the log"),
        tell("a", 3, "a cat and a dog"),
    ];
    test.store.append(own).await.unwrap();
    let before: Vec<(String, f32)> = ask(&test.store, "a", "cat mat")
        .await
        .iter()
        .map(|hit| (hit.stored.message.text.clone(), hit.score))
        .collect();
    let noise = (10..900).map(|id| tell("b", id, "mat mat mat everywhere a mat")).collect();
    test.store.append(noise).await.unwrap();
    let after: Vec<(String, f32)> = ask(&test.store, "a", "cat mat")
        .await
        .iter()
        .map(|hit| (hit.stored.message.text.clone(), hit.score))
        .collect();
    assert_eq!(before, after);
}

#[tokio::test]
async fn filters_reach_past_better_matches() {
    let test = TestStore::fresh().await;
    let mut all: Vec<_> =
        (0..600).map(|n| record(said(&chat("a"), n + 1, minute(n as i64), "rain rain rain"))).collect();
    let mut rare =
        said(&chat("a"), 5_000, minute(700), "a little rain in a long sentence about many other things");
    rare.lane = Lane::Topic("9".into());
    all.push(record(rare));
    test.store.append(all).await.unwrap();
    let query = |lane, since, until| Query {
        terms: words::query_terms("rain"),
        lane,
        since,
        until,
        limit: 5,
        ..Query::default()
    };
    let in_chat = test.store.chat(&chat("a"));
    let by_lane = search(&in_chat, query(Some(Lane::Topic("9".into())), None, None)).await;
    assert_eq!(by_lane.len(), 1);
    let by_time = search(&in_chat, query(None, Some(minute(650)), None)).await;
    assert_eq!(texts(&by_time), texts(&by_lane));
    let early = search(&in_chat, query(None, Some(minute(10)), Some(minute(12)))).await;
    assert_eq!(early.iter().map(|hit| hit.messages.len()).sum::<usize>(), 2);
}

#[tokio::test]
async fn reindexing_changes_nothing_that_can_be_found() {
    let test = TestStore::fresh().await;
    let all: Vec<_> = (0..300)
        .map(|n| record(said(&chat("a"), n + 1, minute(n as i64), &format!("note {} of {}", n, n % 7))))
        .collect();
    test.store.append(all).await.unwrap();
    let found =
        |hits: Vec<Hit>| hits.into_iter().map(|hit| (hit.stored.message.id, hit.score)).collect::<Vec<_>>();
    let before = found(ask(&test.store, "a", "note 5 of 3").await);
    test.store.reindex().await.unwrap();
    assert_eq!(found(ask(&test.store, "a", "note 5 of 3").await), before);
    assert!(test.store.check().await.unwrap().iter().all(|check| check.problem.is_none()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn h4_any_string_is_a_valid_query_and_a_message_is_found_by_its_own_words(texts in proptest::collection::vec("\\PC{1,60}", 1..6), query in "\\PC{0,80}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let test = TestStore::fresh().await;
            for (n, text) in texts.iter().enumerate() {
                test.store.append(vec![record(said(&chat("a"), n as u128 + 1, minute(n as i64), text))]).await.unwrap();
                let hits = ask(&test.store, "a", text).await;
                let found = hits.iter().any(|hit| hit.messages.contains(&MessageId(Uuid::from_u128(n as u128 + 1))));
                prop_assert!(found || words::terms(text).is_empty());
            }
            ask(&test.store, "a", &query).await;
            prop_assert!(ask(&test.store, "nobody", &query).await.is_empty());
            Ok(())
        })?;
    }
}
