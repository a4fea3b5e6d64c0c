//! Search in one chat, by words, dense score, speaker and time.

use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::message::{MessageId, Role};
use throughline_domain::recall::overlap::Overlap;
use throughline_domain::recall::vector::Vector;
use throughline_text::words::Term;

use crate::index::memory::ChatIndex;
use crate::index::{rank, words};
use crate::{InChat, Result};

/// A query.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The terms, from [`throughline_text::words::query_terms`].
    pub terms: Vec<Term>,
    /// The query as vectors, if there is an embedder.
    pub dense: Option<DenseQuery>,
    /// The speakers in question; empty for all.
    pub about: Vec<Speaker>,
    /// The time in question: messages of that time rank first.
    pub when: Option<Range<Timestamp>>,
    /// Only in this lane.
    pub lane: Option<Lane>,
    /// Only messages of this time or later.
    pub since: Option<Timestamp>,
    /// Only messages before this time.
    pub until: Option<Timestamp>,
    /// Messages to leave out.
    pub except: Vec<MessageId>,
    /// Maximum number of hits.
    pub limit: usize,
}

/// A question as vectors.
#[derive(Debug, Clone)]
pub struct DenseQuery {
    /// The embedder that made them.
    pub embedder: String,
    /// The question.
    pub question: Vector,
    /// The question in the words of individual speakers.
    pub own: Vec<(Speaker, Vector)>,
}

/// A speaker of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speaker {
    /// The role.
    pub role: Role,
    /// The name, if it is known.
    pub name: Option<String>,
}

/// A matching passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The message.
    pub stored: StoredMessage,
    /// The first message of its conversation.
    pub conversation: MessageId,
    /// The message, and others with the same text.
    pub messages: Vec<MessageId>,
    /// The score; comparable only within one search.
    pub score: f32,
    /// Why it matched.
    pub why: Why,
}

/// Why a hit matched.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Why {
    /// The word score; rare words weigh more.
    pub words: f32,
    /// The share of the question's words in it, 0 to 1; rare words weigh more.
    pub coverage: f32,
    /// The number of the question's words in it.
    pub terms: u32,
    /// Its similarity to the question: −1 to 1.
    pub dense: f32,
    /// The share of the question that it covers, in the same or other words: 0 to 1.
    pub soft_overlap: f32,
    /// 1 if it is from the time in question, else 0.
    pub time: f32,
    /// 1 if it is by a speaker in question, else 0.
    pub speaker: f32,
}

impl Why {
    /// The share of the question that the hit covers, in the same or other words: 0 to 1.
    #[must_use]
    pub fn share(&self) -> f32 {
        self.coverage.max(self.soft_overlap)
    }
}

/// Computes what a text covers of the question.
pub type SoftOverlap = Box<dyn FnMut(&str) -> Overlap + Send>;

impl InChat {
    /// The passages of this chat that match a query, best first.
    pub async fn search(&self, query: Query, soft_overlap: SoftOverlap) -> Result<Vec<Hit>> {
        let (chat, indexes, gap) = (self.chat.clone(), Arc::clone(&self.store()?.indexes), self.store()?.gap);
        self.store()?.read(move |tx| rank::search(tx, &chat, &indexes, gap, &query, soft_overlap)).await
    }

    /// The speakers of this chat.
    pub async fn speakers(&self) -> Result<Vec<Speaker>> {
        let (chat, indexes, gap) = (self.chat.clone(), Arc::clone(&self.store()?.indexes), self.store()?.gap);
        self.store()?
            .read(move |tx| {
                let (index, ()) = indexes.current(&chat, |held| match held.is_current(tx, &chat)? {
                    true => Ok(()),
                    false => {
                        ChatIndex::catch_up(held, tx, &chat, gap, &mut |_, text| words::count_terms(text))
                    }
                })?;
                Ok(index.speakers().to_vec())
            })
            .await
    }
}
