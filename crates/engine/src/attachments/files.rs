//! The folder for attached files. Each file is named by the hash of its bytes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Prefix of files that are still being written.
const PART_PREFIX: &str = "part-";

/// The attachments folder.
#[derive(Debug, Clone)]
pub struct Files(pub PathBuf);

impl Files {
    /// The path of the file with this hash.
    #[must_use]
    pub fn path(&self, hash: &str) -> PathBuf {
        self.0.join(hash.get(..2).unwrap_or_default()).join(hash)
    }

    /// Writes and syncs bytes to a temporary file. A later attempt for the same attachment overwrites it.
    pub fn write_part(&self, attachment: i64, ending: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        make_folder(&self.0)?;
        let path = self.0.join(format!("{PART_PREFIX}{attachment}.{ending}"));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(path)
    }

    /// Moves a temporary file to its final path.
    pub fn place(&self, part: &Path, hash: &str) -> io::Result<()> {
        let path = self.path(hash);
        let folder = path.parent().unwrap_or(&self.0);
        make_folder(folder)?;
        fs::rename(part, &path)?;
        File::open(folder)?.sync_all()
    }

    /// Deletes a file that no message references, and the attachment's temporary file.
    pub fn remove(&self, attachment: i64, hash: Option<&str>) -> io::Result<()> {
        let part = format!("{PART_PREFIX}{attachment}.");
        for entry in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&part) {
                remove(&entry.path())?;
            }
        }
        hash.map_or(Ok(()), |hash| remove(&self.path(hash)))
    }

    /// The hashes of all files in the folder.
    #[must_use]
    pub fn list(&self) -> Vec<String> {
        let folders = fs::read_dir(&self.0).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = folders
            .filter(|path| path.is_dir())
            .flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
        files.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_is_the_owners_alone_and_goes_with_its_parts() {
        let home = tempfile::tempdir().unwrap();
        let files = Files(home.path().join("files"));
        let part = files.write_part(7, "bin", b"bytes").unwrap();
        files.place(&part, "abcdef").unwrap();
        files.write_part(7, "ogg", b"sound").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = files.path("abcdef");
        assert_eq!((mode(&path), mode(path.parent().unwrap()), mode(&files.0)), (0o600, 0o700, 0o700));
        assert_eq!((path.ends_with("files/ab/abcdef"), files.list()), (true, vec!["abcdef".to_owned()]));
        files.remove(7, Some("abcdef")).unwrap();
        assert_eq!((files.list(), fs::read_dir(&files.0).unwrap().count()), (vec![], 1));
        files.remove(7, Some("abcdef")).unwrap();
    }
}
