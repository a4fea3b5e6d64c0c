//! Summaries.

use rusqlite::{Row, params};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_domain::summary::{End, Position, Scope, Summary};
use uuid::Uuid;

use super::Tx;
use super::rows::{Id, Moment, json, parse, parse_lane, to_json};
use crate::Result;

/// The columns of a summary, for [`read`].
macro_rules! summary {
    () => {
        "s.id, s.scope, s.text, s.messages, s.first_id, s.first_at, s.first_seq, s.last_id, s.last_at, s.last_seq, \
         s.version, s.updated_at, s.stale, s.sections, s.made_after"
    };
}

impl Tx<'_> {
    pub fn insert_summary(&self, chat: i64, lane: i64, summary: &Summary) -> Result<()> {
        let Summary { first, last, .. } = summary;
        self.execute(
            "INSERT INTO summaries (id, chat, lane, scope, text, messages, first_id, first_at, first_seq, last_id, last_at, last_seq, version, updated_at, stale, sections, made_after) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, (SELECT coalesce(max(seq), 0) FROM messages))",
            params![
                Id(summary.id),
                chat,
                lane,
                summary.scope.as_str(),
                summary.text,
                summary.messages,
                Id(first.id.0),
                Moment(first.position.at),
                first.position.seq,
                Id(last.id.0),
                Moment(last.position.at),
                last.position.seq,
                summary.version,
                Moment(summary.updated_at),
                summary.stale,
                sections_as_text(summary)?,
            ],
        )
    }

    pub fn put_made_after(&self, summary: Uuid, seq: i64) -> Result<()> {
        self.execute("UPDATE summaries SET made_after = ?2 WHERE id = ?1", params![Id(summary), seq])
    }

    pub fn rewrite_summary(&self, chat: i64, summary: &Summary) -> Result<()> {
        self.execute(
            "UPDATE summaries SET text = ?3, sections = ?4, messages = ?5, version = version + 1, updated_at = ?6, stale = 0, made_after = (SELECT coalesce(max(seq), 0) FROM messages) \
             WHERE id = ?1 AND chat = ?2",
            params![
                Id(summary.id),
                chat,
                summary.text,
                sections_as_text(summary)?,
                summary.messages,
                Moment(summary.updated_at),
            ],
        )
    }

    pub fn clean_summary(&self, summary: &Summary) -> Result<()> {
        self.execute(
            "UPDATE summaries SET text = ?2, sections = ?3, stale = ?4 WHERE id = ?1",
            params![Id(summary.id), summary.text, sections_as_text(summary)?, summary.stale],
        )
    }

    pub fn summary(&self, id: Uuid) -> Result<Option<(i64, Summary)>> {
        let sql = concat!("SELECT ", summary!(), ", s.lane FROM summaries s WHERE s.id = ?1");
        self.first(sql, [Id(id)], |row| Ok((row.get(15)?, read(row)?)))
    }

    pub fn newest_span_end(&self, lane: i64, scope: Scope) -> Result<Option<Position>> {
        self.first(
            "SELECT last_at, last_seq FROM summaries WHERE lane = ?1 AND scope = ?2 UNION ALL \
             SELECT floor_at, floor_seq FROM lanes WHERE id = ?1 AND floor_at IS NOT NULL ORDER BY 1 DESC, 2 DESC LIMIT 1",
            params![lane, scope.as_str()],
            |row| Ok(Position { at: row.get::<_, Moment>(0)?.0, seq: row.get(1)? }),
        )
    }

    pub fn lane_summary_versions(&self, lane: i64) -> Result<Vec<(i64, i64)>> {
        self.all(
            "SELECT version, made_after FROM summaries WHERE lane = ?1 AND scope = 'lane'",
            [lane],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    pub fn delete_lane_summary(&self, lane: i64, version: i64) -> Result<()> {
        self.execute(
            "DELETE FROM summaries WHERE lane = ?1 AND scope = 'lane' AND version = ?2",
            params![lane, version],
        )
    }

    pub fn chat_summary(&self, chat: &ChatId) -> Result<Option<(Lane, Summary)>> {
        let sql = concat!(
            "SELECT ",
            summary!(),
            ", l.key FROM chats c JOIN lanes l ON l.chat = c.id JOIN summaries s ON s.lane = l.id AND s.scope = 'chat' \
             WHERE c.key = ?1"
        );
        self.first(sql, [chat.as_str()], |row| {
            Ok((parse_lane(&row.get::<_, String>(15)?, chat)?, read(row)?))
        })
    }

    pub fn delete_chat_summary(&self, chat: i64) -> Result<()> {
        self.execute(
            "DELETE FROM summaries WHERE scope = 'chat' AND lane IN (SELECT id FROM lanes WHERE chat = ?1)",
            [chat],
        )
    }

    pub fn summaries_of_lane(&self, lane: i64) -> Result<Vec<Summary>> {
        let sql = concat!(
            "SELECT ",
            summary!(),
            " FROM summaries s WHERE s.lane = ?1 AND s.scope <> 'chat' ORDER BY s.first_at, s.first_seq"
        );
        self.all(sql, [lane], read)
    }

    pub fn newest_summaries(&self, lane: i64, limit: usize) -> Result<Vec<Summary>> {
        let sql = concat!(
            "SELECT * FROM (SELECT ",
            summary!(),
            " FROM summaries s WHERE s.lane = ?1 AND s.text <> '' AND s.scope IN ('conversation', 'chunk') \
             ORDER BY s.last_at DESC, s.last_seq DESC LIMIT ?2) UNION ALL SELECT ",
            summary!(),
            " FROM summaries s WHERE s.lane = ?1 AND s.text <> '' AND s.scope = 'lane'"
        );
        self.all(sql, params![lane, limit], read)
    }

    pub fn summaries_elsewhere(
        &self,
        chat: &ChatId,
        key: &str,
        limit: usize,
    ) -> Result<Vec<(Lane, Summary)>> {
        let sql = concat!(
            "SELECT ",
            summary!(),
            ", l.key FROM lanes l JOIN chats c ON c.id = l.chat JOIN summaries s ON s.lane = l.id \
             WHERE c.key = ?1 AND l.key <> ?2 AND s.text <> '' AND s.scope <> 'chat' ORDER BY s.last_at DESC, s.version DESC LIMIT ?3"
        );
        self.all(sql, params![chat.as_str(), key, limit], |row| {
            Ok((parse_lane(&row.get::<_, String>(15)?, chat)?, read(row)?))
        })
    }

    pub fn mark_summaries_stale(&self, lane: i64, at: Position) -> Result<()> {
        self.execute(
            "UPDATE summaries SET stale = 1 WHERE lane IN (SELECT id FROM lanes WHERE chat = (SELECT chat FROM lanes WHERE id = ?1)) \
             AND (lane = ?1 OR scope = 'chat') AND (first_at, first_seq) <= (?2, ?3) AND (last_at, last_seq) >= (?2, ?3)",
            params![lane, Moment(at.at), at.seq],
        )
    }
}

fn sections_as_text(summary: &Summary) -> Result<Option<String>> {
    (!summary.sections.is_empty()).then(|| to_json(&summary.sections)).transpose()
}

fn read(row: &Row<'_>) -> Result<Summary> {
    let end = |id: usize| -> rusqlite::Result<End> {
        let position = Position { at: row.get::<_, Moment>(id + 1)?.0, seq: row.get(id + 2)? };
        Ok(End { id: MessageId(row.get::<_, Id>(id)?.0), position })
    };
    Ok(Summary {
        id: row.get::<_, Id>(0)?.0,
        scope: parse(&row.get::<_, String>(1)?)?,
        text: row.get(2)?,
        sections: json(row, 13)?,
        made_after: row.get(14)?,
        messages: row.get(3)?,
        first: end(4)?,
        last: end(7)?,
        version: row.get(10)?,
        updated_at: row.get::<_, Moment>(11)?.0,
        stale: row.get(12)?,
    })
}
