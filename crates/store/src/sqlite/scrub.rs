//! Removes deleted bytes from the files of the database.

use std::sync::{Arc, PoisonError};

use super::{Sqlite, Tx, blocking};
use crate::{Error, Result};

/// The setting that exists while deleted bytes may be left in the files.
const SCRUB: &str = "scrub";
const WANT: &str = "INSERT OR IGNORE INTO settings (name, value) VALUES (?1, '1')";

impl Sqlite {
    pub async fn scrub(&self) -> Result<()> {
        let inner = Arc::clone(&self.inner);
        blocking(move || {
            let _turn = inner.writer.lock().unwrap_or_else(PoisonError::into_inner);
            inner.with_connection(|connection| {
                // Deleted bytes remain in free pages and between rows; a rewritten file has neither.
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
}

impl Tx<'_> {
    pub fn wants_scrub(&self) -> Result<bool> {
        self.has("SELECT 1 FROM settings WHERE name = ?1", [SCRUB])
    }

    pub fn request_scrub(&self) -> Result<()> {
        self.execute(WANT, [SCRUB])
    }
}
