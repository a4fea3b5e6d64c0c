//! Suppression: keyed hashes of forgotten values keep those values from being stored again.

use std::io::{ErrorKind, Write};
use std::path::Path;

use jiff::Timestamp;
use throughline_domain::forget::{Suppression, SuppressionList};
use throughline_domain::message::Message;
use throughline_domain::metadata::change_each_text;

use crate::messages::{Append, Origin};
use crate::tx::Tx;
use crate::{Error, Result};

/// The key file beside the database. Backups are copies of the database, so they never contain the key.
const KEY_FILE: &str = "suppression.key";
/// The setting with the key in databases of earlier versions.
const KEY_SETTING: &str = "suppression_key";

/// The key of this home's hashes; random, created once. If the file is lost, a new key is created, and earlier
/// suppressions have no effect.
pub(crate) fn key(tx: &Tx<'_>) -> Result<[u8; 32]> {
    let file = tx.folder()?.join(KEY_FILE);
    let inside = tx.setting(KEY_SETTING)?;
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let text = inside.clone().map_or_else(|| tx.random_hex(), Ok)?;
            put(&file, &text).map_err(|error| unreadable(&file, &error))?
        }
        Err(error) => return Err(unreadable(&file, &error)),
    };
    if inside.is_some() {
        tx.delete_setting(KEY_SETTING)?;
        tx.request_scrub()?;
    }
    parse(text.trim()).ok_or_else(|| unreadable(&file, &"it does not hold a key"))
}

/// The key of this home's hashes, if it exists.
pub(crate) fn existing_key(tx: &Tx<'_>) -> Result<Option<[u8; 32]>> {
    let file = tx.folder()?.join(KEY_FILE);
    match std::fs::read_to_string(&file) {
        Ok(text) => parse(text.trim()).map(Some).ok_or_else(|| unreadable(&file, &"it does not hold a key")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(tx.setting(KEY_SETTING)?.as_deref().and_then(parse))
        }
        Err(error) => Err(unreadable(&file, &error)),
    }
}

/// Writes the key to a file that only its owner can read, unless another process was first, and returns the file's
/// content.
fn put(file: &Path, text: &str) -> std::io::Result<String> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(mut opened) => {
            opened.write_all(text.as_bytes())?;
            opened.sync_all()?;
            Ok(text.to_owned())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => std::fs::read_to_string(file),
        Err(error) => Err(error),
    }
}

fn parse(text: &str) -> Option<[u8; 32]> {
    let mut key = [0u8; 32];
    if text.len() != 64 {
        return None;
    }
    for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(key)
}

fn unreadable(file: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::Unreadable(format!(
        "{} cannot be used: {why}. Make it readable, or delete it; then forgotten values are no longer recognized",
        file.display()
    ))
}

/// The forgotten values of a chat, each with its time.
pub(crate) struct Suppressor {
    key: [u8; 32],
    suppressions: Vec<(Suppression, Timestamp)>,
    all: SuppressionList,
}

impl Suppressor {
    /// Loads the suppressor of a chat and a person; `None` if nothing was forgotten.
    pub fn read(tx: &Tx<'_>, chat: i64, person: Option<&str>) -> Result<Option<Self>> {
        let suppressions = tx.suppressions(chat, person)?;
        if suppressions.is_empty() {
            return Ok(None);
        }
        let key = key(tx)?;
        let all: Vec<_> = suppressions.iter().map(|(suppression, _)| suppression.clone()).collect();
        Ok(Some(Self { key, suppressions, all: SuppressionList::new(key, &all) }))
    }

    /// The message without values that were forgotten after it was written; `None` if it does not change.
    pub fn apply(&self, append: &Append) -> Option<Message> {
        let is_undated = matches!(append.origin, Origin::File { dated: false, .. });
        let said = (!is_undated).then_some(append.message.occurred_at);
        let mut message = append.message.clone();
        let mut changed = self.suppress(&mut message.text, said);
        change_each_text(&mut message.metadata, |text| changed |= self.suppress(text, said));
        changed.then_some(message)
    }

    /// Returns true if a text from a time contains a value that was forgotten later.
    pub fn hides(&self, text: &str, written: Timestamp) -> bool {
        self.suppress(&mut text.to_owned(), Some(written))
    }

    /// Removes values that were forgotten after a time from a text. Returns true if it changed.
    fn suppress(&self, text: &mut String, said: Option<Timestamp>) -> bool {
        let held: Vec<Suppression> = self
            .suppressions
            .iter()
            .filter(|(_, at)| said.is_none_or(|said| said < *at))
            .map(|(suppression, _)| suppression.clone())
            .collect();
        let suppressed = match held.len() {
            0 => None,
            all if all == self.suppressions.len() => self.all.suppressed(text),
            _ => SuppressionList::new(self.key, &held).suppressed(text),
        };
        let changed = suppressed.is_some();
        if let Some(suppressed) = suppressed {
            *text = suppressed;
        }
        changed
    }
}
