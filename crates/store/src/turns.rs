//! Turns: who answers what, one at a time in a lane, and what became of the reply.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::memory::MemoryId;
use throughline_domain::message::{Message, MessageId};
use throughline_domain::pending::PendingSlot;
use throughline_domain::turn::{Delivery, Receipt, TurnId, TurnStatus};

use crate::holder::Holder;
use crate::ledger::Call;
use crate::memories::Learned;
use crate::messages::Appended;
use crate::outbox::{NewOutboxItem, Outgoing};
use crate::routines::Run;
use crate::{Arm, InChat, Result, Store};

/// What came of asking for a lane.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// The lane is held for this turn, which answers these messages together, oldest first.
    Held(Vec<StoredMessage>),
    /// Another process holds it.
    Busy {
        /// Which.
        holder: Holder,
        /// With which turn.
        turn: TurnId,
    },
    /// Nothing waits: another turn has taken the messages up.
    Nothing,
}

/// What a turn takes up when it takes a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// All that waits there; where nothing does, there is no turn.
    Waiting,
    /// What waits there up to this message.
    UpTo(i64),
    /// Nothing: the turn was started by something else than a message.
    Nothing,
}

/// A finished answer, to be recorded as one.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The turn.
    pub turn: TurnId,
    /// The reply as a message of the assistant.
    pub reply: Message,
    /// What went into it.
    pub receipt: Receipt,
    /// Whether the model was told of replies that may not have been seen.
    pub tells_uncertain: bool,
    /// What is to be sent of it, where sending must survive this process.
    pub outbox: Vec<NewOutboxItem>,
    /// The run of a routine that it ends.
    pub run: Option<Run>,
    /// The call of the model that answered.
    pub call: Option<Call>,
    /// The memories that went into the context.
    pub used: Vec<MemoryId>,
    /// What the reply asked to be kept.
    pub learned: Learned,
    /// The question that waits for an answer from now on.
    pub pending: Option<PendingSlot>,
    /// When it was finished.
    pub at: Timestamp,
}

/// What is known of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// The turn.
    pub id: TurnId,
    /// How it stands.
    pub status: TurnStatus,
    /// When it began.
    pub started_at: Timestamp,
    /// The reply, once there is one.
    pub reply: Option<Message>,
    /// How far the reply came.
    pub delivery: Option<Delivery>,
    /// What went into it.
    pub receipt: Option<Receipt>,
}

impl Store {
    /// Takes a lane for a turn.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn enter_lane(
        &self,
        chat: &ChatId,
        lane: &Lane,
        turn: TurnId,
        holder: &Holder,
        take: Take,
        at: Timestamp,
    ) -> Result<Entry> {
        match &self.arm {
            Arm::Sqlite(db) => db.enter_lane(chat, lane, turn, holder, take, at).await,
        }
    }

    /// Renews the lease of a turn.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn renew_turn(&self, turn: TurnId, leased_to: Timestamp) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.renew_turn(turn, leased_to).await,
        }
    }

    /// Closes abandoned turns: their messages wait again, unless a reply may have been seen, which is then uncertain. A
    /// turn whose lease was renewed meanwhile goes on.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn abandon_turns(&self, turns: Vec<(TurnId, Holder)>, at: Timestamp) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.abandon_turns(turns, at).await,
        }
    }

    /// Notes that a turn's reply is about to be shown before all of it is known.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn begin_reply(&self, turn: TurnId) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.begin_reply(turn).await,
        }
    }

    /// Records the reply (pending), the turn, its receipt and its jobs as one, and frees the lane.
    ///
    /// # Errors
    /// When the store cannot be written, or another process has taken the turn over.
    pub async fn record_answer(&self, answer: Answer) -> Result<Appended> {
        match &self.arm {
            Arm::Sqlite(db) => db.record_answer(answer).await,
        }
    }

    /// Ends a turn without a reply and frees the lane. Its messages do not wait again: the failure is told.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn fail_turn(&self, turn: TurnId, problem: &str, at: Timestamp) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.fail_turn(turn, problem, at, Outgoing::default()).await,
        }
    }

    /// Notes how far a reply came, with the ids the channel gave it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn mark_delivery(
        &self,
        turn: TurnId,
        delivery: Delivery,
        external_ids: Vec<String>,
    ) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.mark_delivery(turn, delivery, external_ids).await,
        }
    }

    /// Turns that run or whose reply is not delivered yet, with their owners, for those who look after the dead.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn unfinished_turns(&self) -> Result<Vec<(TurnId, Holder)>> {
        match &self.arm {
            Arm::Sqlite(db) => db.unfinished_turns().await,
        }
    }
}

impl InChat {
    /// The turn that answered a message, if one did.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn turn_of(&self, message: MessageId) -> Result<Option<TurnRecord>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.turn_of(&self.chat, message).await,
        }
    }

    /// The newest turn of a lane that has a receipt.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn last_turn(&self, lane: &Lane) -> Result<Option<TurnRecord>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.last_turn(&self.chat, lane).await,
        }
    }
}
