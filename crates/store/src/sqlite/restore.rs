//! Swaps the database file for a backup.
//!
//! Renaming the copy of the backup to `throughline.db.restored` commits the restore: if this process is killed
//! afterwards, the next one that opens the database finishes it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::backup::{self, private_file, sync};
use super::cipher::{self, Form};
use super::errors::unavailable;
use super::{Tx, blocking, open};
use crate::forget::Suppressed;
use crate::grants::{Grants, grants};
use crate::{Error, Key, Options, Result};

/// How long a restore waits for other processes to close the database.
const MAX_WAIT: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A backup that is ready to replace the database.
pub(crate) struct Prepared {
    options: Options,
    pub copy: Copied,
    /// The current database, under another name.
    kept: Option<PathBuf>,
    /// Keeps other processes from opening the database meanwhile.
    _alone: File,
    is_carried_out: bool,
}

impl Prepared {
    pub async fn new(options: &Options, file: &Path) -> Result<Self> {
        let (options, file) = (options.clone(), file.to_owned());
        blocking(move || prepare(options, &file)).await
    }

    pub async fn suppressions_before(&self) -> Option<Vec<Suppressed>> {
        let Some(kept) = self.kept.clone() else { return Some(Vec::new()) };
        let every = |tx: &crate::Tx<'_>| tx.every_suppression();
        Some(self.before(kept, every).await?.into_iter().map(|(.., suppressed)| suppressed).collect())
    }

    pub async fn grants_before(&self) -> Option<Grants> {
        self.before(self.kept.clone()?, grants).await
    }

    /// Reads the current database; `None` if it is damaged.
    async fn before<T, F>(&self, kept: PathBuf, read: F) -> Option<T>
    where
        T: Send + 'static,
        F: FnOnce(&crate::Tx<'_>) -> Result<T> + Send + 'static,
    {
        let key = self.options.key.clone();
        blocking(move || {
            let connection = open::read_only(&kept, key.as_ref())?;
            let transaction = connection.unchecked_transaction()?;
            let found = read(&crate::Tx::Sqlite(Tx(&transaction)));
            drop(transaction);
            drop(connection);
            remove(&with_suffix(&kept, "-shm"))?;
            found
        })
        .await
        .ok()
    }

    pub async fn carry_out(self) -> Result<(u64, Option<PathBuf>)> {
        blocking(move || self.swap()).await
    }

    fn swap(mut self) -> Result<(u64, Option<PathBuf>)> {
        let Options { path: database, backups, key, .. } = self.options.clone();
        let key = key.as_ref();
        // The copy's journal must be in its main file before the rename.
        let connection = open::connect(&self.copy.path, key)?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        drop(connection);
        backup::check(&self.copy.path, key)?;
        sync(&self.copy.path)?;
        rename(&self.copy.path, &with_suffix(&database, ".restored"))?;
        self.is_carried_out = true;
        finish(&database)?;
        match open::open(&database, &backups, key).and_then(|connection| {
            let count = "SELECT coalesce(sum(messages), 0) FROM lanes";
            Ok(connection.query_row(count, [], |row| row.get(0))?)
        }) {
            Ok(messages) => Ok((messages, self.kept.clone())),
            Err(error) => {
                self.put_back()?;
                Err(error)
            }
        }
    }

    fn put_back(&self) -> Result<()> {
        let database = &self.options.path;
        let Some(kept) = &self.kept else { return Ok(()) };
        for part in ["-wal", "-shm"] {
            remove(&with_suffix(database, part))?;
        }
        rename(kept, database)?;
        let wal = with_suffix(kept, "-wal");
        if wal.exists() { rename(&wal, &with_suffix(database, "-wal")) } else { Ok(()) }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let (Some(kept), false) = (&self.kept, self.is_carried_out) {
            let _ = FILE_SUFFIXES.map(|part| fs::remove_file(with_suffix(kept, part)));
        }
    }
}

/// Suffix of a copy that is about to replace the database.
const COPY_SUFFIX: &str = ".restoring";
/// Suffixes of a database's files.
const FILE_SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

/// A copy of a backup beside the database, in the newest format. Dropping it deletes the files.
pub(crate) struct Copied {
    pub path: PathBuf,
}

impl Copied {
    pub async fn of(file: &Path, options: &Options, end: &'static str) -> Result<Self> {
        let (file, options) = (file.to_owned(), options.clone());
        blocking(move || Self::make(&file, options.key.as_ref(), &options, end)).await
    }

    /// Copies a file that may be encrypted with the key `from`. The copy is encrypted if the options have a key.
    fn make(file: &Path, from: Option<&Key>, options: &Options, end: &str) -> Result<Self> {
        let source = backup::check(file, from)?;
        let copied = Self { path: with_suffix(&options.path, end) };
        for part in FILE_SUFFIXES {
            remove(&with_suffix(&copied.path, part))?;
        }
        private_file(&copied.path)?;
        let (is_encrypted, to) = (cipher::form(file) == Form::Encrypted, options.key.as_ref());
        if is_encrypted == to.is_some() {
            source.execute("VACUUM INTO ?1", [copied.path.to_string_lossy()])?;
        } else {
            drop(source);
            cipher::copy(file, from.filter(|_| is_encrypted), &copied.path, to)?;
        }
        let connection = open::open(&copied.path, &options.backups, to)?;
        // A copy written by SQLite has no journal mode.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        Ok(copied)
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        let _ = FILE_SUFFIXES.map(|part| fs::remove_file(with_suffix(&self.path, part)));
        let _ = [self.path.with_extension("lock"), open::users(&self.path)].map(fs::remove_file);
    }
}

/// Checks that a file can be restored.
pub(crate) async fn check(file: &Path, key: Option<&Key>) -> Result<()> {
    let (file, key) = (file.to_owned(), key.cloned());
    blocking(move || backup::check(&file, key.as_ref()).map(drop)).await
}

/// Rewrites the database with another key, or with none, and swaps the two. Keeps nothing of the old file.
pub(crate) async fn convert(options: Options, to: Option<Key>) -> Result<u64> {
    blocking(move || {
        let lock_out_others = lock_out_others(&options.path)?;
        finish(&options.path)?;
        cipher::check_ability(&options.path, to.as_ref())?;
        cipher::check(&options.path, options.key.as_ref())?;
        let (from, options) = (options.key.clone(), Options { key: to, ..options });
        let copy = Copied::make(&options.path, from.as_ref(), &options, COPY_SUFFIX)?;
        let prepared = Prepared { options, copy, kept: None, _alone: lock_out_others, is_carried_out: false };
        Ok(prepared.swap()?.0)
    })
    .await
}

fn prepare(options: Options, file: &Path) -> Result<Prepared> {
    let lock_out_others = lock_out_others(&options.path)?;
    let copy = Copied::make(file, options.key.as_ref(), &options, COPY_SUFFIX)?;
    let kept = keep(&options.path, &options.backups)?;
    Ok(Prepared { options, copy, kept, _alone: lock_out_others, is_carried_out: false })
}

/// Waits until no other process uses the database, and locks others out.
fn lock_out_others(database: &Path) -> Result<File> {
    let lock = open::users_file(database)?;
    let until = Instant::now() + MAX_WAIT;
    while lock.try_lock().is_err() {
        if Instant::now() > until {
            return Err(Error::Conflict(format!(
                "another throughline process uses {}; stop it (such as `throughline serve`), then try again. Nothing was changed",
                database.display()
            )));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(lock)
}

/// Keeps the current database among the backups, without opening it.
fn keep(database: &Path, backups: &Path) -> Result<Option<PathBuf>> {
    if !database.exists() {
        return Ok(None);
    }
    fs::create_dir_all(backups).map_err(|error| unavailable(backups, &error))?;
    let names = (1..).map(|n| backups.join(format!("before-restore-{n}.db")));
    let Some(kept) = names.into_iter().find(|file| !file.exists()) else { return Ok(None) };
    // A hard link costs nothing, if the file system supports it.
    let copied = fs::hard_link(database, &kept).or_else(|_| fs::copy(database, &kept).map(drop));
    copied.map_err(|error| unavailable(&kept, &error))?;
    let wal = with_suffix(database, "-wal");
    if wal.exists() {
        let copy = with_suffix(&kept, "-wal");
        fs::copy(&wal, &copy).map_err(|error| unavailable(&copy, &error))?;
        sync(&copy)?;
    }
    Ok(Some(kept))
}

/// Finishes a committed restore. The journal of the old database must not be applied to the new one.
pub(super) fn finish(database: &Path) -> Result<()> {
    let restored = with_suffix(database, ".restored");
    if !restored.exists() {
        return Ok(());
    }
    for part in ["-wal", "-shm"] {
        remove(&with_suffix(database, part))?;
    }
    rename(&restored, database)
}

/// Returns true if a restore is committed but not finished.
pub(super) fn is_committed(database: &Path) -> bool {
    with_suffix(database, ".restored").exists()
}

/// Returns true if a process left a copy because it was killed before it committed a restore.
pub(super) fn is_left_behind(database: &Path) -> bool {
    with_suffix(database, COPY_SUFFIX).exists()
}

/// Removes a left copy, which may be unencrypted although the database is not.
pub(super) fn clear(database: &Path) -> Result<()> {
    let copy = with_suffix(database, COPY_SUFFIX);
    FILE_SUFFIXES.iter().try_for_each(|part| remove(&with_suffix(&copy, part)))
}

/// The path with a suffix.
fn with_suffix(file: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(file.as_os_str());
    name.push(end);
    name.into()
}

fn remove(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unavailable(file, &error)),
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| unavailable(to, &error))?;
    to.parent().map_or(Ok(()), sync)
}
