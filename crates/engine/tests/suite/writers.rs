//! Two that learn from one message at once: the tag of a reply, and the job that extracts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use throughline_domain::chat::ChatId;
use throughline_domain::message::Role;
use throughline_engine::ports::Ids;
use throughline_engine::{Engine, Inbound};
use throughline_models::ChatModel;
use throughline_store::messages::Purpose;
use throughline_testkit::{MovedClock, Scripted, TestStore};
use uuid::Uuid;

/// Ids of one writer, who is interrupted by the other when one more is asked for.
struct Interrupted {
    ids: Arc<dyn Ids>,
    left: AtomicUsize,
    other: Mutex<Option<Engine>>,
    writes: Writer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    Tag,
    Job,
}

impl Ids for Interrupted {
    fn next(&self) -> Uuid {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1
            && let Some(other) = self.other.lock().unwrap().take()
        {
            let write = || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(write(&other, self.writes));
            };
            std::thread::scope(|scope| scope.spawn(write).join().unwrap());
        }
        self.ids.next()
    }
}

fn chat() -> ChatId {
    ChatId::terminal()
}

async fn write(engine: &Engine, writer: Writer) {
    match writer {
        Writer::Tag => {
            let text = "Nice. [REMEMBER: I collect old maps]".to_owned();
            let reply = Inbound { role: Role::Assistant, text, ..Inbound::in_chat(chat()) };
            engine.record_external_reply(reply).await.unwrap();
        }
        Writer::Job => engine.run_jobs(Instant::now() + Duration::from_secs(60)).await.map(drop).unwrap(),
    }
}

#[tokio::test]
async fn b4_a_tag_and_an_extraction_at_once_store_a_statement_once_wherever_one_interrupts_the_other() {
    let mut interruptions = 0;
    for (one, another) in [(Writer::Tag, Writer::Job), (Writer::Job, Writer::Tag)] {
        for at in 1..=6 {
            let test = TestStore::fresh().await;
            let clock = MovedClock::at("2026-02-18T07:00:00Z");
            let engine = test.engine(clock, Scripted::saying([]) as Arc<dyn ChatModel>);
            let said = Inbound { text: "I collect old maps.".to_owned(), ..Inbound::in_chat(chat()) };
            engine.record_message(said, Purpose::Record).await.unwrap();
            let ids = Arc::new(Interrupted {
                ids: Arc::clone(&engine.ids),
                left: AtomicUsize::new(at),
                other: Mutex::new(Some(engine.clone())),
                writes: another,
            });
            let interrupted = Engine { ids: Arc::clone(&ids) as Arc<dyn Ids>, ..engine.clone() };
            write(&interrupted, one).await;
            interruptions += usize::from(ids.other.lock().unwrap().is_none());
            write(&engine, Writer::Job).await;
            let kept = engine.memories(&chat()).await.unwrap();
            assert_eq!(kept.len(), 1, "{another:?} interrupts {one:?} at {at}: {kept:?}");
        }
    }
    assert!(interruptions >= 3, "nobody was interrupted: {interruptions}");
}
