//! Finds the `claude` program without running it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The program: the given one, or the first in a search path such as `PATH`.
#[must_use]
pub fn find(named: Option<&Path>, search_path: &OsStr) -> Option<PathBuf> {
    match named {
        // A bare name is looked up in the path, as in a shell.
        Some(named) if named.components().count() == 1 => search(named, search_path),
        Some(named) => is_program(named).then(|| named.to_owned()),
        None => search(Path::new("claude"), search_path),
    }
}

fn search(name: &Path, search_path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(search_path)
        // A relative folder would depend on the current folder.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
