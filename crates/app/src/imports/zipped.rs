//! Reads zip files, the format of assistants' exports: each entry with conversations as a stream.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

use zip::ZipArchive;

use crate::output::Failure;

/// Returns true if a file that begins with `head` is a zip file.
pub fn is_zip(head: &[u8]) -> bool {
    // The second signature is that of an empty zip file.
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// An export in a zip file.
pub struct Zipped {
    archive: ZipArchive<BufReader<File>>,
    /// The entries with conversations, ordered by name.
    entries: Vec<(String, usize)>,
    /// Number of other entries.
    pub passed_over: u64,
}

impl Zipped {
    /// Finds the entries with conversations.
    ///
    /// # Errors
    /// If the file is not a complete zip file, or contains no conversations.
    pub fn open(path: &Path, file: File) -> Result<Self, Failure> {
        let archive = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(path, &error))?;
        let (mut entries, mut passed_over) = (Vec::new(), 0);
        for at in 0..archive.len() {
            let name = archive.name_for_index(at).and_then(Result::ok).unwrap_or_default();
            let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
            if is_conversations(last) {
                entries.push((last.to_owned(), at));
            } else if !name.ends_with('/') {
                passed_over += 1;
            }
        }
        entries.sort();
        if entries.is_empty() {
            let why = "holds no conversations.json. Name the zip file of a ChatGPT or Claude export, or the \
                       files inside it";
            return Err(Failure::failed("unreadable_file", format!("{} {why}", path.display())));
        }
        Ok(Self { archive, entries, passed_over })
    }

    /// Passes each entry with conversations to `take`, with its name and sizes.
    pub fn each(
        &mut self,
        path: &Path,
        mut take: impl FnMut(&str, Sizes, Box<dyn Read + '_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for (name, at) in &self.entries {
            let entry = self.archive.by_index(*at).map_err(|error| broken(path, &error))?;
            let sizes = Sizes { packed: entry.compressed_size(), whole: entry.size() };
            take(name, sizes, Box::new(Checked(entry)))?;
        }
        Ok(())
    }
}

/// The sizes of an entry, as the zip file states them.
#[derive(Clone, Copy)]
pub struct Sizes {
    packed: u64,
    whole: u64,
}

impl Sizes {
    /// The compressed size of this many bytes of the entry.
    pub fn packed(self, bytes: u64) -> u64 {
        let packed = u128::from(bytes) * u128::from(self.packed) / u128::from(self.whole.max(1));
        u64::try_from(packed).unwrap_or_default().min(self.packed)
    }
}

/// An entry whose read errors are reported as a damaged zip file.
struct Checked<R>(R);

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => error,
            _ => {
                let why = format!("the zip file is broken here ({error}); download it again");
                io::Error::new(ErrorKind::InvalidData, why)
            }
        })
    }
}

/// Returns true if an entry is `conversations.json`, or one of its parts such as `conversations-000.json`.
fn is_conversations(name: &str) -> bool {
    let middle = name.strip_prefix("conversations").and_then(|rest| rest.strip_suffix(".json"));
    middle.is_some_and(|middle| middle.chars().all(|c| c.is_ascii_digit() || c == '-' || c == '_'))
}

fn broken(path: &Path, error: &zip::result::ZipError) -> Failure {
    let sentence = format!("{} is no whole zip file ({error}). Download it again", path.display());
    Failure::failed("unreadable_file", sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_conversations_are_read() {
        for name in ["conversations.json", "conversations-000.json", "conversations_12.json"] {
            assert!(is_conversations(name), "{name}");
        }
        for name in
            ["", "users.json", "._conversations.json", "conversations.json.bak", "conversations\u{7}.json"]
        {
            assert!(!is_conversations(name), "{name}");
        }
    }

    #[test]
    fn progress_is_counted_in_the_size_of_the_zip_file() {
        let sizes = Sizes { packed: 100, whole: 1_000 };
        assert_eq!((sizes.packed(500), sizes.packed(5_000)), (50, 100));
        assert_eq!(Sizes { packed: u64::MAX, whole: 0 }.packed(u64::MAX), 0);
    }
}
