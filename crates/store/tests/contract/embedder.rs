//! Vectors are counted for each embedder, and made again when another is chosen.

use std::collections::BTreeMap;

use throughline_domain::recall::vector::Vector;
use throughline_store::jobs::JobKind;
use throughline_store::{Error, Store};
use throughline_testkit::TestStore;

use crate::{KINDS, chat, finish_all_jobs, minute, said};

async fn tell(store: &Store, name: &str, messages: u32) {
    let first = u128::from(name.as_bytes().first().copied().unwrap_or_default()) << 32;
    let one = |n: u32| said(name, first + u128::from(n), i64::from(n)).text(format!("entry number{n}"));
    store.append((0..messages).map(|n| one(n).to_record()).collect()).await.unwrap();
}

/// Makes all vectors of a chat that an embedder has not made yet.
pub(crate) async fn embed(store: &Store, name: &str, embedder: &str) {
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

async fn b6_the_messages_with_a_vector_are_counted_whether_they_are_indexed_or_not(test: TestStore) {
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
    let counts = test.restarted().await.store.figures().await.unwrap().vectors;
    assert_eq!(counts, BTreeMap::from([("x".to_owned(), 700), ("y".to_owned(), 5)]));
}

async fn b6_a_chat_lacks_vectors_until_each_of_its_messages_has_one(test: TestStore) {
    let (a, nobody) = (test.store.chat(&chat("a")), test.store.chat(&chat("nobody")));
    assert!(!nobody.lacks_vectors("x").await.unwrap());
    assert_eq!(nobody.without_vectors("x").await.unwrap(), []);
    tell(&test.store, "a", 2).await;
    tell(&test.store, "b", 1).await;
    assert!(a.lacks_vectors("x").await.unwrap());
    let units = a.without_vectors("x").await.unwrap();
    let texts: Vec<_> = units.iter().flat_map(|unit| unit.texts.clone()).collect();
    assert_eq!(texts, ["entry number0", "entry number1"]);
    let too_few = units.into_iter().map(|unit| (unit, vec![Vector::new(&[1.0])])).collect();
    let refused = a.add_vectors("x", too_few).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(_)), "{refused}");
    assert!(a.lacks_vectors("x").await.unwrap(), "nothing was kept");
    embed(&test.store, "a", "x").await;
    assert!(!a.lacks_vectors("x").await.unwrap());
    assert!(a.lacks_vectors("y").await.unwrap());
    assert!(test.store.chat(&chat("b")).lacks_vectors("x").await.unwrap(), "another chat's are its own");
}

async fn b6_vectors_can_be_asked_for_in_a_chat_that_exists(test: TestStore) {
    tell(&test.store, "a", 1).await;
    finish_all_jobs(&test.store).await;
    test.store.chat(&chat("nobody")).request_vectors().await.unwrap();
    assert_eq!(test.store.figures().await.unwrap().jobs, 0);
    test.store.chat(&chat("a")).request_vectors().await.unwrap();
    test.store.chat(&chat("a")).request_vectors().await.unwrap();
    let job =
        test.restarted().await.store.claim_job(&KINDS, "w", minute(0), minute(9)).await.unwrap().unwrap();
    assert_eq!((job.kind, job.subject.as_str()), (JobKind::EMBED, "cli:chat:a"));
}

async fn b6_only_another_embedder_asks_for_vectors_again_and_does_not_wait_for_what_failed(test: TestStore) {
    assert_eq!(test.store.chosen_embedder().await.unwrap(), None);
    test.store.choose_embedder("x").await.unwrap();
    tell(&test.store, "a", 1).await;
    // Vectors come first; the other jobs are of no interest here.
    let job = test.store.claim_job(&KINDS, "w", minute(0), minute(9)).await.unwrap().unwrap();
    finish_all_jobs(&test.store).await;
    assert_eq!((job.kind, job.subject.as_str()), (JobKind::EMBED, "cli:chat:a"));
    test.store.retry_job(&job, "w", "no weights", minute(60)).await.unwrap();

    let other = test.again().await;
    assert_eq!(other.chosen_embedder().await.unwrap().as_deref(), Some("x"));
    other.choose_embedder("x").await.unwrap();
    assert_eq!(
        other.claim_job(&KINDS, "w", minute(1), minute(9)).await.unwrap(),
        None,
        "nothing has changed"
    );

    other.choose_embedder("y").await.unwrap();
    assert_eq!(test.store.chosen_embedder().await.unwrap().as_deref(), Some("y"));
    assert_eq!(test.store.figures().await.unwrap().job_problem, None);
    let again = test.store.claim_job(&KINDS, "w", minute(1), minute(9)).await.unwrap().unwrap();
    assert_eq!((again.id, again.attempts), (job.id, 0));

    test.store.retry_vectors().await.unwrap();
    assert_eq!(
        other.claim_job(&KINDS, "v", minute(2), minute(9)).await.unwrap(),
        None,
        "a claimed job stays so"
    );
    test.store.finish_job(&again, "w").await.unwrap();
    test.store.retry_vectors().await.unwrap();
    assert!(other.claim_job(&KINDS, "v", minute(2), minute(9)).await.unwrap().is_some());
}

stories!(
    b6_the_messages_with_a_vector_are_counted_whether_they_are_indexed_or_not,
    b6_a_chat_lacks_vectors_until_each_of_its_messages_has_one,
    b6_vectors_can_be_asked_for_in_a_chat_that_exists,
    b6_only_another_embedder_asks_for_vectors_again_and_does_not_wait_for_what_failed,
);
