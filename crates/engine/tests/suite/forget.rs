//! Forgetting beside others that write.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Memory, Status};
use throughline_engine::Engine;
use throughline_engine::forget::What;
use throughline_engine::ports::Ids;
use throughline_models::ChatModel;
use throughline_store::Store;
use throughline_store::memories::Learned;
use throughline_testkit::{MovedClock, Scripted, TestStore, message};
use uuid::Uuid;

fn chat() -> ChatId {
    "cli:chat:main".parse().unwrap()
}

/// Ids that let another process write whenever one is asked for, as often as it has something to write.
struct Interrupting {
    store: Store,
    ids: Arc<dyn Ids>,
    template: Memory,
    left: AtomicU64,
}

impl Ids for Interrupting {
    fn next(&self) -> Uuid {
        let left = self.left.load(Ordering::SeqCst);
        if left > 0 {
            self.left.store(left - 1, Ordering::SeqCst);
            let mut late = self.template.clone();
            late.id.0 = self.ids.next();
            late.text = format!("Was diagnosed with narcolepsy, note {left}");
            let store = self.store.clone();
            let write = move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let said = message(&chat())
                    .id(900 + u128::from(left))
                    .text(format!("About narcolepsy, part {left}."))
                    .to_record();
                runtime.block_on(async {
                    store.append(vec![said]).await.unwrap();
                    let learned = Learned { memories: vec![late], ..Learned::default() };
                    store.chat(&chat()).learn(learned).await.unwrap();
                });
            };
            std::thread::scope(|scope| scope.spawn(write).join().unwrap());
        }
        self.ids.next()
    }
}

#[tokio::test]
async fn j2_what_is_written_while_a_forgetting_runs_is_forgotten_too() {
    let test = TestStore::fresh().await;
    let clock = MovedClock::at("2026-02-18T07:00:00Z");
    let engine = test.engine(clock, Scripted::saying([]) as Arc<dyn ChatModel>);
    engine.remember(&chat(), "I was diagnosed with narcolepsy", None).await.unwrap();
    let template = engine.memories(&chat()).await.unwrap().remove(0).memory;
    let ids = Interrupting {
        store: engine.store.clone(),
        ids: Arc::clone(&engine.ids),
        template,
        left: AtomicU64::new(5),
    };
    let engine = Engine { ids: Arc::new(ids), ..engine };
    let done = engine.forget(&chat(), &What::Topic("narcolepsy".to_owned()), false).await.unwrap().unwrap();
    assert_eq!((done.receipt.memories, done.receipt.messages >= 5), (6, true));
    let left = engine.memories(&chat()).await.unwrap();
    assert!(left.iter().all(|stored| stored.memory.status == Status::Forgotten), "{left:?}");
    let said = engine.store.chat(&chat()).recorded_after(0, 99).await.unwrap();
    assert!(said.iter().all(|stored| !stored.message.text.contains("narcolepsy")), "{said:?}");
}
