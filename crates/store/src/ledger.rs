//! The ledger: every call of a model, with its tokens and what it cost.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::turn::TurnId;

use crate::tx::Tx;
use crate::{InChat, Result, Store};

/// One call of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The time, by the calendar.
    pub at: Timestamp,
    /// The chat, if there is one.
    pub chat: Option<ChatId>,
    /// The turn, if there is one.
    pub turn: Option<TurnId>,
    /// The purpose, such as `reply` or `extract`.
    pub purpose: &'static str,
    /// Whether no person waited for it.
    pub background: bool,
    /// The model, by the name people know it by.
    pub model: String,
    /// Tokens read.
    pub input_tokens: u32,
    /// Tokens written.
    pub output_tokens: u32,
    /// The cost, if it is known.
    pub cost_usd: Option<f64>,
    /// The duration in milliseconds.
    pub ms: f64,
    /// The problem, if it failed.
    pub problem: Option<String>,
}

/// The cost of several calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spent {
    /// The number of calls.
    pub calls: u64,
    /// The number of failed calls.
    pub failed: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// The known part of their cost.
    pub cost_usd: f64,
}

/// The cost of the calls of one purpose and model.
#[derive(Debug, Clone, PartialEq)]
pub struct SpentOn {
    /// The purpose.
    pub purpose: String,
    /// The model.
    pub model: String,
    /// The cost.
    pub spent: Spent,
}

/// The number of a call in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallId(i64);

impl Store {
    /// Notes a call that begins, with what it is expected to take: should the process die, it still counts.
    pub async fn begin_call(&self, call: Call) -> Result<CallId> {
        self.write(move |tx| insert(tx, &call).map(CallId)).await
    }

    /// Replaces what a call was expected to take by what it took.
    pub async fn end_call(&self, id: CallId, call: Call) -> Result<()> {
        self.write(move |tx| tx.update_call(id.0, &call)).await
    }

    /// Notes a call that has ended.
    pub async fn note_call(&self, call: Call) -> Result<()> {
        self.write(move |tx| note(tx, &call)).await
    }

    /// The cost of background work since a moment, in all chats together.
    pub async fn background_spent(&self, since: Timestamp) -> Result<Spent> {
        self.read(move |tx| tx.background_spent(since)).await
    }
}

impl InChat {
    /// The cost of this chat's calls since a moment, by purpose and model.
    pub async fn spent(&self, since: Timestamp) -> Result<Vec<SpentOn>> {
        self.read(move |tx, _, chat| tx.spent(chat, since)).await
    }
}

pub(crate) fn note(tx: &Tx<'_>, call: &Call) -> Result<()> {
    insert(tx, call).map(|_| ())
}

fn insert(tx: &Tx<'_>, call: &Call) -> Result<i64> {
    let chat = match &call.chat {
        Some(chat) => tx.chat_row(chat)?,
        None => None,
    };
    tx.insert_call(chat, call)
}
