//! Leaves no trace in the files of what was deleted from the database.

use std::sync::{Arc, PoisonError};

use rusqlite::Transaction;

use super::{Sqlite, blocking};
use crate::{Error, Result};

/// Stands in the settings while deleted bytes may still lie in the files.
const SCRUB: &str = "scrub";
const WANT: &str = "INSERT OR IGNORE INTO settings (name, value) VALUES (?1, '1')";

impl Sqlite {
    pub async fn scrub(&self) -> Result<()> {
        let inner = Arc::clone(&self.inner);
        blocking(move || {
            let _turn = inner.writer.lock().unwrap_or_else(PoisonError::into_inner);
            inner.with_connection(|connection| {
                // Deleted bytes stay in free pages and in gaps between rows; a file that is written anew has neither.
                connection.execute("DELETE FROM settings WHERE name = ?1", [SCRUB])?;
                if let Err(error) = connection.execute_batch("VACUUM") {
                    connection.execute(WANT, [SCRUB])?;
                    return Err(error.into());
                }
                let busy: bool =
                    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
                if busy {
                    connection.execute(WANT, [SCRUB])?;
                    return Err(Error::Busy);
                }
                Ok(())
            })
        })
        .await
    }

    pub async fn wants_scrub(&self) -> Result<bool> {
        self.read(|transaction| {
            Ok(transaction.prepare_cached("SELECT 1 FROM settings WHERE name = ?1")?.exists([SCRUB])?)
        })
        .await
    }
}

/// Asks for it, until it has been done.
pub(super) fn want(transaction: &Transaction<'_>) -> Result<()> {
    transaction.execute(WANT, [SCRUB])?;
    Ok(())
}
