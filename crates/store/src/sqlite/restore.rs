//! Swaps the database file for a backup.
//!
//! The copy of the backup becomes `throughline.db.restored` in one step; from then on the restore is decided: should this
//! process be killed, the next one that opens the database finishes it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::backup::{self, private_file, synced};
use super::errors::unavailable;
use super::{Tx, blocking, open};
use crate::forget::Suppressed;
use crate::{Error, Options, Result};

/// How long a restore waits for other processes to close the database.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A backup that is about to take the place of the database.
pub(crate) struct Prepared {
    database: PathBuf,
    backups: PathBuf,
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
        blocking(move || {
            let connection = open::read_only(&kept)?;
            let transaction = connection.unchecked_transaction()?;
            let found = Tx(&transaction).every_suppression();
            drop(transaction);
            drop(connection);
            remove(&beside(&kept, "-shm"))?;
            Ok(found?.into_iter().map(|(.., suppressed)| suppressed).collect())
        })
        .await
        .ok()
    }

    pub async fn carry_out(mut self) -> Result<(u64, Option<PathBuf>)> {
        blocking(move || {
            // What was written to the copy is in its own file from now on.
            let connection = open::connect(&self.copy.path)?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            drop(connection);
            backup::check(&self.copy.path)?;
            synced(&self.copy.path)?;
            rename(&self.copy.path, &beside(&self.database, ".restored"))?;
            self.is_carried_out = true;
            finish(&self.database)?;
            match open::open(&self.database, &self.backups).and_then(|connection| {
                let count = "SELECT coalesce(sum(messages), 0) FROM lanes";
                Ok(connection.query_row(count, [], |row| row.get(0))?)
            }) {
                Ok(messages) => Ok((messages, self.kept.clone())),
                Err(error) => {
                    self.put_back()?;
                    Err(error)
                }
            }
        })
        .await
    }

    fn put_back(&self) -> Result<()> {
        let Some(kept) = &self.kept else { return Ok(()) };
        for part in ["-wal", "-shm"] {
            remove(&beside(&self.database, part))?;
        }
        rename(kept, &self.database)?;
        let wal = beside(kept, "-wal");
        if wal.exists() { rename(&wal, &beside(&self.database, "-wal")) } else { Ok(()) }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let (Some(kept), false) = (&self.kept, self.is_carried_out) {
            let _ = PARTS.map(|part| fs::remove_file(beside(kept, part)));
        }
    }
}

/// The files of a database, by the ends of their names.
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

/// A copy of a backup beside the database, in the newest format. It is gone when this is dropped.
pub(crate) struct Copied {
    pub path: PathBuf,
}

impl Copied {
    pub async fn of(file: &Path, options: &Options, end: &'static str) -> Result<Self> {
        let (file, options) = (file.to_owned(), options.clone());
        blocking(move || Self::make(&file, &options, end)).await
    }

    fn make(file: &Path, options: &Options, end: &str) -> Result<Self> {
        let source = backup::check(file)?;
        let copied = Self { path: beside(&options.path, end) };
        for part in PARTS {
            remove(&beside(&copied.path, part))?;
        }
        private_file(&copied.path)?;
        source.execute("VACUUM INTO ?1", [copied.path.to_string_lossy()])?;
        let connection = open::open(&copied.path, &options.backups)?;
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
pub(crate) async fn check(file: &Path) -> Result<()> {
    let file = file.to_owned();
    blocking(move || backup::check(&file).map(drop)).await
}

fn prepare(options: Options, file: &Path) -> Result<Prepared> {
    let copy = Copied::make(file, &options, ".restoring")?;
    let Options { path: database, backups, .. } = options;
    let alone = alone(&database)?;
    let kept = keep(&database, &backups)?;
    Ok(Prepared { database, backups, copy, kept, _alone: alone, is_carried_out: false })
}

/// Waits until no other process uses the database, and keeps others from opening it.
fn alone(database: &Path) -> Result<File> {
    let lock = open::users_file(database)?;
    let until = Instant::now() + PATIENCE;
    while lock.try_lock().is_err() {
        if Instant::now() > until {
            return Err(Error::Conflict(format!(
                "another throughline process uses {}; stop it (such as `throughline serve`), then restore again. Nothing was changed",
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
