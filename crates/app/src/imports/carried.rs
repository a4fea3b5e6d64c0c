//! Memories, summaries and suppressions as lines of this program's export. Each line has a `kind`, which messages
//! lack.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use throughline_domain::chat::ChatId;
use throughline_domain::forget::Suppression;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Kind, Memory, MemoryId, Proof, Reach, Status};
use throughline_domain::message::MessageId;
use throughline_store::carried::{Carried, CarriedMemory, CarriedSummary, CarriedSuppression};
use throughline_store::forget::Suppressed;
use throughline_text::summarize::Sections;
use uuid::Uuid;

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line {
    Memory(MemoryLine),
    Summary(SummaryLine),
    Suppression(SuppressionLine),
}

#[derive(Serialize, Deserialize)]
struct MemoryLine {
    id: MemoryId,
    chat: ChatId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    person: Option<String>,
    r#type: Kind,
    text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    category: String,
    confidence: f32,
    extracted: bool,
    status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day: Option<Date>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    proofs: Vec<Proof>,
    valid_from: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    valid_to: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    superseded_by: Option<MemoryId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    used_at: Option<Timestamp>,
    learned_at: Timestamp,
    changed_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<MessageId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    offered: bool,
}

#[derive(Serialize, Deserialize)]
struct SummaryLine {
    id: Uuid,
    chat: ChatId,
    lane: String,
    scope: String,
    text: String,
    #[serde(default, skip_serializing_if = "Sections::is_empty")]
    sections: Sections,
    messages: u64,
    from: MessageId,
    to: MessageId,
    from_at: Timestamp,
    to_at: Timestamp,
    version: u32,
    updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<MessageId>,
}

/// A suppression; hashes are hexadecimal numbers.
#[derive(Serialize, Deserialize)]
struct SuppressionLine {
    chat: ChatId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    person: Option<String>,
    at: Timestamp,
    forgetting: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    statement: String,
    words: Vec<String>,
}

/// Parses a line; `None` if it has no `kind`.
pub fn read(text: &str) -> Option<Result<Carried, String>> {
    #[derive(Deserialize)]
    struct Kinded {
        #[serde(rename = "kind")]
        _kind: String,
    }
    serde_json::from_str::<Kinded>(text).ok()?;
    let line = serde_json::from_str::<Line>(text)
        .map_err(|error| super::explain(&error, "a line with a kind is one that an export wrote"));
    Some(line.and_then(Line::carried))
}

/// Writes a line.
pub fn write(carried: Carried) -> serde_json::Result<String> {
    serde_json::to_string(&Line::of(carried))
}

impl Line {
    fn of(carried: Carried) -> Self {
        match carried {
            Carried::Memory(carried) => Self::Memory(MemoryLine::of(*carried)),
            Carried::Summary(summary) => Self::Summary(SummaryLine::of(*summary)),
            Carried::Suppression(CarriedSuppression { suppressed, forgetting, key }) => {
                Self::Suppression(SuppressionLine {
                    chat: suppressed.chat,
                    person: suppressed.person,
                    at: suppressed.at,
                    forgetting,
                    key,
                    statement: hex(&suppressed.suppression.statement),
                    words: suppressed.suppression.words.iter().map(hex).collect(),
                })
            }
        }
    }

    fn carried(self) -> Result<Carried, String> {
        Ok(match self {
            Self::Memory(line) => Carried::Memory(Box::new(line.carried()?)),
            Self::Summary(line) => Carried::Summary(Box::new(line.carried()?)),
            Self::Suppression(line) => Carried::Suppression(line.carried()?),
        })
    }
}

impl MemoryLine {
    fn of(CarriedMemory { memory, learned_at, changed_at, after, offered }: CarriedMemory) -> Self {
        let person = match memory.reach {
            Reach::Person(person) => Some(person),
            Reach::Chat => None,
        };
        Self {
            id: memory.id,
            chat: memory.chat,
            person,
            r#type: memory.kind,
            text: memory.text,
            category: memory.category,
            confidence: memory.confidence,
            extracted: memory.extracted,
            status: memory.status,
            speaker: memory.speaker,
            day: memory.day,
            proofs: memory.proofs,
            valid_from: memory.valid_from,
            valid_to: memory.valid_to,
            superseded_by: memory.superseded_by,
            used_at: memory.used_at,
            learned_at,
            changed_at,
            after,
            offered,
        }
    }

    fn carried(self) -> Result<CarriedMemory, String> {
        if self.text.trim().is_empty() {
            return Err("the memory has no text".to_owned());
        }
        if !(0.0..=1.0).contains(&self.confidence) {
            return Err("the memory's confidence is not between 0 and 1".to_owned());
        }
        let memory = Memory {
            id: self.id,
            kind: self.r#type,
            text: self.text,
            category: self.category,
            confidence: self.confidence,
            extracted: self.extracted,
            status: self.status,
            chat: self.chat,
            reach: self.person.map_or(Reach::Chat, Reach::Person),
            speaker: self.speaker,
            proofs: self.proofs,
            day: self.day,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            superseded_by: self.superseded_by,
            used_at: self.used_at,
        };
        let Self { learned_at, changed_at, after, offered, .. } = self;
        Ok(CarriedMemory { memory, learned_at, changed_at, after, offered })
    }
}

impl SummaryLine {
    fn of(summary: CarriedSummary) -> Self {
        Self {
            id: summary.id,
            lane: summary.lane.key(&summary.chat),
            chat: summary.chat,
            scope: summary.scope.as_str().to_owned(),
            text: summary.text,
            sections: summary.sections,
            messages: summary.messages,
            from: summary.first,
            to: summary.last,
            from_at: summary.said.0,
            to_at: summary.said.1,
            version: summary.version,
            updated_at: summary.updated_at,
            stale: summary.stale,
            after: summary.after,
        }
    }

    fn carried(self) -> Result<CarriedSummary, String> {
        Ok(CarriedSummary {
            id: self.id,
            lane: Lane::parse(&self.lane, &self.chat).map_err(|error| error.to_string())?,
            chat: self.chat,
            scope: self
                .scope
                .parse()
                .map_err(|error: throughline_domain::summary::UnknownScope| error.to_string())?,
            text: self.text,
            sections: self.sections,
            messages: self.messages,
            first: self.from,
            last: self.to,
            said: (self.from_at, self.to_at),
            version: self.version,
            updated_at: self.updated_at,
            stale: self.stale,
            after: self.after,
        })
    }
}

impl SuppressionLine {
    fn carried(self) -> Result<CarriedSuppression, String> {
        let hash = |text: &String| from_hex(text).ok_or_else(|| format!("{text:?} is no hash of 16 bytes"));
        let suppression = Suppression {
            statement: hash(&self.statement)?,
            words: self.words.iter().map(hash).collect::<Result<_, _>>()?,
        };
        let suppressed = Suppressed { chat: self.chat, person: self.person, at: self.at, suppression };
        Ok(CarriedSuppression { suppressed, forgetting: self.forgetting, key: self.key })
    }
}

fn hex(hash: &[u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(*hash))
}

fn from_hex(text: &str) -> Option<[u8; 16]> {
    let is_hash = text.len() == 32 && text.chars().all(|digit| digit.is_ascii_hexdigit());
    is_hash.then(|| u128::from_str_radix(text, 16).ok()).flatten().map(u128::to_be_bytes)
}
