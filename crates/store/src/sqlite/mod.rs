//! SQLite: one file, several processes. Connections come from a small pool; writers take turns, readers do not wait.

mod arrivals;
mod backup;
mod chats;
mod compaction;
mod conversations;
mod embedder;
mod forget;
mod health;
mod index;
mod jobs;
mod ledger;
mod memories;
mod message_meta;
mod messages;
mod open;
mod outbox;
mod pairing;
mod pieces;
mod postings;
mod profiles;
mod routines;
mod rows;
mod scrub;
mod search;
mod summaries;
mod suppressions;
mod turns;
mod vectors;
mod words;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::SignedDuration;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use self::index::Indexes;
use crate::{Error, Options, Result};

/// The embedded database.
pub(crate) struct Sqlite {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    backups: PathBuf,
    gap: SignedDuration,
    idle: Mutex<Vec<Connection>>,
    /// Writers of this process take turns here, rather than in SQLite's busy handler, which sleeps.
    writer: Mutex<()>,
    /// What this process holds in memory to search chats.
    indexes: Arc<Indexes>,
}

impl Sqlite {
    pub async fn open(options: Options) -> Result<Self> {
        let inner = blocking(move || {
            let connection = open::open(&options)?;
            let Options { path, gap, backups } = options;
            Ok(Inner {
                path,
                backups,
                gap,
                idle: Mutex::new(vec![connection]),
                writer: Mutex::new(()),
                indexes: Arc::default(),
            })
        });
        Ok(Self { inner: Arc::new(inner.await?) })
    }

    /// Runs a read on one snapshot of the database.
    pub async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    {
        self.run(TransactionBehavior::Deferred, work).await
    }

    /// Runs a write as one transaction that is on disk when this returns.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    {
        self.run(TransactionBehavior::Immediate, work).await
    }

    async fn run<T, F>(&self, behavior: TransactionBehavior, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    {
        let inner = Arc::clone(&self.inner);
        blocking(move || {
            let writes = matches!(behavior, TransactionBehavior::Immediate);
            let _turn = writes.then(|| inner.writer.lock().unwrap_or_else(PoisonError::into_inner));
            inner.with_connection(|connection| {
                let transaction = Transaction::new_unchecked(connection, behavior)?;
                let done = work(&transaction)?;
                transaction.commit()?;
                Ok(done)
            })
        })
        .await
    }

    fn indexes(&self) -> Arc<Indexes> {
        Arc::clone(&self.inner.indexes)
    }

    pub fn gap(&self) -> SignedDuration {
        self.inner.gap
    }
}

impl Inner {
    fn with_connection<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open::connect(&self.path)?,
        };
        let done = work(&connection).map_err(|error| open::explain(error, &self.path));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        done
    }
}

async fn blocking<T, F>(work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T> + Send + 'static,
{
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::Ending)?
}
