//! Extracts memories from messages: candidates of the small model or of the built-in network pass a gate and are compared with the
//! existing memories.

mod answer;

use std::time::Instant;

use jiff::tz::TimeZone;
use throughline_domain::channel::is_group;
use throughline_domain::chat::ChatId;
use throughline_domain::forget::SuppressionList;
use throughline_domain::memory::{Kind, Memory, MemoryId, Proof, Status};
use throughline_domain::message::Message;
use throughline_models::Work;
use throughline_store::jobs::Job;
use throughline_store::memories::{Change, Learned, StoredMemory, Unextracted};
use throughline_text::extract::{Candidate, Reading, gate};
use throughline_text::relate::{Relation, Worth, follow, with_changes};

use super::{Failed, Outcome, Ran};
use crate::import::OWN;
use crate::work::{WorkError, is_temporary};
use crate::{Capture, Engine, Result};

/// Number of messages read from the store at once.
const BATCH: usize = 20;
/// Number of failed attempts after which the network extracts without a model.
const MAX_ATTEMPTS: u32 = 3;
/// Maximum length of a model's answer, in tokens.
const MAX_ANSWER_TOKENS: u32 = 1_000;
/// Maximum number of existing memories shown to the model.
const MAX_KNOWN_SHOWN: usize = 60;
pub(crate) const INSTRUCTIONS: &str = include_str!("../../prompts/extract.md");

/// Extracts memories from the unread messages of a chat.
pub(super) async fn run(engine: &Engine, job: &Job, until: Instant) -> Ran {
    let Ok(chat) = job.subject.parse::<ChatId>() else { return Ok(Outcome::Done) };
    loop {
        let in_chat = engine.store.chat(&chat).watching().await?;
        let unextracted = in_chat.unextracted(BATCH).await?;
        if unextracted.is_empty() {
            return Ok(Outcome::Done);
        }
        for one in unextracted {
            if Instant::now() >= until {
                return Ok(Outcome::Unfinished);
            }
            let learned = engine.extraction(&chat, &one, job.attempts).await?;
            in_chat.learn(learned).await?;
        }
    }
}

impl Engine {
    /// The memories from one message, and the changes to existing ones.
    async fn extraction(
        &self,
        chat: &ChatId,
        one: &Unextracted,
        attempts: u32,
    ) -> std::result::Result<Learned, Failed> {
        let message = &one.said.message;
        let nothing = Learned { read: vec![one.said.seq], at: self.now(), ..Learned::default() };
        let listens = matches!(self.settings.capture, Capture::Auto | Capture::Suggest);
        if !listens || !is_evidence(message) {
            return Ok(nothing);
        }
        let known = self.known_of(chat, message.speaker.as_deref()).await?;
        let reading = Reading::of(&message.text);
        let candidates = self.candidates(chat, one, &reading, &known, attempts).await?;
        let today = self.settings.zone.to_datetime(message.occurred_at).date();
        let mut extraction = Extraction { engine: self, message, known, learned: nothing };
        let suppressions = self.suppressions(chat, message).await?;
        let is_forgotten = |text: &str| {
            let found = suppressions.as_ref().and_then(|suppressions| suppressions.suppressed(text));
            found.inspect(|_| tracing::debug!("candidate dropped: forgotten after the message")).is_some()
        };
        for (candidate, worth) in with_changes(&reading, candidates, today) {
            for candidate in follow(candidate, extraction.newest_date(), today) {
                if !is_forgotten(&candidate.text) {
                    extraction.take(candidate, worth).await?;
                }
            }
        }
        Ok(extraction.learned)
    }

    /// The model's candidates that pass the gate; if there are none, or no model answers, those of the network.
    async fn candidates(
        &self,
        chat: &ChatId,
        one: &Unextracted,
        reading: &Reading<'_>,
        known: &[StoredMemory],
        attempts: u32,
    ) -> std::result::Result<Vec<Candidate>, Failed> {
        let message = &one.said.message;
        let day = self.settings.zone.to_datetime(message.occurred_at).date();
        let admit = |candidate: &Candidate| match gate::admit(candidate, reading, day) {
            Ok(()) => true,
            Err(refusal) => {
                tracing::debug!(kind = candidate.kind.as_str(), why = %refusal, "candidate refused");
                false
            }
        };
        match self.candidates_of_model(chat, one, known).await {
            Ok(candidates) => {
                let admitted: Vec<Candidate> = candidates.iter().filter(|it| admit(it)).cloned().collect();
                if !admitted.is_empty() || candidates.is_empty() {
                    return Ok(admitted);
                }
            }
            Err(WorkError::NoModel) => {}
            Err(error) if is_temporary(&error) && attempts < MAX_ATTEMPTS => return Err(error.into()),
            Err(error) => tracing::warn!(%error, "extraction by model failed; extracting without one"),
        }
        let found = reading.candidates(message.occurred_at, &self.settings.zone);
        Ok(found.into_iter().filter(admit).collect())
    }

    async fn candidates_of_model(
        &self,
        chat: &ChatId,
        one: &Unextracted,
        known: &[StoredMemory],
    ) -> std::result::Result<Vec<Candidate>, WorkError> {
        let work = Work {
            instructions: INSTRUCTIONS.to_owned(),
            input: input(one, known, &self.settings.zone),
            most_tokens: MAX_ANSWER_TOKENS,
        };
        let said = &one.said.message;
        let day = self.settings.zone.to_datetime(said.occurred_at).date();
        let read = |answer: &str| answer::read(answer, &said.text, day);
        self.readable_work("extract", chat, work, read).await
    }

    /// The active memories of a chat, in a group those of one speaker.
    async fn known_of(&self, chat: &ChatId, speaker: Option<&str>) -> Result<Vec<StoredMemory>> {
        let person = self.settings.people.of(chat);
        let group = is_group(chat);
        let holds = |kept: &StoredMemory| {
            matches!(kept.memory.status, Status::Active | Status::Suggested)
                && (!group || kept.memory.speaker.as_deref() == speaker)
        };
        let all = self.store.chat(chat).memories(person.as_deref()).await?;
        Ok(all.into_iter().filter(holds).collect())
    }

    /// The values that were forgotten after a message was written.
    async fn suppressions(&self, chat: &ChatId, message: &Message) -> Result<Option<SuppressionList>> {
        let person = self.settings.people.of(chat);
        let suppressions = self.store.chat(chat).suppressions(person.as_deref()).await?;
        let later: Vec<_> = suppressions
            .into_iter()
            .filter(|(_, forgotten)| message.occurred_at < *forgotten)
            .map(|(suppression, _)| suppression)
            .collect();
        if later.is_empty() {
            return Ok(None);
        }
        Ok(Some(SuppressionList::new(self.store.suppression_key().await?, &later)))
    }
}

/// Returns true if a message is evidence about the person of its chat: their own words, not forwarded, no command,
/// not a routine's, and not somebody else's.
pub(super) fn is_evidence(message: &Message) -> bool {
    let says = |key: &str| message.metadata.get(key).is_some_and(|value| !value.is_null() && *value != false);
    !is_by_another(message)
        && !says("forwarded")
        && !says("forward_origin")
        && !message.is_command()
        && message.routine().is_none()
}

/// Returns true if an import marked the message as not written by the chat's owner.
fn is_by_another(message: &Message) -> bool {
    message.metadata.get(OWN).is_some_and(|own| *own == false)
}

/// The exchange and the existing memories, as the model's input.
fn input(one: &Unextracted, known: &[StoredMemory], zone: &TimeZone) -> String {
    let said = &one.said.message;
    let at = said.occurred_at.to_zoned(zone.clone()).strftime("%A, %Y-%m-%d %H:%M").to_string();
    let exchange = serde_json::json!({
        "said_at": at,
        "person": said.text,
        "assistant": one.answered.as_deref().map(|text| text.chars().take(1_000).collect::<String>()),
        "known": known.iter().rev().take(MAX_KNOWN_SHOWN).map(|kept| kept.memory.text.as_str()).collect::<Vec<_>>(),
    });
    format!("The exchange, as JSON:\n{exchange:#}")
}

/// An extraction from one message, built candidate by candidate.
struct Extraction<'a> {
    engine: &'a Engine,
    message: &'a Message,
    known: Vec<StoredMemory>,
    learned: Learned,
}

impl Extraction<'_> {
    /// The date that was told last in the conversation of the message.
    fn newest_date(&self) -> Option<&str> {
        let at = self.message.occurred_at;
        let is_recent = |memory: &&Memory| {
            memory.chat == self.message.chat
                && memory.kind == Kind::Date
                && matches!(memory.status, Status::Active | Status::Suggested)
                && at.duration_since(memory.valid_from) <= self.engine.settings.gap
        };
        let dates = self.known.iter().map(|kept| &kept.memory).filter(is_recent);
        dates.max_by_key(|memory| memory.valid_from).map(|memory| memory.text.as_str())
    }

    async fn take(&mut self, candidate: Candidate, worth: Worth) -> Result<()> {
        let proof = Proof { message: self.message.id, span: candidate.span.clone() };
        let said = self.message.text.get(candidate.span.clone()).unwrap_or_default();
        let relation = self.engine.relation(&self.message.chat, &candidate, said, &self.known).await;
        match relation {
            Relation::New | Relation::Unclear(_) | Relation::Same(_) if worth == Worth::IfItChanges => {}
            Relation::New => {
                self.add(candidate, proof, self.status());
            }
            Relation::Same(index) => self.prove(index, proof),
            Relation::Replaces(old) => {
                let new = candidate.text.clone();
                let by = self.add(candidate, proof, self.status());
                old.into_iter().for_each(|index| self.replace(index, by, &new));
            }
            Relation::Finishes(index) => self.close(index, Status::Done, None),
            Relation::Ends(old) => {
                old.into_iter().for_each(|index| self.close(index, Status::Superseded, None));
            }
            // The next turn asks the person which of the two is true.
            Relation::Unclear(_) => {
                self.add(candidate, proof, Status::Suggested);
            }
        }
        Ok(())
    }

    fn status(&self) -> Status {
        match self.engine.settings.capture {
            Capture::Suggest => Status::Suggested,
            Capture::Auto | Capture::Explicit | Capture::Off => Status::Active,
        }
    }

    fn add(&mut self, candidate: Candidate, proof: Proof, status: Status) -> MemoryId {
        let group = is_group(&self.message.chat);
        let memory = Memory {
            status,
            valid_from: self.message.occurred_at,
            speaker: self.message.speaker.clone().filter(|_| group),
            proofs: vec![proof],
            ..self.engine.memory_of(&self.message.chat, candidate)
        };
        let id = memory.id;
        self.known.push(self.engine.just_learned(memory.clone()));
        self.learned.memories.push(memory);
        id
    }

    fn prove(&mut self, index: usize, proof: Proof) {
        let Some(kept) = self.known.get(index) else { return };
        let memory = &kept.memory;
        self.learned.changes.push(Change::Prove { id: memory.id, proof });
        if memory.status == Status::Suggested && self.status() == Status::Active {
            self.learned.changes.push(Change::Accept { id: memory.id });
        }
    }

    /// Ends a memory that another takes the place of. What else it states becomes a memory of its own.
    fn replace(&mut self, index: usize, by: MemoryId, new: &str) {
        let Some(old) = self.known.get(index).map(|kept| kept.memory.clone()) else { return };
        self.close(index, Status::Superseded, Some(by));
        for memory in self.engine.remaining(&[old], new) {
            self.known.push(self.engine.just_learned(memory.clone()));
            self.learned.memories.push(memory);
        }
    }

    fn close(&mut self, index: usize, status: Status, by: Option<MemoryId>) {
        let Some(kept) = self.known.get_mut(index) else { return };
        kept.memory.status = status;
        let at = self.message.occurred_at.max(kept.memory.valid_from);
        self.learned.changes.push(Change::Close { id: kept.memory.id, status, at, by });
    }
}
