//! Words are found as soon as they are written, whether the index holds them or not.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::recall::overlap::Overlap;
use throughline_store::search::{Hit, Query, Speaker};
use throughline_store::{InChat, Store};
use throughline_testkit::TestStore;
use throughline_text::words;

use crate::{chat, holds, message_id, minute, problems, said};

async fn ask(store: &Store, name: &str, text: &str) -> Vec<Hit> {
    search(&store.chat(&chat(name)), Query { terms: words::query_terms(text), limit: 10, ..Query::default() })
        .await
}

/// The texts of the messages of a chat that a question finds by their own words, without their neighbors.
pub(crate) async fn found_texts(store: &Store, name: &str, text: &str) -> Vec<String> {
    let hits = ask(store, name, text).await.into_iter().filter(|hit| hit.why.terms > 0);
    hits.map(|hit| hit.stored.message.text).collect()
}

/// By words alone, as a search goes when there is no embedder.
async fn search(in_chat: &InChat, query: Query) -> Vec<Hit> {
    in_chat.search(query, Box::new(|_| Overlap::default())).await.unwrap()
}

fn texts(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.stored.message.text.as_str()).collect()
}

async fn b6_a_message_is_found_by_its_words_from_another_process_as_soon_as_it_is_recorded(test: TestStore) {
    let other = test.again().await;
    assert_eq!(ask(&other, "a", "weather").await, []);
    for n in 0..700u32 {
        let text = format!("entry number{n} about weather");
        let one = said("a", u128::from(n) + 1, i64::from(n)).text(text.clone());
        test.store.append(vec![one.to_record()]).await.unwrap();
        if n % 50 == 0 || n > 690 {
            assert_eq!(found_texts(&other, "a", &format!("number{n}")).await.first(), Some(&text));
        }
    }
    assert_eq!(ask(&other, "a", "weather").await.len(), 10);
    test.store.chat(&chat("a")).index_unindexed().await.unwrap();
    let figures = test.store.figures().await.unwrap();
    assert!(figures.unindexed < 256, "the index has taken most in");
}

async fn other_chats_do_not_shift_the_ranking(test: TestStore) {
    let tell = |name: &str, id: u128, text: &str| said(name, id, id as i64).text(text).to_record();
    let own = vec![
        tell("a", 1, "the cat sat on the mat"),
        tell("a", 2, "the dog sat on the log"),
        tell("a", 3, "a cat and a dog"),
    ];
    test.store.append(own).await.unwrap();
    let before = ask(&test.store, "a", "cat mat").await;
    assert_eq!(texts(&before).first(), Some(&"the cat sat on the mat"));
    let noise = (10..900).map(|id| tell("b", id, "mat mat mat everywhere a mat")).collect();
    test.store.append(noise).await.unwrap();
    assert_eq!(ask(&test.store, "a", "cat mat").await, before);
}

async fn neighbors_are_compared_with_the_question_and_what_is_left_out_is_not(test: TestStore) {
    let tell = |id: u128, text: &str| said("a", id, id as i64).text(text).to_record();
    let texts =
        ["Where does she live?", "In Oslo, near the harbor.", "Nice.", "Where does Ana live, in Oslo?"];
    test.store.append((1..).zip(texts).map(|(id, text)| tell(id, text)).collect()).await.unwrap();
    let compared = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&compared);
    let overlap = move |text: &str| {
        seen.lock().unwrap().push(text.to_owned());
        Overlap { share: 0.5, words: vec![if text.ends_with('?') { 0.5 } else { 0.25 }], known: 1.0 }
    };
    // The question is a message of the chat too, and must not lift the one before it.
    let query = Query {
        terms: words::query_terms("harbor"),
        except: vec![message_id(4)],
        limit: 10,
        ..Query::default()
    };
    let hits = test.store.chat(&chat("a")).search(query, Box::new(overlap)).await.unwrap();
    let mut compared = compared.lock().unwrap().clone();
    compared.sort_unstable();
    assert_eq!(compared, ["In Oslo, near the harbor.", "Nice.", "Where does she live?"], "each once");
    assert_eq!(hits.first().map(|hit| hit.stored.message.text.as_str()), Some(texts[1]));
}

async fn filters_reach_past_better_matches(test: TestStore) {
    let mut all: Vec<_> =
        (0..600).map(|n| said("a", n + 1, n as i64).text("rain rain rain").to_record()).collect();
    let rare = said("a", 5_000, 700).text("a little rain in a long sentence about many other things");
    all.push(rare.lane(Lane::Topic("9".into())).to_record());
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

async fn reindexing_changes_nothing_that_can_be_found(test: TestStore) {
    let all: Vec<_> = (0..300)
        .map(|n| said("a", n + 1, n as i64).text(format!("note {} of {}", n, n % 7)).to_record())
        .collect();
    test.store.append(all).await.unwrap();
    let before = ask(&test.store, "a", "note 5 of 3").await;
    assert_eq!(before.len(), 10);
    test.store.reindex().await.unwrap();
    assert_eq!(ask(&test.store, "a", "note 5 of 3").await, before);
    assert_eq!(problems(&test.store).await, Vec::<String>::new());
}

async fn the_speakers_of_a_chat_are_known_each_once(test: TestStore) {
    assert_eq!(test.store.chat(&chat("a")).speakers().await.unwrap(), []);
    let told = vec![
        said("a", 1, 0).speaker("Ana").to_record(),
        said("a", 2, 1).role(Role::Assistant).to_record(),
        said("a", 3, 2).speaker("Ben").to_record(),
        said("b", 4, 2).speaker("Cem").to_record(),
        said("a", 5, 3).speaker("Ana").to_record(),
    ];
    test.store.append(told).await.unwrap();
    let speaker = |role, name: Option<&str>| Speaker { role, name: name.map(str::to_owned) };
    let expected =
        [speaker(Role::User, Some("Ana")), speaker(Role::Assistant, None), speaker(Role::User, Some("Ben"))];
    assert_eq!(test.store.chat(&chat("a")).speakers().await.unwrap(), expected);
    assert_eq!(test.restarted().await.store.chat(&chat("a")).speakers().await.unwrap(), expected);
}

fn h4_any_string_is_a_valid_query_and_a_message_is_found_by_its_own_words(
    fresh: impl AsyncFn() -> TestStore,
) {
    let strategy = (proptest::collection::vec("\\PC{1,60}", 1..6), "\\PC{0,80}");
    holds(48, strategy, async |(texts, query)| {
        let test = fresh().await;
        for (n, text) in texts.iter().enumerate() {
            let id = n as u128 + 1;
            test.store.append(vec![said("a", id, n as i64).text(text).to_record()]).await.unwrap();
            let hits = ask(&test.store, "a", text).await;
            let found = hits.iter().any(|hit| hit.messages.contains(&message_id(id)));
            prop_assert!(found || words::terms(text).is_empty());
        }
        ask(&test.store, "a", &query).await;
        prop_assert!(ask(&test.store, "nobody", &query).await.is_empty());
        Ok(())
    });
}

stories!(
    b6_a_message_is_found_by_its_words_from_another_process_as_soon_as_it_is_recorded,
    other_chats_do_not_shift_the_ranking,
    neighbors_are_compared_with_the_question_and_what_is_left_out_is_not,
    filters_reach_past_better_matches,
    reindexing_changes_nothing_that_can_be_found,
    the_speakers_of_a_chat_are_known_each_once;
    properties: h4_any_string_is_a_valid_query_and_a_message_is_found_by_its_own_words
);
