//! For tests only: a clock that tests move, sequential ids, scripted models, and a real database.

#![expect(clippy::expect_used, reason = "a test that cannot be set up must say so at once")]

pub mod bot_api;
mod messages;

pub use messages::{MessageBuilder, message};

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;
use throughline_domain::chat::ChatId;
use throughline_domain::compact::Rule;
use throughline_domain::context::{Context, Format, Preset};
use throughline_domain::conversation::GAP;
use throughline_domain::message::Message;
use throughline_engine::attachments::Files;
use throughline_engine::identity::Identities;
use throughline_engine::owner::Owner;
use throughline_engine::people::People;
use throughline_engine::ports::{Clock, Ids};
use throughline_engine::turn::{Channel, Outcome};
use throughline_engine::work::DailyCap;
use throughline_engine::{Capture, Engine, Settings};
use throughline_models::embed::BuiltIn;
use throughline_models::{Answer, ChatModel, Error, Request, Work};
use throughline_store::{Key, Options, Store};
use tokio::sync::mpsc::Sender;
use uuid::Uuid;

/// A clock that a test moves.
#[derive(Debug)]
pub struct MovedClock(Mutex<Timestamp>);

impl MovedClock {
    /// A clock set to a time.
    #[must_use]
    pub fn at(moment: &str) -> Arc<Self> {
        Arc::new(Self(Mutex::new(moment.parse().expect("a moment"))))
    }

    /// Moves it forward.
    pub fn pass(&self, time: SignedDuration) {
        *self.0.lock().expect("the clock") += time;
    }
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("the clock")
    }
}

/// Ids 1, 2, 3, as UUIDs.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl Ids for SequentialIds {
    fn next(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

/// A model with scripted answers, which records its requests.
#[derive(Debug, Default)]
pub struct Scripted {
    answers: Mutex<VecDeque<Result<String, Error>>>,
    /// The requests, in order.
    pub asked: Mutex<Vec<Request>>,
}

impl Scripted {
    /// A model with these answers, in order; then it answers "ok".
    #[must_use]
    pub fn saying(answers: impl IntoIterator<Item = Result<String, Error>>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter().collect()), asked: Mutex::default() })
    }

    /// The contexts of its turns, in order.
    #[must_use]
    pub fn contexts(&self) -> Vec<Context> {
        let asked = self.asked.lock().expect("what was asked");
        let turn = |request: &Request| match request {
            Request::Turn(turn) => Some(Context::clone(&turn.context)),
            Request::Work(_) => None,
        };
        asked.iter().filter_map(turn).collect()
    }

    /// Its pieces of background work, in order.
    #[must_use]
    pub fn works(&self) -> Vec<Work> {
        let asked = self.asked.lock().expect("what was asked");
        let work = |request: &Request| match request {
            Request::Work(work) => Some(work.clone()),
            Request::Turn(_) => None,
        };
        asked.iter().filter_map(work).collect()
    }
}

#[async_trait]
impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        self.asked.lock().expect("what was asked").push(request.clone());
        let text =
            self.answers.lock().expect("the script").pop_front().unwrap_or_else(|| Ok("ok".to_owned()))?;
        for word in text.split_inclusive(' ') {
            let _ = words.send(word.to_owned()).await;
        }
        Ok(Answer { text, model: self.name().to_owned(), ..Answer::default() })
    }
}

/// A channel that records what it showed.
#[derive(Debug, Default)]
pub struct Shown {
    /// The streamed words.
    pub words: Mutex<String>,
    /// The whole replies.
    pub replies: Mutex<Vec<String>>,
}

#[async_trait]
impl Channel for Shown {
    async fn show(&self, words: &str) {
        self.words.lock().expect("the words").push_str(words);
    }

    async fn deliver(&self, outcome: &Outcome) -> Result<Vec<String>, String> {
        self.replies.lock().expect("the replies").push(outcome.reply.text.clone());
        Ok(Vec::new())
    }
}

/// A real database in a temporary folder.
pub struct TestStore {
    /// The folder.
    pub folder: TempDir,
    /// The store.
    pub store: Store,
    key: Option<Key>,
    ids: Arc<SequentialIds>,
}

impl TestStore {
    /// A new database.
    pub async fn fresh() -> Self {
        Self::in_folder(tempfile::tempdir().expect("a folder"), None).await
    }

    /// A new encrypted database, for builds with encryption.
    pub async fn encrypted() -> Self {
        Self::in_folder(tempfile::tempdir().expect("a folder"), Some(key("5a"))).await
    }

    /// A database in an existing folder.
    pub async fn in_folder(folder: TempDir, key: Option<Key>) -> Self {
        Self { store: open(&folder, GAP, key.clone()).await, folder, key, ids: Arc::default() }
    }

    /// The options to open the database.
    #[must_use]
    pub fn options(&self) -> Options {
        Options { key: self.key.clone(), ..store_options(self.folder.path()) }
    }

    /// Closes the database, and returns the folder.
    #[must_use]
    pub fn close(self) -> TempDir {
        self.folder
    }

    /// The same home after a restart of the program.
    pub async fn restarted(self) -> Self {
        Self { store: self.again().await, ..self }
    }

    /// A second handle of the same database, as another process would have.
    pub async fn again(&self) -> Store {
        open(&self.folder, GAP, self.key.clone()).await
    }

    /// The same database, opened with another conversation gap.
    pub async fn again_with_gap(&self, gap: SignedDuration) -> Store {
        open(&self.folder, gap, self.key.clone()).await
    }

    /// An engine over it.
    pub fn engine(&self, clock: Arc<MovedClock>, model: Arc<dyn ChatModel>) -> Engine {
        let settings = Settings {
            zone: TimeZone::get("Asia/Singapore").expect("a zone"),
            person: Some("Ana".to_owned()),
            plan: Preset::Standard.plan(),
            format: Format::Xml,
            gap: GAP,
            identities: Identities { agents: self.folder.path().join("agents"), ..Identities::default() },
            model_limit: 200_000,
            patience: Duration::from_secs(5),
            people: People::default(),
            capture: Capture::Auto,
            compaction: Rule::of(Preset::Standard),
            tools: true,
            daily_cap: DailyCap::BACKGROUND,
            job_limit: Duration::from_secs(600),
            reply_cap: DailyCap::REPLIES,
            same_similarity: 0.9,
            undo: SignedDuration::from_hours(24),
            files: Files(self.folder.path().join("files")),
            transcription: None,
        };
        let builtin = BuiltIn::new().expect("the built-in table");
        Engine {
            store: self.store.clone(),
            model,
            small: None,
            routines: None,
            models: None,
            embedder: Some(Arc::new(builtin)),
            builtin,
            clock,
            ids: Arc::clone(&self.ids) as Arc<dyn Ids>,
            settings: Arc::new(settings),
            owner: Owner::this_process(),
        }
    }
}

async fn open(folder: &TempDir, gap: SignedDuration, key: Option<Key>) -> Store {
    Store::open(Options { gap, key, ..store_options(folder.path()) }).await.expect("a store")
}

/// A key of two repeated hexadecimal digits.
#[must_use]
pub fn key(digits: &str) -> Key {
    Key::read(digits.repeat(32).as_bytes()).expect("a key")
}

/// The options of a test's database.
#[must_use]
pub fn store_options(folder: &Path) -> Options {
    Options { path: folder.join("test.db"), gap: GAP, backups: folder.join("backups"), key: None }
}

/// A message of a person in the root lane of a chat.
#[must_use]
pub fn said(chat: &ChatId, id: u128, at: Timestamp, text: &str) -> Message {
    message(chat).id(id).at(at).text(text).build()
}
