//! Summaries and their spans.

use rusqlite::{OptionalExtension, Row, Rows, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_domain::summary::{End, Position, Scope, Summary, follows, newest_versions};

use super::messages::{chat_row, lane_row};
use super::rows::{Id, Moment, json, parse};
use super::{Sqlite, forget, vectors};
use crate::{Error, Result};

impl Sqlite {
    pub async fn add_summary(
        &self,
        chat: &ChatId,
        watched: Option<u64>,
        lane: &Lane,
        summary: Summary,
    ) -> Result<()> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.write(move |transaction| {
            let no_lane = || Error::NotFound { what: "lane", id: key.clone() };
            let lane = lane_row(transaction, &chat, &key)?.ok_or_else(no_lane)?;
            let chat = chat_row(transaction, &chat)?.ok_or_else(no_lane)?;
            forget::check(transaction, chat, watched)?;
            add(transaction, chat, lane.id, &summary)
        })
        .await
    }

    pub async fn rewrite_summary(&self, chat: &ChatId, watched: Option<u64>, summary: Summary) -> Result<()> {
        let chat = chat.clone();
        self.write(move |transaction| {
            let Some(chat) = chat_row(transaction, &chat)? else { return Ok(()) };
            forget::check(transaction, chat, watched)?;
            let mut update = transaction.prepare_cached(
                "UPDATE summaries SET text = ?3, sections = ?4, messages = ?5, version = version + 1, updated_at = ?6, stale = 0, made_after = (SELECT coalesce(max(seq), 0) FROM messages) \
                 WHERE id = ?1 AND chat = ?2",
            )?;
            update.execute(params![
                Id(summary.id),
                chat,
                summary.text,
                sections_as_text(&summary)?,
                summary.messages,
                Moment(summary.updated_at),
            ])?;
            transaction
                .prepare_cached("DELETE FROM piece_vectors WHERE piece = ?1")?
                .execute([Id(summary.id)])?;
            vectors::want(transaction, chat)
        })
        .await
    }

    pub async fn watermark(&self, chat: &ChatId, lane: &Lane, scope: Scope) -> Result<Option<Position>> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| match lane_row(transaction, &chat, &key)? {
            Some(lane) => watermark(transaction, lane.id, scope.as_str()),
            None => Ok(None),
        })
        .await
    }

    pub async fn all_summaries(&self, chat: &ChatId, versions: bool) -> Result<Vec<(Lane, Summary)>> {
        let chat = chat.clone();
        self.read(move |transaction| {
            let Some(row) = chat_row(transaction, &chat)? else { return Ok(Vec::new()) };
            let mut lanes =
                transaction.prepare_cached("SELECT id, key FROM lanes WHERE chat = ?1 ORDER BY id")?;
            let lanes = lanes.query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let mut all = Vec::new();
            for (id, key) in lanes.collect::<rusqlite::Result<Vec<(i64, String)>>>()? {
                let lane = Lane::parse(&key, &chat).map_err(|error| Error::Unreadable(error.to_string()))?;
                let summaries = of_lane(transaction, id)?;
                let summaries = if versions { summaries } else { newest_versions(summaries) };
                all.extend(summaries.into_iter().map(|summary| (lane.clone(), summary)));
            }
            Ok(all)
        })
        .await
    }

    pub async fn summaries_elsewhere(
        &self,
        chat: &ChatId,
        lane: &Lane,
        limit: usize,
    ) -> Result<Vec<(Lane, Summary)>> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| {
            let sql = format!(
                "SELECT {SUMMARY}, l.key FROM lanes l JOIN chats c ON c.id = l.chat JOIN summaries s ON s.lane = l.id \
                 WHERE c.key = ?1 AND l.key <> ?2 AND s.text <> '' ORDER BY s.last_at DESC, s.version DESC LIMIT ?3"
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            let mut rows = statement.query(params![chat.as_str(), key, limit])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let lane = Lane::parse(&row.get::<_, String>(15)?, &chat)
                    .map_err(|error| Error::Unreadable(error.to_string()))?;
                found.push((lane, read(row)?));
            }
            Ok(found)
        })
        .await
    }

    pub async fn summaries(&self, chat: &ChatId, lane: &Lane) -> Result<Vec<Summary>> {
        let (chat, key) = (chat.clone(), lane.key(chat));
        self.read(move |transaction| match lane_row(transaction, &chat, &key)? {
            Some(lane) => of_lane(transaction, lane.id),
            None => Ok(Vec::new()),
        })
        .await
    }
}

fn add(transaction: &Transaction<'_>, chat: i64, lane: i64, summary: &Summary) -> Result<()> {
    let scope = summary.scope.as_str();
    let is_wide = matches!(summary.scope, Scope::Lane | Scope::Chat);
    let mark = watermark(transaction, lane, scope)?;
    if is_wide {
        // The version that the running conversation began with stays until the next one begins.
        let mut drop = transaction.prepare_cached(
            "DELETE FROM summaries WHERE lane = ?1 AND scope = ?2 \
             AND version <> (SELECT max(version) FROM summaries WHERE lane = ?1 AND scope = ?2) \
             AND version <> coalesce((SELECT max(version) FROM summaries WHERE lane = ?1 AND scope = ?2 AND made_after < ( \
               SELECT m.seq FROM lanes l JOIN messages m ON m.id = l.conversation WHERE l.id = ?1)), 0)",
        )?;
        drop.execute(params![lane, scope])?;
    }
    for end in [summary.first, summary.last] {
        let mut there = transaction.prepare_cached(
            "SELECT 1 FROM messages WHERE seq = ?1 AND id = ?2 AND lane = ?3 AND occurred_at = ?4",
        )?;
        if !there.exists(params![end.position.seq, Id(end.id.0), lane, Moment(end.position.at)])? {
            return Err(Error::NotFound { what: "message", id: end.id.to_string() });
        }
    }
    let from = mark.map_or((i64::MIN, i64::MIN), |mark| (mark.at.as_microsecond(), mark.seq));
    let first = summary.first.position;
    let mut between = transaction.prepare_cached("SELECT count(*) FROM messages WHERE lane = ?1 AND (occurred_at, seq) > (?2, ?3) AND (occurred_at, seq) < (?4, ?5)")?;
    let skipped =
        between.query_row(params![lane, from.0, from.1, Moment(first.at), first.seq], |row| row.get(0))?;
    // A lane's summary carries the one before it forward, and covers it again.
    let (mark, skipped) = if is_wide { (None, 0) } else { (mark, skipped) };
    follows(mark, first, summary.last.position, skipped)
        .map_err(|error| Error::Conflict(error.to_string()))?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO summaries (id, chat, lane, scope, text, messages, first_id, first_at, first_seq, last_id, last_at, last_seq, version, updated_at, stale, sections, made_after) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, (SELECT coalesce(max(seq), 0) FROM messages))",
    )?;
    insert.execute(params![
        Id(summary.id),
        chat,
        lane,
        scope,
        summary.text,
        summary.messages,
        Id(summary.first.id.0),
        Moment(first.at),
        first.seq,
        Id(summary.last.id.0),
        Moment(summary.last.position.at),
        summary.last.position.seq,
        summary.version,
        Moment(summary.updated_at),
        summary.stale,
        sections_as_text(summary)?,
    ])?;
    vectors::want(transaction, chat)
}

/// The last message of a scope that needs no summary any more: it has one, or was imported only to be found.
fn watermark(transaction: &Transaction<'_>, lane: i64, scope: &str) -> Result<Option<Position>> {
    let mut statement = transaction.prepare_cached(
        "SELECT last_at, last_seq FROM summaries WHERE lane = ?1 AND scope = ?2 UNION ALL \
         SELECT floor_at, floor_seq FROM lanes WHERE id = ?1 AND floor_at IS NOT NULL ORDER BY 1 DESC, 2 DESC LIMIT 1",
    )?;
    let mark = statement.query_row(params![lane, scope], |row| {
        Ok(Position { at: row.get::<_, Moment>(0)?.0, seq: row.get(1)? })
    });
    Ok(mark.optional()?)
}

fn sections_as_text(summary: &Summary) -> Result<Option<String>> {
    let text = || serde_json::to_string(&summary.sections);
    (!summary.sections.is_empty())
        .then(text)
        .transpose()
        .map_err(|error| Error::Unreadable(error.to_string()))
}

/// A window looks at so many of a lane's newest summaries; older ones are stood for by the lane's own.
const NEWEST: usize = 200;

/// The columns of a summary, for [`read`].
const SUMMARY: &str = "s.id, s.scope, s.text, s.messages, s.first_id, s.first_at, s.first_seq, s.last_id, s.last_at, s.last_seq, \
     s.version, s.updated_at, s.stale, s.sections, s.made_after";

/// The newest summaries of a lane that say something, and the lane's own. What has none is shown word for word.
pub(super) fn told(transaction: &Transaction<'_>, lane: i64) -> Result<Vec<Summary>> {
    let sql = format!(
        "SELECT * FROM (SELECT {SUMMARY} FROM summaries s WHERE s.lane = ?1 AND s.text <> '' AND s.scope IN ('conversation', 'chunk') \
         ORDER BY s.last_at DESC, s.last_seq DESC LIMIT ?2) UNION ALL \
         SELECT {SUMMARY} FROM summaries s WHERE s.lane = ?1 AND s.text <> '' AND s.scope IN ('lane', 'chat')"
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut summaries = read_all(statement.query(params![lane, NEWEST])?)?;
    summaries.sort_by_key(|summary| summary.first.position);
    Ok(summaries)
}

pub(super) fn of_lane(transaction: &Transaction<'_>, lane: i64) -> Result<Vec<Summary>> {
    let sql = format!("SELECT {SUMMARY} FROM summaries s WHERE s.lane = ?1 ORDER BY s.first_at, s.first_seq");
    let mut statement = transaction.prepare_cached(&sql)?;
    read_all(statement.query([lane])?)
}

fn read_all(mut rows: Rows<'_>) -> Result<Vec<Summary>> {
    let mut summaries = Vec::new();
    while let Some(row) = rows.next()? {
        summaries.push(read(row)?);
    }
    Ok(summaries)
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

/// A message inside the span of a summary that does not know it makes the summary stale.
pub(super) fn mark_stale(transaction: &Transaction<'_>, lane: i64, seq: i64, at: i64) -> Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE summaries SET stale = 1 WHERE lane = ?1 AND (first_at, first_seq) <= (?2, ?3) AND (last_at, last_seq) >= (?2, ?3)",
    )?;
    update.execute(params![lane, at, seq])?;
    Ok(())
}
