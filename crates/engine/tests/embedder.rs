//! Vectors are of the embedder that was chosen last, also while a process still runs with another.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail at once")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use throughline_domain::chat::ChatId;
use throughline_engine::{Engine, Inbound};
use throughline_models::Offline;
use throughline_models::embed::{Embedder, Error};
use throughline_store::Store;
use throughline_testkit::{MovedClock, Shown, TestStore};

/// An embedder that can be overtaken: while it works, another is chosen.
struct Named {
    id: &'static str,
    meanwhile: Option<(Store, &'static str)>,
}

#[async_trait]
impl Embedder for Named {
    fn id(&self) -> &str {
        self.id
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        if let Some((store, chosen)) = &self.meanwhile {
            store.choose_embedder(chosen).await.unwrap();
        }
        Ok(vec![vec![0.6, 0.8]; texts.len()])
    }
}

/// The engine of a process with this embedder; `meanwhile` is chosen while it works.
async fn process(test: &TestStore, id: &'static str, meanwhile: Option<&'static str>) -> Engine {
    let engine = test.engine(MovedClock::at("2026-02-18T07:00:00Z"), Arc::new(Offline));
    let meanwhile = meanwhile.map(|chosen| (test.store.clone(), chosen));
    let engine = Engine { embedder: Some(Arc::new(Named { id, meanwhile })), ..engine };
    engine.store.choose_embedder(engine.embedder_id()).await.unwrap();
    engine
}

async fn say(engine: &Engine, text: &str) {
    let chat: ChatId = "cli:chat:main".parse().unwrap();
    let heard = Inbound { text: text.to_owned(), ..Inbound::in_chat(chat) };
    engine.take_turn(heard, &Shown::default()).await.unwrap();
}

/// Does what is due, and gives how many messages have a vector of each embedder, and how many jobs that make vectors are left.
async fn work(engine: &Engine) -> (Vec<(String, u64)>, u64) {
    engine.run_jobs(Instant::now() + Duration::from_secs(60)).await.unwrap();
    let figures = engine.store.figures().await.unwrap();
    (figures.vectors.into_iter().collect(), figures.jobs_by_kind.get("embed").copied().unwrap_or(0))
}

fn only(id: &str, messages: u64) -> Vec<(String, u64)> {
    vec![(id.to_owned(), messages)]
}

#[tokio::test]
async fn b6_a_process_with_the_old_embedder_leaves_the_vectors_to_the_next() {
    let test = TestStore::fresh().await;
    let old = process(&test, "old", None).await;
    say(&old, "The boat is on the river.").await;
    assert_eq!(work(&old).await, (only("old", 2), 0));
    let new = process(&test, "new", None).await;
    assert_eq!(work(&new).await, (only("new", 2), 0));
    say(&old, "The old process goes on.").await;
    assert_eq!(work(&old).await, (only("new", 2), 1), "it neither makes nor drops any");
    new.store.retry_vectors().await.unwrap();
    assert_eq!(work(&new).await, (only("new", 4), 0));
}

#[tokio::test]
async fn b6_a_choice_in_the_middle_of_the_work_is_not_lost() {
    let test = TestStore::fresh().await;
    let old = process(&test, "old", Some("new")).await;
    say(&old, "The boat is on the river.").await;
    let (_, left) = work(&old).await;
    assert_eq!(left, 1, "the new vectors wait for another process");
    let new = process(&test, "new", None).await;
    new.store.retry_vectors().await.unwrap();
    assert_eq!(work(&new).await, (only("new", 2), 0));
}
