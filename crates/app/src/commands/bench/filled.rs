//! A store filled as people fill one: an import by the binary itself, and then the vectors.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use throughline_domain::chat::{ChatId, MalformedChat};
use throughline_engine::Engine;
use throughline_engine::ports::FixedClock;

use throughline_store::jobs::JobKind;

use super::BenchHome;
use super::import::throughline;
use super::talk::Talk;
use crate::output::Failure;
use crate::wire::App;

/// However slow the machine is, the vectors are made to the last.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

/// A store with all that recall goes by, and how long it took to make.
pub struct Filled {
    /// Its path, for other processes that open it.
    pub home: PathBuf,
    pub chats: Vec<Chat>,
    pub importing: Duration,
    pub embedding: Duration,
}

/// A chat, and an engine whose calendar stands at the chat's end: "last week" is a week of the talk.
pub struct Chat {
    pub id: ChatId,
    pub number: usize,
    pub messages: u64,
    pub end: Timestamp,
    pub engine: Engine,
}

impl Filled {
    pub async fn make(
        app: &App,
        folder: &Path,
        talk: &Talk,
        chats: &[(String, u64)],
        seed: u64,
    ) -> Result<Self, Failure> {
        let mut import = throughline(folder)?;
        let file = folder.join("talk.jsonl");
        let ends = talk.write_lines(&file, chats, seed)?;
        let began = Instant::now();
        let status = import.arg("import").arg(&file).status()?;
        let importing = began.elapsed();
        if !status.success() {
            return Err(Failure::failed("bench", format!("the import ended with {status}")));
        }
        let engine = BenchHome::make(app, folder).await?.engine;
        engine.run_jobs(Instant::now() + LONGEST_WAIT).await?;
        let embedding = began.elapsed() - importing;
        if engine.store.figures().await?.jobs_by_kind.contains_key(JobKind::EMBED.as_str()) {
            return Err(Failure::failed("bench", "the vectors could not be made; the log says why"));
        }
        std::fs::remove_file(&file)?;
        let chats = chats.iter().zip(ends).enumerate().map(|(number, ((id, messages), end))| {
            let id = id.parse().map_err(|error: MalformedChat| Failure::Usage(error.to_string()))?;
            let engine = Engine { clock: Arc::new(FixedClock(end)), ..engine.clone() };
            Ok(Chat { id, number, messages: *messages, end, engine })
        });
        Ok(Self {
            home: folder.to_owned(),
            chats: chats.collect::<Result<_, Failure>>()?,
            importing,
            embedding,
        })
    }

    /// Number of messages.
    pub fn messages(&self) -> u64 {
        self.chats.iter().map(|chat| chat.messages).sum()
    }

    /// The chat `api:chat:<name>`.
    pub fn chat(&self, name: &str) -> Result<&Chat, Failure> {
        let named = |chat: &&Chat| chat.id.as_str().strip_prefix("api:chat:") == Some(name);
        let missing = || Failure::failed("bench", format!("the store has no chat {name:?}"));
        self.chats.iter().find(named).ok_or_else(missing)
    }
}
