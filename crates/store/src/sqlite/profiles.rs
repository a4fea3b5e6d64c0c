//! Portraits of people.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use throughline_domain::chat::ChatId;

use super::messages::chat_row;
use super::rows::Moment;
use super::{Sqlite, forget};
use crate::Result;

/// So many portraits are kept: a conversation goes on with the one it began with.
const KEPT: u32 = 3;

impl Sqlite {
    pub async fn narrative(
        &self,
        chat: &ChatId,
        person: Option<&str>,
        at: Timestamp,
    ) -> Result<Option<String>> {
        let owner = owner(chat, person);
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT text FROM profiles WHERE owner = ?1 AND made_at < ?2 ORDER BY made_at DESC LIMIT 1",
            )?;
            Ok(statement.query_row(params![owner, Moment(at)], |row| row.get(0)).optional()?)
        })
        .await
    }

    pub async fn keep_narrative(
        &self,
        chat: &ChatId,
        watched: Option<u64>,
        person: Option<&str>,
        text: &str,
        at: Timestamp,
    ) -> Result<()> {
        let (chat, owner, text) = (chat.clone(), owner(chat, person), text.to_owned());
        self.write(move |transaction| {
            if let Some(chat) = chat_row(transaction, &chat)? {
                forget::check(transaction, chat, watched)?;
            }
            transaction
                .prepare_cached("INSERT OR REPLACE INTO profiles (owner, made_at, text) VALUES (?1, ?2, ?3)")?
                .execute(params![owner, Moment(at), text])?;
            let mut drop = transaction.prepare_cached(
                "DELETE FROM profiles WHERE owner = ?1 AND made_at < ( \
                   SELECT min(made_at) FROM (SELECT made_at FROM profiles WHERE owner = ?1 ORDER BY made_at DESC LIMIT ?2))",
            )?;
            drop.execute(params![owner, KEPT])?;
            Ok(())
        })
        .await
    }
}

/// Whose portrait it is.
pub(super) fn owner(chat: &ChatId, person: Option<&str>) -> String {
    person.map_or_else(|| format!("chat:{chat}"), |person| format!("person:{person}"))
}
