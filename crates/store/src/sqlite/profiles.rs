//! Profile narratives.

use jiff::Timestamp;
use rusqlite::params;

use super::Tx;
use super::rows::Moment;
use crate::Result;

impl Tx<'_> {
    pub fn profile_before(&self, owner: &str, at: Timestamp) -> Result<Option<String>> {
        self.value(
            "SELECT text FROM profiles WHERE owner = ?1 AND made_at < ?2 ORDER BY made_at DESC LIMIT 1",
            params![owner, Moment(at)],
        )
    }

    pub fn put_profile(&self, owner: &str, at: Timestamp, text: &str) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO profiles (owner, made_at, text) VALUES (?1, ?2, ?3)",
            params![owner, Moment(at), text],
        )
    }

    pub fn delete_old_profiles(&self, owner: &str, keep: u32) -> Result<()> {
        self.execute(
            "DELETE FROM profiles WHERE owner = ?1 AND made_at < ( \
               SELECT min(made_at) FROM (SELECT made_at FROM profiles WHERE owner = ?1 ORDER BY made_at DESC LIMIT ?2))",
            params![owner, keep],
        )
    }

    pub fn delete_profiles(&self, owner: &str) -> Result<()> {
        self.execute("DELETE FROM profiles WHERE owner = ?1", [owner])
    }

    pub fn move_profiles(&self, from: &str, to: &str) -> Result<()> {
        self.execute("UPDATE OR REPLACE profiles SET owner = ?2 WHERE owner = ?1", [from, to])
    }
}
