//! Figures and checks.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Transaction};

use super::{Sqlite, message_meta, words};
use crate::Result;
use crate::health::{Check, Figures};

impl Sqlite {
    pub async fn figures(&self) -> Result<Figures> {
        self.read(|transaction| {
            let count = |sql: &str| -> Result<u64> { Ok(transaction.query_row(sql, [], |row| row.get(0))?) };
            Ok(Figures {
                format: transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?,
                chats: count("SELECT count(*) FROM chats")?,
                messages: count("SELECT coalesce(sum(messages), 0) FROM lanes")?,
                summaries: count("SELECT count(*) FROM summaries WHERE text <> ''")?,
                memories: count("SELECT count(*) FROM memories WHERE status = 'active'")?,
                jobs_by_kind: jobs_by_kind(transaction)?,
                waiting: count("SELECT count(*) FROM waiting")?,
                running: count("SELECT count(*) FROM lanes WHERE turn IS NOT NULL")?,
                pending_replies: count("SELECT count(*) FROM replies WHERE delivery = 'pending'")?,
                uncertain_replies: count(
                    "SELECT (SELECT count(*) FROM replies WHERE delivery = 'uncertain') \
                     + (SELECT count(*) FROM outbox WHERE state = 'uncertain' AND turn IS NULL)",
                )?,
                jobs: count("SELECT count(*) FROM jobs")?,
                failing_jobs: count("SELECT count(*) FROM jobs WHERE problem IS NOT NULL")?,
                job_problem: job_problem(transaction)?,
                vectors: vectors(transaction)?,
                unindexed: count("SELECT count(*) FROM unindexed")?,
                bytes: count("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
            })
        })
        .await
    }

    pub async fn check(&self) -> Result<Vec<Check>> {
        self.read(|transaction| {
            Ok(vec![
                file(transaction)?,
                references(transaction)?,
                durability(transaction)?,
                counts(transaction)?,
                index(transaction)?,
            ])
        })
        .await
    }

    pub async fn bare_commit(&self) -> Result<()> {
        self.write(|transaction| {
            let mut count = transaction.prepare_cached(
                "INSERT INTO settings (name, value) VALUES ('bare commits', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1",
            )?;
            count.execute([])?;
            Ok(())
        })
        .await
    }

    pub async fn reindex(&self) -> Result<()> {
        self.write(words::rebuild).await
    }
}

fn jobs_by_kind(transaction: &Transaction<'_>) -> Result<BTreeMap<String, u64>> {
    let mut statement = transaction.prepare_cached("SELECT kind, count(*) FROM jobs GROUP BY kind")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn job_problem(transaction: &Transaction<'_>) -> Result<Option<String>> {
    let sql = "SELECT problem FROM jobs WHERE problem IS NOT NULL ORDER BY due_at DESC LIMIT 1";
    Ok(transaction.query_row(sql, [], |row| row.get(0)).optional()?)
}

/// A block has all its vectors or none, so that its outline counts them.
fn vectors(transaction: &Transaction<'_>) -> Result<BTreeMap<String, u64>> {
    let mut statement = transaction.prepare(
        "SELECT embedder, sum(messages) FROM ( \
           SELECT v.embedder, length(o.entries) / ?1 AS messages \
             FROM vector_signs v JOIN message_meta o ON o.chat = v.chat AND o.first = v.first \
           UNION ALL SELECT embedder, 1 FROM unmerged_vectors \
         ) GROUP BY embedder",
    )?;
    let counts = statement.query_map([message_meta::ENTRY], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counts.collect::<rusqlite::Result<_>>()?)
}

fn file(transaction: &Transaction<'_>) -> Result<Check> {
    let mut statement = transaction.prepare("PRAGMA integrity_check(5)")?;
    let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let fine = found.iter().all(|line| line == "ok");
    Ok(Check { name: "database file", problem: (!fine).then(|| found.join("; ")) })
}

fn references(transaction: &Transaction<'_>) -> Result<Check> {
    let broken: u64 =
        transaction.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
    Ok(Check {
        name: "references",
        problem: (broken > 0).then(|| format!("{broken} rows refer to something that is not there")),
    })
}

fn durability(transaction: &Transaction<'_>) -> Result<Check> {
    let journal: String = transaction.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    let problem = (journal != "wal").then(|| format!("the journal mode is {journal}, not wal"));
    Ok(Check { name: "durability", problem })
}

fn counts(transaction: &Transaction<'_>) -> Result<Check> {
    let wrong: u64 = transaction.query_row(
        "SELECT count(*) FROM lanes l WHERE l.messages <> (SELECT count(*) FROM messages m WHERE m.lane = l.id)",
        [],
        |row| row.get(0),
    )?;
    Ok(Check {
        name: "lanes",
        problem: (wrong > 0).then(|| format!("{wrong} lanes count their messages wrongly")),
    })
}

fn index(transaction: &Transaction<'_>) -> Result<Check> {
    let (indexed, unindexed, all): (u64, u64, u64) = transaction.query_row(
        "SELECT coalesce(sum(indexed_messages), 0), (SELECT count(*) FROM unindexed), (SELECT count(*) FROM messages) FROM chats",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let problem = if indexed + unindexed != all {
        Some(format!("the word index knows {} of {all} messages", indexed + unindexed))
    } else {
        match lost(transaction)? {
            (_, 0) => None,
            (looked, lost) => Some(format!(
                "the word index has lost words of {lost} of the {looked} messages that were looked at"
            )),
        }
    };
    Ok(Check { name: "word index", problem })
}

/// Looks whether the index finds messages by all their words, for so many of them, evenly spread: reading every one
/// would take minutes in a large store.
fn lost(transaction: &Transaction<'_>) -> Result<(u64, u64)> {
    const SAMPLE: i64 = 1_000;
    let newest: i64 =
        transaction.query_row("SELECT coalesce(max(seq), 0) FROM messages", [], |row| row.get(0))?;
    let mut next = transaction.prepare(
        "SELECT m.seq, m.chat, m.text, EXISTS (SELECT 1 FROM unindexed u WHERE u.chat = m.chat AND u.seq = m.seq) \
         FROM messages m WHERE m.seq >= ?1 ORDER BY m.seq LIMIT 1",
    )?;
    let (mut from, mut looked, mut lost) = (0, 0, 0);
    while let Some((seq, chat, text, waits)) = next
        .query_row([from], |row| {
            Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, String>(2)?, row.get::<_, bool>(3)?))
        })
        .optional()?
    {
        looked += 1;
        if !waits && !words::holds(transaction, chat, seq, &text)? {
            lost += 1;
        }
        from = seq + 1 + newest / SAMPLE;
    }
    Ok((looked, lost))
}
