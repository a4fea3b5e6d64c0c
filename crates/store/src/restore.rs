//! Replaces the database by a backup. The database as it will be is prepared beside the one that is there, which is not
//! opened: it may be damaged. Then the two are swapped in one step.

use std::path::{Path, PathBuf};

use crate::forget::Suppressed;
use crate::grants::Grants;
use crate::{Key, Options, Result, Store, sqlite};

/// A backup that is about to take the place of the database. Nothing has changed yet; if this is dropped, nothing does.
pub struct Restore {
    options: Options,
    prepared: sqlite::Prepared,
}

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The number of messages in the database now.
    pub messages: u64,
    /// The file that holds what was there before, if there was anything.
    pub kept: Option<PathBuf>,
}

impl Restore {
    /// Checks a backup, copies it beside the database, and keeps what is there.
    ///
    /// # Errors
    /// When the file is damaged, no backup of this version or an earlier one, or cannot be read, or when another process
    /// uses the database; then nothing is changed.
    pub async fn prepare(options: Options, file: &Path) -> Result<Self> {
        let prepared = sqlite::Prepared::new(&options, file).await?;
        Ok(Self { options, prepared })
    }

    /// The database as it will be. It has to be closed before the restore is carried out.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn store(&self) -> Result<Store> {
        Store::open(Options { path: self.prepared.copy.path.clone(), ..self.options.clone() }).await
    }

    /// The suppressions of the database that is there; nothing if they cannot be read because it is damaged.
    pub async fn suppressions_before(&self) -> Option<Vec<Suppressed>> {
        self.prepared.suppressions_before().await
    }

    /// Who has access to the database that is there; nothing if there is none, or it is damaged.
    pub async fn grants_before(&self) -> Option<Grants> {
        self.prepared.grants_before().await
    }

    /// Swaps the two.
    ///
    /// # Errors
    /// When the files cannot be written, or the database cannot be opened afterwards; then what was there is back.
    pub async fn carry_out(self) -> Result<Restored> {
        let (messages, kept) = self.prepared.carry_out().await?;
        Ok(Restored { messages, kept })
    }
}

/// Checks whether a file is a whole backup that can be restored. It may be encrypted with this key.
///
/// # Errors
/// When it is not; the error says why.
pub async fn check(file: &Path, key: Option<&Key>) -> Result<()> {
    sqlite::check(file, key).await
}

/// Writes the database, which the key of the options opens, again with another key or with none, and returns the number of
/// its messages. The new file takes the place of the old one in one step; no copy of the old one is kept.
///
/// # Errors
/// When the database is damaged, does not fit its key or is used by another process, or this build cannot encrypt; then
/// nothing is changed.
pub async fn convert(options: Options, to: Option<Key>) -> Result<u64> {
    sqlite::convert(options, to).await
}

/// Whether a file is an encrypted database or backup, as far as its first page tells.
#[must_use]
pub fn is_encrypted(file: &Path) -> bool {
    sqlite::is_encrypted(file)
}

/// The content of a database or backup as bytes that can be searched for a text.
///
/// # Errors
/// When the file cannot be read, or does not fit the key.
pub fn content(file: &Path, key: Option<&Key>) -> Result<Vec<u8>> {
    sqlite::content(file, key)
}

/// A copy of a backup, to be changed and backed up in its turn. It is gone when this is dropped.
pub struct BackupCopy {
    options: Options,
    copied: sqlite::Copied,
}

impl BackupCopy {
    /// Copies a backup beside the database.
    ///
    /// # Errors
    /// When the file is no whole backup, or cannot be copied.
    pub async fn of(file: &Path, options: Options) -> Result<Self> {
        let copied = sqlite::Copied::of(file, &options, ".cleaning").await?;
        Ok(Self { options, copied })
    }

    /// The copy, open.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn store(&self) -> Result<Store> {
        Store::open(Options { path: self.copied.path.clone(), ..self.options.clone() }).await
    }
}
