//! What is sent: recorded and written down piece by piece before it leaves, and what became of each piece.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Memory, MemoryId};
use throughline_domain::message::MessageId;
use throughline_domain::turn::{Delivery, TurnId};
use uuid::Uuid;

use crate::holder::Holder;
use crate::messages::{Append, Appended};
use crate::routines::Run;
use crate::{Arm, InChat, Result, Store};

/// A piece to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOutboxItem {
    /// Where.
    pub chat: ChatId,
    /// What, as the channel writes it down.
    pub body: String,
    /// Whether sending it twice is the same as sending it once, as with changing a message.
    pub is_repeatable: bool,
}

/// A piece that this process is sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxItem {
    /// Its number.
    pub id: i64,
    /// Where.
    pub chat: ChatId,
    /// What, as the channel wrote it down.
    pub body: String,
    /// How often it was tried before.
    pub attempts: u32,
}

/// What became of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// It is there, under this id where the channel gave one.
    Delivered(Option<String>),
    /// It left, and no answer came: it may be there or not, and is not sent again.
    Uncertain(String),
    /// The channel refused it.
    Refused(String),
    /// It did not leave: to be tried again at this moment, perhaps in another form.
    Again {
        /// What to send instead.
        body: Option<String>,
        /// When, by the real clock.
        at: Timestamp,
        /// Why.
        problem: String,
    },
}

/// A button under a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// What the channel carries.
    pub id: String,
    /// Those of one bundle are used up together.
    pub bundle: Uuid,
    /// Where it stands.
    pub chat: ChatId,
    /// Whom it is meant for.
    pub person: String,
    /// What it does: ids, no words.
    pub action: String,
    /// Until when, by the calendar.
    pub until: Timestamp,
}

/// What is recorded and sent as one, with what it settles.
#[derive(Debug, Clone, Default)]
pub struct Outgoing {
    /// What is recorded, in order. The pieces are those of the last.
    pub said: Vec<Append>,
    /// The pieces.
    pub outbox: Vec<NewOutboxItem>,
    /// The buttons under them.
    pub buttons: Vec<Button>,
    /// The bundles of buttons that are used up.
    pub used: Vec<Uuid>,
    /// The errand that is done.
    pub action: Option<i64>,
    /// The run that has ended.
    pub run: Option<Run>,
    /// Memories that the person is asked about.
    pub offered: Vec<MemoryId>,
}

/// Pieces that are not there yet, or of which nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutboxFigures {
    /// To be sent.
    pub pending: u64,
    /// They left without an answer.
    pub uncertain: u64,
    /// The channel refused them.
    pub failed: u64,
}

impl Store {
    /// Records what is said and writes down what is to be sent, as one.
    ///
    /// # Errors
    /// When the store cannot be written; then nothing was.
    pub async fn send_out(&self, outgoing: Outgoing) -> Result<Vec<Appended>> {
        match &self.arm {
            Arm::Sqlite(db) => db.send_out(outgoing).await,
        }
    }

    /// Takes the next piece of a chat, if it is due and no other is being sent there. From now on it may be seen.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn begin_send(
        &self,
        chat: &ChatId,
        holder: &Holder,
        now: Timestamp,
    ) -> Result<Option<OutboxItem>> {
        match &self.arm {
            Arm::Sqlite(db) => db.begin_send(chat, holder, now).await,
        }
    }

    /// Notes what became of a piece, and of the reply that it is a part of.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn end_send(&self, item: i64, sent: Sent) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.end_send(item, sent).await,
        }
    }

    /// The chats of a channel that have pieces to send, each with when the first of them is due.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn unsent(&self, channel: &str) -> Result<Vec<(ChatId, Timestamp)>> {
        match &self.arm {
            Arm::Sqlite(db) => db.unsent(channel).await,
        }
    }

    /// Who is sending, for those who look after the dead.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn send_owners(&self) -> Result<Vec<Holder>> {
        match &self.arm {
            Arm::Sqlite(db) => db.send_owners().await,
        }
    }

    /// What these processes were sending and abandoned may have been seen or not.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn mark_uncertain(&self, owners: Vec<Holder>) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.mark_uncertain(owners).await,
        }
    }

    /// The chats of a channel with memories that wait for a yes and that nobody was asked about.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn chats_to_ask(&self, channel: &str) -> Result<Vec<ChatId>> {
        match &self.arm {
            Arm::Sqlite(db) => db.chats_to_ask(channel).await,
        }
    }

    /// How many pieces wait, are uncertain or were refused.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn outbox_figures(&self) -> Result<OutboxFigures> {
        match &self.arm {
            Arm::Sqlite(db) => db.outbox_figures().await,
        }
    }

    /// Ends a turn without a reply, frees the lane, and tells the person.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn fail_turn_with_notice(
        &self,
        turn: TurnId,
        problem: &str,
        at: Timestamp,
        told: Outgoing,
    ) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.fail_turn(turn, problem, at, told).await,
        }
    }
}

impl InChat {
    /// A button of this chat that still stands.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn button(&self, id: &str, now: Timestamp) -> Result<Option<Button>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.button(&self.chat, id, now).await,
        }
    }

    /// Memories of this chat that wait for a yes and that nobody was asked about.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn to_offer(&self) -> Result<Vec<Memory>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.to_offer(&self.chat).await,
        }
    }

    /// How far a message has come whose pieces are sent; nothing where none are.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn delivery_of(&self, message: MessageId) -> Result<Option<Delivery>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.delivery_of(&self.chat, message).await,
        }
    }

    /// The pieces of a message under the ids that the channel gave them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn sent_as(&self, message: MessageId) -> Result<Vec<String>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.sent_as(&self.chat, message).await,
        }
    }
}
