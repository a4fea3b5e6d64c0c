//! Figures and checks.

use super::Tx;
use super::rows::Moment;
use crate::Result;
use crate::health::{Check, DATABASE_FILE, Figures};
use crate::jobs::SET_ASIDE;
use crate::tx::Sample;

impl Tx<'_> {
    pub fn figures(&self, entry_bytes: usize) -> Result<Figures> {
        let count = |sql: &str| self.only::<u64>(sql, []);
        Ok(Figures {
            format: self.only("PRAGMA user_version", [])?,
            chats: count("SELECT count(*) FROM chats")?,
            messages: count("SELECT coalesce(sum(messages), 0) FROM lanes")?,
            summaries: count("SELECT count(*) FROM summaries WHERE text <> ''")?,
            memories: count("SELECT count(*) FROM memories WHERE status = 'active'")?,
            jobs_by_kind: self
                .all("SELECT kind, count(*) FROM jobs GROUP BY kind", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?
                .into_iter()
                .collect(),
            waiting: count("SELECT count(*) FROM waiting")?,
            running: count("SELECT count(*) FROM lanes WHERE turn IS NOT NULL")?,
            pending_replies: count("SELECT count(*) FROM replies WHERE delivery = 'pending'")?,
            uncertain_replies: count(
                "SELECT (SELECT count(*) FROM replies WHERE delivery = 'uncertain') \
                 + (SELECT count(*) FROM outbox WHERE state = 'uncertain' AND turn IS NULL)",
            )?,
            jobs: count("SELECT count(*) FROM jobs")?,
            failing_jobs: count("SELECT count(*) FROM jobs WHERE problem IS NOT NULL")?,
            set_aside_jobs: self.only("SELECT count(*) FROM jobs WHERE due_at = ?1", [Moment(SET_ASIDE)])?,
            job_problem: self.value(
                "SELECT problem FROM jobs WHERE problem IS NOT NULL ORDER BY due_at DESC LIMIT 1",
                [],
            )?,
            lasting_problem: self.value(
                "SELECT problem FROM jobs WHERE problem IS NOT NULL AND attempts >= 4 ORDER BY due_at DESC LIMIT 1",
                [],
            )?,
            // A block has all its vectors or none, so its metadata counts them.
            vectors: self
                .all(
                    "SELECT embedder, sum(messages) FROM ( \
                   SELECT v.embedder, length(o.entries) / ?1 AS messages \
                     FROM vector_signs v JOIN message_meta o ON o.chat = v.chat AND o.first = v.first \
                   UNION ALL SELECT embedder, 1 FROM unmerged_vectors \
                 ) GROUP BY embedder",
                    [entry_bytes],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )?
                .into_iter()
                .collect(),
            unindexed: count("SELECT count(*) FROM unindexed")?,
            bytes: count("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
            files: count("SELECT count(DISTINCT hash) FROM attachments WHERE hash IS NOT NULL")?,
            file_bytes: count(
                "SELECT coalesce(sum(bytes), 0) FROM (SELECT max(bytes) AS bytes FROM attachments WHERE hash IS NOT NULL GROUP BY hash)",
            )?,
        })
    }

    pub fn check_database(&self) -> Result<Vec<Check>> {
        let found: Vec<String> = self.values("PRAGMA integrity_check(5)", [])?;
        let is_sound = found.iter().all(|line| line == "ok");
        let broken: u64 = self.only("SELECT count(*) FROM pragma_foreign_key_check", [])?;
        let journal: String = self.only("PRAGMA journal_mode", [])?;
        Ok(vec![
            Check { name: DATABASE_FILE, problem: (!is_sound).then(|| found.join("; ")) },
            Check {
                name: "references",
                problem: (broken > 0).then(|| format!("{broken} rows refer to something that is not there")),
            },
            Check {
                name: "durability",
                problem: (journal != "wal").then(|| format!("the journal mode is {journal}, not wal")),
            },
        ])
    }

    pub fn count_wrong_lanes(&self) -> Result<u64> {
        self.only(
            "SELECT count(*) FROM lanes l WHERE l.messages <> (SELECT count(*) FROM messages m WHERE m.lane = l.id)",
            [],
        )
    }

    pub fn index_counts(&self) -> Result<(u64, u64, u64)> {
        let found = self.first(
            "SELECT coalesce(sum(indexed_messages), 0), (SELECT count(*) FROM unindexed), (SELECT count(*) FROM messages) FROM chats",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        Ok(found.unwrap_or_default())
    }

    pub fn newest_seq(&self) -> Result<i64> {
        self.only("SELECT coalesce(max(seq), 0) FROM messages", [])
    }

    pub fn sample_from(&self, seq: i64) -> Result<Option<Sample>> {
        self.first(
            "SELECT m.seq, m.chat, m.text, EXISTS (SELECT 1 FROM unindexed u WHERE u.chat = m.chat AND u.seq = m.seq) \
             FROM messages m WHERE m.seq >= ?1 ORDER BY m.seq LIMIT 1",
            [seq],
            |row| {
                Ok(Sample { seq: row.get(0)?, chat: row.get(1)?, text: row.get(2)?, is_unindexed: row.get(3)? })
            },
        )
    }

    pub fn count_bare_commit(&self) -> Result<()> {
        self.execute(
            "INSERT INTO settings (name, value) VALUES ('bare commits', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1",
            [],
        )
    }
}
