//! Forgetting. First the matches are found and shown; then memories, the sentences that prove them, and their traces in
//! summaries, profile and indexes are removed together. The store can restore them for a day.

use std::collections::BTreeSet;
use std::ops::Range;

use jiff::civil::Date;
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::forget::{Aim, Suppression, SuppressionList};
use throughline_domain::memory::{Kind, Memory, Status};
use throughline_domain::message::{Message, MessageId};
use throughline_domain::metadata::{change_each_text, for_each_text};
use throughline_domain::summary::Summary;
use throughline_models::embed::BuiltIn;
use throughline_store::forget::{Blanked, Cleaned, Forgetting, Forgotten};
use throughline_text::erase::{FORGOTTEN, Topic, blank};
use throughline_text::extract::stated;
use throughline_text::intent::wanted::{Wanted, wanted};
use throughline_text::sentences::sentences;
use throughline_text::summarize::Sections;
use uuid::Uuid;

use crate::ids::Named;
use crate::{Engine, Error, Result};

/// Share of the topic from which a memory is offered, but not forgotten unless it is named.
const OFFERED: f32 = 0.5;
/// Share of a topic that a memory of other words must cover to be offered.
const ALIKE: f32 = 0.6;
/// Retries after a conflicting write.
const TRIES: u32 = 3;
/// Number of messages read from the store at once.
const PAGE: usize = 2_000;

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
    /// Why their bytes may still be in the database's files for a while, if so.
    pub unscrubbed: Option<String>,
}

/// Everything that a forgetting removes.
struct Taken {
    memories: Vec<Memory>,
    offered: Vec<Memory>,
    messages: Vec<(Message, Vec<Range<usize>>)>,
    statements: Vec<String>,
    aim: Aim,
}

impl Taken {
    fn new(memories: Vec<Memory>, topic: Option<&str>) -> Self {
        let texts = memories.iter().map(|memory| memory.text.clone());
        let statements: Vec<String> = texts.chain(topic.map(|text| text.trim().to_owned())).collect();
        let aim = Aim::at(topic.map(Topic::read), statements.iter().map(String::as_str));
        Self { memories, offered: Vec::new(), messages: Vec::new(), statements, aim }
    }
}

impl Engine {
    /// The matches: what would be forgotten, and what is only near to it.
    ///
    /// # Errors
    /// When the store cannot be read, or there is nothing with that id.
    pub async fn forget_preview(&self, chat: &ChatId, what: &What) -> Result<Vec<Match>> {
        Ok(matches(&self.taken(chat, what).await?))
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
        if taken.memories.is_empty() && taken.messages.is_empty() && settled == 0 {
            return Ok(None);
        }
        let key = self.store.suppression_key().await?;
        let now = self.now();
        let statements: BTreeSet<&str> = taken.statements.iter().map(String::as_str).collect();
        let forgetting = Forgetting {
            id: self.ids.next(),
            at: now,
            undo_until: if permanently { None } else { now.saturating_add(self.settings.undo).ok() },
            person: self.settings.people.of(chat),
            memories: taken.memories.iter().map(|memory| memory.id).collect(),
            messages: taken
                .messages
                .iter()
                .map(|(message, ranges)| blanked(message, ranges, &taken.aim))
                .collect(),
            summaries: self.cleaned(chat, &taken).await?,
            suppressions: statements.into_iter().map(|statement| Suppression::of(&key, statement)).collect(),
        };
        let receipt = in_chat.forget(forgetting).await?;
        let scrubbed = match permanently {
            true => self.store.scrub().await.map_err(|error| error.to_string()),
            false => Ok(()),
        };
        let sentences = sentences_of(&taken);
        let certain = matches(&taken).into_iter().filter(|found| found.certain).collect();
        Ok(Some(Done { receipt, matches: certain, sentences, unscrubbed: scrubbed.err() }))
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

    async fn taken(&self, chat: &ChatId, what: &What) -> Result<Taken> {
        let known: Vec<Memory> = self
            .memories(chat)
            .await?
            .into_iter()
            .map(|kept| kept.memory)
            .filter(|memory| memory.status != Status::Forgotten)
            .collect();
        let mut taken = match what {
            What::Topic(text) => by_topic(text, known),
            What::Id(id) => match self.named(chat, id).await? {
                Named::Message(message) => by_message(&message, known),
                Named::Memory(memory) if memory.status == Status::Forgotten => {
                    return Err(Error::NoMemory("it was forgotten".to_owned()));
                }
                Named::Memory(memory) => Taken::new(vec![*memory], None),
            },
            What::All => {
                let own = known.into_iter().filter(|memory| memory.chat == *chat).collect();
                Taken { aim: Aim::at_everything(), ..Taken::new(own, None) }
            }
        };
        let proofs = taken.memories.iter().flat_map(|memory| &memory.proofs);
        let proofs = self.store.chats_of(proofs.map(|proof| proof.message).collect()).await?;
        let elsewhere = taken.memories.iter().map(|memory| memory.chat.clone()).chain(proofs);
        // Forgetting a whole chat touches no other chat.
        let elsewhere = elsewhere.filter(|_| *what != What::All);
        let chats: BTreeSet<ChatId> = elsewhere.chain([chat.clone()]).collect();
        for chat in chats {
            self.find_messages(&chat, &mut taken).await?;
        }
        Ok(taken)
    }

    /// Finds the messages of a chat that match.
    async fn find_messages(&self, chat: &ChatId, taken: &mut Taken) -> Result<()> {
        let in_chat = self.store.chat(chat);
        let mut after = i64::MIN;
        loop {
            let page = in_chat.recorded_after(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            let found = page.into_iter().filter_map(|stored| in_message(stored, taken));
            let found: Vec<_> = found.collect();
            taken.messages.extend(found);
        }
    }

    /// The summaries of the chats concerned, without what is forgotten.
    async fn cleaned(&self, chat: &ChatId, taken: &Taken) -> Result<Vec<Cleaned>> {
        let elsewhere = taken.messages.iter().map(|(message, _)| message.chat.clone());
        let chats: BTreeSet<ChatId> = elsewhere.chain([chat.clone()]).collect();
        let mut all = Vec::new();
        for chat in chats {
            for (_, summary) in self.store.chat(&chat).every_version().await? {
                all.extend(cleaned(&summary, taken));
            }
        }
        Ok(all)
    }
}

fn by_topic(text: &str, known: Vec<Memory>) -> Taken {
    let topic = Topic::read(text);
    let (memories, rest): (Vec<Memory>, Vec<Memory>) =
        known.into_iter().partition(|memory| topic.covers(&memory.text));
    let mut means = meaning(text);
    let offered = rest.into_iter().filter(|memory| topic.touches(&memory.text) >= OFFERED || means(memory));
    Taken { offered: offered.collect(), ..Taken::new(memories, Some(text)) }
}

/// Tells which memories a topic may mean, though it has none of their words: those of its kind or category ("my job"),
/// and those of like meaning.
fn meaning(topic: &str) -> impl FnMut(&Memory) -> bool {
    let wanted = wanted(&format!("{topic}?"));
    let category = stated(topic, Some(Kind::Fact), Date::ZERO).category;
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(topic, &[]));
    move |memory| {
        let is_wanted = match wanted {
            Wanted::Facts(category) => memory.category == category,
            Wanted::Goals => memory.kind == Kind::Goal,
            Wanted::Dates => memory.kind == Kind::Date,
            Wanted::Preferences => memory.kind == Kind::Preference,
            _ => false,
        };
        let is_of_category = category != "other" && memory.category == category;
        let overlap = near.as_mut().map_or(0.0, |near| near.soft_overlap(&memory.text));
        is_wanted || is_of_category || overlap >= ALIKE
    }
}

/// A whole message, with the memories from it and everything that repeats it.
fn by_message(message: &Message, known: Vec<Memory>) -> Taken {
    let is_proof = |memory: &Memory| memory.proofs.iter().any(|proof| proof.message == message.id);
    let memories: Vec<Memory> = known.into_iter().filter(is_proof).collect();
    let said = sentences(&message.text).into_iter().filter_map(|range| message.text.get(range));
    let texts = memories.iter().map(|memory| memory.text.as_str());
    let statements: Vec<String> = texts.chain(said).map(str::to_owned).collect();
    let aim = Aim::at(None, statements.iter().map(String::as_str));
    Taken { memories, offered: Vec::new(), messages: Vec::new(), statements, aim }
}

/// The sentences of a message that are removed: those in the span of a proof, and those that say the same.
fn in_message(stored: StoredMessage, taken: &Taken) -> Option<(Message, Vec<Range<usize>>)> {
    let message = stored.message;
    let mut ranges = taken.aim.in_text(&message.text);
    let proofs = taken.memories.iter().flat_map(|memory| &memory.proofs);
    let spans: Vec<&Range<usize>> =
        proofs.filter(|proof| proof.message == message.id).map(|proof| &proof.span).collect();
    // If something was removed from the text before, the spans no longer fit.
    if !spans.is_empty() && !message.text.contains(FORGOTTEN) {
        let meets =
            |range: &Range<usize>| spans.iter().any(|span| range.start < span.end && span.start < range.end);
        ranges.extend(sentences(&message.text).into_iter().filter(meets));
        ranges.sort_by_key(|range| (range.start, range.end));
        ranges.dedup();
    }
    let beside = !in_metadata(&message, &taken.aim).is_empty();
    (!ranges.is_empty() || beside).then_some((message, ranges))
}

/// Metadata that stays when everything is forgotten: how the message came about.
const KEPT: [&str; 3] = ["source", "routine", "new"];

fn blanked(message: &Message, ranges: &[Range<usize>], aim: &Aim) -> Blanked {
    let mut metadata = message.metadata.clone();
    if aim.is_everything() {
        metadata.retain(|key, _| KEPT.contains(&key.as_str()));
    } else {
        change_each_text(&mut metadata, |text| *text = blank(text, &aim.in_text(text)));
    }
    let texts = ranges.iter().filter_map(|range| message.text.get(range.clone())).map(str::to_owned);
    let gone = texts.chain(in_metadata(message, aim)).collect();
    Blanked {
        id: message.id,
        before: message.text.clone(),
        gone,
        text: blank(&message.text, ranges),
        metadata,
    }
}

/// The sentences of a message's metadata that are removed.
fn in_metadata(message: &Message, aim: &Aim) -> Vec<String> {
    let mut found = Vec::new();
    for_each_text(&message.metadata, |text| {
        found.extend(aim.in_text(text).into_iter().filter_map(|range| text.get(range)).map(str::to_owned));
    });
    found
}

/// A summary without what is forgotten, if it changes. One without sections is written again.
fn cleaned(summary: &Summary, taken: &Taken) -> Option<Cleaned> {
    let aim = &taken.aim;
    let left = |lines: &[String]| lines.iter().filter(|line| !aim.is_in(line)).cloned().collect();
    let sections = Sections {
        goals: left(&summary.sections.goals),
        decisions: left(&summary.sections.decisions),
        facts: left(&summary.sections.facts),
        outcomes: left(&summary.sections.outcomes),
        pending: left(&summary.sections.pending),
    };
    let text = sections.render();
    let untouched = sections == summary.sections && !aim.is_in(&summary.text);
    (!untouched).then_some(Cleaned { id: summary.id, text, sections })
}

fn matches(taken: &Taken) -> Vec<Match> {
    let memory = |certain: bool| {
        move |memory: &Memory| Match { found: Found::Memory(Box::new(memory.clone())), certain }
    };
    let message = |(message, ranges): &(Message, Vec<Range<usize>>)| {
        let texts = ranges.iter().filter_map(|range| message.text.get(range.clone())).map(str::to_owned);
        Match { found: Found::Message(message.id, texts.collect()), certain: true }
    };
    let memories = taken.memories.iter().map(memory(true));
    memories
        .chain(taken.messages.iter().map(message))
        .chain(taken.offered.iter().map(memory(false)))
        .collect()
}

fn sentences_of(taken: &Taken) -> Vec<String> {
    let texts = taken.messages.iter().flat_map(|(message, ranges)| {
        ranges.iter().filter_map(|range| message.text.get(range.clone())).map(str::to_owned)
    });
    let statements = taken.memories.iter().map(|memory| memory.text.clone());
    texts.chain(statements).collect::<BTreeSet<_>>().into_iter().collect()
}
