//! Memories and summaries with their vectors.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, params};
use throughline_domain::chat::ChatId;
use throughline_domain::recall::vector::Vector;
use uuid::Uuid;

use super::messages::chat_row;
use super::rows::Id;
use super::{Sqlite, forget};
use crate::Result;

impl Sqlite {
    pub async fn piece_vectors(&self, pieces: Vec<Uuid>, embedder: &str) -> Result<HashMap<Uuid, Vec<u8>>> {
        let embedder = embedder.to_owned();
        self.read(move |transaction| {
            let mut statement = transaction
                .prepare_cached("SELECT components FROM piece_vectors WHERE piece = ?1 AND embedder = ?2")?;
            let mut found = HashMap::with_capacity(pieces.len());
            for piece in pieces {
                let components =
                    statement.query_row(params![Id(piece), embedder], |row| row.get(0)).optional()?;
                found.extend(components.map(|components| (piece, components)));
            }
            Ok(found)
        })
        .await
    }

    pub async fn pieces_without_vectors(
        &self,
        chat: &ChatId,
        embedder: &str,
        limit: usize,
    ) -> Result<Vec<(Uuid, String)>> {
        let (chat, embedder) = (chat.clone(), embedder.to_owned());
        self.read(move |transaction| {
            let Some(chat) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let mut statement = transaction.prepare_cached(
                "SELECT p.id, p.text FROM ( \
                   SELECT id, text FROM memories WHERE chat = ?1 AND status IN ('active', 'suggested') UNION ALL \
                   SELECT id, text FROM summaries WHERE chat = ?1 AND text <> '' \
                 ) AS p WHERE NOT EXISTS (SELECT 1 FROM piece_vectors v WHERE v.piece = p.id AND v.embedder = ?2) LIMIT ?3",
            )?;
            let rows = statement.query_map(params![chat, embedder, limit], |row| {
                Ok((row.get::<_, Id>(0)?.0, row.get(1)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    pub async fn add_piece_vectors(
        &self,
        chat: &ChatId,
        watched: Option<u64>,
        embedder: &str,
        made: Vec<(Uuid, Vector)>,
    ) -> Result<()> {
        let (chat, embedder) = (chat.clone(), embedder.to_owned());
        self.write(move |transaction| {
            let Some(chat) = chat_row(transaction, &chat)? else { return Ok(()) };
            forget::check(transaction, chat, watched)?;
            // What was forgotten meanwhile has no words that a vector could stand for.
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO piece_vectors (piece, embedder, chat, components) SELECT ?1, ?2, ?3, ?4 WHERE EXISTS ( \
                   SELECT 1 FROM memories WHERE id = ?1 AND status IN ('active', 'suggested') UNION ALL \
                   SELECT 1 FROM summaries WHERE id = ?1 AND text <> '')",
            )?;
            let made: HashMap<Uuid, Vector> = made.into_iter().collect();
            for (piece, vector) in made {
                insert.execute(params![Id(piece), embedder, chat, vector.components()])?;
            }
            Ok(())
        })
        .await
    }
}
