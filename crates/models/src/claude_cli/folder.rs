//! The folder in which the program runs. Newer versions tell their model its path, so it reveals nothing about this
//! home.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::getuid;

use crate::Error;

/// Folders that are the same in every run and contain only this program's name and the user id.
#[must_use]
pub fn neutral() -> Vec<PathBuf> {
    let name = format!("throughline-{}", getuid().as_raw());
    ["/tmp", "/var/tmp"].iter().map(|parent| Path::new(parent).join(&name)).collect()
}

/// The first of these folders that belongs to this user alone, created if missing.
pub(super) fn private(folders: &[PathBuf]) -> Result<&Path, Error> {
    let first = folders.iter().find(|folder| is_private(folder));
    first.map(PathBuf::as_path).ok_or_else(|| {
        let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        Error::Unavailable(format!(
            "the `claude` program needs an empty folder of this user alone, and none of these is one: {}",
            names.join(", ")
        ))
    })
}

fn is_private(folder: &Path) -> bool {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    // In a shared folder, another user may have created it first.
    let found = made.and_then(|()| fs::symlink_metadata(folder));
    found.is_ok_and(|found| found.is_dir() && found.uid() == getuid().as_raw() && found.mode() & 0o077 == 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn g4_a_folder_that_others_can_write_or_that_leads_elsewhere_is_not_used() {
        let home = tempfile::tempdir().unwrap();
        let [open, link, own] = ["open", "link", "own"].map(|name| home.path().join(name));
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        symlink(home.path(), &link).unwrap();
        let folders = [open, link, own.clone()];
        assert_eq!(private(&folders).unwrap(), own);
        assert_eq!(private(&folders).unwrap(), own, "and again, now that it is there");
        assert!(private(&folders[..2]).unwrap_err().to_string().contains("needs an empty folder"));
    }
}
