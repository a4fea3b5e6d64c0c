//! Background jobs that take too long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_engine::{Engine, Inbound, Settings};
use throughline_models::{Answer, ChatModel, Error, Request};
use throughline_store::jobs::JobKind;
use throughline_store::messages::Purpose;
use throughline_testkit::{MovedClock, Scripted, TestStore};
use tokio::sync::mpsc::Sender;

/// A model that never answers.
struct Hanging;

#[async_trait]
impl ChatModel for Hanging {
    fn name(&self) -> &str {
        "hanging"
    }

    async fn answer(&self, _: &Request, _: Sender<String>) -> Result<Answer, Error> {
        std::future::pending().await
    }
}

/// A person has said something, and the model that is to learn from it hangs.
async fn hanging(test: &TestStore) -> Engine {
    let engine =
        test.engine(MovedClock::at("2026-02-18T07:00:00Z"), Scripted::saying([]) as Arc<dyn ChatModel>);
    let settings = Settings { job_limit: Duration::from_secs(1), ..Settings::clone(&engine.settings) };
    let engine =
        Engine { small: Some(Arc::new(Hanging)), settings: Arc::new(settings), embedder: None, ..engine };
    let heard = Inbound {
        text: "I keep bees in Tromsø.".to_owned(),
        ..Inbound::in_chat("cli:chat:main".parse().unwrap())
    };
    engine.record_message(heard, Purpose::Record).await.unwrap();
    engine
}

async fn work(engine: &Engine) {
    engine.run_jobs(Instant::now() + Duration::from_secs(30)).await.unwrap();
}

#[tokio::test]
async fn a_job_that_hangs_is_tried_again_later_and_set_aside_after_three_times() {
    let test = TestStore::fresh().await;
    let engine = hanging(&test).await;
    work(&engine).await;
    let figures = engine.store.figures().await.unwrap();
    assert_eq!((figures.failing_jobs, figures.set_aside_jobs), (1, 0), "{figures:?}");
    assert_eq!(figures.job_problem.as_deref(), Some("one step took longer than 1 s"));
    work(&engine).await;
    assert_eq!(engine.store.figures().await.unwrap().set_aside_jobs, 0, "it waits before it is tried again");
    // The back-off has passed, and the second run hung as well.
    let now = SystemClock.now();
    let soon = now.checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    let job = engine.store.claim_job(&[JobKind::EXTRACT], "test", soon, soon).await.unwrap().unwrap();
    assert_eq!((job.kind, job.attempts), (JobKind::EXTRACT, 1));
    engine.store.retry_job(&job, "test", "hung", now).await.unwrap();
    work(&engine).await;
    let figures = engine.store.figures().await.unwrap();
    assert_eq!((figures.jobs_by_kind.get("extract"), figures.set_aside_jobs), (Some(&1), 1), "{figures:?}");
    let another =
        Inbound { text: "And a dog.".to_owned(), ..Inbound::in_chat("cli:chat:main".parse().unwrap()) };
    engine.record_message(another, Purpose::Record).await.unwrap();
    let later = now.checked_add(jiff::SignedDuration::from_hours(90_000)).unwrap();
    let claimed = engine.store.claim_job(&[JobKind::EXTRACT], "test", later, later).await.unwrap();
    assert_eq!(claimed, None, "nothing but `doctor --fix` hurries it");
}

#[tokio::test]
async fn a_job_that_was_set_aside_does_its_work_once_it_is_resumed() {
    let test = TestStore::fresh().await;
    let engine = hanging(&test).await;
    let now = SystemClock.now();
    let until = now.checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    let job = engine.store.claim_job(&[JobKind::EXTRACT], "test", now, until).await.unwrap().unwrap();
    engine.store.set_job_aside(&job, "test", "hung").await.unwrap();
    let engine = Engine { small: None, ..engine };
    work(&engine).await;
    let chat = "cli:chat:main".parse().unwrap();
    assert_eq!(engine.memories(&chat).await.unwrap().len(), 0);
    assert_eq!(engine.store.resume_jobs().await.unwrap(), 1);
    work(&engine).await;
    assert_eq!(engine.memories(&chat).await.unwrap().len(), 1);
    assert_eq!(engine.store.figures().await.unwrap().failing_jobs, 0);
}
