//! Settings that are one word out of a few.

use serde_json::{Value as Json, json};
use throughline_domain::context::{Format, Preset};
use throughline_domain::routine::{Kind, QuietPolicy};

use super::{Given, Value, excerpt};
use crate::config::nearest::{did_you_mean, nearest};

/// A closed set of values, each with the word people write for it.
pub trait Choice: Copy + 'static {
    /// Every value, in the order people list them.
    const ALL: &'static [Self];

    /// The word people write.
    fn name(self) -> &'static str;

    /// The value a word stands for.
    ///
    /// # Errors
    /// Where there is no such word; reads on from the setting's name.
    fn named(word: &str) -> Result<Self, String> {
        if let Some(value) = Self::ALL.iter().find(|value| value.name() == word) {
            return Ok(*value);
        }
        let list = names::<Self>().join(", ");
        let offer = did_you_mean(&nearest(word, names::<Self>(), 1));
        Err(format!("cannot be \"{}\", only one of {list}{offer}", excerpt(word)))
    }
}

fn names<T: Choice>() -> Vec<&'static str> {
    T::ALL.iter().map(|value| value.name()).collect()
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

impl Choice for Preset {
    const ALL: &'static [Self] = &Preset::ALL;

    fn name(self) -> &'static str {
        self.as_str()
    }
}

impl Choice for Format {
    const ALL: &'static [Self] = &Format::ALL;

    fn name(self) -> &'static str {
        self.as_str()
    }
}

impl Choice for Kind {
    const ALL: &'static [Self] = &Kind::ALL;

    fn name(self) -> &'static str {
        self.as_str()
    }
}

impl Choice for QuietPolicy {
    const ALL: &'static [Self] = &QuietPolicy::ALL;

    fn name(self) -> &'static str {
        self.as_str()
    }
}

/// Whether people whom the bot does not know may ask to be let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// They may, and wait until they are.
    On,
    /// The bot does not answer them.
    Off,
}

impl Choice for Pairing {
    const ALL: &'static [Self] = &[Self::On, Self::Off];

    fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

/// In which messages of a group the bot is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// In all, where Telegram passes on only those that concern the bot; else where it is addressed.
    Auto,
    /// In those that mention it or reply to it.
    Addressed,
    /// In all.
    All,
}

impl Choice for Groups {
    const ALL: &'static [Self] = &[Self::Auto, Self::Addressed, Self::All];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Addressed => "addressed",
            Self::All => "all",
        }
    }
}

/// When something said becomes a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureMode {
    /// After each exchange, by itself.
    Auto,
    /// After each exchange, once the person agrees.
    Suggest,
    /// Only when asked to remember.
    Explicit,
    /// Never.
    Off,
}

impl Choice for CaptureMode {
    const ALL: &'static [Self] = &[Self::Auto, Self::Suggest, Self::Explicit, Self::Off];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Suggest => "suggest",
            Self::Explicit => "explicit",
            Self::Off => "off",
        }
    }
}

/// How much the log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// What failed.
    Error,
    /// What went less well than it should.
    Warn,
    /// What happened.
    Info,
    /// How it happened.
    Debug,
    /// Every step.
    Trace,
}

impl Choice for LogLevel {
    const ALL: &'static [Self] = &[Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::read_text;
    use super::*;

    fn reads_back<T: Choice + PartialEq + std::fmt::Debug>(words: &[&str]) {
        assert_eq!(names::<T>(), words);
        for value in T::ALL {
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
