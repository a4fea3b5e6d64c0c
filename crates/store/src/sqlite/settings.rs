//! Settings: values of the whole home, by name.

use super::Tx;
use crate::Result;

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

    pub fn add_random_setting(&self, name: &str) -> Result<()> {
        self.execute("INSERT OR IGNORE INTO settings (name, value) SELECT ?1, hex(randomblob(32))", [name])
    }
}
