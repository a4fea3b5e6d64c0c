//! Forgetting.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::forget::{Done, Found, Match, What};
use throughline_store::forget::Forgotten;
use utoipa::ToSchema;
use uuid::Uuid;

use super::MemoryDocument;
use crate::commands::{backups_holding, clean_daily_backups, clean_lines};
use crate::output::Failure;
use crate::wire::App;

/// What to forget. One of `topic`, `id`, `all` and `undo`.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ForgetQuery {
    /// The chat, unless the token is bound to one.
    #[schema(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// The topic.
    pub topic: Option<String>,
    /// The id of a memory or message.
    pub id: Option<String>,
    /// Whether to forget the whole chat.
    pub all: bool,
    /// Whether only to list the matches.
    pub dry_run: bool,
    /// Whether to forget at once and for good, without an undo.
    pub permanently: bool,
    /// The receipt of the forgetting to undo.
    pub undo: Option<String>,
}

impl ForgetQuery {
    /// The target of the forgetting, unless the query is an undo.
    pub fn target(&self) -> Result<What, Failure> {
        match (&self.topic, &self.id, self.all) {
            (Some(topic), None, false) if !topic.trim().is_empty() => Ok(What::Topic(topic.clone())),
            (None, Some(id), false) => Ok(What::Id(id.clone())),
            (None, None, true) => Ok(What::All),
            _ => Err(Failure::Usage("say what to forget: one of topic, id, all and undo".to_owned())),
        }
    }
}

/// A forgetting that was undone.
#[derive(Debug, Serialize, ToSchema)]
pub struct UndoneDocument {
    /// How many memories and messages were brought back.
    pub undone: u64,
    /// The receipt.
    pub receipt: String,
    /// Memories.
    pub memories: u64,
    /// Messages.
    pub messages: u64,
}

impl UndoneDocument {
    /// The document of a forgetting that was undone.
    pub fn new(receipt: Uuid, undone: &Forgotten) -> Self {
        let Forgotten { memories, messages, .. } = *undone;
        Self { undone: memories + messages, receipt: receipt.to_string(), memories, messages }
    }
}

/// What was forgotten, or would be.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct ForgetDocument {
    /// What matches.
    pub matches: Vec<MatchDocument>,
    /// How many memories and messages were forgotten.
    pub forgotten: u64,
    /// The receipt, by which it can be undone for a day.
    pub receipt: Option<String>,
    /// How many memories and messages were brought back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone: Option<u64>,
    /// The figures of what was done.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub done: Option<DoneDocument>,
}

/// The figures of a forgetting.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub struct DoneDocument {
    /// Until when it can be undone.
    pub undo_until: Option<String>,
    /// Memories that were forgotten.
    #[schema(required = false)]
    pub memories: u64,
    /// Messages in which sentences were forgotten.
    #[schema(required = false)]
    pub messages: u64,
    /// Summaries that were cleaned.
    #[schema(required = false)]
    pub summaries: u64,
    /// Backups that still hold it.
    #[schema(required = false)]
    pub backups: Vec<String>,
    /// Earlier forgettings of the same that can no longer be undone.
    #[schema(required = false)]
    pub finished: u64,
    /// Why its bytes may still be in the files for a while.
    pub unscrubbed: Option<String>,
}

/// A match.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
#[serde(untagged)]
pub enum MatchDocument {
    /// A memory.
    Memory {
        /// The memory.
        #[serde(flatten)]
        memory: Box<MemoryDocument>,
        /// memory.
        #[schema(pattern = "^memory$")]
        r#match: &'static str,
        /// Whether it contains the whole topic; others are only offered.
        certain: bool,
    },
    /// Sentences of a message.
    Message {
        /// message.
        #[schema(pattern = "^message$")]
        r#match: &'static str,
        /// Its id.
        id: String,
        /// Whether it contains the whole topic; others are only offered.
        certain: bool,
        /// The sentences.
        text: String,
    },
}

/// Forgets in the database, the log, the input history and the daily backups; `None` if nothing matches.
pub async fn forget(
    chat: &ChatId,
    target: &What,
    permanently: bool,
    app: &App,
    engine: &Engine,
) -> Result<Option<(Done, Vec<PathBuf>)>, Failure> {
    let Some(done) = engine.forget(chat, target, permanently).await? else { return Ok(None) };
    clean_lines(chat, target, app, engine).await?;
    clean_daily_backups(app, engine).await?;
    let held = backups_holding(app, &done.sentences);
    Ok(Some((done, held)))
}

impl ForgetDocument {
    /// The document of a preview.
    pub fn preview(matches: &[Match]) -> Self {
        let matches = matches.iter().map(MatchDocument::from).collect();
        Self { matches, forgotten: 0, receipt: None, undone: None, done: None }
    }

    /// The document of an undone forgetting.
    pub fn undone(undone: &Forgotten) -> Self {
        let receipt = Some(undone.id.to_string());
        Self { receipt, undone: Some(undone.memories + undone.messages), ..Self::preview(&[]) }
    }

    /// The document of a forgetting that may have found nothing.
    pub fn of(outcome: Option<(Done, Vec<PathBuf>)>) -> Self {
        outcome.map_or_else(|| Self::preview(&[]), |(done, backups)| Self::done(&done, &backups))
    }

    /// The document of a forgetting.
    pub fn done(done: &Done, backups: &[PathBuf]) -> Self {
        let receipt = &done.receipt;
        Self {
            forgotten: receipt.memories + receipt.messages,
            receipt: Some(receipt.id.to_string()),
            done: Some(DoneDocument {
                undo_until: receipt.undo_until.map(|at| at.to_string()),
                memories: receipt.memories,
                messages: receipt.messages,
                summaries: receipt.summaries,
                backups: backups.iter().map(|file| file.display().to_string()).collect(),
                finished: done.finished,
                unscrubbed: done.unscrubbed.clone(),
            }),
            ..Self::preview(&done.matches)
        }
    }
}

impl From<&Match> for MatchDocument {
    fn from(found: &Match) -> Self {
        let certain = found.certain;
        match &found.found {
            Found::Memory(memory) => {
                Self::Memory { memory: Box::new(memory.as_ref().into()), r#match: "memory", certain }
            }
            Found::Message(id, sentences) => {
                Self::Message { r#match: "message", id: id.to_string(), certain, text: sentences.join(" ") }
            }
        }
    }
}
