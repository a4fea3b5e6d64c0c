//! Forgetting. First the matches are found and shown; then memories, the sentences that prove them, and their traces in
//! summaries, profile and indexes are removed together. The store can restore them for a day.

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
const TRIES: u32 = 12;

/// The aim of a forgetting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Everything about a topic.
    Topic(String),
    /// One memory or message, by its id.
    Id(String),
    /// Everything of the chat.
    All,
}

/// A match.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The memory or message.
    pub found: Found,
    /// Whether it covers the whole topic. Other matches are only offered.
    pub certain: bool,
}

/// What a match is.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A memory.
    Memory(Box<Memory>),
    /// A message, and its sentences that would be removed.
    Message(MessageId, Vec<String>),
}

/// The result of a forgetting. The sentences serve to find other places that hold them, and must not be stored.
#[derive(Debug, Clone)]
pub struct Done {
    /// The receipt.
    pub receipt: Forgotten,
    /// The matches that were forgotten.
    pub matches: Vec<Match>,
    /// The sentences that were removed.
    pub sentences: Vec<String>,
    /// How many earlier forgettings of the same can no longer be undone.
    pub finished: u64,
    /// Why their bytes may still be in the database's files for a while, if so.
    pub unscrubbed: Option<String>,
}

/// A forgetting that is carried out with what it leads to.
pub(crate) struct Planned {
    pub effect: Effect,
    /// The receipt.
    pub receipt: Uuid,
    /// How many memories and messages it takes.
    pub count: u64,
    /// The sentences that are removed, to be looked for outside of the store.
    pub sentences: Vec<String>,
}

impl Engine {
    /// The matches: what would be forgotten, and what is only near to it.
    ///
    /// # Errors
    /// When the store cannot be read, or there is nothing with that id.
    pub async fn forget_preview(&self, chat: &ChatId, what: &What) -> Result<Vec<Match>> {
        Ok(self.taken(chat, what).await?.matches())
    }

    /// Forgets the certain matches; `None` if there are none.
    ///
    /// # Errors
    /// When the store cannot be read or written; then nothing was forgotten.
    pub async fn forget(&self, chat: &ChatId, what: &What, permanently: bool) -> Result<Option<Done>> {
        for _ in 0..TRIES {
            match self.forget_once(chat, what, permanently).await {
                Err(Error::Store(throughline_store::Error::Conflict(why))) => {
                    tracing::info!(why, "forgetting met a conflicting write; retrying");
                }
                done => return done,
            }
        }
        self.forget_once(chat, what, permanently).await
    }

    async fn forget_once(&self, chat: &ChatId, what: &What, permanently: bool) -> Result<Option<Done>> {
        let in_chat = self.store.chat(chat).watching().await?;
        let taken = self.taken(chat, what).await?;
        // A permanent forgetting ends the undo of earlier ones, too.
        let settled = if permanently { in_chat.finish_forgettings(taken.aim.clone()).await? } else { 0 };
        if taken.is_nothing() && settled == 0 {
            return Ok(None);
        }
        let takings = [taken];
        // Memories of the person may be forgotten in a chat in which nothing was said yet.
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

    /// A forgetting that can be undone of several memories, messages or everything, as an effect; `None` if nothing of it
    /// is left.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn to_forget(&self, chat: &ChatId, all: &[What]) -> Result<Option<Planned>> {
        let in_chat = self.store.chat(chat).watching().await?;
        let mut takings = Vec::new();
        for what in all {
            match self.taken(chat, what).await {
                Ok(taken) if taken.is_nothing() => {}
                Ok(taken) => takings.push(taken),
                // It was forgotten before.
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

    /// The request to the store for everything that was taken, as one.
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

    /// Restores what was forgotten under a receipt.
    ///
    /// # Errors
    /// When it is too late, or the store cannot be written.
    pub async fn undo_forgetting(&self, chat: &ChatId, receipt: Uuid) -> Result<Forgotten> {
        let undone = self.store.chat(chat).undo_forgetting(receipt, self.now()).await?;
        undone.ok_or_else(|| Error::NotUndone(receipt.to_string()))
    }

    /// The suppression list of a chat.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn forgotten_in(&self, chat: &ChatId) -> Result<SuppressionList> {
        let person = self.settings.people.of(chat);
        let suppressions = self.store.chat(chat).suppressions(person.as_deref()).await?;
        let suppressions: Vec<Suppression> =
            suppressions.into_iter().map(|(suppression, _)| suppression).collect();
        Ok(SuppressionList::new(self.store.suppression_key().await?, &suppressions))
    }

    /// The summaries of the chats concerned, without what is forgotten.
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
                    // A model may have told it in other words.
                    all.push(Cleaned { id: summary.id, text: String::new(), sections: Sections::default() });
                } else {
                    all.extend(cleaned(&summary, takings));
                }
            }
        }
        Ok(all)
    }
}

/// A summary without what is forgotten, if it changes. One without sections is written again.
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
