//! Receipts of forgetting, the forgotten words, and suppressions.

use jiff::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use throughline_domain::forget::Suppression;
use uuid::Uuid;

use super::Tx;
use super::rows::{Id, Moment, json, parse, to_json};
use crate::Result;
use crate::forget::{Forgetting, Forgotten, Suppressed};

/// The column `hashes`. It contains the key's fingerprint if another home made the hashes.
#[derive(Serialize, Deserialize)]
struct Hashes {
    #[serde(flatten)]
    suppression: Suppression,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl Tx<'_> {
    pub fn insert_forgetting(&self, chat: i64, forgotten: &Forgotten) -> Result<()> {
        self.execute(
            "INSERT INTO forgettings (id, chat, at, undo_until, memories, messages, summaries) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                Id(forgotten.id),
                chat,
                Moment(forgotten.at),
                forgotten.undo_until.map(Moment),
                forgotten.memories,
                forgotten.messages,
                forgotten.summaries
            ],
        )
    }

    pub fn erase_problems(&self, chat: i64) -> Result<()> {
        let turns = "UPDATE turns SET problem = '[forgotten]' WHERE problem IS NOT NULL AND lane IN (SELECT id FROM lanes WHERE chat = ?1)";
        self.execute(turns, [chat])?;
        self.execute(
            "UPDATE calls SET problem = '[forgotten]' WHERE problem IS NOT NULL AND chat = ?1",
            [chat],
        )
    }

    pub fn undoable_forgetting(&self, chat: i64, id: Uuid, now: Timestamp) -> Result<Option<Forgotten>> {
        self.first(
            "SELECT at, undo_until, memories, messages, summaries FROM forgettings WHERE id = ?1 AND chat = ?2 AND undo_until > ?3",
            params![Id(id), chat, Moment(now)],
            |row| {
                Ok(Forgotten {
                    id,
                    at: row.get::<_, Moment>(0)?.0,
                    undo_until: row.get::<_, Option<Moment>>(1)?.map(|at| at.0),
                    memories: row.get(2)?,
                    messages: row.get(3)?,
                    summaries: row.get(4)?,
                })
            },
        )
    }

    pub fn undoable_forgettings(&self, chat: i64) -> Result<Vec<Uuid>> {
        let sql = "SELECT id FROM forgettings WHERE chat = ?1 AND undo_until IS NOT NULL";
        self.all(sql, [chat], |row| Ok(row.get::<_, Id>(0)?.0))
    }

    pub fn expired_forgettings(&self, now: Timestamp) -> Result<Vec<Uuid>> {
        let sql = "SELECT id FROM forgettings WHERE undo_until IS NOT NULL AND undo_until <= ?1";
        self.all(sql, [Moment(now)], |row| Ok(row.get::<_, Id>(0)?.0))
    }

    pub fn make_permanent(&self, forgetting: Uuid) -> Result<()> {
        self.execute("DELETE FROM forgotten_words WHERE forgetting = ?1", [Id(forgetting)])?;
        self.execute("UPDATE forgettings SET undo_until = NULL WHERE id = ?1", [Id(forgetting)])
    }

    pub fn delete_forgetting(&self, forgetting: Uuid) -> Result<()> {
        self.execute("DELETE FROM forgotten_words WHERE forgetting = ?1", [Id(forgetting)])?;
        self.execute("DELETE FROM suppressions WHERE forgetting = ?1", [Id(forgetting)])?;
        self.execute("DELETE FROM forgettings WHERE id = ?1", [Id(forgetting)])
    }

    pub fn put_forgotten_words(&self, forgetting: Uuid, kind: &str, id: Uuid, before: &str) -> Result<()> {
        self.execute(
            "INSERT INTO forgotten_words (forgetting, kind, id, before) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT (forgetting, kind, id) DO UPDATE SET before = excluded.before",
            params![Id(forgetting), kind, Id(id), before],
        )
    }

    pub fn forgotten_words(&self, forgetting: Uuid) -> Result<Vec<(String, Uuid, String)>> {
        let sql = "SELECT kind, id, before FROM forgotten_words WHERE forgetting = ?1";
        self.all(sql, [Id(forgetting)], |row| Ok((row.get(0)?, row.get::<_, Id>(1)?.0, row.get(2)?)))
    }

    pub fn words_kept_by_others(&self, own: Uuid, message: Uuid) -> Result<Vec<(Uuid, String)>> {
        self.all(
            "SELECT forgetting, before FROM forgotten_words WHERE kind = 'message' AND id = ?1 AND forgetting <> ?2",
            [Id(message), Id(own)],
            |row| Ok((row.get::<_, Id>(0)?.0, row.get(1)?)),
        )
    }

    pub fn insert_suppression(
        &self,
        chat: i64,
        forgetting: &Forgetting,
        suppression: &Suppression,
    ) -> Result<()> {
        self.execute(
            "INSERT INTO suppressions (chat, person, forgetting, at, hashes) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![chat, forgetting.person, Id(forgetting.id), Moment(forgetting.at), to_json(suppression)?],
        )
    }

    pub fn suppressions(&self, chat: i64, person: Option<&str>) -> Result<Vec<(Suppression, Timestamp)>> {
        let mut found = Vec::new();
        let sql = "SELECT hashes, at FROM suppressions WHERE chat = ?1 OR person = ?2";
        self.for_each(sql, params![chat, person], |row| {
            let at = row.get::<_, Moment>(1)?.0;
            found.extend(json::<Option<Suppression>>(row, 0)?.map(|suppression| (suppression, at)));
            Ok(())
        })?;
        Ok(found)
    }

    pub fn every_suppression(&self) -> Result<Vec<(Uuid, Option<String>, Suppressed)>> {
        let sql = "SELECT c.key, s.person, s.at, s.hashes, s.forgetting FROM suppressions s JOIN chats c ON c.id = s.chat ORDER BY s.rowid";
        self.all(sql, [], |row| {
            let Some(Hashes { suppression, key }) = json::<Option<Hashes>>(row, 3)? else { return Ok(None) };
            let chat = parse(&row.get::<_, String>(0)?)?;
            let (person, at) = (row.get(1)?, row.get::<_, Moment>(2)?.0);
            Ok(Some((row.get::<_, Id>(4)?.0, key, Suppressed { chat, person, at, suppression })))
        })
        .map(|all| all.into_iter().flatten().collect())
    }

    pub fn put_suppression(
        &self,
        chat: i64,
        forgetting: Uuid,
        suppressed: &Suppressed,
        key: Option<&str>,
    ) -> Result<()> {
        let Suppressed { person, at, suppression, .. } = suppressed;
        let hashes = Hashes { suppression: suppression.clone(), key: key.map(str::to_owned) };
        self.execute(
            "INSERT INTO suppressions (chat, person, forgetting, at, hashes) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![chat, person, Id(forgetting), Moment(*at), to_json(&hashes)?],
        )
    }

    pub fn person_of_forgetting(&self, forgetting: Uuid) -> Result<Option<String>> {
        let sql = "SELECT person FROM suppressions WHERE forgetting = ?1 LIMIT 1";
        Ok(self.value::<Option<String>>(sql, [Id(forgetting)])?.flatten())
    }
}
