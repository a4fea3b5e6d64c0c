//! The list of chats.

use rusqlite::OptionalExtension;
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;

use super::Sqlite;
use super::rows::{Id, Moment, parse};
use crate::Result;
use crate::chats::ChatCount;

impl Sqlite {
    pub async fn open_chat(&self, chat: &ChatId) -> Result<()> {
        let chat = chat.clone();
        self.write(move |transaction| {
            transaction
                .prepare_cached("INSERT OR IGNORE INTO chats (key) VALUES (?1)")?
                .execute([chat.as_str()])?;
            Ok(())
        })
        .await
    }

    pub async fn chats_of(&self, messages: Vec<MessageId>) -> Result<Vec<ChatId>> {
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT c.key FROM messages m JOIN chats c ON c.id = m.chat WHERE m.id = ?1",
            )?;
            let mut found = Vec::new();
            for message in messages {
                let key: Option<String> =
                    statement.query_row([Id(message.0)], |row| row.get(0)).optional()?;
                found.extend(key.map(|key| parse(&key)).transpose()?);
            }
            Ok(found)
        })
        .await
    }

    pub async fn chats(&self) -> Result<Vec<ChatCount>> {
        self.read(|transaction| {
            let mut statement = transaction.prepare(
                "SELECT c.key, coalesce(sum(l.messages), 0), count(l.id), max(l.last_at) AS last FROM chats c LEFT JOIN lanes l ON l.chat = c.id \
                 GROUP BY c.id ORDER BY last DESC",
            )?;
            let mut rows = statement.query([])?;
            let mut chats = Vec::new();
            while let Some(row) = rows.next()? {
                chats.push(ChatCount {
                    chat: parse(&row.get::<_, String>(0)?)?,
                    messages: row.get(1)?,
                    lanes: row.get(2)?,
                    last_at: row.get::<_, Option<Moment>>(3)?.map(|at| at.0),
                });
            }
            Ok(chats)
        })
        .await
    }
}
