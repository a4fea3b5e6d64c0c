//! The ledger: every model call with its tokens and cost.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::turn::TurnId;

use crate::tx::Tx;
use crate::{InChat, Result, Store};

/// One model call.
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
    /// True if no person waited for it.
    pub background: bool,
    /// The model's display name.
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

/// The total of several calls.
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
    /// The known part of the cost, in dollars.
    pub cost_usd: f64,
}

/// The total for one purpose and model.
#[derive(Debug, Clone, PartialEq)]
pub struct SpentOn {
    /// The purpose.
    pub purpose: String,
    /// The model.
    pub model: String,
    /// The cost.
    pub spent: Spent,
}

/// The total for one purpose and model in a chat on a day.
#[derive(Debug, Clone, PartialEq)]
pub struct SpentOnDay {
    /// The day, such as `2026-02-18`.
    pub day: String,
    /// The chat, if there is one.
    pub chat: Option<ChatId>,
    /// True if no person waited for it.
    pub background: bool,
    /// The cost.
    pub on: SpentOn,
}

/// The calls to add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// Replies.
    Reply,
    /// Background work.
    Background,
}

/// A problem with a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallProblem {
    /// When it happened.
    pub at: Timestamp,
    /// The model that answered in the end, or failed.
    pub model: String,
    /// The problem.
    pub problem: String,
    /// The chat, if there is one.
    pub chat: Option<ChatId>,
    /// True if a later reply had no problem.
    pub is_over: bool,
}

/// The id of a call in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallId(pub(crate) i64);

impl Store {
    /// Records the start of a call with its expected usage, which counts if the process dies.
    pub async fn begin_call(&self, call: Call) -> Result<CallId> {
        self.write(move |tx| insert(tx, &call).map(CallId)).await
    }

    /// Replaces the expected usage of a call by the actual one.
    pub async fn end_call(&self, id: CallId, call: Call) -> Result<()> {
        self.write(move |tx| tx.update_call(id.0, &call)).await
    }

    /// The total of calls since a time, across all chats.
    pub async fn spent_on(&self, kind: CallKind, since: Timestamp) -> Result<Spent> {
        self.read(move |tx| tx.spent_since(kind == CallKind::Background, since)).await
    }

    /// The totals by day since a time, for the chats this handle may access. Days are shifted by `offset` seconds
    /// from UTC.
    pub async fn spent_by_day(&self, since: Timestamp, offset: i32) -> Result<Vec<SpentOnDay>> {
        let mut spent = self.read(move |tx| tx.spent_by_day(since, offset)).await?;
        spent.retain(|day| match &day.chat {
            Some(chat) => self.may_touch(chat),
            None => self.scope.is_none(),
        });
        Ok(spent)
    }

    /// The newest problem with a reply since a time.
    pub async fn newest_problem(&self, since: Timestamp) -> Result<Option<CallProblem>> {
        self.read(move |tx| tx.newest_problem(since)).await
    }
}

impl InChat {
    /// The totals of this chat since a time, by purpose and model.
    pub async fn spent(&self, since: Timestamp) -> Result<Vec<SpentOn>> {
        self.read(move |tx, _, chat| tx.spent(chat, since)).await
    }
}

fn insert(tx: &Tx<'_>, call: &Call) -> Result<i64> {
    let chat = match &call.chat {
        Some(chat) => tx.chat_row(chat)?,
        None => None,
    };
    tx.insert_call(chat, call)
}
