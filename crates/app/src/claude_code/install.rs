//! Adds this program's entries to Claude Code's files, and removes them. A note in the home stores the replaced text
//! of each file, so that removal restores it byte for byte.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use super::settings::{Invocation, SettingsFile, with_ours, without_ours};
use crate::config::edit;
use crate::output::Failure;

/// The name of the note in the home.
const NOTE: &str = "claude-code.json";

/// A change of one file.
#[derive(Debug)]
pub struct Change {
    pub path: PathBuf,
    /// The current content; `None` if the file does not exist.
    before: Option<String>,
    /// The new content; `None` if the file is deleted.
    after: Option<String>,
    /// The file's entry in the note after the change.
    original_file: Option<OriginalFile>,
}

/// The original state of a file.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
struct OriginalFile {
    path: PathBuf,
    /// Whether the file did not exist.
    is_new: bool,
    /// The position of our text, and the text that it replaced.
    at: usize,
    was: String,
    /// The length of our text, and the hash of the whole file with it.
    length: usize,
    hash: String,
}

impl OriginalFile {
    fn new(path: &Path, before: Option<&str>, after: &str) -> Self {
        let (old, new) = (before.unwrap_or_default().as_bytes(), after.as_bytes());
        let at = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let same_end = same_end.min(old.len() - at).min(new.len() - at);
        // The common bytes may end inside a character, so the bounds move to character boundaries.
        let at =
            (0..=at).rev().find(|at| before.unwrap_or_default().is_char_boundary(*at)).unwrap_or_default();
        let is_end = |kept: &usize| before.unwrap_or_default().is_char_boundary(old.len() - kept);
        let same_end = (0..=same_end).rev().find(is_end).unwrap_or_default();
        let was = before.unwrap_or_default().get(at..old.len() - same_end).unwrap_or_default().to_owned();
        let length = new.len() - same_end - at;
        Self { path: path.to_owned(), is_new: before.is_none(), at, was, length, hash: hash(after) }
    }

    /// The original content, if nothing else has changed in the file.
    fn undone(&self, now: &str) -> Option<Option<String>> {
        if hash(now) != self.hash {
            return None;
        }
        let (head, rest) = (now.get(..self.at)?, now.get(self.at + self.length..)?);
        Some((!self.is_new).then(|| format!("{head}{}{rest}", self.was)))
    }
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl Change {
    /// Adds our entries to a file.
    ///
    /// # Errors
    /// If the file cannot be read, or has something else in their place.
    pub fn install(path: &Path, part: SettingsFile, ours: &Invocation, home: &Path) -> Result<Self, Failure> {
        let before = read(path)?;
        let text = before.as_deref().unwrap_or_default();
        let after = with_ours(text, part, ours).map_err(|why| refused(path, &why))?;
        let original_file = read_note(home).into_iter().find(|original_file| original_file.path == path);
        // A repeated installation keeps the content from before the first one.
        let original = match original_file.as_ref().and_then(|original_file| original_file.undone(text)) {
            Some(original) => original,
            None => match before.is_some() {
                true => Some(without_ours(text, part).map_err(|why| refused(path, &why))?),
                false => None,
            },
        };
        let original_file = OriginalFile::new(path, original.as_deref(), &after);
        Ok(Self { path: path.to_owned(), before, after: Some(after), original_file: Some(original_file) })
    }

    /// Removes our entries from a file: reverts the whole change if nothing else has changed since, or else removes
    /// only our entries.
    pub fn uninstall(path: &Path, part: SettingsFile, home: &Path) -> Result<Self, Failure> {
        let before = read(path)?;
        let original_file = read_note(home).into_iter().find(|original_file| original_file.path == path);
        let after = match &before {
            None => None,
            Some(text) => match original_file.and_then(|original_file| original_file.undone(text)) {
                Some(original) => original,
                None => Some(without_ours(text, part).map_err(|why| refused(path, &why))?),
            },
        };
        Ok(Self { path: path.to_owned(), before, after, original_file: None })
    }

    pub fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// The change as a unified diff.
    pub fn diff(&self) -> String {
        let (before, after) =
            (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let name = self.path.display().to_string();
        TextDiff::from_lines(before, after).unified_diff().header(&name, &name).to_string()
    }

    /// Writes the file, unless it has changed since it was read.
    fn write(&self) -> io::Result<()> {
        let Some(after) = &self.after else { return fs::remove_file(&self.path) };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        edit::change(&self.path, |text| match text == self.before.as_deref().unwrap_or_default() {
            true => Ok(Some(after.clone())),
            false => Err(io::Error::other("another program has just changed it; try again")),
        })
        .map(drop)
    }
}

/// Makes the changes. The note is written first, because an entry applies only to a file whose hash matches.
///
/// # Errors
/// If a file cannot be written; the files before it were changed.
pub fn carry_out(changes: &[Change], home: &Path) -> Result<(), Failure> {
    let mut notes = read_note(home);
    notes.retain(|original_file| changes.iter().all(|change| change.path != original_file.path));
    let is_gone = changes.iter().all(|change| change.original_file.is_none());
    notes.extend(changes.iter().filter_map(|change| change.original_file.clone()));
    if !is_gone {
        write_note(home, &notes)?;
    }
    for change in changes.iter().filter(|change| change.is_needed()) {
        change.write().map_err(|error| {
            Failure::failed("install", format!("{} cannot be written: {error}", change.path.display()))
        })?;
    }
    if is_gone { write_note(home, &notes) } else { Ok(()) }
}

fn write_note(home: &Path, notes: &[OriginalFile]) -> Result<(), Failure> {
    let path = home.join(NOTE);
    if notes.is_empty() {
        return match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        };
    }
    let text = serde_json::to_string_pretty(notes).map_err(io::Error::from)?;
    edit::change(&path, |_| Ok(Some(format!("{text}\n"))))?;
    Ok(())
}

/// Reads the note; empty if it is missing or unreadable.
fn read_note(home: &Path) -> Vec<OriginalFile> {
    let text = fs::read_to_string(home.join(NOTE)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::failed("install", format!("{} cannot be read: {error}", path.display()))),
    }
}

fn refused(path: &Path, why: &str) -> Failure {
    let sentence = format!("{}: {why}. Repair the file first; nothing was changed", path.display());
    Failure::failed("install", sentence)
}
