//! A run is done by one process, once; what a dead one had begun is done anew.

use throughline_store::holder::Holder;
use throughline_store::routines::{Run, RunState};
use throughline_testkit::TestStore;

use crate::{holder, minute};

#[tokio::test]
async fn k1_no_two_processes_do_the_same_run() {
    let test = TestStore::fresh().await;
    let other = test.again().await;
    assert!(test.store.begin_run("news", minute(0), &holder("one"), minute(1)).await.unwrap());
    assert!(!other.begin_run("news", minute(0), &holder("two"), minute(1)).await.unwrap());
    assert!(
        other.begin_run("news", minute(60), &holder("two"), minute(60)).await.unwrap(),
        "the next one is another"
    );
    assert_eq!(test.store.run_owners().await.unwrap(), [holder("one"), holder("two")]);
    let renewed = Holder { leased_to: minute(90), ..holder("one") };
    test.store.renew_run("news", minute(0), &renewed).await.unwrap();
    other.release_runs(vec![holder("one")]).await.unwrap();
    assert!(!other.begin_run("news", minute(0), &holder("two"), minute(2)).await.unwrap(), "it was renewed");
    other.release_runs(vec![renewed]).await.unwrap();
    assert!(
        other.begin_run("news", minute(0), &holder("two"), minute(2)).await.unwrap(),
        "a dead process's run is free"
    );
    let ended = Run {
        routine: "news".to_owned(),
        due_at: minute(0),
        state: RunState::Declined,
        started_at: minute(2),
        ended_at: Some(minute(3)),
        message: None,
        problem: Some("NO".to_owned()),
    };
    other.end_run(ended.clone()).await.unwrap();
    other.release_runs(vec![holder("two")]).await.unwrap();
    assert_eq!(test.store.runs(None, 10).await.unwrap(), [ended], "what has ended stays");
    assert!(!other.begin_run("news", minute(0), &holder("three"), minute(4)).await.unwrap());
}

#[tokio::test]
async fn k1_a_schedule_counts_from_when_it_was_written() {
    let test = TestStore::fresh().await;
    let since = async |schedule: &str, at: i64| {
        test.store.scheduled_since("news", schedule, minute(at)).await.unwrap()
    };
    assert_eq!(since("0 7 * * *", 0).await, minute(0));
    assert_eq!(since("0 7 * * *", 50).await, minute(0));
    assert_eq!(since("0 8 * * *", 60).await, minute(60));
}
