//! Opens the database: one process at a time creates or migrates it, each connection gets the same pragmas.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, params};
use throughline_domain::recall::words;

use super::{conversations, words as index};
use crate::{Error, Options, Result};

/// The migrations, in order; the database's `user_version` is how many of them it has seen. A shipped one stays as it is.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/sqlite/0001_first.sql")];

/// How long a writer waits for the writers of other processes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Opens the database file, creating or migrating it first where needed.
pub(super) fn open(options: &Options) -> Result<Connection> {
    open_with(options, MIGRATIONS)
}

fn open_with(options: &Options, migrations: &[&str]) -> Result<Connection> {
    let path = &options.path;
    let created = !path.exists();
    let connection = connect(path).and_then(|connection| {
        let version = version(&connection).map_err(|error| explain(error, path))?;
        Ok((connection, version))
    });
    let (mut connection, found) = connection?;
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(Error::Newer { found, known });
    }
    if found < known || created {
        prepare(&mut connection, options, migrations).map_err(|error| explain(error, path))?;
    }
    keep_derived(&connection, options).map_err(|error| explain(error, path))?;
    Ok(connection)
}

/// One connection with the pragmas that every connection needs.
#[expect(clippy::disallowed_methods, reason = "this is the one place that opens a database")]
pub(super) fn connect(path: &Path) -> Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| explain(error.into(), path))?;
    let pragmas = || -> rusqlite::Result<()> {
        connection.busy_timeout(PATIENCE)?;
        connection.set_prepared_statement_cache_capacity(128);
        // A prepared statement stays prepared: without this, SQLite plans many of them anew for each new value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // FULL: a commit is on disk when it returns.
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;")
    };
    pragmas().map_err(|error| explain(error.into(), path))?;
    Ok(connection)
}

/// How many migrations this version knows.
pub(super) fn known() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

pub(super) fn version(connection: &Connection) -> Result<u32> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Brings the database to the newest format. A lock file keeps two processes from doing it at once.
fn prepare(connection: &mut Connection, options: &Options, migrations: &[&str]) -> Result<()> {
    let _lock = lock(&options.path)?;
    let found = version(connection)?;
    if found > 0 && (found as usize) < migrations.len() {
        back_up(connection, options, found)?;
    }
    // Everything that people said is in here: nobody else may read it.
    restrict(&options.path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    for (number, migration) in migrations.iter().enumerate().skip(found as usize) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", number + 1)?;
        transaction.commit()?;
        tracing::info!(migration = number + 1, "the database has a new format");
    }
    Ok(())
}

fn lock(path: &Path) -> Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path.with_extension("lock"));
    let locked = file.and_then(|file| file.lock().map(|()| file));
    locked.map_err(|error| unavailable(path, &error))
}

fn back_up(connection: &Connection, options: &Options, version: u32) -> Result<()> {
    std::fs::create_dir_all(&options.backups).map_err(|error| unavailable(&options.backups, &error))?;
    let stamp = std::fs::metadata(&options.path).and_then(|data| data.modified()).ok();
    let seconds =
        stamp.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs());
    let file = options.backups.join(format!("format-{version}-{seconds}.db"));
    if !file.exists() {
        connection.execute("VACUUM INTO ?1", params![file.to_string_lossy()])?;
        restrict(&file)?;
        tracing::info!(backup = %file.display(), "the database was backed up before its format changes");
    }
    Ok(())
}

#[cfg(unix)]
pub(super) fn restrict(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
        .map_err(|error| unavailable(path, &error))
}

#[cfg(not(unix))]
pub(super) fn restrict(_: &Path) -> Result<()> {
    Ok(())
}

/// Rebuilds what is derived by a rule that has changed: conversations by the gap, the index by how words are read.
fn keep_derived(connection: &Connection, options: &Options) -> Result<()> {
    let gap = options.gap.as_micros().to_string();
    let reading = words::VERSION.to_string();
    let setting = |name: &str| -> Result<Option<String>> {
        let mut statement = connection.prepare_cached("SELECT value FROM settings WHERE name = ?1")?;
        let mut rows = statement.query([name])?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    };
    let (gap_now, reading_now) = (setting("gap")?, setting("words")?);
    if gap_now.as_deref() == Some(&gap) && reading_now.as_deref() == Some(&reading) {
        return Ok(());
    }
    let transaction = rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if gap_now.is_some_and(|old| old != gap) {
        conversations::recompute(&transaction, options.gap)?;
    }
    if reading_now.is_some_and(|old| old != reading) {
        index::rebuild(&transaction)?;
    }
    for (name, value) in [("gap", gap), ("words", reading)] {
        transaction.execute(
            "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
            [name, &value],
        )?;
    }
    transaction.commit()?;
    Ok(())
}

pub(super) fn unavailable(path: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Error::ReadOnly(path.to_owned())
        }
        std::io::ErrorKind::StorageFull => Error::DiskFull,
        _ => Error::Unavailable { path: path.to_owned(), why: error.to_string() },
    }
}

/// Says of a database error what a person can do about it.
pub(super) fn explain(error: Error, path: &Path) -> Error {
    use rusqlite::ErrorCode;
    let Error::Database(cause) = error else { return error };
    match cause.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            Error::Corrupt { path: path.to_owned(), why: cause.to_string() }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Error::ReadOnly(path.to_owned()),
        Some(ErrorCode::CannotOpen) => Error::Unavailable { path: path.to_owned(), why: cause.to_string() },
        _ => Error::Database(cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b8_a_database_is_backed_up_before_its_format_changes() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            path: folder.path().join("test.db"),
            gap: throughline_domain::conversation::GAP,
            backups: folder.path().join("backups"),
        };
        let first = open(&options).unwrap();
        first.execute("INSERT INTO chats (key) VALUES ('cli:chat:precious')", []).unwrap();
        assert!(!options.backups.exists(), "a fresh database needs none");
        let later: Vec<&str> =
            MIGRATIONS.iter().copied().chain(["CREATE TABLE later (id INTEGER)"]).collect();
        let migrated = open_with(&options, &later).unwrap();
        assert_eq!(version(&migrated).unwrap() as usize, later.len());
        let backups: Vec<_> = std::fs::read_dir(&options.backups).unwrap().collect();
        let backup = connect(&backups[0].as_ref().unwrap().path()).unwrap();
        let saved: String = backup.query_row("SELECT key FROM chats", [], |row| row.get(0)).unwrap();
        assert_eq!(
            (backups.len(), saved.as_str(), version(&backup).unwrap() as usize),
            (1, "cli:chat:precious", MIGRATIONS.len())
        );
        open_with(&options, &later).unwrap();
        assert_eq!(std::fs::read_dir(&options.backups).unwrap().count(), 1, "once");
    }
}
