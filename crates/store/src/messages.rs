//! Messages: appended, never changed, and read chat by chat.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{History, StoredMessage};
use throughline_domain::lane::Lane;
use throughline_domain::memory::MemoryId;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_domain::pending::PendingSlot;
use throughline_domain::short_id::IdPrefix;
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
    /// The person of the chat, if known; values that they forgot in another chat are suppressed here too.
    pub person: Option<String>,
    /// Its attachments.
    pub attachments: Vec<NewAttachment>,
    /// The channel's id of the message it replies to; ignored if that message is missing.
    pub replies_to: Option<String>,
}

impl Append {
    /// A message of a channel to record, without a known person and attachments.
    #[must_use]
    pub fn record(message: Message) -> Self {
        Self {
            message,
            purpose: Purpose::Record,
            origin: Origin::Channel,
            person: None,
            attachments: Vec::new(),
            replies_to: None,
        }
    }
}

/// The origin of a message, which decides the jobs enqueued for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A channel or an API. Memories are extracted from it, and it is summarized.
    Channel,
    /// A file. It is searchable; jobs are enqueued only if `learn` is set.
    File {
        /// True if it is extracted from and summarized.
        learn: bool,
        /// True if the file contains its time.
        dated: bool,
    },
}

impl Origin {
    /// Returns true if it is extracted from and summarized.
    #[must_use]
    pub fn teaches(self) -> bool {
        match self {
            Self::Channel => true,
            Self::File { learn, .. } => learn,
        }
    }
}

/// The purpose of a message, which decides how a repetition is recognized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Record it.
    Record,
    /// Record and answer it: it waits for a turn.
    Answer,
    /// Record it from a line of a file without an id; the fingerprint recognizes repetitions.
    Import([u8; 16]),
}

/// The place of an appended message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Its id; for a repetition, the id of the first time.
    pub id: MessageId,
    /// Its sequence number.
    pub seq: i64,
    /// Its lane.
    pub lane: Lane,
    /// The first message of its conversation.
    pub conversation: MessageId,
    /// True if it was stored before, under the same id, external id or fingerprint.
    pub known: bool,
}

/// A reference to a message: our id or the channel's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// Our id.
    Id(MessageId),
    /// The channel's id.
    External(String),
}

impl From<&str> for Reference {
    /// Text that parses as a UUID is our id.
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::External(text.to_owned()), Self::Id)
    }
}

/// The limits of a window.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// Maximum tokens.
    pub tokens: u32,
    /// Maximum tokens once the window reaches beyond the newest conversation.
    pub older: u32,
    /// Maximum number of messages.
    pub messages: usize,
    /// Maximum tokens counted for one message; longer messages are shown shortened.
    pub longest: u32,
    /// Maximum tokens from the beginning of the newest conversation if the window does not reach it.
    pub head: u32,
}

/// The state of a lane for a turn, from one snapshot.
#[derive(Debug, Clone, Default)]
pub struct LaneView {
    /// The newest messages.
    pub history: History,
    /// The summaries of the lane.
    pub summaries: Vec<Summary>,
    /// The newest assistant message.
    pub last_reply: Option<Message>,
    /// The assistant's question that waits for an answer.
    pub pending: Option<PendingSlot>,
    /// The number of uncertain deliveries that no turn has mentioned yet.
    pub uncertain: u64,
    /// The number of refused replies that no turn has mentioned yet.
    pub refused: u64,
}

/// Number of newest messages in which the last reply is searched; an older reply is not worth a reminder.
const LAST_REPLY_SEARCH: usize = 50;

impl Store {
    /// Appends messages in order in one transaction. Their words are searchable when this returns.
    ///
    /// # Errors
    /// If the store cannot be written; then nothing was.
    pub async fn append(&self, messages: Vec<Append>) -> Result<Vec<Appended>> {
        messages.iter().try_for_each(|append| self.check_scope(&append.message.chat))?;
        let gap = self.gap;
        self.write(move |tx| append_all(tx, gap, &messages)).await
    }

    /// The sequence number of the newest message in all chats.
    pub async fn newest_seq(&self) -> Result<i64> {
        self.read(|tx| tx.newest_seq()).await
    }

    /// Appends a reply and stores the memories it asks for in one transaction; returns the message and the memories.
    /// A repeated reply stores no memories again.
    ///
    /// # Errors
    /// If the store cannot be written; then nothing was.
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
    /// Finds a message by our id or the channel's.
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

    /// The previous message in the lane of each of these.
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

    /// The messages whose ids have a prefix, in the order of their ids.
    pub async fn ids_with_prefix(&self, prefix: IdPrefix, limit: usize) -> Result<Vec<MessageId>> {
        self.read(move |tx, _, chat| tx.message_ids_between(chat, prefix.range(), limit)).await
    }

    /// For each id, of any kind, the neighboring message ids of this chat.
    pub async fn neighboring_ids(&self, ids: Vec<Uuid>) -> Result<Vec<Vec<MessageId>>> {
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

    /// The number of messages in a lane.
    pub async fn count(&self, lane: &Lane) -> Result<u64> {
        self.read_lane(lane, |_, _, lane| Ok(lane.messages)).await
    }

    /// Messages of a lane after a position, in order.
    pub async fn following(
        &self,
        lane: &Lane,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        let after = after.unwrap_or(conversations::START);
        self.read_lane(lane, move |tx, chat, lane| tx.messages_after(chat, lane.id, after, limit)).await
    }

    /// Messages of a lane before another one or the end, newest first.
    ///
    /// # Errors
    /// If that message is not in this chat, or the store cannot be read.
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

    /// The last messages of a lane up to a time, newest first.
    pub async fn last_messages(
        &self,
        lane: &Lane,
        at: Timestamp,
        limit: usize,
    ) -> Result<Vec<StoredMessage>> {
        let end = Position { at, seq: i64::MAX };
        self.read_lane(lane, move |tx, chat, lane| tx.messages_before(chat, lane.id, end, limit)).await
    }

    /// Messages after this sequence number, in the order of recording.
    pub async fn recorded_after(&self, seq: i64, limit: usize) -> Result<Vec<StoredMessage>> {
        self.read(move |tx, name, chat| tx.recorded_after(name, chat, seq, limit)).await
    }
}

pub(crate) fn read_one(tx: &Tx<'_>, chat: &ChatId, seq: i64) -> Result<StoredMessage> {
    let found = tx.message_by_seq(chat, seq)?;
    Ok(found.ok_or_else(|| Error::NotFound { what: "message", id: seq.to_string() })?.0)
}

/// Reads the lane from its end until a limit is reached.
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
        let is_done = found.is_some() || seen >= LAST_REPLY_SEARCH;
        Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found)
}
