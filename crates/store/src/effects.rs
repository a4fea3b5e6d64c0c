//! Changes that a pressed button makes, in the transaction that uses up the button and records the outcome.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use uuid::Uuid;

use crate::forget::{self, Forgetting};
use crate::memories::{self, Learned};
use crate::tx::Tx;
use crate::{Error, InChat, Result, pairing};

/// A change to the store. If the data changed since it was read, the whole transaction fails with a conflict.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Forgets, unless the chat had another forgetting since the read.
    Forget {
        /// The chat.
        chat: ChatId,
        /// The chat's number of forgettings at the time of the read.
        watched: Option<u64>,
        /// The forgetting.
        forgetting: Box<Forgetting>,
    },
    /// Undoes a forgetting.
    Undo {
        /// The chat.
        chat: ChatId,
        /// The receipt.
        receipt: Uuid,
        /// The time, by the calendar.
        at: Timestamp,
    },
    /// Stores or changes memories.
    Learn {
        /// The chat.
        chat: ChatId,
        /// The memories and changes.
        learned: Box<Learned>,
    },
    /// Approves the pairing request with a code.
    Approve {
        /// The code.
        code: String,
        /// The time, by the calendar.
        at: Timestamp,
    },
    /// Rejects the pairing request with a code; the person cannot ask again for a while.
    Reject {
        /// The code.
        code: String,
        /// The time, by the calendar.
        at: Timestamp,
    },
}

impl InChat {
    /// New memories and changes as an effect.
    #[must_use]
    pub fn effect_of_learning(&self, learned: Learned) -> Effect {
        Effect::Learn { chat: self.chat.clone(), learned: Box::new(learned) }
    }
}

/// Carries out an effect.
pub(crate) fn apply(tx: &Tx<'_>, effect: &Effect) -> Result<()> {
    let row = |chat: &ChatId| {
        let unknown = || Error::NotFound { what: "chat", id: chat.to_string() };
        tx.chat_row(chat)?.ok_or_else(unknown)
    };
    let done = match effect {
        Effect::Forget { chat, watched, forgetting } => {
            let row = row(chat)?;
            forget::check(tx, row, *watched)?;
            forget::forget(tx, chat, row, forgetting).map(|_| true)?
        }
        Effect::Undo { chat, receipt, at } => forget::undo(tx, row(chat)?, *receipt, *at)?.is_some(),
        Effect::Learn { chat, learned } => memories::learn(tx, row(chat)?, learned).map(|_| true)?,
        Effect::Approve { code, at } => pairing::approve(tx, code, *at)?.is_some(),
        Effect::Reject { code, at } => pairing::reject(tx, code, *at)?.is_some(),
    };
    match done {
        true => Ok(()),
        false => Err(Error::Conflict("what the button does was done meanwhile; it is read again".to_owned())),
    }
}
