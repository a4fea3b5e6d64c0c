//! Jobs survive their worker, and no two workers have one.

use throughline_store::jobs::NewJob;
use throughline_testkit::Bed;

use crate::minute;

fn job(subject: &str, due: i64) -> NewJob {
    NewJob { kind: "compact", subject: subject.to_owned(), due_at: minute(due) }
}

#[tokio::test]
async fn a_job_is_claimed_once_and_again_when_its_lease_has_passed() {
    let bed = Bed::fresh().await;
    bed.store.enqueue(vec![job("a", 0), job("b", 5), job("a", 1)]).await.unwrap();
    assert_eq!(bed.store.figures().await.unwrap().jobs, 2, "one kind and subject is one job");
    assert_eq!(bed.store.claim_job("w", minute(0), minute(9)).await.unwrap(), None, "not due yet");
    let first = bed.store.claim_job("w1", minute(2), minute(9)).await.unwrap().unwrap();
    assert_eq!((first.subject.as_str(), first.attempts), ("a", 0));
    assert_eq!(bed.again().await.claim_job("w2", minute(3), minute(9)).await.unwrap(), None);
    let again = bed.again().await.claim_job("w2", minute(10), minute(19)).await.unwrap().unwrap();
    assert_eq!((again.id, again.attempts), (first.id, 1), "the dead worker's job goes on");
    bed.store.finish_job(&first, "w1").await.unwrap();
    assert_eq!(bed.store.figures().await.unwrap().jobs, 2, "who lost the lease cannot finish the job");
    bed.store.finish_job(&again, "w2").await.unwrap();
    let last = bed.store.claim_job("w2", minute(10), minute(19)).await.unwrap().unwrap();
    bed.store.postpone_job(&last, "w2", "no model", minute(30)).await.unwrap();
    assert_eq!(bed.store.claim_job("w2", minute(20), minute(29)).await.unwrap(), None);
    assert_eq!(bed.store.figures().await.unwrap().failing_jobs, 1);
    assert_eq!(bed.store.claim_job("w2", minute(30), minute(39)).await.unwrap().unwrap().subject, "b");
}
