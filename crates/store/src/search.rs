//! Search: one chat asked once, by words, dense, speaker and time.

use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::message::{MessageId, Role};
use throughline_domain::recall::vector::Vector;
use throughline_domain::recall::words::Term;

use crate::index::{rank, words};
use crate::{InChat, Result};

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The terms, as [`throughline_domain::recall::words::query_terms`] gives them.
    pub terms: Vec<Term>,
    /// What is meant, where there is an embedder.
    pub dense: Option<DenseQuery>,
    /// Those whose words are asked for; empty for anybody's.
    pub about: Vec<Speaker>,
    /// The time that is asked for: what was said then goes first.
    pub when: Option<Range<Timestamp>>,
    /// Only in this lane.
    pub lane: Option<Lane>,
    /// Only what was said at this moment or later.
    pub since: Option<Timestamp>,
    /// Only what was said before this moment.
    pub until: Option<Timestamp>,
    /// Not these messages.
    pub except: Vec<MessageId>,
    /// At most so many hits.
    pub limit: usize,
}

/// A question as vectors.
#[derive(Debug, Clone)]
pub struct DenseQuery {
    /// What made them.
    pub embedder: String,
    /// The question.
    pub question: Vector,
    /// The question as single speakers would put it.
    pub own: Vec<(Speaker, Vector)>,
}

/// Somebody who speaks in a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speaker {
    /// Who or what speaks.
    pub role: Role,
    /// The name, where one is known.
    pub name: Option<String>,
}

/// One passage that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The message.
    pub stored: StoredMessage,
    /// The first message of its conversation.
    pub conversation: MessageId,
    /// The message, and others that say the same in the same words.
    pub messages: Vec<MessageId>,
    /// How well it matches, all in all; to be compared with other hits of the same search only.
    pub score: f32,
    /// What speaks for it.
    pub why: Why,
}

/// What speaks for a hit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Why {
    /// How well its words match, rare ones counting more.
    pub words: f32,
    /// The share of the question's words that it has, rare ones counting more: 0 to 1.
    pub coverage: f32,
    /// How many of the question's words it has.
    pub terms: u32,
    /// How alike it is in dense: −1 to 1.
    pub dense: f32,
    /// How much of the question it speaks of, be it in other words: 0 to 1.
    pub soft_overlap: f32,
    /// Whether it was said at the time that is asked for: 1 or 0.
    pub time: f32,
    /// Whether it is by somebody who is asked about: 1 or 0.
    pub speaker: f32,
}

impl Why {
    /// How much of the question the hit speaks of, by its words or in others: 0 to 1.
    #[must_use]
    pub fn share(&self) -> f32 {
        self.coverage.max(self.soft_overlap)
    }
}

/// Says how much of the question a text speaks of, 0 to 1.
pub type SoftOverlap = Box<dyn FnMut(&str) -> f32 + Send>;

impl InChat {
    /// The passages of this chat that match a query, best first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn search(&self, query: Query, soft_overlap: SoftOverlap) -> Result<Vec<Hit>> {
        let (chat, indexes, gap) = (self.chat.clone(), Arc::clone(&self.store.indexes), self.store.gap);
        self.store
            .read(move |tx| {
                indexes.with(&chat, |index| rank::search(tx, &chat, index, gap, &query, soft_overlap))
            })
            .await
    }

    /// The speakers of this chat.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn speakers(&self) -> Result<Vec<Speaker>> {
        let (chat, indexes, gap) = (self.chat.clone(), Arc::clone(&self.store.indexes), self.store.gap);
        self.store
            .read(move |tx| {
                indexes.with(&chat, |index| {
                    if !index.is_current(tx, &chat)? {
                        index.catch_up(tx, &chat, gap, &mut |_, text| words::count_terms(text))?;
                    }
                    Ok(index.speakers().to_vec())
                })
            })
            .await
    }
}
