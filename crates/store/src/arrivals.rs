//! What arrives by itself from a channel: each update is taken in once, together with the place to listen on from.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;

use crate::messages::{Append, Appended};
use crate::outbox::NewOutboxItem;
use crate::{Arm, InChat, Result, Store};

/// Which update of which account of ours is taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The account, such as `telegram:7000001`.
    pub account: String,
    /// The update's number there.
    pub update: i64,
    /// When it came, by the calendar.
    pub at: Timestamp,
}

/// What an update amounts to.
#[derive(Debug, Clone)]
pub enum Arrival {
    /// Somebody said something.
    Message(Box<Append>),
    /// Something is to be done in a lane, after what was said there before.
    InboundAction {
        /// The chat.
        chat: ChatId,
        /// The lane.
        lane: Lane,
        /// What is to be done, as the channel writes it down.
        what: String,
    },
    /// The chat goes on under another id, and takes everything along.
    Move {
        /// The id so far.
        from: ChatId,
        /// The id from now on.
        to: ChatId,
    },
    /// Somebody who is not served asks to be: what they are told.
    PairingRequest(PairingRequest, NewOutboxItem),
    /// Nothing to keep.
    Nothing,
}

/// Somebody asks to be let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairingRequest {
    /// The code that lets them in.
    pub code: String,
    /// Who.
    pub person: String,
    /// The name they go by.
    pub name: String,
    /// Where they wrote.
    pub chat: ChatId,
    /// Until when the code holds.
    pub until: Timestamp,
}

/// What came of taking an update in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ingested {
    /// It came before.
    Known,
    /// It is a message now.
    Message(Appended),
    /// It is on disk, or there was nothing to keep.
    Done,
}

/// Something to be done in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundAction {
    /// Its number.
    pub id: i64,
    /// What is to be done, as the channel wrote it down.
    pub what: String,
}

/// What comes next in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Messages wait for a turn: those up to this number, where something else is to be done after them.
    Turn(Option<i64>),
    /// Something is to be done.
    InboundAction(InboundAction),
    /// Nothing.
    Nothing,
}

/// How listening on an account goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The account.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// The update that is asked for next.
    pub next: i64,
    /// When the newest update came.
    pub heard_at: Option<Timestamp>,
    /// `listening`, `trouble` or `stopped`.
    pub state: String,
    /// What the trouble is.
    pub problem: Option<String>,
    /// Since when.
    pub changed_at: Timestamp,
    /// The process that listens.
    pub owner: Option<String>,
}

impl Store {
    /// Takes an update in: what it amounts to and the place to listen on from are one transaction.
    ///
    /// # Errors
    /// When the store cannot be written; then the update comes again.
    pub async fn ingest(&self, mark: Mark, arrival: Arrival) -> Result<Ingested> {
        match &self.arm {
            Arm::Sqlite(db) => db.ingest(mark, arrival).await,
        }
    }

    /// Begins to listen on an account. Where another account of the same channel listened last, what that one called its
    /// messages is set apart, for this one gives the same ids to others.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn open_account(&self, id: &str) -> Result<Account> {
        match &self.arm {
            Arm::Sqlite(db) => db.open_account(id).await,
        }
    }

    /// Notes how listening goes.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn note_account(&self, account: Account) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.note_account(account).await,
        }
    }

    /// The accounts, for `status`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn accounts(&self) -> Result<Vec<Account>> {
        match &self.arm {
            Arm::Sqlite(db) => db.accounts().await,
        }
    }

    /// The lanes of a channel in which something waits.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn lanes_with_work(&self, channel: &str) -> Result<Vec<(ChatId, Lane)>> {
        match &self.arm {
            Arm::Sqlite(db) => db.lanes_with_work(channel).await,
        }
    }

    /// Moves a chat to another id, with everything in it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn move_chat(&self, from: &ChatId, to: &ChatId) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.move_chat(from, to).await,
        }
    }
}

impl InChat {
    /// What comes next in a lane, in the order in which it arrived.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next_in_lane(&self, lane: &Lane) -> Result<Next> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.next_in_lane(&self.chat, lane).await,
        }
    }

    /// Notes that the channel has no such strand any more.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn close_lane(&self, lane: &Lane) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.close_lane(&self.chat, lane).await,
        }
    }

    /// Whether the channel has no such strand any more.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn is_closed(&self, lane: &Lane) -> Result<bool> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.is_closed(&self.chat, lane).await,
        }
    }
}
