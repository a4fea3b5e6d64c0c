//! SQLite: one file, several processes. Connections come from a small pool; writers take turns, and readers do not
//! wait for them.
//!
//! A method of [`Tx`] is one statement with its row mapping. The rules are in the files above this folder.

mod arrivals;
mod attachments;
mod backup;
mod chats;
mod cipher;
mod credentials;
mod errors;
mod forget;
mod health;
mod index;
mod jobs;
mod ledger;
mod live;
mod memories;
mod messages;
mod open;
mod outbox;
mod pairing;
mod pieces;
mod profiles;
mod restore;
mod routines;
mod rows;
mod scrub;
mod settings;
mod summaries;
mod turns;
mod vectors;

use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row, Transaction, TransactionBehavior};
use tokio::sync::Semaphore;

use crate::{Access, Done, Error, Key, Options, Result, Work};
pub(crate) use cipher::content;
pub(crate) use restore::{Copied, Prepared, check, convert};

/// Number of concurrent reads. Most pages are in memory, so more would only compete for a processor.
const READERS: usize = 4;

/// The embedded database.
pub(crate) struct Sqlite {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    key: Option<Key>,
    idle: Mutex<Vec<Connection>>,
    /// Serializes the writers of this process, because SQLite's busy handler sleeps.
    writer: Mutex<()>,
    /// Limits the readers, since each connection uses memory and a thread.
    readers: Arc<Semaphore>,
    mode: Mode,
    /// A lock that keeps the file from being swapped for a backup.
    _use: Option<File>,
}

/// The access mode of the database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    ReadWrite,
    ReadOnly,
}

impl Sqlite {
    pub async fn open(options: Options) -> Result<Self> {
        let inner = blocking(move || {
            let Options { path, backups, key, .. } = options;
            let opened =
                open::enter(&path).and_then(|user| Ok((user, open::open(&path, &backups, key.as_ref())?)));
            let (user, connection, mode) = match opened {
                Ok((user, connection)) => (user, connection, Mode::ReadWrite),
                Err(refused @ Error::ReadOnly(_)) => match open::current_read_only(&path, key.as_ref()) {
                    Ok(connection) => (None, connection, Mode::ReadOnly),
                    Err(locked @ Error::Locked { .. }) => return Err(locked),
                    Err(_) => return Err(refused),
                },
                Err(error) => return Err(error),
            };
            Ok(Inner {
                path,
                key,
                idle: Mutex::new(vec![connection]),
                writer: Mutex::new(()),
                readers: Arc::new(Semaphore::new(READERS)),
                mode,
                _use: user,
            })
        });
        Ok(Self { inner: Arc::new(inner.await?) })
    }

    pub fn mode(&self) -> Mode {
        self.inner.mode
    }

    /// Runs `work` in one transaction: a read on one snapshot, or a write that is on disk when this returns.
    pub async fn run(&self, access: Access, work: Work) -> Result<Done> {
        let inner = Arc::clone(&self.inner);
        let reader = match access {
            Access::Read => {
                Some(Arc::clone(&inner.readers).acquire_owned().await.map_err(|_| Error::Ending)?)
            }
            Access::Write => None,
        };
        blocking(move || {
            let _reader = reader;
            if access == Access::Write && inner.mode == Mode::ReadOnly {
                return Err(Error::ReadOnly(inner.path.clone()));
            }
            let (behavior, _turn) = match access {
                Access::Read => (TransactionBehavior::Deferred, None),
                Access::Write => {
                    let turn = inner.writer.lock().unwrap_or_else(PoisonError::into_inner);
                    (TransactionBehavior::Immediate, Some(turn))
                }
            };
            inner.with_connection(|connection| {
                let transaction = Transaction::new_unchecked(connection, behavior)?;
                let done = work(&crate::Tx::Sqlite(Tx(&transaction)))?;
                transaction.commit()?;
                Ok(done)
            })
        })
        .await
    }
}

/// One transaction. Prepared statements are cached with their connection.
pub(crate) struct Tx<'a>(&'a Transaction<'a>);

impl<'a> Deref for Tx<'a> {
    type Target = Transaction<'a>;

    fn deref(&self) -> &Transaction<'a> {
        self.0
    }
}

impl Tx<'_> {
    /// Runs a statement and returns the number of changed rows.
    fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.prepare_cached(sql)?.execute(params)?)
    }

    /// Runs a statement.
    fn execute(&self, sql: &str, params: impl Params) -> Result<()> {
        self.run(sql, params).map(drop)
    }

    /// Calls `each` with every row.
    fn for_each(
        &self,
        sql: &str,
        params: impl Params,
        mut each: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            each(row)?;
        }
        Ok(())
    }

    /// Reads every row.
    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.for_each(sql, params, |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Reads the first row, if there is one.
    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        rows.next()?.map(read).transpose()
    }

    /// The first column of every row.
    fn values<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<Vec<T>> {
        self.all(sql, params, |row| Ok(row.get(0)?))
    }

    /// The first column of the first row, if there is one.
    fn value<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<Option<T>> {
        self.first(sql, params, |row| Ok(row.get(0)?))
    }

    /// The first column of the only row.
    fn only<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<T> {
        Ok(self.prepare_cached(sql)?.query_row(params, |row| row.get(0))?)
    }

    /// Returns true if a query has a row.
    fn has(&self, sql: &str, params: impl Params) -> Result<bool> {
        Ok(self.prepare_cached(sql)?.exists(params)?)
    }
}

impl Inner {
    fn with_connection<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None if self.mode == Mode::ReadOnly => open::read_only(&self.path, self.key.as_ref())?,
            None => open::connect(&self.path, self.key.as_ref())?,
        };
        let done = work(&connection).map_err(|error| errors::explain(error, &self.path));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        done
    }
}

/// Returns true if a file looks like an encrypted database, by its first page.
pub(crate) fn is_encrypted(path: &Path) -> bool {
    cipher::form(path) == cipher::Form::Encrypted
}

async fn blocking<T, F>(work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T> + Send + 'static,
{
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::Ending)?
}
