//! A message: one utterance as it was sent. Immutable once recorded.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{EnumString, IntoStaticStr, VariantArray};
use throughline_text::printable::without_controls;
use uuid::Uuid;

use crate::chat::ChatId;
use crate::lane::Lane;

/// The most text one message may hold, in bytes. Beyond this a message is a file, and no context could hold it.
pub const LONGEST_TEXT: usize = 1_000_000;

/// The id of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub Uuid);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for MessageId {
    type Err = uuid::Error;
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::parse_str(text).map(Self)
    }
}

/// Who or what a message comes from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownRole, parse_err_fn = UnknownRole::new)]
pub enum Role {
    /// A person.
    User,
    /// The assistant.
    Assistant,
    /// The assistant's call of a tool.
    ToolUse,
    /// What the tool answered.
    ToolResult,
    /// An instruction of the surrounding program; never part of history.
    System,
}

/// A text that is none of the five roles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a role: write user, assistant, tool_use, tool_result or system")]
pub struct UnknownRole(pub String);

impl UnknownRole {
    fn new(text: &str) -> Self {
        Self(text.chars().take(40).collect())
    }
}

impl Role {
    /// The role's name in JSON, SQL and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One utterance as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its id, ours.
    pub id: MessageId,
    /// The chat it was said in.
    pub chat: ChatId,
    /// The strand of the chat.
    pub lane: Lane,
    /// Who it comes from.
    pub role: Role,
    /// The words, already redacted.
    pub text: String,
    /// The transport it came by.
    pub channel: String,
    /// The name of the person who spoke, if known.
    pub speaker: Option<String>,
    /// The agent that answered, if one did.
    pub agent: Option<String>,
    /// When it was said.
    pub occurred_at: Timestamp,
    /// When it reached the store.
    pub recorded_at: Timestamp,
    /// The ids the channel knows it by; several when a reply was split.
    pub external_ids: Vec<String>,
    /// The message it answers, if it names one.
    pub reply_to: Option<MessageId>,
    /// Whatever else the door knew.
    pub metadata: Map<String, Value>,
}

/// What a routine's message says of itself in its metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoutineNote<'a> {
    /// The routine's name.
    pub name: &'a str,
    /// The two or three sentences shown in place of the full text.
    pub summary: Option<&'a str>,
}

/// How a reply falls short, by the mark in its metadata. Without a mark it is what the chosen model had to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Shortfall {
    /// It only says that the model failed.
    Unanswered,
    /// Another model answered in place of the one that failed.
    StandIn,
    /// It broke off.
    Cut,
    /// The person stopped it.
    Stopped,
    /// The question was asked again, and a later reply stands for this one.
    Replaced,
}

impl Shortfall {
    /// The key of the mark.
    pub const KEY: &str = "shortfall";
    /// The key of the turn that failed, in the message that says so.
    pub const FAILED_TURN: &str = "failed_turn";
}

/// The words that a message answers, as its channel passed them on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// The words.
    pub text: String,
    /// Whose they are, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Whether they are the assistant's.
    #[serde(default)]
    pub assistant: bool,
    /// When they were said, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Whether the person picked these words out of the message.
    #[serde(default)]
    pub picked: bool,
}

/// The key of the edit, in the metadata of a message that was edited before it was answered.
pub const EDITED: &str = "edited";
/// The key by which such an edit says that it stands for the message.
pub const STANDS_FOR_IT: &str = "stands_for_it";
/// The key of the mark of a text that is the transcript of a voice message; its value says of what.
pub const TRANSCRIBED: &str = "transcribed";
/// The key of the reactions to a message.
const REACTIONS: &str = "reactions";

/// A reaction to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reaction {
    /// The person.
    pub person: String,
    /// Their name.
    pub name: String,
    /// The emoji.
    pub emoji: String,
    /// When it was added or removed.
    pub at: Timestamp,
    /// Whether it was removed.
    #[serde(default, rename = "removed", skip_serializing_if = "std::ops::Not::not")]
    pub is_removed: bool,
}

/// The characters of a routine's message that are shown in its place.
const STAND_IN: usize = 300;

/// What stands for a routine's message until it has a summary: all of a short one, the beginning of a long one.
#[must_use]
pub fn routine_stand_in(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(STAND_IN) {
        Some((end, _)) => Cow::Owned(format!("{}...", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

impl Message {
    /// The routine that sent this message, if one did.
    #[must_use]
    pub fn routine(&self) -> Option<RoutineNote<'_>> {
        let text = |key: &str| self.metadata.get(key).and_then(Value::as_str);
        if text("source") != Some("routine") {
            return None;
        }
        Some(RoutineNote { name: text("routine").unwrap_or("routine"), summary: text("summary") })
    }

    /// How this reply falls short, if it does.
    #[must_use]
    pub fn shortfall(&self) -> Option<Shortfall> {
        self.metadata.get(Shortfall::KEY)?.as_str()?.parse().ok()
    }

    /// Whether this reply only says that the model failed, or a later one stands for it.
    #[must_use]
    pub fn answers_nothing(&self) -> bool {
        matches!(self.shortfall(), Some(Shortfall::Unanswered | Shortfall::Replaced))
    }

    /// Whether the person edited this message before it was answered, so that the edit stands for it.
    #[must_use]
    pub fn is_edited_away(&self) -> bool {
        self.metadata.contains_key(EDITED)
    }

    /// Whether only the beginning of a routine's message stands for it, so that a summary is still to be made.
    #[must_use]
    pub fn lacks_routine_summary(&self) -> bool {
        let summary = self.routine().and_then(|note| note.summary);
        summary.is_some_and(|summary| summary != self.text && summary == routine_stand_in(&self.text))
    }

    /// What the person quotes with this message, if the channel passed the words on.
    #[must_use]
    pub fn quote(&self) -> Option<Quote> {
        serde_json::from_value(self.metadata.get("quote")?.clone()).ok()
    }

    /// The reactions to this message, with those that were removed.
    #[must_use]
    pub fn reactions(&self) -> Vec<Reaction> {
        let reactions = self.metadata.get(REACTIONS).cloned().unwrap_or_default();
        serde_json::from_value(reactions).unwrap_or_default()
    }

    /// Replaces the reactions to this message.
    pub fn set_reactions(&mut self, reactions: &[Reaction]) {
        if let Ok(value) = serde_json::to_value(reactions) {
            self.metadata.insert(REACTIONS.to_owned(), value);
        }
    }

    /// What the words of this message are a transcript of, if they are one.
    #[must_use]
    pub fn transcribed(&self) -> Option<&str> {
        self.metadata.get(TRANSCRIBED).and_then(Value::as_str)
    }

    /// Whether this is a slash command or the answer to one: recorded, but no part of the conversation.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.metadata.get("source").is_some_and(|source| source == "command")
    }

    /// Whether the person asked for a new conversation with this message.
    #[must_use]
    pub fn starts_new_conversation(&self) -> bool {
        self.metadata.get("new") == Some(&Value::Bool(true))
    }

    /// The tool that a `tool_use` or `tool_result` message is about, if it says so.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.metadata.get("tool").and_then(Value::as_str)
    }
}

/// Why a text cannot be a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unrecordable {
    /// There is nothing in it.
    #[error("the message is empty; give it some text")]
    Empty,
    /// There is too much in it.
    #[error(
        "the message has {0} bytes, and the most is {LONGEST_TEXT}; send it as several messages, or keep the file elsewhere and record where"
    )]
    TooLong(usize),
}

/// A tool result is stored to this many characters.
pub const TOOL_RESULT_STORED: usize = 50_000;
/// What stands where a tool result was cut for storage.
pub const CUT_FOR_STORAGE: &str = "[truncated for storage]";

/// Makes a text fit to be recorded: control characters and escape sequences removed, a tool result cut to what is stored.
///
/// # Errors
/// When nothing is left, or more than a message may hold.
pub fn admit(text: String, role: Role) -> Result<String, Unrecordable> {
    let mut text = as_lines(text);
    if let Cow::Owned(clean) = without_controls(&text) {
        text = clean;
    }
    if role == Role::ToolResult
        && let Some((cut, _)) = text.char_indices().nth(TOOL_RESULT_STORED)
    {
        text.truncate(cut);
        text.push_str(CUT_FOR_STORAGE);
    }
    if text.trim().is_empty() {
        return Err(Unrecordable::Empty);
    }
    if text.len() > LONGEST_TEXT {
        return Err(Unrecordable::TooLong(text.len()));
    }
    Ok(text)
}

/// A text whose lines end as ours do.
fn as_lines(text: String) -> String {
    if !text.contains(['\r', '\u{b}', '\u{c}']) {
        return text;
    }
    text.replace("\r\n", "\n").replace(['\r', '\u{b}', '\u{c}'], "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c4_a_tool_result_is_stored_to_fifty_thousand_characters() {
        let long = admit("é".repeat(60_000), Role::ToolResult).unwrap();
        assert_eq!(long.chars().count(), TOOL_RESULT_STORED + CUT_FOR_STORAGE.len());
        assert!(long.ends_with("é[truncated for storage]"));
        let short = "é".repeat(50_000);
        assert_eq!(admit(short.clone(), Role::ToolResult), Ok(short));
    }

    #[test]
    fn text_is_admitted_without_nul_and_refused_when_empty_or_huge() {
        assert_eq!(admit("a\0b".into(), Role::User), Ok("ab".into()));
        assert_eq!(admit(" \0\n".into(), Role::User), Err(Unrecordable::Empty));
        let hostile = "one\r\ntwo\rthree \u{1b}[2J\u{1b}]8;;http://a\u{7}link\u{9b} end";
        assert_eq!(admit(hostile.into(), Role::User), Ok("one\ntwo\nthree link end".into()));
        let error = admit("x".repeat(10_000_000), Role::User).unwrap_err();
        assert_eq!(error, Unrecordable::TooLong(10_000_000));
        assert!(error.to_string().contains("send it as several messages"));
    }

    #[test]
    fn b2_every_role_is_written_and_read_back() {
        for &role in Role::VARIANTS {
            assert_eq!(role.as_str().parse(), Ok(role));
        }
        assert!("robot".parse::<Role>().unwrap_err().to_string().contains("tool_result"));
    }
}
