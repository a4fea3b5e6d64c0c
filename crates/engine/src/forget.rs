//! Forgetting. The matches are found and shown first; then the memories, the sentences that prove them, and their
//! traces in summaries, profile and indexes are removed together. The store can undo this for a day.

mod again;
mod taken;

use std::collections::BTreeSet;

use throughline_domain::chat::ChatId;
use throughline_domain::forget::{Suppression, SuppressionList};
use throughline_domain::memory::Memory;
use throughline_domain::message::MessageId;
use throughline_domain::summary::{Scope, Summary};
use throughline_store::effects::Effect;
use throughline_store::forget::{Cleaned, Forgetting, Forgotten, Seen};
use throughline_text::summarize::Sections;
use uuid::Uuid;

use self::taken::{Taken, blanked};
use crate::{Engine, Error, Result};

/// Retries after a conflicting write.
const MAX_ATTEMPTS: u32 = 12;

/// The target of a forgetting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Everything about a topic.
    Topic(String),
    /// One memory or message, by its id.
    Id(String),
    /// Some of what one message tells, in its words, and what was learned from that alone.
    Part(MessageId, Vec<String>),
    /// Everything of the chat.
    All,
}

/// A match of a `/forget`.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The memory or message.
    pub found: Found,
    /// True if it covers the whole topic. Other matches are offered, but not forgotten unless chosen.
    pub certain: bool,
}

/// A matching memory or message.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A memory.
    Memory(Box<Memory>),
    /// A message, and the sentences to remove from it and from its metadata.
    Message(MessageId, Vec<String>),
}

impl Found {
    /// The target that removes this and nothing else.
    #[must_use]
    pub fn target(&self) -> What {
        match self {
            Self::Memory(memory) => What::Id(memory.id.to_string()),
            Self::Message(id, sentences) => What::Part(*id, sentences.clone()),
        }
    }
}

/// The result of a forgetting. The sentences serve to find other copies of them, and must not be stored.
#[derive(Debug, Clone)]
pub struct Done {
    /// The receipt.
    pub receipt: Forgotten,
    /// The matches that were forgotten.
    pub matches: Vec<Match>,
    /// The sentences that were removed.
    pub sentences: Vec<String>,
    /// The number of earlier forgettings of the same topic that can no longer be undone.
    pub finished: u64,
    /// The reason why the bytes may still be in the database's files for a while, if so.
    pub unscrubbed: Option<String>,
}

/// A forgetting to carry out together with other effects.
pub(crate) struct Planned {
    pub effect: Effect,
    /// The receipt.
    pub receipt: Uuid,
    /// The number of memories and messages it removes.
    pub count: u64,
    /// The removed sentences, to be searched for outside of the store.
    pub sentences: Vec<String>,
}

impl Engine {
    /// The matches: certain ones, and similar ones that are only offered.
    ///
    /// # Errors
    /// If the store fails, or nothing has the id.
    pub async fn forget_preview(&self, chat: &ChatId, what: &What) -> Result<Vec<Match>> {
        Ok(self.taken(chat, what).await?.matches())
    }

    /// Forgets the certain matches; `None` if there are none.
    ///
    /// # Errors
    /// If the store cannot be read or written; then nothing was forgotten.
    pub async fn forget(&self, chat: &ChatId, what: &What, permanently: bool) -> Result<Option<Done>> {
        for _ in 0..MAX_ATTEMPTS {
            match self.forget_once(chat, what, permanently).await {
                Err(Error::Store(throughline_store::Error::Conflict(why))) => {
                    tracing::info!(why, "forgetting conflicted with another write; retrying");
                }
                done => return done,
            }
        }
        self.forget_once(chat, what, permanently).await
    }

    async fn forget_once(&self, chat: &ChatId, what: &What, permanently: bool) -> Result<Option<Done>> {
        let in_chat = self.store.chat(chat).watching().await?;
        let taken = self.taken(chat, what).await?;
        // A permanent forgetting also ends the undo of earlier ones.
        let settled = if permanently { in_chat.finish_forgettings(taken.aim.clone()).await? } else { 0 };
        if taken.is_nothing() && settled == 0 {
            return Ok(None);
        }
        let takings = [taken];
        // A person's memories can be forgotten in a chat that has no messages yet.
        self.store.open_chat(chat).await?;
        let receipt = in_chat.forget(self.forgetting(chat, &takings, permanently).await?).await?;
        let scrubbed = match permanently {
            true => {
                let swept = self.sweep_files().await.map_err(|error| error.to_string());
                swept.and(self.store.scrub().await.map_err(|error| error.to_string()))
            }
            false => Ok(()),
        };
        let certain = matches_of(&takings).filter(|found| found.certain).collect();
        let (sentences, unscrubbed) = (sentences_of(&takings), scrubbed.err());
        Ok(Some(Done { receipt, matches: certain, sentences, finished: settled, unscrubbed }))
    }

    /// An undoable forgetting of several targets, as an effect; `None` if nothing is left to forget.
    pub(crate) async fn to_forget(&self, chat: &ChatId, all: &[What]) -> Result<Option<Planned>> {
        let in_chat = self.store.chat(chat).watching().await?;
        let mut takings = Vec::new();
        for what in all {
            match self.taken(chat, what).await {
                Ok(taken) if taken.is_nothing() => {}
                Ok(taken) => takings.push(taken),
                // Already forgotten.
                Err(Error::NoMemory(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if takings.is_empty() {
            return Ok(None);
        }
        let forgetting = self.forgetting(chat, &takings, false).await?;
        let (receipt, sentences) = (forgetting.id, sentences_of(&takings));
        let count = (forgetting.memories.len() + forgetting.messages.len()) as u64;
        let effect = in_chat.effect_of_forgetting(forgetting);
        Ok(Some(Planned { effect, receipt, count, sentences }))
    }

    /// The request to the store, for all selections together.
    async fn forgetting(&self, chat: &ChatId, takings: &[Taken], permanently: bool) -> Result<Forgetting> {
        let key = self.store.suppression_key().await?;
        let now = self.now();
        let memories: BTreeSet<_> =
            takings.iter().flat_map(|taken| &taken.memories).map(|memory| memory.id).collect();
        let seen = |taken: &Taken| Seen {
            aim: taken.aim.clone(),
            memories: taken.known.clone(),
            chats: if taken.only.is_none() { taken.chats.clone() } else { Vec::new() },
        };
        Ok(Forgetting {
            id: self.ids.next(),
            at: now,
            undo_until: if permanently { None } else { now.saturating_add(self.settings.undo).ok() },
            person: self.settings.people.of(chat),
            memories: memories.into_iter().collect(),
            messages: blanked(takings),
            summaries: self.cleaned(chat, takings).await?,
            suppressions: takings.iter().flat_map(|taken| taken.suppressions(&key)).collect(),
            seen: takings.iter().map(seen).collect(),
        })
    }

    /// Undoes the forgetting of a receipt.
    ///
    /// # Errors
    /// If the time to undo has passed, or the store fails.
    pub async fn undo_forgetting(&self, chat: &ChatId, receipt: Uuid) -> Result<Forgotten> {
        let undone = self.store.chat(chat).undo_forgetting(receipt, self.now()).await?;
        undone.ok_or_else(|| Error::NotUndone(receipt.to_string()))
    }

    /// The suppression list of a chat.
    pub async fn forgotten_in(&self, chat: &ChatId) -> Result<SuppressionList> {
        let person = self.settings.people.of(chat);
        let suppressions = self.store.chat(chat).suppressions(person.as_deref()).await?;
        let suppressions: Vec<Suppression> =
            suppressions.into_iter().map(|(suppression, _)| suppression).collect();
        Ok(SuppressionList::new(self.store.suppression_key().await?, &suppressions))
    }

    /// The summaries of the affected chats, without the forgotten text.
    async fn cleaned(&self, chat: &ChatId, takings: &[Taken]) -> Result<Vec<Cleaned>> {
        let hits = || takings.iter().flat_map(|taken| &taken.messages);
        let elsewhere = hits().map(|hit| hit.stored.message.chat.clone());
        let chats: BTreeSet<ChatId> = elsewhere.chain([chat.clone()]).collect();
        let mut all = Vec::new();
        for chat in chats {
            for (lane, summary) in self.store.chat(&chat).every_version().await? {
                let covers = hits().any(|hit| {
                    let is_there = summary.scope == Scope::Chat || hit.stored.message.lane == lane;
                    hit.stored.message.chat == chat && is_there && summary.covers(hit.stored.position())
                });
                if covers && self.small.is_some() && !summary.text.is_empty() {
                    // A model may have paraphrased it.
                    all.push(Cleaned { id: summary.id, text: String::new(), sections: Sections::default() });
                } else {
                    all.extend(cleaned(&summary, takings));
                }
            }
        }
        Ok(all)
    }
}

/// A summary without the forgotten text, if it changes. A summary without sections is rewritten later.
fn cleaned(summary: &Summary, takings: &[Taken]) -> Option<Cleaned> {
    let is_in = |text: &str| takings.iter().any(|taken| taken.aim.is_in(text));
    let left = |lines: &[String]| lines.iter().filter(|line| !is_in(line)).cloned().collect();
    let sections = Sections {
        goals: left(&summary.sections.goals),
        decisions: left(&summary.sections.decisions),
        facts: left(&summary.sections.facts),
        outcomes: left(&summary.sections.outcomes),
        pending: left(&summary.sections.pending),
    };
    let text = sections.render();
    let untouched = sections == summary.sections && !is_in(&summary.text);
    (!untouched).then_some(Cleaned { id: summary.id, text, sections })
}

fn matches_of(takings: &[Taken]) -> impl Iterator<Item = Match> {
    takings.iter().flat_map(Taken::matches)
}

fn sentences_of(takings: &[Taken]) -> Vec<String> {
    takings.iter().flat_map(Taken::sentences).collect::<BTreeSet<_>>().into_iter().collect()
}
