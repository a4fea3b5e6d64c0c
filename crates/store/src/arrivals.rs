//! What arrives by itself from a channel: each update is taken in once, together with the place to listen on from.

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;

use crate::intake::{append_one, open_lane};
use crate::messages::{Append, Appended};
use crate::outbox::NewOutboxItem;
use crate::tx::Tx;
use crate::{Error, InChat, Result, Store, pairing, profiles};

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

/// How long an update is remembered. Channels repeat updates for a day.
const KNOWN_FOR: SignedDuration = SignedDuration::from_hours(72);

impl Store {
    /// Ingests an update: what it holds and the position to continue from are one transaction.
    ///
    /// # Errors
    /// When the store cannot be written; then the update comes again.
    pub async fn ingest(&self, mark: Mark, arrival: Arrival) -> Result<Ingested> {
        let gap = self.gap;
        self.write(move |tx| {
            if !is_new(tx, &mark)? {
                return Ok(Ingested::Known);
            }
            match arrival {
                Arrival::Message(append) => return append_one(tx, gap, &append).map(Ingested::Message),
                Arrival::InboundAction { chat, lane, what } => {
                    tx.insert_inbound_action(open_lane(tx, &chat, &lane)?.id, &what)?;
                }
                Arrival::Move { from, to } => move_chat(tx, &from, &to)?,
                Arrival::PairingRequest(request, answer) => {
                    pairing::note(tx, &request, mark.at)?;
                    tx.insert_outbox_item(&answer, None, None)?;
                }
                Arrival::Nothing => {}
            }
            Ok(Ingested::Done)
        })
        .await
    }

    /// Opens an account. If another account of the same channel was open last, the ids that it gave its messages are set
    /// apart, because this account gives the same ids to other messages.
    ///
    /// # Errors
    /// When the store cannot be written.
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

    /// Notes the state of an account.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn note_account(&self, account: Account) -> Result<()> {
        self.write(move |tx| tx.put_account(&account)).await
    }

    /// The accounts, for `status`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn accounts(&self) -> Result<Vec<Account>> {
        self.read(|tx| tx.accounts(None)).await
    }

    /// The lanes of a channel in which messages or actions wait.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn lanes_with_work(&self, channel: &str) -> Result<Vec<(ChatId, Lane)>> {
        let channel = channel.to_owned();
        self.read(move |tx| tx.lanes_with_work(&channel)).await
    }

    /// Moves a chat to another id, with everything in it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn move_chat(&self, from: &ChatId, to: &ChatId) -> Result<()> {
        let (from, to) = (from.clone(), to.clone());
        self.write(move |tx| move_chat(tx, &from, &to)).await
    }
}

impl InChat {
    /// What comes next in a lane, in the order in which it arrived.
    ///
    /// # Errors
    /// When the store cannot be read.
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

    /// Notes that the channel has deleted the topic or thread of a lane.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn close_lane(&self, lane: &Lane) -> Result<()> {
        let key = lane.key(&self.chat);
        self.write(move |tx, name, _| match tx.lane_row(name, &key)? {
            Some(lane) => tx.close_lane(lane.id),
            None => Ok(()),
        })
        .await
    }

    /// Whether the channel has deleted the topic or thread of a lane.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn is_closed(&self, lane: &Lane) -> Result<bool> {
        self.read_lane(lane, |tx, _, lane| tx.is_lane_closed(lane.id)).await
    }
}

/// Notes an update, and returns whether it came for the first time.
fn is_new(tx: &Tx<'_>, mark: &Mark) -> Result<bool> {
    let is_new = tx.add_update(mark)?;
    tx.advance_account(mark)?;
    tx.delete_updates_before(mark.at.saturating_sub(KNOWN_FOR).unwrap_or(Timestamp::MIN))?;
    Ok(is_new)
}

/// A chat that gets another id keeps its row, and so everything that belongs to it.
fn move_chat(tx: &Tx<'_>, from: &ChatId, to: &ChatId) -> Result<()> {
    // What is to be sent goes to the new id in any case.
    tx.move_outbox(from, to)?;
    let Some(row) = tx.chat_row(from)? else { return Ok(()) };
    if let Some(there) = tx.chat_row(to)? {
        if !tx.is_bare_chat(there)? {
            tracing::warn!(%from, %to, "chat not moved: the new id has messages of its own; both chats stay");
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
