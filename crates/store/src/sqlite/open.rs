//! Opens the database. One process at a time creates or migrates it, and each connection gets the same pragmas.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::backup::copy_out;
use super::cipher;
use super::errors::{explain, unavailable};
use super::restore;
use crate::{Error, Key, Result};

/// The migrations, in order. The database's `user_version` is the number of those applied. A released migration never
/// changes.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/sqlite/0001_first.sql"),
    include_str!("../../migrations/sqlite/0002_channels.sql"),
    include_str!("../../migrations/sqlite/0003_http.sql"),
    include_str!("../../migrations/sqlite/0004_relayed.sql"),
];

/// How long a writer waits for writers of other processes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Opens the database file, and creates or migrates it first if needed.
pub(super) fn open(path: &Path, backups: &Path, key: Option<&Key>) -> Result<Connection> {
    open_with(path, backups, key, MIGRATIONS)
}

fn open_with(path: &Path, backups: &Path, key: Option<&Key>, migrations: &[&str]) -> Result<Connection> {
    cipher::check(path, key)?;
    let created = !path.exists();
    let mut connection = connect(path, key)?;
    let found = version(&connection).map_err(|error| explain(error, path))?;
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(Error::Newer { found, known });
    }
    if found < known || created {
        prepare(&mut connection, path, backups, key, migrations).map_err(|error| explain(error, path))?;
    }
    Ok(connection)
}

/// One connection with the pragmas that every connection needs.
#[expect(clippy::disallowed_methods, reason = "this is the one place that opens a database")]
pub(super) fn connect(path: &Path, key: Option<&Key>) -> Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| explain(error.into(), path))?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    cipher::unlock(&connection, path, key)?;
    let pragmas = || -> rusqlite::Result<()> {
        connection.set_prepared_statement_cache_capacity(256);
        // Keeps query plans: without this, SQLite plans many prepared statements again for each new value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // FULL: a commit is on disk when it returns.
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;")
    };
    pragmas().map_err(|error| explain(error.into(), path))?;
    Ok(connection)
}

/// A read-only connection. If the file has no journal, none is created.
#[expect(clippy::disallowed_methods, reason = "a file that is only read gets no pragmas")]
pub(super) fn read_only(path: &Path, key: Option<&Key>) -> Result<Connection> {
    let key = cipher::key_of(path, key)?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(address(path), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    cipher::unlock(&connection, path, key)?;
    Ok(connection)
}

/// The URI for reading a file without creating a journal.
pub(super) fn address(path: &Path) -> String {
    let journal = Path::new(&format!("{}-wal", path.display())).metadata();
    let is_whole = journal.map_or(true, |journal| journal.len() == 0);
    let name: String = path.to_string_lossy().chars().map(percent_encoded).collect();
    format!("file:{name}{}", if is_whole { "?immutable=1" } else { "" })
}

/// Percent-encodes a character of a path for a URI.
fn percent_encoded(c: char) -> String {
    match c {
        '%' => "%25".to_owned(),
        '?' => "%3f".to_owned(),
        '#' => "%23".to_owned(),
        c => c.to_string(),
    }
}

/// A read-only connection to a database of this version.
pub(super) fn current_read_only(path: &Path, key: Option<&Key>) -> Result<Connection> {
    cipher::check(path, key)?;
    let connection = read_only(path, key)?;
    match version(&connection)? {
        found if found == known() => Ok(connection),
        _ => Err(Error::ReadOnly(path.to_owned())),
    }
}

/// An empty database after this many migrations.
pub(super) fn of_version(version: u32) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    for migration in MIGRATIONS.iter().take(version as usize) {
        connection.execute_batch(migration)?;
    }
    Ok(connection)
}

/// Marks the database as used by this process, while the returned file is open. A restore waits for it.
pub(super) fn enter(path: &Path) -> Result<Option<File>> {
    let file = users_file(path)?;
    let failed = |error: std::io::Error| unavailable(path, &error);
    if restore::is_committed(path) {
        file.lock().map_err(failed)?;
        restore::finish(path)?;
    } else if restore::is_left_behind(path) && file.try_lock().is_ok() {
        restore::clear(path)?;
    }
    file.lock_shared().map_err(failed)?;
    Ok(Some(file))
}

/// The lock file of a database's users.
pub(super) fn users(path: &Path) -> PathBuf {
    path.with_extension("users")
}

pub(super) fn users_file(path: &Path) -> Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(users(path));
    file.map_err(|error| unavailable(path, &error))
}

/// The number of migrations that this version has.
pub(super) fn known() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

pub(super) fn version(connection: &Connection) -> Result<u32> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Migrates the database to the newest format. A lock file keeps two processes from doing this at once.
fn prepare(
    connection: &mut Connection,
    path: &Path,
    backups: &Path,
    key: Option<&Key>,
    migrations: &[&str],
) -> Result<()> {
    let _lock = lock(path)?;
    let found = version(connection)?;
    if found > 0 && (found as usize) < migrations.len() {
        back_up(connection, path, backups, key, found)?;
    }
    // The file contains what people said, so only its owner may read it.
    restrict(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    for (number, migration) in migrations.iter().enumerate().skip(found as usize) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", number + 1)?;
        transaction.commit()?;
        tracing::info!(migration = number + 1, "database migrated");
    }
    Ok(())
}

fn lock(path: &Path) -> Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path.with_extension("lock"));
    let locked = file.and_then(|file| file.lock().map(|()| file));
    locked.map_err(|error| unavailable(path, &error))
}

fn back_up(
    connection: &Connection,
    path: &Path,
    backups: &Path,
    key: Option<&Key>,
    version: u32,
) -> Result<()> {
    std::fs::create_dir_all(backups).map_err(|error| unavailable(backups, &error))?;
    let stamp = std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let seconds =
        stamp.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs());
    let file = backups.join(format!("format-{version}-{seconds}.db"));
    if !file.exists() {
        copy_out(connection, &file, key)?;
        tracing::info!(backup = %file.display(), "database backed up before its migration");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b8_a_database_is_backed_up_before_its_format_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (path, backups) = (folder.path().join("test.db"), folder.path().join("backups"));
        let first = open(&path, &backups, None).unwrap();
        first.execute("INSERT INTO chats (key) VALUES ('cli:chat:precious')", []).unwrap();
        assert!(!backups.exists(), "a fresh database needs none");
        let later: Vec<&str> =
            MIGRATIONS.iter().copied().chain(["CREATE TABLE later (id INTEGER)"]).collect();
        let migrated = open_with(&path, &backups, None, &later).unwrap();
        assert_eq!(version(&migrated).unwrap() as usize, later.len());
        let backups_there = || -> Vec<PathBuf> {
            let files = std::fs::read_dir(&backups).unwrap().map(|entry| entry.unwrap().path());
            files.filter(|file| file.extension().is_some_and(|end| end == "db")).collect()
        };
        let written = backups_there();
        let backup = connect(&written[0], None).unwrap();
        let saved: String = backup.query_row("SELECT key FROM chats", [], |row| row.get(0)).unwrap();
        assert_eq!(
            (written.len(), saved.as_str(), version(&backup).unwrap() as usize),
            (1, "cli:chat:precious", MIGRATIONS.len())
        );
        open_with(&path, &backups, None, &later).unwrap();
        assert_eq!(backups_there(), written, "once");
    }
}
