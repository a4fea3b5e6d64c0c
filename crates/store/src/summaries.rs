//! Summaries: a gapless sequence of spans for each lane and scope, and one for all lanes together. The messages they
//! cover stay unchanged.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::summary::{Position, Scope, Summary, follows, newest_versions};

use crate::conversations::START;
use crate::jobs::JobKind;
use crate::tx::{LaneRow, Tx};
use crate::{Error, InChat, Result, Store, jobs};

/// Maximum number of summaries that a window reads; the lane's own summary covers older ones.
const MAX_IN_WINDOW: usize = 200;

impl Store {
    /// Makes the compaction due of lanes that have been silent since a time, because their conversations have ended.
    pub async fn wake_compaction(&self, silent_since: Timestamp) -> Result<()> {
        self.write(move |tx| tx.make_silent_lanes_due(JobKind::COMPACT, silent_since)).await
    }

    /// The lane of a [`JobKind::COMPACT`] job, if it still exists.
    pub async fn lane_to_compact(&self, subject: &str) -> Result<Option<(ChatId, Lane)>> {
        let Ok(lane) = subject.parse() else { return Ok(None) };
        self.read(move |tx| tx.lane_by_row(lane)).await
    }
}

impl InChat {
    /// Adds a summary right after the watermark of its lane and scope; a lane's or chat's replaces the previous one.
    /// The chat's is stored in the lane of its last message.
    ///
    /// # Errors
    /// If its span is reversed, overlaps another or leaves a gap, or an end is not in the lane (for the chat's
    /// summary, not in the chat).
    pub async fn add_summary(&self, lane: &Lane, summary: Summary) -> Result<()> {
        let key = lane.key(&self.chat);
        let added = self.write_derived(move |tx, name, chat| {
            let Some(lane) = tx.lane_row(name, &key)? else { return Ok(None) };
            add(tx, chat, &lane, &summary).map(Some)
        });
        let missing = || Error::NotFound { what: "lane", id: lane.key(&self.chat) };
        added.await?.ok_or_else(missing)
    }

    /// Replaces the text and sections of a summary, and the number of messages it covers.
    pub async fn rewrite_summary(&self, summary: Summary) -> Result<()> {
        self.write_derived(move |tx, name, chat| {
            tx.rewrite_summary(chat, &summary)?;
            tx.delete_piece_vectors(summary.id)?;
            tx.request_job(JobKind::EMBED, name.as_str())
        })
        .await
    }

    /// The last message of a lane that needs no summary of this scope.
    pub async fn watermark(&self, lane: &Lane, scope: Scope) -> Result<Option<Position>> {
        self.read_lane(lane, move |tx, _, lane| tx.newest_span_end(lane.id, scope)).await
    }

    /// The summaries of all lanes, each lane's oldest first, then the chat's; of a lane's own only the newest
    /// version.
    pub async fn all_summaries(&self) -> Result<Vec<(Lane, Summary)>> {
        self.read(|tx, name, chat| of_every_lane(tx, name, chat, newest_versions)).await
    }

    /// The newest summaries of the other lanes.
    pub async fn summaries_elsewhere(&self, lane: &Lane, limit: usize) -> Result<Vec<(Lane, Summary)>> {
        let (chat, key) = (self.chat.clone(), lane.key(&self.chat));
        self.store()?.read(move |tx| tx.summaries_elsewhere(&chat, &key, limit)).await
    }

    /// The summaries of all lanes in every stored version, then the chat's.
    pub async fn every_version(&self) -> Result<Vec<(Lane, Summary)>> {
        self.read(|tx, name, chat| of_every_lane(tx, name, chat, |summaries| summaries)).await
    }

    /// The summaries of a lane, oldest first; not the chat's.
    pub async fn summaries(&self, lane: &Lane) -> Result<Vec<Summary>> {
        self.read_lane(lane, |tx, _, lane| tx.summaries_of_lane(lane.id)).await
    }
}

/// Enqueues the compaction of a lane.
pub(crate) fn request_compaction(tx: &Tx<'_>, lane: i64) -> Result<()> {
    tx.request_job(JobKind::COMPACT, &lane.to_string())
}

/// The summaries that a window may show, in order. Messages without a summary are shown verbatim.
pub(crate) fn for_window(tx: &Tx<'_>, lane: i64) -> Result<Vec<Summary>> {
    let mut summaries = tx.newest_summaries(lane, MAX_IN_WINDOW)?;
    summaries.sort_by_key(|summary| summary.first.position);
    Ok(summaries)
}

pub(crate) fn of_every_lane(
    tx: &Tx<'_>,
    name: &ChatId,
    chat: i64,
    choose: impl Fn(Vec<Summary>) -> Vec<Summary>,
) -> Result<Vec<(Lane, Summary)>> {
    let mut all = Vec::new();
    for (row, key) in tx.lanes_of(chat)? {
        let lane = Lane::parse(&key, name).map_err(|error| Error::Unreadable(error.to_string()))?;
        let summaries = choose(tx.summaries_of_lane(row)?);
        all.extend(summaries.into_iter().map(|summary| (lane.clone(), summary)));
    }
    all.extend(tx.chat_summary(name)?);
    Ok(all)
}

fn add(tx: &Tx<'_>, chat: i64, lane: &LaneRow, summary: &Summary) -> Result<()> {
    let (first, last) = (summary.first.position, summary.last.position);
    for end in [summary.first, summary.last] {
        let is_there = match summary.scope {
            Scope::Chat => tx.message_place(end.id)?.is_some_and(|place| place.chat == chat),
            _ => tx.is_message_at(lane.id, end)?,
        };
        if !is_there {
            return Err(Error::NotFound { what: "message", id: end.id.to_string() });
        }
    }
    // A lane's or chat's summary includes the previous one and covers its span again.
    let (mark, skipped) = match summary.scope {
        Scope::Chat => {
            tx.delete_chat_summary(chat)?;
            (None, 0)
        }
        Scope::Lane => {
            drop_old_versions(tx, lane)?;
            (None, 0)
        }
        scope => {
            let mark = tx.newest_span_end(lane.id, scope)?;
            let after = mark.map_or(START, |mark| Position { seq: mark.seq + 1, ..mark });
            (mark, tx.count_span(lane.id, after..first)?.0)
        }
    };
    follows(mark, first, last, skipped).map_err(|error| Error::Conflict(error.to_string()))?;
    tx.insert_summary(chat, lane.id, summary)?;
    jobs::request_for_chat(tx, JobKind::EMBED, chat)
}

/// Keeps the newest version of a lane's summary, and the one that the running conversation began with.
fn drop_old_versions(tx: &Tx<'_>, lane: &LaneRow) -> Result<()> {
    let began = match lane.conversation {
        Some(opening) => tx.message_place(opening)?.map(|place| place.position.seq),
        None => None,
    };
    let versions = tx.lane_summary_versions(lane.id)?;
    let newest = versions.iter().map(|(version, _)| *version).max();
    let stood = versions.iter().filter(|(_, made_after)| began.is_some_and(|began| *made_after < began));
    let shown = stood.map(|(version, _)| *version).max();
    for (version, _) in versions {
        if Some(version) != newest && Some(version) != shown {
            tx.delete_lane_summary(lane.id, version)?;
        }
    }
    Ok(())
}
