//! Figures and checks.

use rusqlite::Transaction;

use super::{Sqlite, words};
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
                summaries: count("SELECT count(*) FROM summaries")?,
                waiting: count("SELECT count(*) FROM waiting")?,
                running: count("SELECT count(*) FROM lanes WHERE turn IS NOT NULL")?,
                pending_replies: count("SELECT count(*) FROM replies WHERE delivery = 'pending'")?,
                uncertain_replies: count("SELECT count(*) FROM replies WHERE delivery = 'uncertain'")?,
                jobs: count("SELECT count(*) FROM jobs")?,
                failing_jobs: count("SELECT count(*) FROM jobs WHERE problem IS NOT NULL")?,
                unindexed: count("SELECT coalesce(sum(waiting_messages), 0) FROM chats")?,
                bytes: count("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
            })
        })
        .await
    }

    pub async fn check(&self) -> Result<Vec<Check>> {
        self.read(|transaction| Ok(vec![file(transaction)?, references(transaction)?, durability(transaction)?, counts(transaction)?, index(transaction)?])).await
    }

    pub async fn reindex(&self) -> Result<()> {
        self.write(words::rebuild).await
    }
}

fn file(transaction: &Transaction<'_>) -> Result<Check> {
    let mut statement = transaction.prepare("PRAGMA integrity_check(5)")?;
    let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let fine = found.iter().all(|line| line == "ok");
    Ok(Check { name: "database file", problem: (!fine).then(|| found.join("; ")) })
}

fn references(transaction: &Transaction<'_>) -> Result<Check> {
    let broken: u64 = transaction.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
    Ok(Check { name: "references", problem: (broken > 0).then(|| format!("{broken} rows refer to something that is not there")) })
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
    Ok(Check { name: "lanes", problem: (wrong > 0).then(|| format!("{wrong} lanes count their messages wrongly")) })
}

fn index(transaction: &Transaction<'_>) -> Result<Check> {
    let (indexed, waiting, listed, all): (u64, u64, u64, u64) = transaction.query_row(
        "SELECT coalesce(sum(indexed_messages), 0), coalesce(sum(waiting_messages), 0), (SELECT count(*) FROM unindexed), (SELECT count(*) FROM messages) FROM chats",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    let fine = indexed + waiting == all && waiting == listed;
    let problem = (!fine).then(|| format!("the word index knows {} of {all} messages", indexed + waiting));
    Ok(Check { name: "word index", problem })
}
