//! Replaces the database by a backup. The new database is prepared beside the current one, which is not opened
//! because it may be damaged. Then the two are swapped in one step.

use std::path::{Path, PathBuf};

use crate::forget::Suppressed;
use crate::grants::Grants;
use crate::{Key, Options, Result, Store, sqlite};

/// A backup that is ready to replace the database. Dropping it changes nothing.
pub struct Restore {
    options: Options,
    prepared: sqlite::Prepared,
}

/// The result of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The number of messages in the restored database.
    pub messages: u64,
    /// The file with the previous database, if there was one.
    pub kept: Option<PathBuf>,
}

impl Restore {
    /// Checks a backup, copies it beside the database, and keeps the current database.
    ///
    /// # Errors
    /// If the file is damaged, is not a backup of this version or an earlier one, or cannot be read, or if another
    /// process uses the database; then nothing changed.
    pub async fn prepare(options: Options, file: &Path) -> Result<Self> {
        let prepared = sqlite::Prepared::new(&options, file).await?;
        Ok(Self { options, prepared })
    }

    /// The prepared database. It must be closed before [`Restore::carry_out`].
    ///
    /// # Errors
    /// If it cannot be opened.
    pub async fn store(&self) -> Result<Store> {
        Store::open(Options { path: self.prepared.copy.path.clone(), ..self.options.clone() }).await
    }

    /// The suppressions of the current database; `None` if it is damaged.
    pub async fn suppressions_before(&self) -> Option<Vec<Suppressed>> {
        self.prepared.suppressions_before().await
    }

    /// The granted access of the current database; `None` if there is none, or it is damaged.
    pub async fn grants_before(&self) -> Option<Grants> {
        self.prepared.grants_before().await
    }

    /// Swaps the two databases.
    ///
    /// # Errors
    /// If the files cannot be written, or the database cannot be opened afterwards; then the previous database is
    /// back.
    pub async fn carry_out(self) -> Result<Restored> {
        let (messages, kept) = self.prepared.carry_out().await?;
        Ok(Restored { messages, kept })
    }
}

/// Checks that a file is a complete backup. It may be encrypted with this key.
///
/// # Errors
/// If it is not; the error says why.
pub async fn check(file: &Path, key: Option<&Key>) -> Result<()> {
    sqlite::check(file, key).await
}

/// Re-encrypts the database with another key, or decrypts it, and returns the number of its messages. The new file
/// replaces the old one in one step; no copy is kept.
///
/// # Errors
/// If the database is damaged, does not match its key or is used by another process, or this build cannot encrypt;
/// then nothing changed.
pub async fn convert(options: Options, to: Option<Key>) -> Result<u64> {
    sqlite::convert(options, to).await
}

/// Returns true if a file looks like an encrypted database or backup, by its first page.
#[must_use]
pub fn is_encrypted(file: &Path) -> bool {
    sqlite::is_encrypted(file)
}

/// The content of a database or backup as searchable bytes.
///
/// # Errors
/// If the file cannot be read, or does not match the key.
pub fn content(file: &Path, key: Option<&Key>) -> Result<Vec<u8>> {
    sqlite::content(file, key)
}

/// A temporary copy of a backup that can be changed and backed up again. Dropping it deletes the copy.
pub struct BackupCopy {
    options: Options,
    copied: sqlite::Copied,
}

impl BackupCopy {
    /// Copies a backup beside the database.
    ///
    /// # Errors
    /// If the file is not a complete backup, or cannot be copied.
    pub async fn of(file: &Path, options: Options) -> Result<Self> {
        let copied = sqlite::Copied::of(file, &options, ".cleaning").await?;
        Ok(Self { options, copied })
    }

    /// Opens the copy.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub async fn store(&self) -> Result<Store> {
        Store::open(Options { path: self.copied.path.clone(), ..self.options.clone() }).await
    }
}
