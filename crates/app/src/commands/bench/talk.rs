//! Messages and questions for benchmarks: from LoCoMo if it is there, else generated.

use std::io::Write;
use std::path::Path;

use jiff::Timestamp;
use serde_json::json;
use throughline_domain::message::Role;

use super::corpus::{Chance, Language};
use super::locomo::Locomo;
use crate::output::Failure;

/// The default path of LoCoMo.
const LOCOMO: &str = "../shared/data/locomo-dev.json";

/// One message, before it is in a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub at: Timestamp,
    pub role: Role,
    pub speaker: Option<String>,
    pub text: String,
}

/// The source of the messages.
pub enum Talk {
    MadeUp(Language),
    Locomo(Locomo),
}

impl Talk {
    /// The talk of a LoCoMo file; without one, of the file in its usual place; without that, made up.
    pub fn find(file: Option<&Path>) -> Result<Self, Failure> {
        let usual = Path::new(LOCOMO);
        let Some(file) = file.or_else(|| usual.exists().then_some(usual)) else { return Ok(Self::made_up()) };
        let unusable = |why: String| Failure::failed("unreadable_file", format!("{}: {why}", file.display()));
        let json = std::fs::read(file).map_err(|error| unusable(error.to_string()))?;
        Ok(Self::Locomo(Locomo::read(&json).map_err(unusable)?))
    }

    pub fn made_up() -> Self {
        Self::MadeUp(Language::new())
    }

    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MadeUp(_) => "made up",
            Self::Locomo(_) => "LoCoMo",
        }
    }

    /// A question to a chat, by the chat's number.
    pub fn question(&self, chat: usize, chance: &mut Chance) -> String {
        match self {
            Self::MadeUp(language) => language.question_of_a_time(chance),
            Self::Locomo(locomo) => locomo.question(chat, chance),
        }
    }

    /// The texts of many messages.
    pub fn texts(&self, count: u64, seed: u64) -> Vec<String> {
        let mut chance = Chance::new(seed);
        (0..count).map(|turn| self.said(turn as usize, turn, 0, &mut chance).text).collect()
    }

    /// Writes messages of some chats as import lines, turn by turn; the last moment of each chat.
    pub fn write_lines(
        &self,
        path: &Path,
        chats: &[(String, u64)],
        seed: u64,
    ) -> Result<Vec<Timestamp>, Failure> {
        let mut chance = Chance::new(seed);
        let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
        let mut ends = vec![Timestamp::UNIX_EPOCH; chats.len()];
        let longest = chats.iter().map(|(_, messages)| *messages).max().unwrap_or(0);
        for turn in 0..longest {
            for (number, ((chat, messages), end)) in chats.iter().zip(&mut ends).enumerate() {
                if turn >= *messages {
                    continue;
                }
                let said = self.said(number, turn, longest - messages, &mut chance);
                let line = json!({
                    "chat": chat,
                    "role": said.role,
                    "speaker": said.speaker,
                    "text": said.text,
                    "at": said.at.to_string(),
                    "external_id": format!("{chat}-{turn}"),
                });
                writeln!(out, "{line}")?;
                *end = said.at.max(*end);
            }
        }
        out.flush()?;
        Ok(ends)
    }

    /// One message of a chat. Generated chats end together: a shorter one begins later, by `late` turns.
    fn said(&self, chat: usize, turn: u64, late: u64, chance: &mut Chance) -> Said {
        match self {
            Self::MadeUp(language) => language.said(turn, late, chance),
            Self::Locomo(locomo) => locomo.said(chat, turn),
        }
    }
}
