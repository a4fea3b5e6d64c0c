//! Settings: values of the whole home, by name.

use std::path::{Path, PathBuf};

use super::Tx;
use crate::{Error, Result};

impl Tx<'_> {
    pub fn setting(&self, name: &str) -> Result<Option<String>> {
        self.value("SELECT value FROM settings WHERE name = ?1", [name])
    }

    pub fn put_setting(&self, name: &str, value: &str) -> Result<()> {
        self.execute(
            "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value],
        )
    }

    pub fn delete_setting(&self, name: &str) -> Result<()> {
        self.execute("DELETE FROM settings WHERE name = ?1", [name])
    }

    pub fn random_hex(&self) -> Result<String> {
        self.only("SELECT hex(randomblob(32))", [])
    }

    pub fn folder(&self) -> Result<PathBuf> {
        let file = self.path().map(Path::new).and_then(Path::parent).map(Path::to_owned);
        file.ok_or_else(|| Error::Unreadable("the database is not a file".to_owned()))
    }
}
