//! Summaries: one unbroken row of spans for each lane and scope. The messages they condense stay as they are.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::summary::{Position, Scope, Summary};

use crate::{Arm, InChat, Result, Store};

impl Store {
    /// Lets lanes be looked at now in which nothing was said since a moment of the calendar: their conversations have
    /// ended.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn wake_compaction(&self, silent_since: Timestamp) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.wake_compaction(silent_since).await,
        }
    }

    /// The lane that a job of the kind [`JobKind::Compact`](crate::jobs::JobKind::Compact) is about, if it is still there.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn lane_to_compact(&self, subject: &str) -> Result<Option<(ChatId, Lane)>> {
        match &self.arm {
            Arm::Sqlite(db) => db.lane_to_compact(subject).await,
        }
    }
}

impl InChat {
    /// Adds a summary right after the watermark of its lane and scope; a lane's or chat's replaces the one before it.
    ///
    /// # Errors
    /// When its span is reversed, overlaps another or leaves a gap, or an end is not in the lane.
    pub async fn add_summary(&self, lane: &Lane, summary: Summary) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.add_summary(&self.chat, self.watched, lane, summary).await,
        }
    }

    /// Writes a summary anew, in place: its words, sections and how many messages it stands for.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn rewrite_summary(&self, summary: Summary) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.rewrite_summary(&self.chat, self.watched, summary).await,
        }
    }

    /// The last message of a lane that needs no summary of this scope any more.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn watermark(&self, lane: &Lane, scope: Scope) -> Result<Option<Position>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.watermark(&self.chat, lane, scope).await,
        }
    }

    /// The summaries of all lanes, each lane's oldest first; of a lane's own the newest version.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn all_summaries(&self) -> Result<Vec<(Lane, Summary)>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.all_summaries(&self.chat, false).await,
        }
    }

    /// The newest summaries of the other lanes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn summaries_elsewhere(&self, lane: &Lane, limit: usize) -> Result<Vec<(Lane, Summary)>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.summaries_elsewhere(&self.chat, lane, limit).await,
        }
    }

    /// The summaries of all lanes in every version that is kept.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn every_version(&self) -> Result<Vec<(Lane, Summary)>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.all_summaries(&self.chat, true).await,
        }
    }

    /// The summaries of a lane, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn summaries(&self, lane: &Lane) -> Result<Vec<Summary>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.summaries(&self.chat, lane).await,
        }
    }
}
