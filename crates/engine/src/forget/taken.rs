//! Selects what a forgetting removes, and the similar matches it only offers.

use std::collections::BTreeSet;
use std::ops::Range;

use jiff::civil::Date;
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::forget::{Aim, Suppression};
use throughline_domain::memory::{Kind, Memory, MemoryId, Status};
use throughline_domain::message::{Message, MessageId};
use throughline_models::embed::BuiltIn;
use throughline_store::forget::Blanked;
use throughline_store::messages::Reference;
use throughline_text::erase::{FORGOTTEN, Topic, blank};
use throughline_text::extract::stated;
use throughline_text::intent::wanted::{Wanted, wanted};
use throughline_text::sentences::sentences;

use super::{Found, Match, What};
use crate::ids::Named;
use crate::{Engine, Error, Result};

/// Minimum share of the topic for an offered match. Such a match is forgotten only if the person chooses it.
const MIN_OFFERED_SHARE: f32 = 0.5;
/// Minimum soft overlap with the topic for a memory in other words to be offered.
const MIN_OFFERED_OVERLAP: f32 = 0.6;
/// Maximum number of offered messages; the newest are kept.
const MAX_OFFERED: usize = 10;
/// Number of messages read from the store at once.
const PAGE: usize = 2_000;

/// A message and its matching sentences.
pub(super) struct Hit {
    pub stored: StoredMessage,
    pub ranges: Vec<Range<usize>>,
}

impl Hit {
    fn texts(&self) -> impl Iterator<Item = String> {
        let text = &self.stored.message.text;
        self.ranges.iter().filter_map(|range| text.get(range.clone())).map(str::to_owned)
    }

    /// The matching sentences of its text and of its metadata, each once.
    fn everywhere(&self, aim: &Aim) -> Vec<String> {
        let mut all: Vec<String> = self.texts().collect();
        for beside in aim.in_metadata(&self.stored.message.metadata) {
            if !all.contains(&beside) {
                all.push(beside);
            }
        }
        all
    }
}

/// Everything that a forgetting removes, and the similar matches.
#[derive(Default)]
pub(super) struct Taken {
    pub memories: Vec<Memory>,
    pub messages: Vec<Hit>,
    pub aim: Aim,
    /// The only message to change, if the target is one message or a part of it.
    pub only: Option<MessageId>,
    /// True if that message is removed as a whole.
    is_whole: bool,
    /// The ids of all memories that were read.
    pub known: BTreeSet<MemoryId>,
    /// The chats that were read, each with its last position.
    pub chats: Vec<(ChatId, i64)>,
    topic: Option<Topic>,
    statements: BTreeSet<String>,
    offered: Vec<Memory>,
    near: Vec<Hit>,
}

impl Taken {
    pub fn matches(&self) -> Vec<Match> {
        let memory = |certain: bool| {
            move |memory: &Memory| Match { found: Found::Memory(Box::new(memory.clone())), certain }
        };
        let message = |certain: bool| {
            move |hit: &Hit| Match {
                found: Found::Message(hit.stored.message.id, hit.everywhere(&self.aim)),
                certain,
            }
        };
        let certain = self.memories.iter().map(memory(true)).chain(self.messages.iter().map(message(true)));
        let offered = self.offered.iter().map(memory(false)).chain(self.near.iter().map(message(false)));
        certain.chain(offered).collect()
    }

    /// The removed sentences.
    pub fn sentences(&self) -> Vec<String> {
        let texts = self.messages.iter().flat_map(|hit| hit.everywhere(&self.aim));
        let statements = self.memories.iter().map(|memory| memory.text.clone());
        texts.chain(statements).collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub fn suppressions(&self, key: &[u8; 32]) -> Vec<Suppression> {
        let of = |statement: &String| match &self.topic {
            Some(topic) => Suppression::of_topic(key, topic, statement),
            None => Suppression::of(key, statement),
        };
        self.statements.iter().map(of).collect()
    }

    /// Returns true if there is nothing to forget.
    pub fn is_nothing(&self) -> bool {
        self.memories.is_empty() && self.messages.is_empty()
    }

    /// The values to remove from a message's metadata.
    fn aim_beside(&self) -> Aim {
        if self.is_whole { Aim::at_everything() } else { self.aim.clone() }
    }

    fn by_topic(text: &str, topic: Topic, known: Vec<Memory>) -> Self {
        let (memories, rest): (Vec<Memory>, Vec<Memory>) =
            known.into_iter().partition(|memory| topic.covers(&memory.text));
        let mut means = meaning(text);
        let offered = rest
            .into_iter()
            .filter(|memory| topic.touches(&memory.text) >= MIN_OFFERED_SHARE || means(memory))
            .collect();
        // A name or an address is no statement: the same words with other marks may be another one.
        let is_statement = text.split_whitespace().count() > 2;
        let texts = memories.iter().map(|memory| memory.text.as_str());
        let aim = Aim::at_topic(topic.clone(), texts.chain(is_statement.then_some(text)));
        let texts = memories.iter().map(|memory| memory.text.clone());
        let statements: BTreeSet<String> = texts.chain([text.trim().to_owned()]).collect();
        Self { memories, offered, aim, statements, topic: Some(topic), ..Self::default() }
    }

    fn by_memory(memory: Memory) -> Self {
        let statements = BTreeSet::from([memory.text.clone()]);
        let aim = Aim::at(statements.iter().map(String::as_str));
        Self { memories: vec![memory], aim, statements, ..Self::default() }
    }

    /// Selects a whole message, with the memories that only this message proves.
    fn by_message(message: &Message, known: Vec<Memory>) -> Self {
        let is_from_it = |memory: &Memory| {
            !memory.proofs.is_empty() && memory.proofs.iter().all(|proof| proof.message == message.id)
        };
        let memories: Vec<Memory> = known.into_iter().filter(is_from_it).collect();
        let statements: BTreeSet<String> = memories.iter().map(|memory| memory.text.clone()).collect();
        let said = sentences(&message.text).into_iter().filter_map(|range| message.text.get(range));
        let aim = Aim::at_words(said.chain(statements.iter().map(String::as_str)));
        Self { memories, aim, statements, only: Some(message.id), is_whole: true, ..Self::default() }
    }

    /// Selects sentences of a message, with the memories that only these prove.
    fn by_part(message: &Message, said: &[String], known: Vec<Memory>) -> Self {
        let aim = Aim::at_words(said.iter().map(String::as_str));
        let ranges = aim.in_text(&message.text);
        let memories: Vec<Memory> =
            known.into_iter().filter(|memory| is_proved_by(memory, message, &ranges)).collect();
        let learned = memories.iter().map(|memory| memory.text.clone());
        let statements = said.iter().cloned().chain(learned).collect();
        Self { memories, aim, statements, only: Some(message.id), ..Self::default() }
    }

    /// Adds a message's matching sentences to the selection.
    fn look_at(&mut self, stored: StoredMessage) {
        let ranges = match self.only {
            Some(only) if only != stored.message.id => return,
            Some(_) if self.is_whole => sentences(&stored.message.text),
            Some(_) => self.aim.in_text(&stored.message.text),
            None => self.in_message(&stored.message),
        };
        let is_beside = self.is_whole || !self.aim.in_metadata(&stored.message.metadata).is_empty();
        if !ranges.is_empty() || is_beside {
            self.messages.push(Hit { stored, ranges });
            return;
        }
        let near = self.near_to(&stored.message);
        if !near.is_empty() {
            if self.near.len() >= MAX_OFFERED {
                self.near.remove(0);
            }
            self.near.push(Hit { stored, ranges: near });
        }
    }

    /// The sentences to remove from a message: those within a proof's span, and those that say the same.
    fn in_message(&self, message: &Message) -> Vec<Range<usize>> {
        let mut ranges = self.aim.in_text(&message.text);
        let proofs = self.memories.iter().flat_map(|memory| &memory.proofs);
        let spans: Vec<&Range<usize>> =
            proofs.filter(|proof| proof.message == message.id).map(|proof| &proof.span).collect();
        // An earlier forgetting changed the text, so the spans no longer match.
        if !spans.is_empty() && !message.text.contains(FORGOTTEN) {
            let meets = |range: &Range<usize>| {
                spans.iter().any(|span| range.start < span.end && span.start < range.end)
            };
            ranges.extend(sentences(&message.text).into_iter().filter(meets));
            ranges.sort_by_key(|range| (range.start, range.end));
            ranges.dedup();
        }
        ranges
    }

    /// The sentences of a message that contain a part of the topic, or its words in another order.
    fn near_to(&self, message: &Message) -> Vec<Range<usize>> {
        let Some(topic) = &self.topic else { return Vec::new() };
        let mut found = sentences(&message.text);
        found.retain(|range| {
            message
                .text
                .get(range.clone())
                .is_some_and(|sentence| topic.touches(sentence) >= MIN_OFFERED_SHARE)
        });
        found
    }
}

impl Engine {
    pub(super) async fn taken(&self, chat: &ChatId, what: &What) -> Result<Taken> {
        let stored = self.memories(chat).await?.into_iter().map(|kept| kept.memory);
        let known: Vec<Memory> = stored.filter(|memory| memory.status != Status::Forgotten).collect();
        let ids = known.iter().map(|memory| memory.id).collect();
        let mut taken = match what {
            What::Topic(text) => Taken::by_topic(text, self.topic(chat, text).await?, known),
            What::Id(id) => match self.named(chat, id).await? {
                Named::Message(message) => Taken::by_message(&message, known),
                Named::Memory(memory) if memory.status == Status::Forgotten => {
                    return Err(Error::NoMemory("it was forgotten".to_owned()));
                }
                Named::Memory(memory) => Taken::by_memory(*memory),
            },
            What::Part(id, said) => match self.store.chat(chat).find(Reference::Id(*id)).await? {
                Some(stored) => Taken::by_part(&stored.message, said, known),
                None => Taken { only: Some(*id), ..Taken::default() },
            },
            What::All => {
                let memories: Vec<Memory> = known.into_iter().filter(|memory| memory.chat == *chat).collect();
                let statements = memories.iter().map(|memory| memory.text.clone()).collect();
                Taken { memories, statements, aim: Aim::at_everything(), ..Taken::default() }
            }
        };
        taken.known = ids;
        for chat in self.chats_to_read(chat, what, &taken).await? {
            self.read_chat(&chat, &mut taken).await?;
        }
        Ok(taken)
    }

    /// The topic in the languages of this chat, and treated as a name if this chat uses it as one.
    async fn topic(&self, chat: &ChatId, text: &str) -> Result<Topic> {
        let mut topic = Topic::read(text);
        if topic.is_empty() {
            return Err(Error::NoTopic(text.trim().to_owned()));
        }
        let mut after = i64::MIN;
        loop {
            let page = self.store.chat(chat).recorded_after(after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            page.iter().for_each(|stored| topic.learn(&stored.message.text));
            // One page tells the languages; a name may come up later.
            if topic.is_known() {
                break;
            }
        }
        Ok(topic)
    }

    /// The chats to search: all of the person's, and those that prove a memory. Forgetting a whole chat, or one
    /// message, affects no other chat.
    async fn chats_to_read(&self, chat: &ChatId, what: &What, taken: &Taken) -> Result<BTreeSet<ChatId>> {
        let mut chats = BTreeSet::from([chat.clone()]);
        if *what == What::All || taken.only.is_some() {
            return Ok(chats);
        }
        let proofs = taken.memories.iter().flat_map(|memory| &memory.proofs);
        chats.extend(self.store.chats_of(proofs.map(|proof| proof.message).collect()).await?);
        chats.extend(taken.memories.iter().map(|memory| memory.chat.clone()));
        if let Some(person) = self.settings.people.of(chat) {
            let is_theirs = |chat: &ChatId| self.settings.people.of(chat).as_ref() == Some(&person);
            chats.extend(self.store.chats().await?.into_iter().map(|count| count.chat).filter(is_theirs));
        }
        // A memory can be visible where the chat that proves it is not.
        chats.retain(|chat| self.store.may_touch(chat));
        Ok(chats)
    }

    async fn read_chat(&self, chat: &ChatId, taken: &mut Taken) -> Result<()> {
        let in_chat = self.store.chat(chat);
        let mut after = i64::MIN;
        loop {
            let page = in_chat.recorded_after(after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            page.into_iter().for_each(|stored| taken.look_at(stored));
        }
        taken.chats.push((chat.clone(), after));
        Ok(())
    }
}

/// Returns true if a memory's proofs all lie in these sentences of a message.
fn is_proved_by(memory: &Memory, message: &Message, ranges: &[Range<usize>]) -> bool {
    // An earlier forgetting changed the text, so the spans no longer match.
    let is_moved = message.text.contains(FORGOTTEN);
    let in_part = |span: &Range<usize>| match is_moved {
        true => ranges.iter().any(|range| {
            message.text.get(range.clone()).is_some_and(|said| Aim::at([memory.text.as_str()]).is_in(said))
        }),
        false => ranges.iter().any(|range| range.start < span.end && span.start < range.end),
    };
    !memory.proofs.is_empty()
        && memory.proofs.iter().all(|proof| proof.message == message.id && in_part(&proof.span))
}

/// The messages without the text that the selections remove.
pub(super) fn blanked(takings: &[Taken]) -> Vec<Blanked> {
    let mut all: Vec<(&Message, Vec<(&Taken, &Hit)>)> = Vec::new();
    for (taken, hit) in takings.iter().flat_map(|taken| taken.messages.iter().map(move |hit| (taken, hit))) {
        let message = &hit.stored.message;
        match all.iter_mut().find(|(known, _)| known.id == message.id) {
            Some((_, hits)) => hits.push((taken, hit)),
            None => all.push((message, vec![(taken, hit)])),
        }
    }
    all.into_iter().map(|(message, hits)| blanked_by(message, &hits)).collect()
}

fn blanked_by(message: &Message, hits: &[(&Taken, &Hit)]) -> Blanked {
    let (mut metadata, mut gone, mut ranges) = (message.metadata.clone(), BTreeSet::new(), Vec::new());
    for (taken, hit) in hits {
        let aim = taken.aim_beside();
        gone.extend(hit.texts().chain(aim.in_metadata(&message.metadata)));
        metadata = aim.without(&metadata);
        ranges.extend(hit.ranges.iter().cloned());
    }
    Blanked {
        id: message.id,
        before: message.text.clone(),
        gone: gone.into_iter().collect(),
        text: blank(&message.text, &ranges),
        metadata,
    }
}

/// Finds memories that a topic may mean without sharing words: those of its kind or category ("my job"), and those of
/// similar meaning.
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
        is_wanted || is_of_category || overlap >= MIN_OFFERED_OVERLAP
    }
}
