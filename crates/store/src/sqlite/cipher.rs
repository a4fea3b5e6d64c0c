//! Encryption of the file with SQLCipher, and detection of encrypted files.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, params};

use super::errors::explain;
use super::open;
use crate::{Error, Key, KeyMismatch, Result};

/// True if this build can encrypt.
const CAN_ENCRYPT: bool = cfg!(feature = "encryption");
/// The header of every unencrypted database.
const PLAIN_HEADER: &[u8] = b"SQLite format 3\0";
/// The size of the first page, and the minimum size of a database.
const PAGE: usize = 4096;
/// Minimum number of distinct byte values on an encrypted page.
const MIN_DISTINCT_BYTES: usize = 240;

/// The form of a file, by its first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    Encrypted,
    /// Empty, or not a database.
    Other,
}

/// Detects the form of a file. An encrypted one has no header, but nearly every byte value occurs in each page,
/// unlike in text and zeros.
pub(super) fn form(path: &Path) -> Form {
    let mut page = Vec::with_capacity(PAGE);
    let read = File::open(path).and_then(|file| file.take(PAGE as u64).read_to_end(&mut page));
    let kinds = page.iter().collect::<BTreeSet<_>>().len();
    match read {
        Ok(_) if page.starts_with(PLAIN_HEADER) => Form::Plain,
        Ok(PAGE) if kinds > MIN_DISTINCT_BYTES => Form::Encrypted,
        _ => Form::Other,
    }
}

/// Fails if a database does not match the key, before anything opens it.
pub(super) fn check(path: &Path, key: Option<&Key>) -> Result<()> {
    let why = match (form(path), key) {
        (Form::Encrypted, _) if !CAN_ENCRYPT => KeyMismatch::CannotRead,
        (Form::Encrypted, None) => KeyMismatch::NoKey,
        (Form::Plain, Some(_)) if CAN_ENCRYPT => KeyMismatch::NotEncrypted,
        _ => return check_ability(path, key),
    };
    Err(Error::Locked { path: path.to_owned(), why })
}

/// Fails if a key is given and this build cannot encrypt.
pub(super) fn check_ability(path: &Path, key: Option<&Key>) -> Result<()> {
    match key {
        Some(_) if !CAN_ENCRYPT => {
            Err(Error::Locked { path: path.to_owned(), why: KeyMismatch::CannotEncrypt })
        }
        _ => Ok(()),
    }
}

/// The key to read a file with: none if it is unencrypted, such as a backup from before encryption was turned on.
pub(super) fn key_of<'k>(path: &Path, key: Option<&'k Key>) -> Result<Option<&'k Key>> {
    let key = key.filter(|_| form(path) != Form::Plain);
    check(path, key)?;
    Ok(key)
}

/// Sets the key of a new connection, and checks it.
pub(super) fn unlock(connection: &Connection, path: &Path, key: Option<&Key>) -> Result<()> {
    // SQLCipher would log failures to stderr, next to our own message.
    connection.pragma_update(None, "cipher_log_level", "NONE")?;
    let Some(key) = key else { return Ok(()) };
    connection.pragma_update(None, "key", key.expose())?;
    // This reads only the first page. With a wrong key, it is not a database page.
    match open::version(connection).map_err(|error| explain(error, path)) {
        Err(Error::Corrupt { path, .. }) if form(&path) == Form::Encrypted => {
            Err(Error::Locked { path, why: KeyMismatch::WrongKey })
        }
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}

/// Copies a whole database into an empty file with another key, or none.
pub(super) fn copy(source: &Path, from: Option<&Key>, target: &Path, to: Option<&Key>) -> Result<()> {
    let connection = open::connect(target, to)?;
    // The copy is synced when it is complete.
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")?;
    let key = from.map_or("", Key::expose);
    connection.execute("ATTACH ?1 AS source KEY ?2", params![open::address(source), key])?;
    connection.query_row("SELECT sqlcipher_export('main', 'source')", [], |_| Ok(()))?;
    let version: u32 = connection.query_row("PRAGMA source.user_version", [], |row| row.get(0))?;
    connection.pragma_update(None, "user_version", version)?;
    connection.execute_batch("DETACH source")?;
    Ok(())
}

/// The content of a database file as searchable bytes.
#[cfg(feature = "encryption")]
pub(crate) fn content(path: &Path, key: Option<&Key>) -> Result<Vec<u8>> {
    match form(path) {
        Form::Encrypted => {
            let mut connection = open::read_only(path, key)?;
            Ok(connection.serialize("main")?.to_vec())
        }
        Form::Plain | Form::Other => plain_content(path),
    }
}

/// The content of a database file as searchable bytes.
#[cfg(not(feature = "encryption"))]
pub(crate) fn content(path: &Path, key: Option<&Key>) -> Result<Vec<u8>> {
    key_of(path, key)?;
    plain_content(path)
}

fn plain_content(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| super::errors::unavailable(path, &error))
}
