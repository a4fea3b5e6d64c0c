//! Vectors of messages.

use rusqlite::params;

use super::Tx;
use super::index::blob;
use crate::Result;

impl Tx<'_> {
    pub fn lacks_vectors(&self, chat: i64, embedder: &str) -> Result<bool> {
        self.only(
            "SELECT EXISTS (SELECT 1 FROM unindexed u WHERE u.chat = ?1 AND NOT EXISTS ( \
               SELECT 1 FROM unmerged_vectors v WHERE v.chat = u.chat AND v.embedder = ?2 AND v.message = u.seq)) \
             OR EXISTS (SELECT 1 FROM message_meta o WHERE o.chat = ?1 AND NOT EXISTS ( \
               SELECT 1 FROM vector_signs v WHERE v.chat = o.chat AND v.embedder = ?2 AND v.first = o.first))",
            params![chat, embedder],
        )
    }

    pub fn blocks_without_vectors(&self, chat: i64, embedder: &str, limit: usize) -> Result<Vec<i64>> {
        self.values(
            "SELECT o.first FROM message_meta o WHERE o.chat = ?1 AND NOT EXISTS ( \
               SELECT 1 FROM vector_signs v WHERE v.chat = o.chat AND v.embedder = ?2 AND v.first = o.first \
             ) ORDER BY o.first DESC LIMIT ?3",
            params![chat, embedder, limit],
        )
    }

    pub fn unindexed_without_vectors(&self, chat: i64, embedder: &str) -> Result<Vec<(i64, String)>> {
        self.all(
            "SELECT m.seq, m.text FROM unindexed u JOIN messages m ON m.seq = u.seq WHERE u.chat = ?1 AND NOT EXISTS ( \
               SELECT 1 FROM unmerged_vectors v WHERE v.chat = u.chat AND v.embedder = ?2 AND v.message = u.seq \
             ) ORDER BY u.seq",
            params![chat, embedder],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    pub fn vector_blocks(&self, chat: i64) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT embedder, first FROM vector_signs WHERE chat = ?1 ORDER BY embedder, first";
        self.all(sql, [chat], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    pub fn for_each_vector_block(
        &self,
        chat: i64,
        embedder: &str,
        wanted: &dyn Fn(i64) -> bool,
        each: &mut dyn FnMut(i64, &[u8]),
    ) -> Result<()> {
        let sql = "SELECT first, signs FROM vector_signs WHERE chat = ?1 AND embedder = ?2";
        self.for_each(sql, params![chat, embedder], |row| {
            let first = row.get(0)?;
            if wanted(first) {
                // SQLite reads the signs from disk lazily.
                each(first, blob(row, 1)?);
            }
            Ok(())
        })
    }

    pub fn put_vector_signs(&self, chat: i64, embedder: &str, first: i64, signs: &[u8]) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO vector_signs (chat, embedder, first, signs) VALUES (?1, ?2, ?3, ?4)",
            params![chat, embedder, first, signs],
        )
    }

    pub fn vector_part(&self, chat: i64, embedder: &str, first: i64, part: usize) -> Result<Option<Vec<u8>>> {
        self.value(
            "SELECT components FROM vectors WHERE chat = ?1 AND embedder = ?2 AND first = ?3 AND part = ?4",
            params![chat, embedder, first, part],
        )
    }

    pub fn put_vector_part(
        &self,
        chat: i64,
        embedder: &str,
        first: i64,
        part: usize,
        components: &[u8],
    ) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO vectors (chat, embedder, first, part, components) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![chat, embedder, first, part, components],
        )
    }

    pub fn delete_vector_blocks(&self, chat: i64) -> Result<()> {
        self.execute("DELETE FROM vector_signs WHERE chat = ?1", [chat])?;
        self.execute("DELETE FROM vectors WHERE chat = ?1", [chat])
    }

    pub fn for_each_unmerged_vector(
        &self,
        chat: i64,
        embedder: &str,
        each: &mut dyn FnMut(i64, Vec<u8>),
    ) -> Result<()> {
        let sql = "SELECT message, components FROM unmerged_vectors WHERE chat = ?1 AND embedder = ?2";
        self.for_each(sql, params![chat, embedder], |row| {
            each(row.get(0)?, row.get(1)?);
            Ok(())
        })
    }

    pub fn unmerged_vector(&self, chat: i64, embedder: &str, message: i64) -> Result<Option<Vec<u8>>> {
        self.value(
            "SELECT components FROM unmerged_vectors WHERE chat = ?1 AND embedder = ?2 AND message = ?3",
            params![chat, embedder, message],
        )
    }

    pub fn unmerged_embedders(&self, chat: i64) -> Result<Vec<String>> {
        self.values("SELECT DISTINCT embedder FROM unmerged_vectors WHERE chat = ?1", [chat])
    }

    pub fn put_unmerged_vector(
        &self,
        chat: i64,
        embedder: &str,
        message: i64,
        components: &[u8],
    ) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO unmerged_vectors (chat, embedder, message, components) VALUES (?1, ?2, ?3, ?4)",
            params![chat, embedder, message, components],
        )
    }

    pub fn delete_unmerged_vector(&self, chat: i64, embedder: &str, message: i64) -> Result<()> {
        self.execute(
            "DELETE FROM unmerged_vectors WHERE chat = ?1 AND embedder = ?2 AND message = ?3",
            params![chat, embedder, message],
        )
    }

    pub fn is_unindexed(&self, chat: i64, seq: i64) -> Result<bool> {
        self.has("SELECT 1 FROM unindexed WHERE chat = ?1 AND seq = ?2", [chat, seq])
    }

    pub fn delete_other_vectors(&self, chat: i64, embedder: &str) -> Result<()> {
        let own = params![chat, embedder];
        self.execute("DELETE FROM vector_signs WHERE chat = ?1 AND embedder <> ?2", own)?;
        self.execute("DELETE FROM vectors WHERE chat = ?1 AND embedder <> ?2", own)?;
        self.execute("DELETE FROM unmerged_vectors WHERE chat = ?1 AND embedder <> ?2", own)?;
        self.execute("DELETE FROM piece_vectors WHERE chat = ?1 AND embedder <> ?2", own)
    }

    pub fn count_vector_write(&self, chat: i64) -> Result<()> {
        self.execute("UPDATE chats SET vector_writes = vector_writes + 1 WHERE id = ?1", [chat])
    }
}
