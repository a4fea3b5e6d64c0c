//! Settings with a fixed set of words as values.

use serde_json::{Value as Json, json};
use strum::{IntoStaticStr, VariantArray};
use throughline_domain::context::{Format, Preset};
use throughline_domain::routine::{Kind, QuietPolicy};

use super::{Given, Value, excerpt};
use crate::config::nearest::{did_you_mean, nearest};

/// A closed set of values, each with the word people write for it.
pub trait Choice: Copy + VariantArray + Into<&'static str> {
    /// The word people write.
    fn name(self) -> &'static str {
        self.into()
    }

    /// Parses a word.
    ///
    /// # Errors
    /// If there is no such word. The error continues a sentence that begins with the setting's name.
    fn named(word: &str) -> Result<Self, String> {
        if let Some(value) = Self::VARIANTS.iter().find(|value| value.name() == word) {
            return Ok(*value);
        }
        let list = names::<Self>().join(", ");
        let offer = did_you_mean(&nearest(word, names::<Self>(), 1));
        Err(format!("cannot be \"{}\", only one of {list}{offer}", excerpt(word)))
    }
}

fn names<T: Choice>() -> Vec<&'static str> {
    T::VARIANTS.iter().map(|value| value.name()).collect()
}

impl<T: Choice> Value for T {
    fn read(given: Given<'_>) -> Result<Self, String> {
        T::named(given.text()?)
    }

    fn shown(&self) -> Json {
        json!(self.name())
    }

    fn schema() -> Json {
        json!({"type": "string", "enum": names::<T>()})
    }
}

impl Choice for Preset {}
impl Choice for Format {}
impl Choice for Kind {}
impl Choice for QuietPolicy {}
impl Choice for Pairing {}
impl Choice for Groups {}
impl Choice for CaptureMode {}
impl Choice for LogLevel {}

/// Whether unknown people may request access to the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Pairing {
    /// They may, and wait for approval.
    On,
    /// The bot does not answer them.
    Off,
}

/// The messages of a group that the bot answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Groups {
    /// All messages if the bot receives only those that concern it, or else those that address it.
    Auto,
    /// Those that mention it or reply to it.
    Addressed,
    /// All.
    All,
}

/// When a statement becomes a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum CaptureMode {
    /// After each exchange, without asking.
    Auto,
    /// After each exchange, once the person agrees.
    Suggest,
    /// Only when asked to remember.
    Explicit,
    /// Never.
    Off,
}

/// The level of detail of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum LogLevel {
    /// Failures.
    Error,
    /// Recoverable problems.
    Warn,
    /// Events.
    Info,
    /// Details of events.
    Debug,
    /// Every step.
    Trace,
}

#[cfg(test)]
mod tests {
    use super::super::testing::read_text;
    use super::*;

    fn reads_back<T: Choice + PartialEq + std::fmt::Debug>(words: &[&str]) {
        assert_eq!(names::<T>(), words);
        for value in T::VARIANTS {
            assert_eq!(read_text(value.name()), Ok(*value));
        }
    }

    #[test]
    fn every_choice_reads_back_from_its_word() {
        reads_back::<Preset>(&["tiered", "rolling", "lane", "full", "pairs", "standard"]);
        reads_back::<Format>(&["xml", "text", "roles", "messages"]);
        reads_back::<Kind>(&["prompt", "command", "message"]);
        reads_back::<QuietPolicy>(&["wait", "skip", "ignore"]);
        reads_back::<Pairing>(&["on", "off"]);
        reads_back::<Groups>(&["auto", "addressed", "all"]);
        reads_back::<CaptureMode>(&["auto", "suggest", "explicit", "off"]);
        reads_back::<LogLevel>(&["error", "warn", "info", "debug", "trace"]);
    }

    #[test]
    fn a_wrong_word_is_answered_with_the_right_ones() {
        assert_eq!(
            read_text::<Preset>("standart"),
            Err("cannot be \"standart\", only one of tiered, rolling, lane, full, pairs, standard; \
                 did you mean `standard`?"
                .to_owned())
        );
        assert_eq!(
            read_text::<CaptureMode>("never"),
            Err("cannot be \"never\", only one of auto, suggest, explicit, off".to_owned())
        );
    }
}
