//! Writes a copy of the whole database to a file, and checks such files.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::errors::unavailable;
use super::{Sqlite, blocking, open};
use crate::{Error, Key, Result};

impl Sqlite {
    pub async fn back_up(&self, file: &Path) -> Result<()> {
        let (inner, file) = (Arc::clone(&self.inner), file.to_owned());
        blocking(move || inner.with_connection(|connection| copy_out(connection, &file, inner.key.as_ref())))
            .await
    }
}

/// Writes a copy to a new file, with its checksum beside it. The file gets its final name only when it is complete.
pub(super) fn copy_out(connection: &Connection, file: &Path, key: Option<&Key>) -> Result<()> {
    if file.exists() {
        return Err(Error::Conflict(format!("{} exists; a backup never replaces a file", file.display())));
    }
    let (part, sum) = (with_end(file, ".part"), checksum_file(file));
    let written = write_whole(connection, &part, &sum, file, key);
    if written.is_err() {
        let _ = (fs::remove_file(&part), fs::remove_file(&sum));
    }
    written
}

fn write_whole(
    connection: &Connection,
    part: &Path,
    sum: &Path,
    file: &Path,
    key: Option<&Key>,
) -> Result<()> {
    private_file(part)?;
    connection.execute("VACUUM INTO ?1", [part.to_string_lossy()])?;
    check(part, key)?;
    sync(part)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut checksum = private_file(sum)?;
    let line = format!("{}  {name}\n", digest(part)?);
    checksum
        .write_all(line.as_bytes())
        .and_then(|()| checksum.sync_all())
        .map_err(|e| unavailable(sum, &e))?;
    fs::rename(part, file).map_err(|error| unavailable(file, &error))?;
    file.parent().filter(|folder| folder.is_dir()).map_or(Ok(()), sync)
}

/// Opens a file if it is a complete Throughline database with nothing else in it. It may be encrypted with this key.
pub(super) fn check(file: &Path, key: Option<&Key>) -> Result<Connection> {
    let wrong = |why: &str| Error::Conflict(format!("{} cannot be restored: {why}", file.display()));
    let not_ours = || wrong("it is not a backup of Throughline");
    if !file.is_file() {
        return Err(wrong("there is no such file"));
    }
    if let Some(expected) = stored_digest(file)
        && digest(file)? != expected
    {
        return Err(wrong("it is damaged: its checksum is not the one it was written with"));
    }
    let connection = open::read_only(file, key).map_err(|error| match error {
        locked @ Error::Locked { .. } => locked,
        _ => not_ours(),
    })?;
    let version = open::version(&connection).map_err(|_| not_ours())?;
    if version == 0 {
        return Err(not_ours());
    }
    if version > open::known() {
        return Err(Error::Newer { found: version, known: open::known() });
    }
    let sound: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(|_| wrong("it is damaged"))?;
    if sound != "ok" {
        return Err(wrong("it is damaged"));
    }
    let (found, expected) = (schema(&connection)?, schema(&open::of_version(version)?)?);
    if expected.difference(&found).next().is_some() {
        return Err(not_ours());
    }
    if let Some((kind, name, _)) = found.difference(&expected).next() {
        return Err(wrong(&format!("it holds the {kind} {name}, which is not Throughline's")));
    }
    Ok(connection)
}

/// The kind, name and definition of each schema object.
fn schema(connection: &Connection) -> Result<BTreeSet<(String, String, Option<String>)>> {
    let mut parts = connection
        .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")?;
    let rows = parts.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The SHA-256 of a file, as `sha256sum` prints it.
fn digest(file: &Path) -> Result<String> {
    let failed = |error: std::io::Error| unavailable(file, &error);
    let (mut source, mut hash) = (File::open(file).map_err(failed)?, Sha256::new());
    let mut piece = vec![0; 1 << 20];
    loop {
        match source.read(&mut piece).map_err(failed)? {
            0 => break,
            read => hash.update(piece.get(..read).unwrap_or_default()),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The checksum stored beside a backup.
fn stored_digest(file: &Path) -> Option<String> {
    let line = fs::read_to_string(checksum_file(file)).ok()?;
    line.split_whitespace().next().map(str::to_owned)
}

fn checksum_file(file: &Path) -> PathBuf {
    with_end(file, ".sha256")
}

fn with_end(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Creates an empty file that only its owner can read.
pub(super) fn private_file(file: &Path) -> Result<File> {
    let _ = fs::remove_file(file);
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    created.map_err(|error| unavailable(file, &error))
}

/// Syncs a file or folder to disk.
pub(super) fn sync(path: &Path) -> Result<()> {
    File::open(path).and_then(|file| file.sync_all()).map_err(|error| unavailable(path, &error))
}
