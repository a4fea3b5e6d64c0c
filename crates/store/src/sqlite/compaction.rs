//! Which lanes are to be condensed. The subject of the job is the lane's row.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;

use super::rows::{Moment, parse};
use super::{Sqlite, jobs};
use crate::jobs::JobKind;
use crate::{Error, Result};

impl Sqlite {
    pub async fn wake_compaction(&self, silent_since: Timestamp) -> Result<()> {
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached(
                "UPDATE jobs SET due_at = 0 WHERE kind = ?1 AND attempts = 0 AND due_at > 0 \
                 AND (SELECT last_at FROM lanes WHERE id = CAST(subject AS INTEGER)) <= ?2",
            )?;
            update.execute(params![JobKind::Compact.as_str(), Moment(silent_since)])?;
            Ok(())
        })
        .await
    }

    pub async fn lane_to_compact(&self, subject: &str) -> Result<Option<(ChatId, Lane)>> {
        let subject = subject.to_owned();
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT c.key, l.key FROM lanes l JOIN chats c ON c.id = l.chat WHERE l.id = CAST(?1 AS INTEGER)",
            )?;
            let keys = statement.query_row([subject], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let Some((chat, lane)): Option<(String, String)> = keys else { return Ok(None) };
            let chat: ChatId = parse(&chat)?;
            let lane = Lane::parse(&lane, &chat).map_err(|error| Error::Unreadable(error.to_string()))?;
            Ok(Some((chat, lane)))
        })
        .await
    }
}

/// Asks that a lane be looked at.
pub(super) fn want(transaction: &Transaction<'_>, lane: i64) -> Result<()> {
    jobs::want(transaction, JobKind::Compact, &lane.to_string())
}

/// Up to this message nothing of the lane is to be condensed.
pub(super) fn raise_floor(transaction: &Transaction<'_>, lane: i64, at: Timestamp, seq: i64) -> Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE lanes SET floor_at = ?2, floor_seq = ?3 WHERE id = ?1 AND (floor_at IS NULL OR (floor_at, floor_seq) < (?2, ?3))",
    )?;
    update.execute(params![lane, Moment(at), seq])?;
    Ok(())
}
