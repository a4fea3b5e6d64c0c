//! Keeps the name of the embedder that was chosen last.

use rusqlite::{OptionalExtension, Transaction};

use super::Sqlite;
use super::vectors::want_all;
use crate::Result;
use crate::jobs::JobKind;

impl Sqlite {
    pub async fn chosen_embedder(&self) -> Result<Option<String>> {
        self.read(chosen).await
    }

    pub async fn choose_embedder(&self, embedder: &str) -> Result<()> {
        // Most commands find their own embedder here, and then a store that cannot be written is no obstacle.
        if self.chosen_embedder().await?.as_deref() == Some(embedder) {
            return Ok(());
        }
        let embedder = embedder.to_owned();
        self.write(move |transaction| {
            if chosen(transaction)?.as_deref() == Some(&*embedder) {
                return Ok(());
            }
            transaction.execute(
                "INSERT INTO settings (name, value) VALUES ('embedder', ?1) \
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                [&embedder],
            )?;
            retry(transaction)
        })
        .await
    }

    pub async fn retry_vectors(&self) -> Result<()> {
        self.write(retry).await
    }
}

fn chosen(transaction: &Transaction<'_>) -> Result<Option<String>> {
    let mut statement = transaction.prepare_cached("SELECT value FROM settings WHERE name = 'embedder'")?;
    Ok(statement.query_row([], |row| row.get(0)).optional()?)
}

fn retry(transaction: &Transaction<'_>) -> Result<()> {
    // A job that somebody has claimed is left to them.
    transaction.execute(
        "UPDATE jobs SET due_at = 0, attempts = 0, problem = NULL WHERE kind = ?1 AND owner IS NULL",
        [JobKind::Embed.as_str()],
    )?;
    want_all(transaction)
}
