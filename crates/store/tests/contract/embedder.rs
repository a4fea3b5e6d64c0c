//! Vectors are counted for each embedder, and asked for anew when another is chosen.

use throughline_domain::recall::vector::Vector;
use throughline_store::Store;
use throughline_store::jobs::JobKind;
use throughline_testkit::{TestStore, said};

use crate::{chat, minute, record};

async fn tell(store: &Store, name: &str, messages: u32) {
    let first = u128::from(name.as_bytes().first().copied().unwrap_or_default()) << 32;
    let texts = (0..messages).map(|n| (u128::from(n), format!("entry number{n}")));
    let all = texts.map(|(n, text)| record(said(&chat(name), first + n, minute(n as i64), &text)));
    store.append(all.collect()).await.unwrap();
}

async fn embed(store: &Store, name: &str, embedder: &str) {
    let in_chat = store.chat(&chat(name));
    loop {
        let units = in_chat.without_vectors(embedder).await.unwrap();
        if units.is_empty() {
            return;
        }
        let vectors = |texts: &[String]| texts.iter().map(|_| Vector::new(&[1.0, -1.0])).collect();
        let made = units.into_iter().map(|unit| (unit.clone(), vectors(&unit.texts))).collect();
        in_chat.add_vectors(embedder, made).await.unwrap();
    }
}

#[tokio::test]
async fn b6_the_messages_with_a_vector_are_counted_in_the_index_and_beside_it() {
    let test = TestStore::fresh().await;
    tell(&test.store, "a", 700).await;
    tell(&test.store, "b", 5).await;
    assert_eq!(test.store.figures().await.unwrap().embedded("x"), 0);
    embed(&test.store, "a", "x").await;
    assert_eq!(test.store.figures().await.unwrap().embedded("x"), 700);
    embed(&test.store, "b", "x").await;
    embed(&test.store, "b", "y").await;
    let figures = test.store.figures().await.unwrap();
    assert_eq!((figures.embedded("x"), figures.embedded("y"), figures.embedded("z")), (705, 5, 0));
    test.store.chat(&chat("b")).keep_only_vectors_of("y").await.unwrap();
    let counts: Vec<(String, u64)> = test.store.figures().await.unwrap().vectors.into_iter().collect();
    assert_eq!(counts, [("x".to_owned(), 700), ("y".to_owned(), 5)]);
}

#[tokio::test]
async fn b6_only_another_embedder_asks_for_vectors_anew_and_does_not_wait_for_what_failed() {
    let test = TestStore::fresh().await;
    test.store.choose_embedder("x").await.unwrap();
    tell(&test.store, "a", 1).await;
    // Vectors come first; the other jobs are of no interest here.
    let job = test.store.claim_job("w", minute(0), minute(9)).await.unwrap().unwrap();
    while let Some(other) = test.store.claim_job("w", minute(0), minute(9)).await.unwrap() {
        test.store.finish_job(&other, "w").await.unwrap();
    }
    assert_eq!((job.kind, job.subject.as_str()), (JobKind::Embed, "cli:chat:a"));
    test.store.retry_job(&job, "w", "no weights", minute(60)).await.unwrap();
    assert_eq!(test.store.figures().await.unwrap().job_problem.as_deref(), Some("no weights"));

    let other = test.again().await;
    assert_eq!(other.chosen_embedder().await.unwrap().as_deref(), Some("x"));
    other.choose_embedder("x").await.unwrap();
    assert_eq!(other.claim_job("w", minute(1), minute(9)).await.unwrap(), None, "nothing has changed");

    other.choose_embedder("y").await.unwrap();
    assert_eq!(test.store.chosen_embedder().await.unwrap().as_deref(), Some("y"));
    assert_eq!(test.store.figures().await.unwrap().job_problem, None);
    let again = test.store.claim_job("w", minute(1), minute(9)).await.unwrap().unwrap();
    assert_eq!((again.id, again.attempts), (job.id, 0));

    test.store.retry_vectors().await.unwrap();
    assert_eq!(other.claim_job("v", minute(2), minute(9)).await.unwrap(), None, "a claimed job stays so");
    test.store.finish_job(&again, "w").await.unwrap();
    test.store.retry_vectors().await.unwrap();
    assert!(other.claim_job("v", minute(2), minute(9)).await.unwrap().is_some());
}
