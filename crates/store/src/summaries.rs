//! Summaries: one unbroken row of spans for each lane and scope. The messages they condense stay as they are.

use throughline_domain::lane::Lane;
use throughline_domain::summary::Summary;

use crate::{Arm, InChat, Result};

impl InChat {
    /// Adds a summary right after the watermark of its lane and scope; a lane's or chat's replaces the one before it.
    ///
    /// # Errors
    /// When its span is reversed, overlaps another or leaves a gap, or an end is not in the lane.
    pub async fn add_summary(&self, lane: &Lane, summary: Summary) -> Result<()> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.add_summary(&self.chat, lane, summary).await,
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
