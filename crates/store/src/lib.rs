//! Persists messages and everything derived from them. Content is read chat by chat, through [`InChat`].
//!
//! [`Store`] wraps a private enum with one variant per database. The files here contain the contract and the rules,
//! written against one transaction, [`tx::Tx`]; each database's folder contains its SQL and nothing else.

pub mod arrivals;
pub mod attachments;
pub mod carried;
pub mod chats;
mod conversations;
pub mod credentials;
mod derived;
pub mod effects;
pub mod embedder;
mod error;
pub mod forget;
mod forgotten_words;
pub mod grants;
pub mod health;
pub mod holder;
mod index;
mod intake;
pub mod jobs;
mod key;
pub mod ledger;
pub mod live;
pub mod memories;
pub mod messages;
pub mod outbox;
pub mod pairing;
pub mod pieces;
pub mod profiles;
pub mod relayed;
pub mod requests;
pub mod restore;
pub mod routines;
pub mod search;
mod sqlite;
pub mod summaries;
mod suppressions;
pub mod turns;
mod tx;
pub mod uncertain;
pub mod vectors;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;

pub use error::{Error, Result};
pub use key::{Key, KeyMismatch};

use self::index::Indexes;
use self::tx::{LaneRow, Tx};

/// Options for opening a store.
#[derive(Debug, Clone)]
pub struct Options {
    /// The database file; its directory exists.
    pub path: PathBuf,
    /// The silence that ends a conversation.
    pub gap: SignedDuration,
    /// The folder for backups before a migration.
    pub backups: PathBuf,
    /// The key, if the database is encrypted.
    pub key: Option<Key>,
}

/// A database, shared by this process and others.
#[derive(Clone)]
pub struct Store {
    arm: Arm,
    gap: SignedDuration,
    /// The chats that this handle may access; `None` for all.
    scope: Option<Scope>,
    /// The in-memory indexes of the chats this process has searched.
    indexes: Arc<Indexes>,
}

/// Returns true if a handle may access a chat.
pub type Scope = Arc<dyn Fn(&ChatId) -> bool + Send + Sync>;

#[derive(Clone)]
enum Arm {
    Sqlite(Arc<sqlite::Sqlite>),
}

/// The body of a transaction. Body and result are boxed, so that the code around them is compiled once rather than
/// for every read and write, which was a fifth of the program's code.
type Work = Box<dyn FnOnce(&Tx<'_>) -> Result<Done> + Send>;
type Done = Box<dyn Any + Send>;

/// The access mode of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Store {
    /// Opens the database, and creates or migrates it first if needed.
    ///
    /// # Errors
    /// If it cannot be read or written, is corrupt, was made by a newer version, or does not match the key.
    pub async fn open(options: Options) -> Result<Self> {
        let gap = options.gap;
        let arm = Arm::Sqlite(Arc::new(sqlite::Sqlite::open(options).await?));
        let store = Self { arm, gap, scope: None, indexes: Arc::default() };
        if !store.is_read_only() {
            store.refresh_derived().await?;
        }
        Ok(store)
    }

    /// Returns true if the file or its folder cannot be written.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        match &self.arm {
            Arm::Sqlite(db) => db.mode() == sqlite::Mode::ReadOnly,
        }
    }

    /// A handle restricted to those of its chats that are also in `scope`.
    #[must_use]
    pub fn narrowed(&self, scope: Scope) -> Self {
        let scope: Scope = match self.scope.clone() {
            Some(wider) => Arc::new(move |chat| wider(chat) && scope(chat)),
            None => scope,
        };
        Self { scope: Some(scope), ..self.clone() }
    }

    /// Returns true if this handle may access a chat.
    #[must_use]
    pub fn may_touch(&self, chat: &ChatId) -> bool {
        self.scope.as_ref().is_none_or(|scope| scope(chat))
    }

    fn check_scope(&self, chat: &ChatId) -> Result<()> {
        if self.may_touch(chat) { Ok(()) } else { Err(Error::OutOfScope(chat.clone())) }
    }

    /// A handle for one chat.
    #[must_use]
    pub fn chat(&self, chat: &ChatId) -> InChat {
        InChat { unscoped: self.clone(), chat: chat.clone(), watched: None }
    }

    /// Runs a read on one snapshot of the database.
    async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.run(Access::Read, work).await
    }

    /// Runs a write in one transaction, which is on disk when this returns.
    async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.run(Access::Write, work).await
    }

    async fn run<T, F>(&self, access: Access, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx<'_>) -> Result<T> + Send + 'static,
    {
        let work: Work = Box::new(move |tx| Ok(Box::new(work(tx)?)));
        let done = match &self.arm {
            Arm::Sqlite(db) => db.run(access, work).await?,
        };
        done.downcast().map(|done| *done).map_err(|_| Error::Ending)
    }
}

/// A handle that can read one chat and no other.
#[derive(Clone)]
pub struct InChat {
    /// Access it through `store`, which checks the scope.
    unscoped: Store,
    chat: ChatId,
    /// The chat's number of forgettings when the handle began to watch.
    watched: Option<u64>,
}

impl InChat {
    /// The chat.
    #[must_use]
    pub fn id(&self) -> &ChatId {
        &self.chat
    }

    /// The store, if this chat is in its scope.
    fn store(&self) -> Result<&Store> {
        match self.unscoped.may_touch(&self.chat) {
            true => Ok(&self.unscoped),
            false => Err(Error::OutOfScope(self.chat.clone())),
        }
    }

    /// A handle that refuses to write derived data after a later forgetting, because what was read before may contain
    /// forgotten words.
    pub async fn watching(&self) -> Result<Self> {
        Ok(Self { watched: Some(self.forgettings().await?), ..self.clone() })
    }

    /// Reads this chat on one snapshot. An unknown chat is empty.
    async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Default + Send + 'static,
        F: FnOnce(&Tx<'_>, &ChatId, i64) -> Result<T> + Send + 'static,
    {
        let chat = self.chat.clone();
        self.store()?.read(move |tx| in_chat(tx, &chat, work)).await
    }

    /// Reads one lane of this chat on one snapshot. An unknown lane is empty.
    async fn read_lane<T, F>(&self, lane: &Lane, work: F) -> Result<T>
    where
        T: Default + Send + 'static,
        F: FnOnce(&Tx<'_>, &ChatId, LaneRow) -> Result<T> + Send + 'static,
    {
        let (chat, key) = (self.chat.clone(), lane.key(&self.chat));
        self.store()?
            .read(move |tx| match tx.lane_row(&chat, &key)? {
                Some(lane) => work(tx, &chat, lane),
                None => Ok(T::default()),
            })
            .await
    }

    /// Writes to this chat in one transaction. Does nothing if the chat is unknown.
    async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Default + Send + 'static,
        F: FnOnce(&Tx<'_>, &ChatId, i64) -> Result<T> + Send + 'static,
    {
        let chat = self.chat.clone();
        self.store()?.write(move |tx| in_chat(tx, &chat, work)).await
    }

    /// Writes data derived from this chat, unless something was forgotten since it was read.
    async fn write_derived<T, F>(&self, work: F) -> Result<T>
    where
        T: Default + Send + 'static,
        F: FnOnce(&Tx<'_>, &ChatId, i64) -> Result<T> + Send + 'static,
    {
        let watched = self.watched;
        self.write(move |tx, name, chat| {
            forget::check(tx, chat, watched)?;
            work(tx, name, chat)
        })
        .await
    }
}

fn in_chat<T: Default>(
    tx: &Tx<'_>,
    chat: &ChatId,
    work: impl FnOnce(&Tx<'_>, &ChatId, i64) -> Result<T>,
) -> Result<T> {
    match tx.chat_row(chat)? {
        Some(row) => work(tx, chat, row),
        None => Ok(T::default()),
    }
}
