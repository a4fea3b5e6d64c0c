//! A message: one utterance as sent. Immutable once recorded.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{EnumString, IntoStaticStr, VariantArray};
use throughline_text::printable::without_controls;

use crate::chat::ChatId;
use crate::lane::Lane;

/// Maximum length of a message, in bytes. Longer text is a file, and fits in no context.
pub const LONGEST_TEXT: usize = 1_000_000;

uuid_id! {
    /// The id of a message.
    MessageId
}

/// The author of a message.
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
    /// The tool's answer.
    ToolResult,
    /// An instruction of the surrounding program; never part of the history.
    System,
}

as_str!(Role);

/// A text that is none of the five roles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a role: write user, assistant, tool_use, tool_result or system")]
pub struct UnknownRole(pub String);

impl UnknownRole {
    fn new(text: &str) -> Self {
        Self(text.chars().take(40).collect())
    }
}

/// One utterance as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Our id.
    pub id: MessageId,
    /// Its chat.
    pub chat: ChatId,
    /// Its lane.
    pub lane: Lane,
    /// Its author.
    pub role: Role,
    /// The words, redacted.
    pub text: String,
    /// The channel it arrived on.
    pub channel: String,
    /// The speaker's name, if known.
    pub speaker: Option<String>,
    /// The agent that answered, if it is a reply.
    pub agent: Option<String>,
    /// When it was sent.
    pub occurred_at: Timestamp,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// The channel's ids; several if a reply was split.
    pub external_ids: Vec<String>,
    /// The message it replies to, if any.
    pub reply_to: Option<MessageId>,
    /// Other metadata of the channel or client.
    pub metadata: Map<String, Value>,
}

/// The metadata of a routine's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoutineNote<'a> {
    /// The routine's name.
    pub name: &'a str,
    /// Two or three sentences shown in place of the full text.
    pub summary: Option<&'a str>,
}

/// How a reply falls short of a complete answer, as marked in its metadata. Without a mark, it is the chosen model's
/// complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Shortfall {
    /// It only reports that the model failed.
    Unanswered,
    /// Another model answered in place of a failed one.
    StandIn,
    /// It broke off.
    Cut,
    /// The person stopped it.
    Stopped,
    /// The question was asked again, and a later reply replaces this one.
    Replaced,
}

impl Shortfall {
    /// The metadata key of the mark.
    pub const KEY: &str = "shortfall";
    /// The metadata key of the failed turn, in the notice about it.
    pub const FAILED_TURN: &str = "failed_turn";
}

/// The quoted words that a message replies to, as the channel passed them on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// The words.
    pub text: String,
    /// The speaker, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// True if the assistant wrote them.
    #[serde(default)]
    pub assistant: bool,
    /// When they were sent, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// True if the person selected these words from the message.
    #[serde(default)]
    pub picked: bool,
}

/// The metadata key of the edit, on a message that was edited before it was answered.
pub const EDITED: &str = "edited";
/// The metadata key that marks such an edit as the replacement.
pub const STANDS_FOR_IT: &str = "stands_for_it";
/// The metadata key that marks a text as a transcript; its value is the kind of recording.
pub const TRANSCRIBED: &str = "transcribed";
/// The metadata key of the reactions to a message.
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
    /// True if it was removed.
    #[serde(default, rename = "removed", skip_serializing_if = "std::ops::Not::not")]
    pub is_removed: bool,
}

/// Number of characters shown of a routine's message without a summary.
const STAND_IN: usize = 300;

/// The text shown for a routine's message without a summary: all of a short one, the beginning of a long one.
#[must_use]
pub fn routine_stand_in(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(STAND_IN) {
        Some((end, _)) => Cow::Owned(format!("{}...", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

impl Message {
    /// The routine that sent this message, if any.
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

    /// Returns true if this reply only reports a failure, or a later one replaces it.
    #[must_use]
    pub fn answers_nothing(&self) -> bool {
        matches!(self.shortfall(), Some(Shortfall::Unanswered | Shortfall::Replaced))
    }

    /// Returns true if the person edited this message before it was answered, so the edit replaces it.
    #[must_use]
    pub fn is_edited_away(&self) -> bool {
        self.metadata.contains_key(EDITED)
    }

    /// Returns true if a routine's message is long and has no summary yet.
    #[must_use]
    pub fn lacks_routine_summary(&self) -> bool {
        let summary = self.routine().and_then(|note| note.summary);
        summary.is_some_and(|summary| summary != self.text && summary == routine_stand_in(&self.text))
    }

    /// The words that the person quotes, if the channel passed them on.
    #[must_use]
    pub fn quote(&self) -> Option<Quote> {
        serde_json::from_value(self.metadata.get("quote")?.clone()).ok()
    }

    /// The reactions to this message, including removed ones.
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

    /// The kind of recording that this message is a transcript of, if it is one.
    #[must_use]
    pub fn transcribed(&self) -> Option<&str> {
        self.metadata.get(TRANSCRIBED).and_then(Value::as_str)
    }

    /// Returns true for a slash command or its answer: recorded, but not part of the conversation.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.metadata.get("source").is_some_and(|source| source == "command")
    }

    /// Returns true if the person began a new conversation with this message.
    #[must_use]
    pub fn starts_new_conversation(&self) -> bool {
        self.metadata.get("new") == Some(&Value::Bool(true))
    }

    /// The tool of a `tool_use` or `tool_result` message, if known.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.metadata.get("tool").and_then(Value::as_str)
    }
}

/// Why a text cannot be a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unrecordable {
    /// The text is empty.
    #[error("the message is empty; give it some text")]
    Empty,
    /// The text is too long.
    #[error(
        "the message has {0} bytes, and the most is {LONGEST_TEXT}; send it as several messages, or keep the file elsewhere and record where"
    )]
    TooLong(usize),
}

/// Maximum number of stored characters of a tool result.
pub const TOOL_RESULT_STORED: usize = 50_000;
/// The mark at the end of a truncated tool result.
pub const CUT_FOR_STORAGE: &str = "[truncated for storage]";

/// Prepares a text for recording: removes control characters and escape sequences, and truncates a tool result.
///
/// # Errors
/// If nothing is left, or the text is too long.
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

/// The text with `\n` as its line end.
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
