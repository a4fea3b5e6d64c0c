//! Imports messages in batches. Messages that were imported before are recognized.

use std::borrow::Cow;
use std::collections::HashMap;

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Message;
use throughline_store::carried::{Carried, ImportOutcome};
use throughline_store::messages::{Append, Origin, Purpose};
use throughline_text::printable::without_controls;
use throughline_text::redact::{LOOK_BACK, asks, may_answer, redact};
use throughline_text::summarize::Sections;
use uuid::Uuid;

use crate::turn::intake::answer_redacted;
use crate::{Engine, Inbound, Result};

/// Number of messages per transaction: enough to amortize its cost, few enough to bound memory use.
pub const BATCH: usize = 25_000;

/// The metadata key for whether the owner wrote a message, in an imported chat of several people.
pub const OWN: &str = "own";

/// State across the lines of a file: counts equal lines, and redacts secrets that one of the lines before asked for.
#[derive(Debug, Default)]
pub struct Ordinals {
    seen: HashMap<[u8; 16], u32>,
    /// The last message of each lane that asks for a secret, and the few that follow it.
    asked: HashMap<(ChatId, Lane), Vec<String>>,
}

impl Ordinals {
    /// Redacts the secret that one of the lane's lines before asked for.
    fn answer(&mut self, message: &mut Message) {
        let place = (message.chat.clone(), message.lane.clone());
        // Most lines answer nothing and are redacted already.
        let mut asked = self.asked.remove(&place).unwrap_or_default();
        if !asked.is_empty() {
            answer_redacted(message, &asked);
        }
        if asks(&message.text) {
            asked.clear();
        } else if asked.is_empty() || asked.len() >= LOOK_BACK || !may_answer(&message.text) {
            return;
        }
        asked.push(message.text.clone());
        self.asked.insert(place, asked);
    }

    /// The fingerprint of a line without an id: chat, lane, role, time as written, text, and its number among equal
    /// lines.
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

/// A UUID of version 5 (RFC 4122): 122 bits of SHA-1, so collisions are not a concern.
fn digest(bytes: &[u8]) -> [u8; 16] {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, bytes).into_bytes()
}

/// The counts of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// New messages.
    pub imported: u64,
    /// Messages that were stored before.
    pub skipped: u64,
}

impl Engine {
    /// Converts a line of a file into a message to append.
    ///
    /// # Errors
    /// If its text cannot be a message.
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

    /// Imports memories, summaries and suppressions of another home in one transaction, and returns the result for
    /// each.
    ///
    /// # Errors
    /// If the store fails; then nothing was imported.
    pub async fn import_carried(&self, mut carried: Vec<Carried>) -> Result<Vec<ImportOutcome>> {
        carried.iter_mut().for_each(clean);
        Ok(self.store.import_carried(carried).await?)
    }

    /// Appends a batch in one transaction.
    ///
    /// # Errors
    /// If the store fails; then nothing of the batch was imported.
    pub async fn import_batch(&self, batch: Vec<Append>) -> Result<Tally> {
        let appended = self.store.append(batch).await?;
        let skipped = appended.iter().filter(|appended| appended.known).count() as u64;
        Ok(Tally { imported: appended.len() as u64 - skipped, skipped })
    }
}

/// Removes secrets and control characters from every imported text.
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
        // Hashes contain no words.
        Carried::Suppression(_) => {}
    }
}
