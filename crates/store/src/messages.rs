//! Messages: appended, never changed, read chat by chat.

use jiff::Timestamp;
use std::collections::HashSet;

use throughline_domain::context::{History, StoredMessage};
use throughline_domain::conversation::Conversation;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId};
use throughline_domain::pending::PendingSlot;
use throughline_domain::summary::{Position, Summary};

use crate::{Arm, InChat, Result, Store};

/// A message to append.
#[derive(Debug, Clone)]
pub struct Append {
    /// The message, complete.
    pub message: Message,
    /// What it is for.
    pub purpose: Purpose,
    /// Where it comes from.
    pub origin: Origin,
    /// Whose chat it is, where that is known: what a person had forgotten elsewhere does not come in here.
    pub person: Option<String>,
}

/// Where a message comes from, which decides what follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A door heard it: it is learned from and condensed.
    Heard,
    /// A file: it can be found, and nothing more unless that was asked for.
    File {
        /// Whether it is to be learned from and condensed.
        learn: bool,
        /// Whether the file says when it was said.
        dated: bool,
    },
}

impl Origin {
    /// Whether it is learned from and condensed.
    #[must_use]
    pub fn teaches(self) -> bool {
        match self {
            Self::Heard => true,
            Self::File { learn, .. } => learn,
        }
    }
}

/// Why a message is appended, which decides how it is recognised when it comes again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// To be remembered.
    Record,
    /// To be remembered and answered: it waits for a turn.
    Answer,
    /// From a file whose line has no id of its own; this fingerprint tells a line that was imported before.
    Import([u8; 16]),
}

/// Where an appended message ended up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Its id: the one it had when it came first.
    pub id: MessageId,
    /// Its sequence number.
    pub seq: i64,
    /// Its lane.
    pub lane: Lane,
    /// The first message of its conversation.
    pub conversation: MessageId,
    /// Whether it was there before, under the same id, external id or fingerprint.
    pub known: bool,
}

/// How a message is named from outside: by our id or by a channel's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// Ours.
    Id(MessageId),
    /// A channel's.
    External(String),
}

impl From<&str> for Reference {
    /// Anything that has the shape of our ids is one of ours.
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::External(text.to_owned()), Self::Id)
    }
}

/// How far back a window is read.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// Until this many tokens are read.
    pub tokens: u32,
    /// Or this many messages.
    pub messages: usize,
    /// What a single message counts for at most: longer ones are shown shortened.
    pub longest: u32,
    /// How many tokens to read from the beginning of the newest conversation, where the window does not reach it.
    pub head: u32,
    /// Not further back than this, but for the last two conversations.
    pub since: Option<Timestamp>,
}

/// What a turn reads of its lane, all from one moment.
#[derive(Debug, Clone, Default)]
pub struct LaneView {
    /// The newest messages.
    pub history: History,
    /// The summaries of the lane.
    pub summaries: Vec<Summary>,
    /// The newest assistant message.
    pub last_reply: Option<Message>,
    /// The question of the assistant that waits for an answer.
    pub pending: Option<PendingSlot>,
    /// Replies of this lane whose delivery is uncertain and not yet told.
    pub uncertain: u64,
}

impl Store {
    /// Appends messages, in order, as one transaction. Words are searchable when this returns.
    ///
    /// # Errors
    /// When nothing could be written; then nothing was.
    pub async fn append(&self, messages: Vec<Append>) -> Result<Vec<Appended>> {
        match &self.arm {
            Arm::Sqlite(db) => db.append(messages).await,
        }
    }
}

impl InChat {
    /// Finds a message by our id or by a channel's.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn find(&self, reference: Reference) -> Result<Option<StoredMessage>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.find(&self.chat, reference).await,
        }
    }

    /// What a turn needs of a lane, leaving out the messages in `except` and those that wait for a turn.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn lane(&self, lane: &Lane, reach: Reach, except: HashSet<MessageId>) -> Result<LaneView> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.lane(&self.chat, lane, reach, except).await,
        }
    }

    /// The conversations, newest first: of one lane, or of all.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn conversations(&self, lane: Option<&Lane>, limit: usize) -> Result<Vec<Conversation>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.conversations(&self.chat, lane, limit).await,
        }
    }

    /// The messages of the conversation that this message belongs to, oldest first.
    ///
    /// # Errors
    /// When there is no such message in the chat, or the store cannot be read.
    pub async fn conversation(&self, id: MessageId) -> Result<Vec<StoredMessage>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.conversation(&self.chat, id).await,
        }
    }

    /// How many messages a lane has.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn count(&self, lane: &Lane) -> Result<u64> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.count(&self.chat, lane).await,
        }
    }

    /// Messages of a lane in order, after a place.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn following(
        &self,
        lane: &Lane,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.following(&self.chat, lane, after, limit).await,
        }
    }

    /// Messages in the order they were recorded, after this sequence number.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn recorded_after(&self, seq: i64, limit: usize) -> Result<Vec<StoredMessage>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.recorded_after(&self.chat, seq, limit).await,
        }
    }
}
