//! Import: many messages at once. A message that was imported before is recognized.

use std::borrow::Cow;
use std::collections::HashMap;

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Message;
use throughline_store::carried::{Carried, Taken};
use throughline_store::messages::{Append, Origin, Purpose};
use throughline_text::printable::without_controls;
use throughline_text::redact::{asks, redact};
use throughline_text::summarize::Sections;
use uuid::Uuid;

use crate::turn::intake::answer_redacted;
use crate::{Engine, Inbound, Result};

/// Number of messages in one transaction: enough to spread its cost, few enough to keep memory flat.
pub const BATCH: usize = 25_000;

/// The entry of the metadata that says whether the owner wrote a message, in an imported chat of several people.
pub const OWN: &str = "own";

/// What the lines of a file so far say about the next one: tells equal lines apart, and answers from other messages.
#[derive(Debug, Default)]
pub struct Ordinals {
    seen: HashMap<[u8; 16], u32>,
    /// The last message of each lane, where it asks for a secret.
    asked: HashMap<(ChatId, Lane), String>,
}

impl Ordinals {
    /// Takes out the secret that the line before it in the lane asked for.
    fn answer(&mut self, message: &mut Message) {
        let place = (message.chat.clone(), message.lane.clone());
        // Most lines answer nothing, and were redacted a moment ago.
        if let Some(asked) = self.asked.remove(&place) {
            answer_redacted(message, Some(&asked));
        }
        if asks(&message.text) {
            self.asked.insert(place, message.text.clone());
        }
    }

    /// The fingerprint of a line without an id: chat, lane, role, time as written, text, and the ordinal among equals.
    fn fingerprint(&mut self, message: &Message, dated: bool) -> [u8; 16] {
        let mut line = Vec::with_capacity(message.text.len() + 96);
        for part in
            [message.chat.as_str(), &message.lane.key(&message.chat), message.role.as_str(), &message.text]
        {
            line.extend_from_slice(part.as_bytes());
            line.push(0);
        }
        if dated {
            line.extend_from_slice(&message.occurred_at.as_microsecond().to_le_bytes());
        }
        let equal = digest(&line);
        let ordinal = self.seen.entry(equal).or_default();
        *ordinal += 1;
        if *ordinal == 1 {
            return equal;
        }
        line.extend_from_slice(&ordinal.to_le_bytes());
        digest(&line)
    }
}

/// A name in the sense of RFC 4122: 122 bits of SHA-1, which no two lines share by accident.
fn digest(bytes: &[u8]) -> [u8; 16] {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, bytes).into_bytes()
}

/// How a batch went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Messages that are new.
    pub imported: u64,
    /// Messages that were there.
    pub skipped: u64,
}

impl Engine {
    /// Makes a message of a line of a file.
    ///
    /// # Errors
    /// When its text cannot be a message.
    pub fn import_line(&self, inbound: Inbound, ordinals: &mut Ordinals, learn: bool) -> Result<Append> {
        let dated = inbound.at.is_some();
        let own = inbound.exported.is_some() || !inbound.external_ids.is_empty();
        let replies_to = inbound.reply_to.clone();
        let lane = inbound.lane.clone().unwrap_or(Lane::Root);
        let mut message = self.message(inbound, lane, None)?;
        ordinals.answer(&mut message);
        let purpose =
            if own { Purpose::Record } else { Purpose::Import(ordinals.fingerprint(&message, dated)) };
        Ok(Append { replies_to, ..self.append(message, purpose, Origin::File { learn, dated }) })
    }

    /// Stores memories, summaries and suppressions of another home as one transaction, and says what became of each.
    ///
    /// # Errors
    /// When the store cannot be written; then none of them was.
    pub async fn take_over(&self, mut carried: Vec<Carried>) -> Result<Vec<Taken>> {
        carried.iter_mut().for_each(clean);
        Ok(self.store.take_over(carried).await?)
    }

    /// Appends a batch as one transaction.
    ///
    /// # Errors
    /// When the store cannot be written; then none of the batch was.
    pub async fn import_batch(&self, batch: Vec<Append>) -> Result<Tally> {
        let appended = self.store.append(batch).await?;
        let skipped = appended.iter().filter(|appended| appended.known).count() as u64;
        Ok(Tally { imported: appended.len() as u64 - skipped, skipped })
    }
}

/// Takes secrets and control characters out of every text that a file brings.
fn clean(carried: &mut Carried) {
    let clean = |text: &mut String| {
        if let Cow::Owned(plain) = without_controls(text) {
            *text = plain;
        }
        if let Cow::Owned(redacted) = redact(text) {
            *text = redacted;
        }
    };
    match carried {
        Carried::Memory(carried) => {
            let memory = &mut carried.memory;
            [&mut memory.text, &mut memory.category].into_iter().chain(&mut memory.speaker).for_each(clean);
        }
        Carried::Summary(summary) => {
            clean(&mut summary.text);
            let Sections { goals, decisions, facts, outcomes, pending } = &mut summary.sections;
            [goals, decisions, facts, outcomes, pending].into_iter().flatten().for_each(clean);
        }
        // Hashes hold no words.
        Carried::Suppression(_) => {}
    }
}
