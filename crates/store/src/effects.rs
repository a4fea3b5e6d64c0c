//! What a pressed button does, carried out in the transaction that uses up the button and records the outcome.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use uuid::Uuid;

use crate::forget::{self, Forgetting};
use crate::memories::{self, Learned};
use crate::tx::Tx;
use crate::{Error, InChat, Result, pairing};

/// A change to the store. If it can no longer be made as it was read, the whole transaction is refused with a conflict.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Forgets, unless something else was forgotten since it was read.
    Forget {
        /// The chat.
        chat: ChatId,
        /// How many forgettings the chat had seen when it was read.
        watched: Option<u64>,
        /// What is forgotten.
        forgetting: Box<Forgetting>,
    },
    /// Brings back what was forgotten.
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
        /// What is learned.
        learned: Box<Learned>,
    },
    /// Pairs the person who holds a code.
    Approve {
        /// The code.
        code: String,
        /// The time, by the calendar.
        at: Timestamp,
    },
    /// Rejects the person who holds a code, who may not ask again for a while.
    Reject {
        /// The code.
        code: String,
        /// The time, by the calendar.
        at: Timestamp,
    },
}

impl InChat {
    /// What was learned as an effect, to be carried out with what it leads to.
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
