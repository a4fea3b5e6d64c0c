//! Encryption of the file, which SQLCipher does, and what tells an encrypted file from others.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, params};

use super::errors::explain;
use super::open;
use crate::{Error, Key, Misfit, Result};

/// Whether this build can encrypt.
const CAN_ENCRYPT: bool = cfg!(feature = "encryption");
/// The beginning of every plain database.
const PLAIN: &[u8] = b"SQLite format 3\0";
/// The size of the first page, and the least a database consists of.
const PAGE: usize = 4096;
/// An encrypted page has more of the 256 bytes than this.
const LEAST_KINDS: usize = 240;

/// The form of a file, as far as its first page tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    Encrypted,
    /// Nothing yet, or no database.
    Other,
}

/// The form of a file. An encrypted one has no beginning of its own, but nearly every byte occurs in each page; text and
/// zeros are no such thing.
pub(super) fn form(path: &Path) -> Form {
    let mut page = Vec::with_capacity(PAGE);
    let read = File::open(path).and_then(|file| file.take(PAGE as u64).read_to_end(&mut page));
    let kinds = page.iter().collect::<BTreeSet<_>>().len();
    match read {
        Ok(_) if page.starts_with(PLAIN) => Form::Plain,
        Ok(PAGE) if kinds > LEAST_KINDS => Form::Encrypted,
        _ => Form::Other,
    }
}

/// Refuses a database that does not fit the key, before anything opens it.
pub(super) fn check(path: &Path, key: Option<&Key>) -> Result<()> {
    let why = match (form(path), key) {
        (Form::Encrypted, _) if !CAN_ENCRYPT => Misfit::CannotRead,
        (Form::Encrypted, None) => Misfit::NoKey,
        (Form::Plain, Some(_)) if CAN_ENCRYPT => Misfit::NotEncrypted,
        _ => return check_ability(path, key),
    };
    Err(Error::Locked { path: path.to_owned(), why })
}

/// Refuses a key if this build cannot encrypt.
pub(super) fn check_ability(path: &Path, key: Option<&Key>) -> Result<()> {
    match key {
        Some(_) if !CAN_ENCRYPT => Err(Error::Locked { path: path.to_owned(), why: Misfit::CannotEncrypt }),
        _ => Ok(()),
    }
}

/// The key that a file is read with: none if it is plain, as backups from before the encryption are.
pub(super) fn key_of<'k>(path: &Path, key: Option<&'k Key>) -> Result<Option<&'k Key>> {
    let key = key.filter(|_| form(path) != Form::Plain);
    check(path, key)?;
    Ok(key)
}

/// Gives a fresh connection the key, and makes sure that it is the right one.
pub(super) fn unlock(connection: &Connection, path: &Path, key: Option<&Key>) -> Result<()> {
    // SQLCipher would write what fails to stderr, beside our own sentence.
    connection.pragma_update(None, "cipher_log_level", "NONE")?;
    let Some(key) = key else { return Ok(()) };
    connection.pragma_update(None, "key", key.expose())?;
    // This reads the first page and no other. With a wrong key, it is no page of a database.
    match open::version(connection).map_err(|error| explain(error, path)) {
        Err(Error::Corrupt { path, .. }) if form(&path) == Form::Encrypted => {
            Err(Error::Locked { path, why: Misfit::WrongKey })
        }
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}

/// Copies a whole database into an empty file that has another key, or none.
pub(super) fn copy(source: &Path, from: Option<&Key>, target: &Path, to: Option<&Key>) -> Result<()> {
    let connection = open::connect(target, to)?;
    // The copy is synced once it is whole.
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")?;
    let key = from.map_or("", Key::expose);
    connection.execute("ATTACH ?1 AS source KEY ?2", params![open::address(source), key])?;
    connection.query_row("SELECT sqlcipher_export('main', 'source')", [], |_| Ok(()))?;
    let version: u32 = connection.query_row("PRAGMA source.user_version", [], |row| row.get(0))?;
    connection.pragma_update(None, "user_version", version)?;
    connection.execute_batch("DETACH source")?;
    Ok(())
}

/// The content of a database file as bytes that can be searched.
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

/// The content of a database file as bytes that can be searched.
#[cfg(not(feature = "encryption"))]
pub(crate) fn content(path: &Path, key: Option<&Key>) -> Result<Vec<u8>> {
    key_of(path, key)?;
    plain_content(path)
}

fn plain_content(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| super::errors::unavailable(path, &error))
}
