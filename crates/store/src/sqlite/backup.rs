//! Backs up and restores the whole database.

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags, params};

use super::errors::unavailable;
use super::{Sqlite, blocking, open};
use crate::{Error, Result};

/// Pages copied at a time; others may read and write in between.
const PAGES: i32 = 1_000;

impl Sqlite {
    pub async fn back_up(&self, file: &Path) -> Result<()> {
        let (inner, file) = (Arc::clone(&self.inner), file.to_owned());
        blocking(move || inner.with_connection(|connection| copy_out(connection, &file))).await
    }

    pub async fn restore(&self, file: &Path) -> Result<u64> {
        let (inner, file) = (Arc::clone(&self.inner), file.to_owned());
        blocking(move || {
            let source = check(&file)?;
            let _turn = inner.writer.lock().unwrap_or_else(PoisonError::into_inner);
            std::fs::create_dir_all(&inner.backups).map_err(|error| unavailable(&inner.backups, &error))?;
            let before = (1..).map(|n| inner.backups.join(format!("before-restore-{n}.db")));
            if let Some(before) = before.into_iter().find(|file| !file.exists()) {
                inner.with_connection(|connection| copy_out(connection, &before))?;
            }
            // Connections of this process hold plans and pages of the old database.
            inner.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
            let generation = generation(&inner.path)?;
            let mut target = open::connect(&inner.path)?;
            Backup::new(&source, &mut target)?.run_to_completion(PAGES, Duration::ZERO, None)?;
            drop(target);
            let connection = open::open(&inner.path, &inner.backups)?;
            // Makes every process drop its index in memory.
            connection.execute("UPDATE chats SET generation = generation + ?1 + 1", [generation])?;
            let messages =
                connection.query_row("SELECT coalesce(sum(messages), 0) FROM lanes", [], |row| row.get(0))?;
            inner.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            Ok(messages)
        })
        .await
    }
}

fn copy_out(connection: &Connection, file: &Path) -> Result<()> {
    connection.execute("VACUUM INTO ?1", params![file.to_string_lossy()])?;
    open::restrict(file)
}

/// Opens a file if it is a complete database of ours.
#[expect(
    clippy::disallowed_methods,
    reason = "a backup is opened as it is: without pragmas, without a new file"
)]
fn check(file: &Path) -> Result<Connection> {
    let wrong = |why: &str| Error::Conflict(format!("{} cannot be restored: {why}", file.display()));
    if !file.is_file() {
        return Err(wrong("there is no such file"));
    }
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let not_ours = |_| wrong("it is not a backup of Throughline");
    let version = open::version(&connection).map_err(|_| wrong("it is not a backup of Throughline"))?;
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name IN ('chats', 'lanes', 'messages')";
    let tables: u32 = connection.query_row(tables, [], |row| row.get(0)).map_err(not_ours)?;
    if version == 0 || tables < 3 {
        return Err(wrong("it is not a backup of Throughline"));
    }
    if version > open::known() {
        return Err(Error::Newer { found: version, known: open::known() });
    }
    let sound: String = connection.query_row("PRAGMA quick_check", [], |row| row.get(0))?;
    if sound != "ok" {
        return Err(wrong("it is damaged"));
    }
    Ok(connection)
}

fn generation(path: &Path) -> Result<u64> {
    let connection = open::connect(path)?;
    let newest = "SELECT coalesce(max(generation), 0) FROM chats";
    Ok(connection.query_row(newest, [], |row| row.get(0))?)
}
