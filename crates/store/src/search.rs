//! Search: one chat's words asked once.

use jiff::Timestamp;
use throughline_domain::context::Placed;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;

use crate::{Arm, InChat, Result};

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The terms, as [`throughline_domain::recall::words::query_terms`] gives them.
    pub terms: Vec<String>,
    /// Only in this lane.
    pub lane: Option<Lane>,
    /// Only what was said at this moment or later.
    pub since: Option<Timestamp>,
    /// Only what was said before this moment.
    pub until: Option<Timestamp>,
    /// At most so many hits.
    pub limit: usize,
}

/// One message that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The message.
    pub placed: Placed,
    /// The first message of its conversation.
    pub conversation: MessageId,
    /// How well its words match.
    pub score: f32,
    /// The share of the query that it holds, rare words counting more: 0 to 1.
    pub coverage: f32,
}

impl InChat {
    /// The messages of this chat that match a query by their words, best first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn search_words(&self, query: Query) -> Result<Vec<Hit>> {
        match &self.store.arm {
            Arm::Sqlite(db) => db.search_words(&self.chat, query).await,
        }
    }
}
