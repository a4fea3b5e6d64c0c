//! Memories that a person or the assistant asks to keep, and edits of memories.

use std::fmt;
use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Kind, LONGEST_STATEMENT, Memory, MemoryId, Proof, Status};
use throughline_domain::message::{Message, MessageId};
use throughline_store::effects::Effect;
use throughline_store::memories::{Change, Learned, StoredMemory};
use throughline_store::messages::Reference;
use throughline_text::extract::{Candidate, Reading, day, gate, stated};
use throughline_text::printable::printable;
use throughline_text::redact::redact;
use throughline_text::relate::{Known, Relation, changes_value};
use throughline_text::shorten::one_line;
use throughline_text::tags::Tag;

use crate::{Capture, Engine, Error, Result};

/// The result of remembering a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Remembered {
    /// A new memory, and the memories it replaced.
    New(Memory, Vec<Memory>),
    /// The statement was known.
    Known(Memory),
}

impl fmt::Display for Remembered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New(memory, replaced) if replaced.is_empty() => write!(f, "✓ Remembered: {}", memory.text),
            Self::New(memory, replaced) => {
                let before: Vec<String> =
                    replaced.iter().map(|memory| format!("{:?}", memory.text)).collect();
                write!(f, "✓ Remembered: {} (in place of {})", memory.text, before.join(", "))
            }
            Self::Known(memory) => write!(f, "✓ Known already: {}", memory.text),
        }
    }
}

/// The person's words in a context, and the messages they come from.
#[derive(Debug, Clone, Default)]
pub(crate) struct PersonWords {
    pub text: String,
    pub ids: Vec<MessageId>,
}

/// Words that prove a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// The words.
    pub text: String,
    /// The message that contains them.
    pub message: Message,
}

/// Changes to a memory.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// Another statement.
    pub text: Option<String>,
    /// Another kind.
    pub kind: Option<Kind>,
    /// Another status.
    pub status: Option<Status>,
}

impl Engine {
    /// The memories visible in a chat, of any status, oldest first.
    pub async fn memories(&self, chat: &ChatId) -> Result<Vec<StoredMemory>> {
        let person = self.settings.people.of(chat);
        Ok(self.store.chat(chat).memories(person.as_deref()).await?)
    }

    /// The words that prove a memory, oldest first. Quotes only what is visible in the chat.
    pub async fn quotes(&self, chat: &ChatId, memory: &Memory) -> Result<Vec<Quote>> {
        let person = self.settings.people.of(chat);
        let mut quotes = Vec::new();
        for proof in &memory.proofs {
            let Some(place) = self.store.chats_of(vec![proof.message]).await?.pop() else { continue };
            let may_be_seen = place == *chat || person.is_some() && self.settings.people.of(&place) == person;
            if !may_be_seen {
                continue;
            }
            let found = self.store.chat(&place).find(Reference::Id(proof.message)).await?;
            quotes.extend(found.and_then(|stored| {
                let text = stored.message.text.get(proof.span.clone())?.trim().to_owned();
                Some(Quote { text, message: stored.message })
            }));
        }
        quotes.sort_by_key(|quote| quote.message.occurred_at);
        Ok(quotes)
    }

    /// The history of a memory, oldest first: the ones it replaced, itself, and the ones that replaced it.
    ///
    /// # Errors
    /// If there is no such memory.
    pub async fn history(&self, chat: &ChatId, id: &str) -> Result<Vec<StoredMemory>> {
        let one = self.memory(chat, id).await?;
        let all = self.memories(chat).await?;
        let mut chain = vec![one.memory.id];
        loop {
            let linked = |kept: &&StoredMemory| {
                let (id, by) = (kept.memory.id, kept.memory.superseded_by);
                let follows = |member: &MemoryId| {
                    by == Some(*member)
                        || all
                            .iter()
                            .any(|kept| kept.memory.id == *member && kept.memory.superseded_by == Some(id))
                };
                !chain.contains(&id) && chain.iter().any(follows)
            };
            match all.iter().find(linked).map(|kept| kept.memory.id) {
                Some(id) => chain.push(id),
                None => break,
            }
        }
        let mut found: Vec<StoredMemory> =
            all.into_iter().filter(|kept| chain.contains(&kept.memory.id)).collect();
        found.sort_by_key(|kept| (kept.memory.valid_from, kept.learned_at));
        Ok(found)
    }

    /// Remembers a statement at a person's request.
    ///
    /// # Errors
    /// If it cannot be remembered; the error says why.
    pub async fn remember(&self, chat: &ChatId, text: &str, kind: Option<Kind>) -> Result<Remembered> {
        let candidate = self.statement(text, kind)?;
        let known = self.active(chat).await?;
        let relation = self.relation(chat, &candidate, text, &known).await;
        if let Relation::Same(index) = relation
            && let Some(kept) = known.get(index)
        {
            return Ok(Remembered::Known(kept.memory.clone()));
        }
        let mut replaced = replaced(&relation, &known);
        if relation == Relation::New {
            // The person repeats a known statement with another value.
            let new = Known { kind: candidate.kind, text: &candidate.text, day: candidate.day };
            let old = known.iter().map(|kept| &kept.memory);
            replaced.extend(old.filter(|old| changes_value(&new, &old.as_known())).cloned());
        }
        let memory = Memory { confidence: 1.0, extracted: false, ..self.memory_of(chat, candidate) };
        let learned = self.in_place_of(&memory, &replaced, self.remaining(&replaced, &memory.text));
        self.store.open_chat(chat).await?;
        match self.store.chat(chat).learn(learned).await?.first() {
            Some(id) if *id != memory.id => Ok(Remembered::Known(Memory { id: *id, ..memory })),
            _ => Ok(Remembered::New(memory, replaced)),
        }
    }

    /// Edits a memory. A new statement replaces the old one, whose validity ends.
    ///
    /// # Errors
    /// If there is no such memory, or the new statement cannot be remembered.
    pub async fn edit_memory(&self, chat: &ChatId, id: &str, edit: Edit) -> Result<Memory> {
        let old = self.memory(chat, id).await?.memory;
        if old.status == Status::Forgotten {
            return Err(Error::NoMemory("it was forgotten".to_owned()));
        }
        if let (None, None, Some(status)) = (&edit.text, edit.kind, edit.status) {
            return self.set_status(chat, old, status).await;
        }
        let text = edit.text.as_deref().unwrap_or(&old.text);
        let candidate = self.statement(text, Some(edit.kind.unwrap_or(old.kind)))?;
        let new = Memory {
            confidence: 1.0,
            extracted: false,
            status: edit.status.unwrap_or(Status::Active),
            proofs: old.proofs.clone(),
            speaker: old.speaker.clone(),
            ..self.memory_of(chat, candidate)
        };
        let stored = self
            .store
            .chat(chat)
            .learn(self.in_place_of(&new, std::slice::from_ref(&old), Vec::new()))
            .await?;
        Ok(Memory { id: stored.first().copied().unwrap_or(new.id), ..new })
    }

    async fn set_status(&self, chat: &ChatId, old: Memory, status: Status) -> Result<Memory> {
        let (memory, learned) = self.with_status(old, status)?;
        self.store.chat(chat).learn(learned).await?;
        Ok(memory)
    }

    /// A memory with a new status, and the effect that stores it.
    pub(crate) async fn to_set_status(
        &self,
        chat: &ChatId,
        id: &str,
        status: Status,
    ) -> Result<(Memory, Effect)> {
        let old = self.memory(chat, id).await?.memory;
        if old.status == Status::Forgotten {
            return Err(Error::NoMemory("it was forgotten".to_owned()));
        }
        let (memory, learned) = self.with_status(old, status)?;
        Ok((memory, self.store.chat(chat).effect_of_learning(learned)))
    }

    fn with_status(&self, old: Memory, status: Status) -> Result<(Memory, Learned)> {
        // A suggestion was never active, so it ends when it began; otherwise it would count until the end of the
        // conversation.
        let never_held = old.status == Status::Suggested && status == Status::Done;
        let now = if never_held { old.valid_from } else { self.now() };
        let change = match status {
            Status::Active if old.status == Status::Superseded => {
                return Err(Error::NoMemory("it was replaced; remember it again instead".to_owned()));
            }
            Status::Active => Change::Accept { id: old.id },
            Status::Done => Change::Close { id: old.id, status, at: now, by: None },
            Status::Suggested | Status::Superseded | Status::Forgotten => {
                return Err(Error::NoMemory(
                    "its status can be set to active or done; use forget to take it out".to_owned(),
                ));
            }
        };
        let learned = Learned { changes: vec![change], at: now, ..Learned::default() };
        Ok((Memory { status, ..old }, learned))
    }

    /// The memories that the tags of a reply ask for. A tag proves nothing; the person must have said it.
    pub(crate) async fn learned_from_tags(
        &self,
        chat: &ChatId,
        tags: &[Tag],
        person_words: &PersonWords,
    ) -> Result<Learned> {
        let said = person_words.text.as_str();
        let mut learned = Learned { at: self.now(), ..Learned::default() };
        let status = match self.settings.capture {
            Capture::Auto => Status::Active,
            Capture::Suggest => Status::Suggested,
            Capture::Explicit | Capture::Off => return Ok(learned),
        };
        if tags.is_empty() {
            return Ok(learned);
        }
        let mut known = self.active(chat).await?;
        let reading = Reading::of(said);
        for tag in tags {
            let (text, kind, deadline) = match tag {
                Tag::Remember(text) => (text, None, None),
                Tag::Goal { text, deadline } => (text, Some(Kind::Goal), deadline.as_deref()),
                Tag::Done(text) => {
                    learned.changes.extend(self.finished(text, &known));
                    continue;
                }
            };
            let Ok(candidate) = self.statement(text, kind) else { continue };
            let Some(span) = gate::evidence(&candidate.text, said) else { continue };
            let candidate = Candidate { span: span.clone(), ..candidate };
            if let Err(refusal) = gate::admit(&candidate, &reading, self.today()) {
                tracing::debug!(why = %refusal, "tag of a reply refused");
                continue;
            }
            let candidate = match deadline.filter(|deadline| is_mentioned(deadline, said)) {
                Some(deadline) => {
                    Candidate { text: format!("{} (by {deadline})", candidate.text), ..candidate }
                }
                None => candidate,
            };
            let words = said.get(span.clone()).unwrap_or_default();
            let relation = self.relation(chat, &candidate, words, &known).await;
            if matches!(relation, Relation::Same(_)) {
                continue;
            }
            let proofs = self.proof(chat, person_words, span).await?.into_iter().collect();
            let memory = Memory { status, proofs, ..self.memory_of(chat, candidate) };
            let old = replaced(&relation, &known);
            let change = self.in_place_of(&memory, &old, self.remaining(&old, &memory.text));
            known.push(self.just_learned(memory));
            learned.memories.extend(change.memories);
            learned.changes.extend(change.changes);
        }
        Ok(learned)
    }

    /// The proof of a span: the message that contains the words.
    async fn proof(
        &self,
        chat: &ChatId,
        person_words: &PersonWords,
        span: Range<usize>,
    ) -> Result<Option<Proof>> {
        let Some(words) = person_words.text.get(span) else { return Ok(None) };
        for id in person_words.ids.iter().rev() {
            let found = self.store.chat(chat).find(Reference::Id(*id)).await?;
            let start = found.and_then(|stored| stored.message.text.find(words));
            if let Some(start) = start {
                return Ok(Some(Proof { message: *id, span: start..start + words.len() }));
            }
        }
        Ok(None)
    }

    /// The goals that a text reports as reached.
    fn finished(&self, text: &str, known: &[StoredMemory]) -> Option<Change> {
        let topic = throughline_text::erase::Topic::read(text);
        let goal = known.iter().find(|kept| {
            matches!(kept.memory.kind, Kind::Goal | Kind::Date) && topic.is_told(&kept.memory.text)
        })?;
        Some(Change::Close { id: goal.memory.id, status: Status::Done, at: self.now(), by: None })
    }

    async fn active(&self, chat: &ChatId) -> Result<Vec<StoredMemory>> {
        let all = self.memories(chat).await?;
        Ok(all.into_iter().filter(|kept| kept.memory.status == Status::Active).collect())
    }

    /// Parses a text as a statement: one line, redacted, with a kind.
    fn statement(&self, text: &str, kind: Option<Kind>) -> Result<Candidate> {
        let clean = one_line(&printable(text));
        if clean.is_empty() {
            return Err(Error::NotKept("there is nothing in it".to_owned()));
        }
        if clean.chars().count() > LONGEST_STATEMENT {
            return Err(Error::NotKept(format!(
                "it has more than {LONGEST_STATEMENT} characters; say it in one sentence, or record it as a message"
            )));
        }
        if redact(&clean) != clean {
            return Err(Error::NotKept(
                "it holds a password, key or other secret; keep that in a password manager".to_owned(),
            ));
        }
        // Text in parentheses does not determine the kind.
        let kind = kind.unwrap_or_else(|| stated(&without_asides(&clean), None, self.today()).kind);
        // "By Friday" is another day next week.
        let settled = if kind == Kind::Fact { clean } else { day::settled(&clean, self.today()) };
        Ok(stated(&settled, Some(kind), self.today()))
    }

    /// The current day in the person's time zone.
    pub(crate) fn today(&self) -> Date {
        self.settings.zone.to_datetime(self.now()).date()
    }

    /// A memory that takes the place of others, with what they state beside it.
    fn in_place_of(&self, new: &Memory, old: &[Memory], remaining: Vec<Memory>) -> Learned {
        let at: Timestamp = self.now();
        let close = |old: &Memory| Change::Close {
            id: old.id,
            status: Status::Superseded,
            at: at.max(old.valid_from),
            by: Some(new.id),
        };
        Learned {
            memories: std::iter::once(new.clone()).chain(remaining).collect(),
            changes: old.iter().map(close).collect(),
            at,
            read: Vec::new(),
        }
    }
}

/// Returns true if the person mentioned the deadline that the assistant wrote: one of its numbers, or all of its
/// words.
fn is_mentioned(deadline: &str, said: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(|word| word.trim_start_matches('0').to_owned()).collect()
    };
    let (wanted, said) = (words(deadline), words(said));
    let is_number = |word: &&String| word.chars().all(|c| c.is_ascii_digit());
    wanted.iter().filter(is_number).any(|word| said.contains(word))
        || wanted.iter().all(|word| said.contains(word))
}

/// The memories that a new statement replaces. An explicit request to remember decides unclear cases.
fn replaced(relation: &Relation, known: &[StoredMemory]) -> Vec<Memory> {
    let indexes: &[usize] = match relation {
        Relation::Replaces(old) | Relation::Ends(old) => old,
        Relation::Unclear(index) | Relation::Finishes(index) => std::slice::from_ref(index),
        Relation::New | Relation::Same(_) => &[],
    };
    indexes.iter().filter_map(|index| known.get(*index)).map(|kept| kept.memory.clone()).collect()
}

/// A text without its parentheses.
fn without_asides(text: &str) -> String {
    let mut depth = 0usize;
    let mut rest = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            c if depth == 0 => rest.push(c),
            _ => {}
        }
    }
    one_line(&rest)
}
