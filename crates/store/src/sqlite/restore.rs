//! Swaps the database file for a backup.
//!
//! The copy of the backup becomes `throughline.db.restored` in one step; from then on the restore is decided: should this
//! process be killed, the next one that opens the database finishes it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::backup::{self, private_file, synced};
use super::cipher::{self, Form};
use super::errors::unavailable;
use super::{Tx, blocking, open};
use crate::forget::Suppressed;
use crate::grants::{Grants, grants};
use crate::{Error, Key, Options, Result};

/// How long a restore waits for other processes to close the database.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A backup that is about to take the place of the database.
pub(crate) struct Prepared {
    options: Options,
    pub copy: Copied,
    /// What is there, under another name.
    kept: Option<PathBuf>,
    /// Nobody else opens the database meanwhile.
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

    /// Reads what is there; nothing if that is damaged.
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
            remove(&beside(&kept, "-shm"))?;
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
        // What was written to the copy is in its own file from now on.
        let connection = open::connect(&self.copy.path, key)?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        drop(connection);
        backup::check(&self.copy.path, key)?;
        synced(&self.copy.path)?;
        rename(&self.copy.path, &beside(&database, ".restored"))?;
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
            remove(&beside(database, part))?;
        }
        rename(kept, database)?;
        let wal = beside(kept, "-wal");
        if wal.exists() { rename(&wal, &beside(database, "-wal")) } else { Ok(()) }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let (Some(kept), false) = (&self.kept, self.is_carried_out) {
            let _ = PARTS.map(|part| fs::remove_file(beside(kept, part)));
        }
    }
}

/// The end of the name of a copy that is about to take the database's place.
const COPY: &str = ".restoring";
/// The files of a database, by the ends of their names.
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

/// A copy of a backup beside the database, in the newest format. It is gone when this is dropped.
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
        let copied = Self { path: beside(&options.path, end) };
        for part in PARTS {
            remove(&beside(&copied.path, part))?;
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
        // A copy that SQLite writes has no journal mode of its own.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        Ok(copied)
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        let _ = PARTS.map(|part| fs::remove_file(beside(&self.path, part)));
        let _ = [self.path.with_extension("lock"), open::users(&self.path)].map(fs::remove_file);
    }
}

/// Checks whether a file can be restored.
pub(crate) async fn check(file: &Path, key: Option<&Key>) -> Result<()> {
    let (file, key) = (file.to_owned(), key.cloned());
    blocking(move || backup::check(&file, key.as_ref()).map(drop)).await
}

/// Writes the database again with another key, or with none, and swaps the two. Nothing of what was there is kept.
pub(crate) async fn convert(options: Options, to: Option<Key>) -> Result<u64> {
    blocking(move || {
        let alone = alone(&options.path)?;
        finish(&options.path)?;
        cipher::check_ability(&options.path, to.as_ref())?;
        cipher::check(&options.path, options.key.as_ref())?;
        let (from, options) = (options.key.clone(), Options { key: to, ..options });
        let copy = Copied::make(&options.path, from.as_ref(), &options, COPY)?;
        let prepared = Prepared { options, copy, kept: None, _alone: alone, is_carried_out: false };
        Ok(prepared.swap()?.0)
    })
    .await
}

fn prepare(options: Options, file: &Path) -> Result<Prepared> {
    let alone = alone(&options.path)?;
    let copy = Copied::make(file, options.key.as_ref(), &options, COPY)?;
    let kept = keep(&options.path, &options.backups)?;
    Ok(Prepared { options, copy, kept, _alone: alone, is_carried_out: false })
}

/// Waits until no other process uses the database, and keeps others from opening it.
fn alone(database: &Path) -> Result<File> {
    let lock = open::users_file(database)?;
    let until = Instant::now() + PATIENCE;
    while lock.try_lock().is_err() {
        if Instant::now() > until {
            return Err(Error::Conflict(format!(
                "another throughline process uses {}; stop it (such as `throughline serve`), then try again. Nothing was changed",
                database.display()
            )));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(lock)
}

/// Gives what is there a second name among the backups, without opening it.
fn keep(database: &Path, backups: &Path) -> Result<Option<PathBuf>> {
    if !database.exists() {
        return Ok(None);
    }
    fs::create_dir_all(backups).map_err(|error| unavailable(backups, &error))?;
    let names = (1..).map(|n| backups.join(format!("before-restore-{n}.db")));
    let Some(kept) = names.into_iter().find(|file| !file.exists()) else { return Ok(None) };
    // A second name costs nothing, where the file system has them.
    let copied = fs::hard_link(database, &kept).or_else(|_| fs::copy(database, &kept).map(drop));
    copied.map_err(|error| unavailable(&kept, &error))?;
    let wal = beside(database, "-wal");
    if wal.exists() {
        let copy = beside(&kept, "-wal");
        fs::copy(&wal, &copy).map_err(|error| unavailable(&copy, &error))?;
        synced(&copy)?;
    }
    Ok(Some(kept))
}

/// Finishes a restore that was decided. The journal of the old database must not be applied to the new one.
pub(super) fn finish(database: &Path) -> Result<()> {
    let restored = beside(database, ".restored");
    if !restored.exists() {
        return Ok(());
    }
    for part in ["-wal", "-shm"] {
        remove(&beside(database, part))?;
    }
    rename(&restored, database)
}

/// Whether a restore was decided and not finished.
pub(super) fn is_decided(database: &Path) -> bool {
    beside(database, ".restored").exists()
}

/// Whether a process was killed before it decided a restore, and left its copy.
pub(super) fn is_left_behind(database: &Path) -> bool {
    beside(database, COPY).exists()
}

/// Removes the copy that a process left: it may be plain where the database is not.
pub(super) fn clear(database: &Path) -> Result<()> {
    let copy = beside(database, COPY);
    PARTS.iter().try_for_each(|part| remove(&beside(&copy, part)))
}

/// The file whose name has this at its end.
fn beside(file: &Path, end: &str) -> PathBuf {
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
    to.parent().map_or(Ok(()), synced)
}
