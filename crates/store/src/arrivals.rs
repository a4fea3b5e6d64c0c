//! The inbox of a channel: each update is ingested once, in the transaction that moves the position to continue from.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::{self, EDITED, MessageId, STANDS_FOR_IT};

use crate::intake::{append_one, open_lane, shown_tokens};
use crate::messages::{Append, Appended, Purpose, read_one};
use crate::outbox::NewOutboxItem;
use crate::pairing::OwnerNotice;
use crate::tx::Tx;
use crate::{Error, InChat, Result, Store, pairing, profiles};

/// An update of one of the accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The account, such as `telegram:7000001`.
    pub account: String,
    /// The update's number there.
    pub update: i64,
    /// The arrival time, by the calendar.
    pub at: Timestamp,
}

/// The content of an update.
#[derive(Debug, Clone)]
pub enum Arrival {
    /// A message.
    Message(Box<Append>),
    /// A new text of a message. If the message still waits for a turn, the edit replaces it; otherwise it is only
    /// recorded.
    Edit {
        /// The new text as a message.
        edit: Box<Append>,
        /// The message's newest version.
        replaces: MessageId,
    },
    /// Items to send; the update itself is not recorded.
    Notice(Vec<NewOutboxItem>),
    /// A command or a pressed button, handled after the messages before it.
    InboundAction {
        /// The chat.
        chat: ChatId,
        /// The lane.
        lane: Lane,
        /// The action, in the format of the channel.
        what: String,
    },
    /// The chat continues under another id, with all its content.
    Move {
        /// The old id.
        from: ChatId,
        /// The new id.
        to: ChatId,
    },
    /// An unpaired person requests access: the request, the answer to send, and the notice to the owner.
    PairingRequest(PairingRequest, NewOutboxItem, Option<OwnerNotice>),
    /// A person changed their reactions to a message.
    Reaction(Box<Reaction>),
    /// Nothing to record.
    Nothing,
}

/// All current reactions of one person to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// The chat.
    pub chat: ChatId,
    /// The channel's id of the message.
    pub message: String,
    /// The person.
    pub person: String,
    /// Their name.
    pub name: String,
    /// The current emoji; earlier ones that are missing here were removed.
    pub emoji: Vec<String>,
    /// The time, by the calendar.
    pub at: Timestamp,
}

/// A request to be paired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairingRequest {
    /// The code that approves it.
    pub code: String,
    /// The person.
    pub person: String,
    /// Their name.
    pub name: String,
    /// The chat in which the person wrote.
    pub chat: ChatId,
    /// When the code expires.
    pub until: Timestamp,
}

/// The outcome of ingesting an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ingested {
    /// The update was ingested before.
    Known,
    /// The update was recorded as a message.
    Message(Appended),
    /// The update was stored, or had nothing to store.
    Done,
}

/// A command or a pressed button that waits to be handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundAction {
    /// Its number.
    pub id: i64,
    /// The action, in the format of the channel.
    pub what: String,
}

/// The next work in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Messages wait for a turn: all, or only those up to this sequence number if an action follows them.
    Turn(Option<i64>),
    /// An action waits to be handled.
    InboundAction(InboundAction),
    /// Nothing.
    Nothing,
}

/// An account on a channel, and the state of its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The account.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// The next update to request.
    pub next: i64,
    /// The time of the newest update.
    pub heard_at: Option<Timestamp>,
    /// `listening`, `failing` or `stopped`.
    pub state: String,
    /// The problem, in the state `failing`.
    pub problem: Option<String>,
    /// The time of the last change of state.
    pub changed_at: Timestamp,
    /// The process that is connected.
    pub owner: Option<String>,
}

/// How long an update is recognized when it is repeated. Channels repeat updates for a day.
const DEDUPLICATION_PERIOD: SignedDuration = SignedDuration::from_hours(72);

impl Store {
    /// Ingests an update: its content and the position to continue from are written in one transaction.
    ///
    /// # Errors
    /// If the store cannot be written; then the channel repeats the update.
    pub async fn ingest(&self, mark: Mark, arrival: Arrival) -> Result<Ingested> {
        let gap = self.gap;
        self.write(move |tx| {
            if !is_new(tx, &mark)? {
                return Ok(Ingested::Known);
            }
            match arrival {
                Arrival::Message(append) => return append_one(tx, gap, &append).map(Ingested::Message),
                Arrival::Edit { edit, replaces } => {
                    return record_edit(tx, gap, *edit, replaces).map(Ingested::Message);
                }
                Arrival::Notice(items) => {
                    items.iter().try_for_each(|item| tx.insert_outbox_item(item, None, None).map(drop))?;
                }
                Arrival::InboundAction { chat, lane, what } => {
                    tx.insert_inbound_action(open_lane(tx, &chat, &lane)?.id, &what)?;
                }
                Arrival::Move { from, to } => move_chat(tx, &from, &to)?,
                Arrival::PairingRequest(request, answer, notice) => {
                    pairing::add_request(tx, &request, notice.as_ref(), mark.at)?;
                    tx.insert_outbox_item(&answer, None, None)?;
                }
                Arrival::Reaction(reaction) => react(tx, &reaction)?,
                Arrival::Nothing => {}
            }
            Ok(Ingested::Done)
        })
        .await
    }

    /// Opens an account. If another account of the same channel was open last, its external ids get a prefix, because
    /// this account uses the same ids for other messages.
    pub async fn open_account(&self, id: &str) -> Result<Account> {
        let id = id.to_owned();
        self.write(move |tx| {
            let channel = id.split(':').next().unwrap_or_default();
            let name = format!("account {channel}");
            if let Some(last) = tx.setting(&name)?.filter(|last| *last != id) {
                for chat in tx.chats_of_channel(channel)? {
                    tx.prefix_external_ids(chat, &last)?;
                    tx.unprefix_external_ids(chat, &id)?;
                }
            }
            tx.put_setting(&name, &id)?;
            tx.add_account(&id)?;
            let opened = tx.accounts(Some(&id))?.pop();
            opened.ok_or(Error::NotFound { what: "account", id })
        })
        .await
    }

    /// Stores the state of an account.
    pub async fn note_account(&self, account: Account) -> Result<()> {
        self.write(move |tx| tx.put_account(&account)).await
    }

    /// All accounts, for `status`.
    pub async fn accounts(&self) -> Result<Vec<Account>> {
        self.read(|tx| tx.accounts(None)).await
    }

    /// The lanes of a channel in which messages or actions wait.
    pub async fn lanes_with_work(&self, channel: &str) -> Result<Vec<(ChatId, Lane)>> {
        let channel = channel.to_owned();
        self.read(move |tx| tx.lanes_with_work(&channel)).await
    }

    /// Moves a chat to another id, with everything in it.
    pub async fn move_chat(&self, from: &ChatId, to: &ChatId) -> Result<()> {
        let (from, to) = (from.clone(), to.clone());
        self.write(move |tx| move_chat(tx, &from, &to)).await
    }
}

impl InChat {
    /// The next work in a lane, in the order of arrival.
    pub async fn next_in_lane(&self, lane: &Lane) -> Result<Next> {
        let next = self.read_lane(lane, |tx, _, lane| {
            let waiting = tx.first_waiting(lane.id)?;
            Ok(match (tx.first_inbound_action(lane.id)?, waiting) {
                (Some((_, after)), Some(waiting)) if waiting <= after => Some(Next::Turn(Some(after))),
                (Some((action, _)), _) => Some(Next::InboundAction(action)),
                (None, Some(_)) => Some(Next::Turn(None)),
                (None, None) => None,
            })
        });
        Ok(next.await?.unwrap_or(Next::Nothing))
    }

    /// Marks the topic or thread of a lane as deleted on the channel.
    pub async fn close_lane(&self, lane: &Lane) -> Result<()> {
        let key = lane.key(&self.chat);
        self.write(move |tx, name, _| match tx.lane_row(name, &key)? {
            Some(lane) => tx.close_lane(lane.id),
            None => Ok(()),
        })
        .await
    }

    /// Returns true if the channel has deleted the topic or thread of a lane.
    pub async fn is_closed(&self, lane: &Lane) -> Result<bool> {
        self.read_lane(lane, |tx, _, lane| tx.is_lane_closed(lane.id)).await
    }
}

/// Stores an update's number, and returns true if it is new.
fn is_new(tx: &Tx<'_>, mark: &Mark) -> Result<bool> {
    let is_new = tx.add_update(mark)?;
    tx.advance_account(mark)?;
    tx.delete_updates_before(mark.at.saturating_sub(DEDUPLICATION_PERIOD).unwrap_or(Timestamp::MIN))?;
    Ok(is_new)
}

/// Records an edit. If the message waits for a turn, the edit takes over its place in the queue, its time and its
/// ids, and the message is marked as edited: it stays on record, but models neither see it nor learn from it.
fn record_edit(tx: &Tx<'_>, gap: SignedDuration, mut edit: Append, replaces: MessageId) -> Result<Appended> {
    let name = edit.message.chat.clone();
    let found = match tx.chat_row(&name)? {
        Some(chat) => tx.message_seq(chat, replaces)?.map(|seq| (chat, seq)),
        None => None,
    };
    let Some((chat, seq)) = found else { return append_one(tx, gap, &edit) };
    let Some((stored, lane)) = tx.message_by_seq(&name, seq)? else { return append_one(tx, gap, &edit) };
    if !tx.waiting_in(lane)?.contains(&seq) {
        return append_one(tx, gap, &edit);
    }
    let mut old = stored.message;
    edit.purpose = Purpose::Answer;
    edit.message.occurred_at = old.occurred_at;
    edit.message.metadata.insert(STANDS_FOR_IT.to_owned(), true.into());
    if let Some(quote) = old.metadata.get("quote") {
        edit.message.metadata.insert("quote".to_owned(), quote.clone());
    }
    let appended = append_one(tx, gap, &edit)?;
    if appended.known {
        return Ok(appended);
    }
    tx.delete_waiting(seq)?;
    tx.delete_unextracted(chat, seq)?;
    // The edit takes over the message's files.
    tx.move_attachments(seq, appended.seq)?;
    old.metadata.insert(EDITED.to_owned(), appended.id.to_string().into());
    tx.rewrite_message(seq, &old.text, &old.metadata, shown_tokens(&old))?;
    let mut ids = tx.external_ids(seq)?;
    ids.iter().try_for_each(|id| tx.move_external_id(chat, id, appended.seq))?;
    ids.extend(tx.external_ids(appended.seq)?);
    tx.put_external_ids(seq, &[])?;
    tx.put_external_ids(appended.seq, &ids)?;
    Ok(appended)
}

/// Moves a chat to another id. It keeps its row, and so everything that belongs to it.
fn move_chat(tx: &Tx<'_>, from: &ChatId, to: &ChatId) -> Result<()> {
    // Outbox items move to the new id in any case.
    tx.move_outbox(from, to)?;
    let Some(row) = tx.chat_row(from)? else { return Ok(()) };
    if let Some(there) = tx.chat_row(to)? {
        if !tx.is_bare_chat(there)? {
            tracing::warn!(%from, %to, "chat not moved because the new id has messages; keeping both");
            return Ok(());
        }
        tx.delete_bare_chat(there)?;
    }
    tx.rename_chat(row, to)?;
    for (id, key) in tx.lanes_of(row)? {
        let lane = Lane::parse(&key, from).map_err(|error| Error::Unreadable(error.to_string()))?;
        tx.rename_lane(id, &lane.key(to))?;
    }
    // The channel numbers the messages of the new chat from the start.
    tx.prefix_external_ids(row, from.name())?;
    tx.move_jobs(from.as_str(), to.as_str())?;
    tx.move_profiles(&profiles::owner(from, None), &profiles::owner(to, None))
}

/// Stores reactions in the metadata of their message, so they are exported, shown and forgotten with it.
fn react(tx: &Tx<'_>, reaction: &Reaction) -> Result<()> {
    let Some(chat) = tx.chat_row(&reaction.chat)? else { return Ok(()) };
    let Some(seq) = tx.external_message(chat, &reaction.message)? else { return Ok(()) };
    let mut message = read_one(tx, &reaction.chat, seq)?.message;
    let now = |emoji: &str| reaction.emoji.iter().any(|stands| stands == emoji);
    let mut all = message.reactions();
    for known in all.iter_mut().filter(|known| known.person == reaction.person) {
        let is_removed = !now(&known.emoji);
        if known.is_removed != is_removed {
            (known.is_removed, known.at) = (is_removed, reaction.at);
        }
    }
    for emoji in &reaction.emoji {
        if !all.iter().any(|known| known.person == reaction.person && known.emoji == *emoji) {
            let (person, name) = (reaction.person.clone(), reaction.name.clone());
            let at = reaction.at;
            all.push(message::Reaction { person, name, emoji: emoji.clone(), at, is_removed: false });
        }
    }
    message.set_reactions(&all);
    tx.rewrite_message(seq, &message.text, &message.metadata, shown_tokens(&message))
}
