//! Jobs survive their worker, and no two workers have one.

use throughline_store::jobs::JobKind;
use throughline_testkit::{TestStore, said};

use crate::{chat, minute, record};

#[tokio::test]
async fn a_job_is_claimed_once_and_again_when_its_lease_has_passed() {
    let test = TestStore::fresh().await;
    let message =
        |id: u128, name: &str| record(said(&chat(name), id, minute(0), "The key is under the pot."));
    for (id, name) in [(1, "a"), (2, "b"), (3, "a")] {
        test.store.append(vec![message(id, name)]).await.unwrap();
    }
    let jobs = test.store.figures().await.unwrap().jobs_by_kind;
    assert_eq!(jobs.get("embed"), Some(&2), "one kind and subject is one job");
    let first = test.store.claim_job("w1", minute(2), minute(9)).await.unwrap().unwrap();
    assert_eq!((first.kind.as_str(), first.subject.as_str(), first.attempts), ("embed", "cli:chat:a", 0));
    let mut second = test.again().await.claim_job("w2", minute(3), minute(4)).await.unwrap().unwrap();
    assert_eq!((second.kind.as_str(), second.subject.as_str()), ("embed", "cli:chat:b"), "nobody else's");
    let again = test.again().await.claim_job("w2", minute(10), minute(19)).await.unwrap().unwrap();
    assert_eq!((again.id, again.attempts), (first.id, 1), "the dead worker's job goes on");
    test.store.finish_job(&first, "w1").await.unwrap();
    let embeds = || async { test.store.figures().await.unwrap().jobs_by_kind.get("embed").copied() };
    assert_eq!(embeds().await, Some(2), "who lost the lease cannot finish the job");
    test.store.finish_job(&again, "w2").await.unwrap();
    assert_eq!(embeds().await, Some(1));
    second = test.store.claim_job("w2", minute(10), minute(19)).await.unwrap().unwrap();
    test.store.retry_job(&second, "w2", "no model", minute(30)).await.unwrap();
    assert_eq!(test.store.figures().await.unwrap().failing_jobs, 1);
    let early = test.store.claim_job("w2", minute(20), minute(29)).await.unwrap();
    assert_ne!(early.map(|job| job.id), Some(second.id), "it waits for its time");
    let late = test.store.claim_job("w2", minute(30), minute(39)).await.unwrap().unwrap();
    assert_eq!((late.id, late.attempts), (second.id, second.attempts + 1));
}

#[tokio::test]
async fn jobs_are_claimed_by_priority_and_a_postponed_one_after_all_others() {
    let test = TestStore::fresh().await;
    test.store.append(vec![record(said(&chat("a"), 1, minute(0), "I live in Bern."))]).await.unwrap();
    let claim = || async { test.store.claim_job("w", minute(2), minute(9)).await.unwrap() };
    let embed = claim().await.unwrap();
    assert_eq!(embed.kind, JobKind::Embed);
    test.store.postpone_job(&embed, "w", minute(2)).await.unwrap();
    let mut kinds = Vec::new();
    while let Some(job) = claim().await {
        kinds.push(job.kind);
    }
    assert_eq!(kinds, [JobKind::Extract, JobKind::Compact, JobKind::Embed]);
}
