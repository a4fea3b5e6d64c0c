//! Jobs survive their worker, and no two workers have one.

use throughline_store::Store;
use throughline_store::holder::Holder;
use throughline_store::jobs::{Job, JobKind};
use throughline_testkit::TestStore;

use crate::{KINDS, chat, finish_all_jobs, minute, said};

/// A store in which making the vectors of chat `a` is the only job.
async fn one_job(test: &TestStore) {
    test.store.open_chat(&chat("a")).await.unwrap();
    test.store.chat(&chat("a")).request_vectors().await.unwrap();
}

async fn claim(store: &Store, owner: &str, at: i64) -> Option<Job> {
    store.claim_job(&KINDS, owner, minute(at), minute(at + 7)).await.unwrap()
}

async fn a_job_is_claimed_once_and_again_when_its_lease_has_passed(test: TestStore) {
    for (id, name) in [(1, "a"), (2, "b"), (3, "a")] {
        test.store.append(vec![said(name, id, 0).to_record()]).await.unwrap();
    }
    let jobs = test.store.figures().await.unwrap().jobs_by_kind;
    assert_eq!(jobs.get("embed"), Some(&2), "one kind and subject is one job");
    let first = claim(&test.store, "w1", 2).await.unwrap();
    assert_eq!((first.kind.as_str(), first.subject.as_str(), first.attempts), ("embed", "cli:chat:a", 0));
    let second = test.again().await.claim_job(&KINDS, "w2", minute(3), minute(4)).await.unwrap().unwrap();
    assert_eq!((second.kind.as_str(), second.subject.as_str()), ("embed", "cli:chat:b"));
    let again = claim(&test.again().await, "w2", 10).await.unwrap();
    assert_eq!(again, Job { attempts: 1, ..first.clone() }, "the lease of the first worker has passed");
    test.store.finish_job(&first, "w1").await.unwrap();
    let embeds = || async { test.store.figures().await.unwrap().jobs_by_kind.get("embed").copied() };
    assert_eq!(embeds().await, Some(2), "a worker that lost the lease cannot finish the job");
    test.store.finish_job(&again, "w2").await.unwrap();
    assert_eq!(embeds().await, Some(1));
}

async fn a_job_that_failed_is_tried_again_at_its_time(test: TestStore) {
    assert_eq!(claim(&test.store, "w", 0).await, None, "there is none yet");
    one_job(&test).await;
    let job = claim(&test.store, "w", 0).await.unwrap();
    test.store.retry_job(&job, "another", "not mine", minute(1)).await.unwrap();
    assert_eq!(test.store.figures().await.unwrap().failing_jobs, 0, "only its worker can put it back");
    test.store.retry_job(&job, "w", "no model", minute(30)).await.unwrap();
    test.store.chat(&chat("a")).request_vectors().await.unwrap();
    let test = test.restarted().await;
    let figures = test.store.figures().await.unwrap();
    assert_eq!((figures.failing_jobs, figures.job_problem.as_deref()), (1, Some("no model")));
    assert_eq!(claim(&test.store, "w", 29).await, None, "asking for it once more does not hurry it");
    assert_eq!(figures.lasting_problem, None, "once is no matter for the owner");
    let mut job = claim(&test.store, "w", 30).await.unwrap();
    assert_eq!(job.attempts, 1);
    for minutes in 31..34 {
        test.store.retry_job(&job, "w", "no model", minute(minutes)).await.unwrap();
        job = claim(&test.store, "w", minutes).await.unwrap();
    }
    assert_eq!(test.store.figures().await.unwrap().lasting_problem.as_deref(), Some("no model"));
}

async fn a_job_that_was_set_aside_waits_until_it_is_resumed(test: TestStore) {
    one_job(&test).await;
    let job = claim(&test.store, "w", 0).await.unwrap();
    test.store.set_job_aside(&job, "w", "it hangs").await.unwrap();
    let test = test.restarted().await;
    let figures = test.store.figures().await.unwrap();
    assert_eq!((figures.set_aside_jobs, figures.job_problem.as_deref()), (1, Some("it hangs")));
    test.store.chat(&chat("a")).request_vectors().await.unwrap();
    assert_eq!(claim(&test.store, "w", 500_000).await, None, "asking for it once more does not hurry it");
    assert_eq!(test.store.resume_jobs().await.unwrap(), 1);
    assert_eq!(test.store.resume_jobs().await.unwrap(), 0);
    assert_eq!(claim(&test.store, "w", 0).await.map(|job| job.attempts), Some(0));
    assert_eq!(test.store.figures().await.unwrap().set_aside_jobs, 0);
}

async fn a_job_that_is_postponed_is_due_at_its_time(test: TestStore) {
    one_job(&test).await;
    let job = claim(&test.store, "w", 0).await.unwrap();
    test.store.postpone_job(&job, "another", minute(0)).await.unwrap();
    assert_eq!(claim(&test.store, "v", 1).await, None, "only its worker can put it back");
    test.store.postpone_job(&job, "w", minute(30)).await.unwrap();
    assert_eq!(claim(&test.store, "w", 29).await, None);
    test.store.chat(&chat("a")).request_vectors().await.unwrap();
    assert_eq!(claim(&test.store, "w", 2).await, Some(job), "something new is there to do");
}

async fn a_job_that_is_asked_for_while_it_runs_is_done_once_more(test: TestStore) {
    one_job(&test).await;
    for postpone in [false, true] {
        let job = claim(&test.store, "w", 0).await.unwrap();
        test.store.chat(&chat("a")).request_vectors().await.unwrap();
        assert_eq!(claim(&test.store, "v", 1).await, None, "one worker at a time");
        if postpone {
            test.store.postpone_job(&job, "w", minute(500)).await.unwrap();
        } else {
            test.store.finish_job(&job, "w").await.unwrap();
        }
    }
    let last = claim(&test.store, "w", 2).await.unwrap();
    test.store.finish_job(&last, "w").await.unwrap();
    assert_eq!(claim(&test.store, "w", 3).await, None);
}

async fn the_jobs_of_a_dead_worker_are_free_for_others(test: TestStore) {
    one_job(&test).await;
    assert_eq!(test.store.job_owners().await.unwrap(), []);
    let job = claim(&test.store, "dead", 0).await.unwrap();
    let dead = Holder { owner: "dead".to_owned(), leased_to: minute(7) };
    let test = test.restarted().await;
    assert_eq!(test.store.job_owners().await.unwrap(), std::slice::from_ref(&dead));
    let renewed = Holder { leased_to: minute(6), ..dead.clone() };
    test.store.release_jobs(vec![renewed]).await.unwrap();
    assert_eq!(claim(&test.store, "w", 1).await, None, "it was judged by another lease");
    test.store.release_jobs(vec![dead]).await.unwrap();
    assert_eq!(test.store.job_owners().await.unwrap(), []);
    assert_eq!(claim(&test.store, "w", 1).await, Some(Job { attempts: 1, ..job }));
    test.store.append(vec![said("b", 1, 0).to_record()]).await.unwrap();
    finish_all_jobs(&test.store).await;
    assert_eq!(test.store.figures().await.unwrap().jobs, 1, "the one that is held");
}

async fn jobs_are_claimed_by_priority_and_a_postponed_one_after_all_others(test: TestStore) {
    test.store.append(vec![said("a", 1, 0).text("I live in Bern.").to_record()]).await.unwrap();
    let claim = || async { test.store.claim_job(&KINDS, "w", minute(2), minute(9)).await.unwrap() };
    let embed = claim().await.unwrap();
    assert_eq!(embed.kind, JobKind::EMBED);
    test.store.postpone_job(&embed, "w", minute(2)).await.unwrap();
    let mut kinds = Vec::new();
    while let Some(job) = claim().await {
        kinds.push(job.kind);
    }
    assert_eq!(kinds, [JobKind::EXTRACT, JobKind::COMPACT, JobKind::EMBED]);
}

async fn a_job_of_another_kind_is_left_to_a_worker_that_knows_it(test: TestStore) {
    test.store.append(vec![said("a", 1, 0).text("I live in Bern.").to_record()]).await.unwrap();
    let claim = async |kinds: &[JobKind]| {
        let job = test.store.claim_job(kinds, "w", minute(2), minute(9)).await.unwrap();
        job.map(|job| job.kind)
    };
    assert_eq!(claim(&[JobKind("of a newer version")]).await, None);
    assert_eq!(
        claim(&[JobKind::COMPACT, JobKind::EXTRACT]).await,
        Some(JobKind::COMPACT),
        "the worker's order"
    );
    assert_eq!(claim(&KINDS).await, Some(JobKind::EMBED));
}

stories!(
    a_job_of_another_kind_is_left_to_a_worker_that_knows_it,
    jobs_are_claimed_by_priority_and_a_postponed_one_after_all_others,
    a_job_is_claimed_once_and_again_when_its_lease_has_passed,
    a_job_that_failed_is_tried_again_at_its_time,
    a_job_that_was_set_aside_waits_until_it_is_resumed,
    a_job_that_is_postponed_is_due_at_its_time,
    a_job_that_is_asked_for_while_it_runs_is_done_once_more,
    the_jobs_of_a_dead_worker_are_free_for_others,
);
