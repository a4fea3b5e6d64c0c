//! SuppressionList: what keeps a forgotten value from being learned again.

use jiff::Timestamp;
use rusqlite::{Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::forget::Suppression;

use super::Sqlite;
use super::messages::chat_row;
use super::rows::{Moment, json};
use crate::{Error, Result};

const KEY: &str = "suppression_key";

impl Sqlite {
    pub async fn suppression_key(&self) -> Result<[u8; 32]> {
        self.write(key).await
    }

    pub async fn suppressions(
        &self,
        chat: &ChatId,
        person: Option<&str>,
    ) -> Result<Vec<(Suppression, Timestamp)>> {
        let (chat, person) = (chat.clone(), person.map(str::to_owned));
        self.read(move |transaction| match chat_row(transaction, &chat)? {
            Some(chat) => of(transaction, chat, person.as_deref()),
            None => Ok(Vec::new()),
        })
        .await
    }
}

/// What is left of values that were forgotten in a chat, or of a person in any.
pub(super) fn of(
    transaction: &Transaction<'_>,
    chat: i64,
    person: Option<&str>,
) -> Result<Vec<(Suppression, Timestamp)>> {
    let mut statement = transaction
        .prepare_cached("SELECT hashes, at FROM suppressions WHERE chat = ?1 OR person = ?2")?;
    let mut rows = statement.query(params![chat, person])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let at = row.get::<_, Moment>(1)?.0;
        let suppression: Option<Suppression> = json(row, 0)?;
        found.extend(suppression.map(|suppression| (suppression, at)));
    }
    Ok(found)
}

/// The key of this home; random, and made once.
pub(super) fn key(transaction: &Transaction<'_>) -> Result<[u8; 32]> {
    transaction
        .execute("INSERT OR IGNORE INTO settings (name, value) SELECT ?1, hex(randomblob(32))", [KEY])?;
    let text: String =
        transaction.query_row("SELECT value FROM settings WHERE name = ?1", [KEY], |row| row.get(0))?;
    let mut key = [0u8; 32];
    for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).unwrap_or_default();
        *byte = u8::from_str_radix(digits, 16).map_err(|error| Error::Unreadable(error.to_string()))?;
    }
    Ok(key)
}
