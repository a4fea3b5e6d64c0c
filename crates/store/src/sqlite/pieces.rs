//! Vectors of memories and summaries.

use rusqlite::params;
use uuid::Uuid;

use super::Tx;
use super::rows::Id;
use crate::Result;

impl Tx<'_> {
    pub fn piece_vector(&self, piece: Uuid, embedder: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT components FROM piece_vectors WHERE piece = ?1 AND embedder = ?2";
        self.value(sql, params![Id(piece), embedder])
    }

    pub fn pieces_without_vectors(
        &self,
        chat: i64,
        embedder: &str,
        limit: usize,
    ) -> Result<Vec<(Uuid, String)>> {
        self.all(
            "SELECT p.id, p.text FROM ( \
               SELECT id, text FROM memories WHERE chat = ?1 AND status IN ('active', 'suggested') UNION ALL \
               SELECT id, text FROM summaries WHERE chat = ?1 AND text <> '' \
             ) AS p WHERE NOT EXISTS (SELECT 1 FROM piece_vectors v WHERE v.piece = p.id AND v.embedder = ?2) LIMIT ?3",
            params![chat, embedder, limit],
            |row| Ok((row.get::<_, Id>(0)?.0, row.get(1)?)),
        )
    }

    pub fn put_piece_vector(&self, chat: i64, piece: Uuid, embedder: &str, components: &[u8]) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO piece_vectors (piece, embedder, chat, components) SELECT ?1, ?2, ?3, ?4 WHERE EXISTS ( \
               SELECT 1 FROM memories WHERE id = ?1 AND status IN ('active', 'suggested') UNION ALL \
               SELECT 1 FROM summaries WHERE id = ?1 AND text <> '')",
            params![Id(piece), embedder, chat, components],
        )
    }

    pub fn delete_piece_vectors(&self, piece: Uuid) -> Result<()> {
        self.execute("DELETE FROM piece_vectors WHERE piece = ?1", [Id(piece)])
    }
}
