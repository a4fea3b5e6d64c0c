//! Recall: the searches of one chat, ranked, and how far the best can be trusted.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::context::Recalled;
use throughline_domain::lane::Lane;
use throughline_domain::recall::score::Verdict;
use throughline_domain::recall::words;
use throughline_store::search::{Hit, Query};

use crate::{Engine, Result};

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The words.
    pub text: String,
    /// Only in this lane.
    pub lane: Option<Lane>,
    /// Only what was said at this moment or later.
    pub since: Option<Timestamp>,
    /// Only what was said before this moment.
    pub until: Option<Timestamp>,
    /// At most so many hits.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// How far the best hit can be trusted.
    pub verdict: Verdict,
    /// The hits, best first.
    pub hits: Vec<Hit>,
}

impl Engine {
    /// Asks one chat. Any text is a valid question.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn recall(&self, chat: &ChatId, question: Question) -> Result<Found> {
        let query = Query {
            terms: words::query_terms(&question.text),
            lane: question.lane,
            since: question.since,
            until: question.until,
            limit: question.limit,
        };
        let hits = self.store.chat(chat).search_words(query).await?;
        Ok(Found { verdict: Verdict::of(hits.first().map(|hit| hit.coverage)), hits })
    }
}

/// What a turn may show of what was found: nothing on a weak match.
pub(crate) fn worth_telling(found: Found) -> Vec<Recalled> {
    if found.verdict != Verdict::Strong {
        return Vec::new();
    }
    let recalled = |hit: Hit| {
        let message = hit.placed.message;
        Recalled {
            kind: "message",
            id: message.id.to_string(),
            messages: vec![message.id],
            role: message.role,
            speaker: message.speaker,
            at: message.occurred_at,
            text: message.text,
            score: hit.score,
        }
    };
    found.hits.into_iter().map(recalled).collect()
}
