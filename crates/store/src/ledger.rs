//! The ledger: every call of a model, with its tokens and what it cost.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::turn::TurnId;

use crate::tx::Tx;
use crate::{InChat, Result, Store};

/// One call of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// When, by the calendar.
    pub at: Timestamp,
    /// In which chat.
    pub chat: Option<ChatId>,
    /// For which turn.
    pub turn: Option<TurnId>,
    /// What for, such as `reply` or `extract`.
    pub purpose: &'static str,
    /// Whether no person waited for it.
    pub background: bool,
    /// The model, by the name people know it by.
    pub model: String,
    /// Tokens read.
    pub input_tokens: u32,
    /// Tokens written.
    pub output_tokens: u32,
    /// What it cost, where that is known.
    pub cost_usd: Option<f64>,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// Why it failed, where it did.
    pub problem: Option<String>,
}

/// What calls took together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spent {
    /// How many there were.
    pub calls: u64,
    /// How many failed.
    pub failed: u64,
    /// Tokens read and written.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// What is known of their cost.
    pub cost_usd: f64,
}

/// What the calls of one purpose and model took.
#[derive(Debug, Clone, PartialEq)]
pub struct SpentOn {
    /// What for.
    pub purpose: String,
    /// By which model.
    pub model: String,
    /// How much.
    pub spent: Spent,
}

impl Store {
    /// Notes a call.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn note_call(&self, call: Call) -> Result<()> {
        self.write(move |tx| note(tx, &call)).await
    }

    /// The cost of background work since a moment, in all chats together.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn background_spent(&self, since: Timestamp) -> Result<Spent> {
        self.read(move |tx| tx.background_spent(since)).await
    }
}

impl InChat {
    /// The cost of this chat's calls since a moment, by purpose and model.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn spent(&self, since: Timestamp) -> Result<Vec<SpentOn>> {
        self.read(move |tx, _, chat| tx.spent(chat, since)).await
    }
}

pub(crate) fn note(tx: &Tx<'_>, call: &Call) -> Result<()> {
    let chat = match &call.chat {
        Some(chat) => tx.chat_row(chat)?,
        None => None,
    };
    tx.insert_call(chat, call)
}
