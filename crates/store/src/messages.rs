//! Messages: appended, never changed, read chat by chat.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{History, StoredMessage};
use throughline_domain::lane::Lane;
use throughline_domain::memory::MemoryId;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_domain::pending::PendingSlot;
use throughline_domain::short_id::Beginning;
use throughline_domain::summary::{Position, Summary};
use uuid::Uuid;

use crate::attachments::NewAttachment;
use crate::intake::{append_all, append_one};
use crate::memories::{self, Learned};
use crate::tx::{LaneRow, Tx};
use crate::{Error, InChat, Result, Store, conversations, summaries};

/// A message to append.
#[derive(Debug, Clone)]
pub struct Append {
    /// The message, complete.
    pub message: Message,
    /// Its purpose.
    pub purpose: Purpose,
    /// Its origin.
    pub origin: Origin,
    /// The person whose chat it is, if known: what they had forgotten in another chat is suppressed here too.
    pub person: Option<String>,
    /// The files that came with it.
    pub attachments: Vec<NewAttachment>,
    /// The message of its chat that it replies to, by the channel's id; one that is not there is left out.
    pub replies_to: Option<String>,
}

/// The origin of a message, which decides what is enqueued for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It came from a channel or an API: it is extracted from and compacted.
    Heard,
    /// It came from a file: it is searchable, and nothing more unless `learn` is set.
    File {
        /// Whether it is extracted from and compacted.
        learn: bool,
        /// Whether the file has its time.
        dated: bool,
    },
}

impl Origin {
    /// Whether it is extracted from and compacted.
    #[must_use]
    pub fn teaches(self) -> bool {
        match self {
            Self::Heard => true,
            Self::File { learn, .. } => learn,
        }
    }
}

/// The purpose of a message, which decides how it is recognized when it comes again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// To be recorded.
    Record,
    /// To be recorded and answered: it waits for a turn.
    Answer,
    /// To be recorded from a line of a file that has no id; the fingerprint tells whether it was imported before.
    Import([u8; 16]),
}

/// The place of an appended message.
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

/// A reference to a message: our id or a channel's.
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

/// The limits of a window.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// Tokens to read.
    pub tokens: u32,
    /// Tokens to read if that goes beyond the newest conversation.
    pub older: u32,
    /// Messages to read, if that is less.
    pub messages: usize,
    /// Maximum that one message counts for; longer ones are shown shortened.
    pub longest: u32,
    /// Tokens to read from the beginning of the newest conversation if the window does not reach it.
    pub head: u32,
}

/// The state of a lane that a turn reads, from one snapshot.
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
    /// Uncertain deliveries of this lane that no turn was told of.
    pub uncertain: u64,
    /// Replies of this lane that the channel refused and no turn was told of.
    pub refused: u64,
}

/// Newest messages among which the last reply is looked for. An assistant that was silent for longer has no reply to be
/// reminded of.
const REPLY_WITHIN: usize = 50;

impl Store {
    /// Appends messages, in order, as one transaction. Words are searchable when this returns.
    ///
    /// # Errors
    /// When nothing could be written; then nothing was.
    pub async fn append(&self, messages: Vec<Append>) -> Result<Vec<Appended>> {
        messages.iter().try_for_each(|append| self.check_scope(&append.message.chat))?;
        let gap = self.gap;
        self.write(move |tx| append_all(tx, gap, &messages)).await
    }

    /// The sequence number of the newest message in all chats.
    pub async fn newest_seq(&self) -> Result<i64> {
        self.read(|tx| tx.newest_seq()).await
    }

    /// Appends a reply, and learns what it asks to keep, as one transaction; gives the message and the memories. A reply
    /// that was there teaches nothing again.
    ///
    /// # Errors
    /// When nothing could be written; then nothing was.
    pub async fn append_reply(&self, reply: Append, learned: Learned) -> Result<(Appended, Vec<MemoryId>)> {
        self.check_scope(&reply.message.chat)?;
        let gap = self.gap;
        self.write(move |tx| {
            let appended = append_one(tx, gap, &reply)?;
            let chat = tx.chat_row(&reply.message.chat)?.filter(|_| !appended.known);
            let made = chat.map(|chat| memories::learn(tx, chat, &learned)).transpose()?;
            Ok((appended, made.unwrap_or_default()))
        })
        .await
    }
}

impl InChat {
    /// Finds a message by our id or by a channel's.
    pub async fn find(&self, reference: Reference) -> Result<Option<StoredMessage>> {
        self.read(move |tx, name, chat| {
            let seq = match reference {
                Reference::Id(id) => tx.message_seq(chat, id)?,
                Reference::External(external) => tx.external_message(chat, &external)?,
            };
            seq.map(|seq| read_one(tx, name, seq)).transpose()
        })
        .await
    }

    /// The message before each of these in its lane.
    pub async fn said_before(&self, ids: Vec<MessageId>) -> Result<HashMap<MessageId, StoredMessage>> {
        self.read(move |tx, name, chat| {
            let mut before = HashMap::new();
            for id in ids {
                let place = tx.message_place(id)?.filter(|place| place.chat == chat);
                let Some(place) = place else { continue };
                before.extend(tx.message_before(name, place.lane, place.position)?.map(|said| (id, said)));
            }
            Ok(before)
        })
        .await
    }

    /// The messages whose ids begin so, in the order of their ids.
    pub async fn ids_beginning(&self, beginning: Beginning, limit: usize) -> Result<Vec<MessageId>> {
        self.read(move |tx, _, chat| tx.message_ids_between(chat, beginning.range(), limit)).await
    }

    /// For each id, of whatever it is, the ids of messages of this chat before and after it.
    pub async fn ids_beside(&self, ids: Vec<Uuid>) -> Result<Vec<Vec<MessageId>>> {
        self.read(move |tx, _, chat| ids.into_iter().map(|id| tx.message_ids_beside(chat, id)).collect())
            .await
    }

    /// The state of a lane for a turn, without the messages in `except` and those that wait for a turn.
    pub async fn lane(&self, lane: &Lane, reach: Reach, except: HashSet<MessageId>) -> Result<LaneView> {
        self.read_lane(lane, move |tx, chat, lane| {
            Ok(LaneView {
                history: history(tx, chat, &lane, reach, &except)?,
                summaries: summaries::for_window(tx, lane.id)?,
                last_reply: last_reply(tx, chat, lane.id)?,
                pending: tx.pending_slot(lane.id)?,
                uncertain: tx.unreported(lane.id)?,
                refused: tx.unreported_refusals(lane.id)?,
            })
        })
        .await
    }

    /// How many messages a lane has.
    pub async fn count(&self, lane: &Lane) -> Result<u64> {
        self.read_lane(lane, |_, _, lane| Ok(lane.messages)).await
    }

    /// Messages of a lane in order, after a position.
    pub async fn following(
        &self,
        lane: &Lane,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        let after = after.unwrap_or(conversations::START);
        self.read_lane(lane, move |tx, chat, lane| tx.messages_after(chat, lane.id, after, limit)).await
    }

    /// Messages of a lane before another one or the end, the newest first.
    ///
    /// # Errors
    /// When that message is not in this chat, or the store cannot be read.
    pub async fn preceding(
        &self,
        lane: &Lane,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        self.read_lane(lane, move |tx, chat, lane| {
            let before = conversations::position_or(tx, chat, before, conversations::END)?;
            tx.messages_before(chat, lane.id, before, limit)
        })
        .await
    }

    /// The last message of a lane up to a moment.
    pub async fn said_last(&self, lane: &Lane, at: Timestamp) -> Result<Option<StoredMessage>> {
        let end = Position { at, seq: i64::MAX };
        self.read_lane(lane, move |tx, chat, lane| tx.message_before(chat, lane.id, end)).await
    }

    /// Messages in the order they were recorded, after this sequence number.
    pub async fn recorded_after(&self, seq: i64, limit: usize) -> Result<Vec<StoredMessage>> {
        self.read(move |tx, name, chat| tx.recorded_after(name, chat, seq, limit)).await
    }
}

pub(crate) fn read_one(tx: &Tx<'_>, chat: &ChatId, seq: i64) -> Result<StoredMessage> {
    let found = tx.message_by_seq(chat, seq)?;
    Ok(found.ok_or_else(|| Error::NotFound { what: "message", id: seq.to_string() })?.0)
}

/// Walks the lane back from its end until the reach is exhausted.
fn history(
    tx: &Tx<'_>,
    chat: &ChatId,
    lane: &LaneRow,
    reach: Reach,
    except: &HashSet<MessageId>,
) -> Result<History> {
    let waiting = tx.waiting_in(lane.id)?;
    let mut messages: Vec<StoredMessage> = Vec::new();
    let (mut ordinal, mut tokens, mut most) = (lane.messages, 0u32, reach.tokens);
    if reach.messages > 0 {
        tx.walk_back(chat, lane.id, &mut |stored| {
            ordinal = ordinal.saturating_sub(1);
            if !except.contains(&stored.message.id) && !waiting.contains(&stored.seq) {
                tokens = tokens.saturating_add(stored.tokens.min(reach.longest));
                most = if stored.opens { reach.older } else { most };
                messages.push(StoredMessage { ordinal, ..stored });
            }
            let is_full = tokens > most || messages.len() >= reach.messages;
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    }
    messages.reverse();
    let head = match messages.first() {
        Some(first) if reach.head > 0 && !messages.iter().any(|stored| stored.opens) => {
            conversations::head(tx, chat, lane, first, reach.head)?
        }
        _ => Vec::new(),
    };
    Ok(History { messages, head })
}

fn last_reply(tx: &Tx<'_>, chat: &ChatId, lane: i64) -> Result<Option<Message>> {
    let (mut found, mut seen) = (None, 0);
    tx.walk_back(chat, lane, &mut |stored| {
        seen += 1;
        let message = &stored.message;
        if message.role == Role::Assistant && !message.is_command() && !message.answers_nothing() {
            found = Some(stored.message);
        }
        let is_done = found.is_some() || seen >= REPLY_WITHIN;
        Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found)
}
