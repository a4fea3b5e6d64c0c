//! Utterances: what a reader of the history sees. Tool traffic shrinks into the assistant's turn, system messages go.

use std::borrow::Cow;

use jiff::Timestamp;

use super::material::Placed;
use crate::message::{Message, MessageId, Role};

/// A tool result shows at most this many characters in history.
pub const TOOL_RESULT_SHOWN: usize = 500;
/// A tool call is one line of at most this many characters.
const TOOL_USE_SHOWN: usize = 200;
/// A tool's name is somebody else's text too.
const TOOL_NAME_SHOWN: usize = 60;

/// Which side of the talk an utterance is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A person.
    Person,
    /// The assistant, its tools included.
    Assistant,
}

/// One side's words at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Utterance {
    /// The messages it is made of.
    pub ids: Vec<MessageId>,
    /// Who speaks.
    pub side: Side,
    /// The speaker's name, where it is known.
    pub speaker: Option<String>,
    /// When it began.
    pub at: Timestamp,
    /// The words.
    pub text: String,
    /// The routine that sent it, if one did.
    pub routine: Option<String>,
    /// Whether it opens a conversation.
    pub opens: bool,
    /// Whether its last part came from a tool, so that the assistant's next words belong to the same turn.
    ends_in_tool: bool,
}

/// Turns messages, oldest first, into utterances.
pub fn collapse<'a>(messages: impl IntoIterator<Item = &'a Placed>) -> Vec<Utterance> {
    let mut said: Vec<Utterance> = Vec::new();
    for next in messages.into_iter().filter_map(utterance) {
        let apart = match said.last_mut() {
            Some(last) => last.join(next),
            None => Some(next),
        };
        said.extend(apart);
    }
    said
}

/// The utterance of one message alone; none for a system message.
#[must_use]
pub fn utterance(placed: &Placed) -> Option<Utterance> {
    let message = &placed.message;
    let text = shown_text(message)?.into_owned();
    let side = if message.role == Role::User { Side::Person } else { Side::Assistant };
    Some(Utterance {
        ids: vec![message.id],
        side,
        speaker: message.speaker.clone().filter(|_| side == Side::Person),
        at: message.occurred_at,
        text,
        routine: message.routine().map(|note| note.name.to_owned()),
        opens: placed.opens,
        ends_in_tool: matches!(message.role, Role::ToolUse | Role::ToolResult),
    })
}

/// What a message looks like in history: tool traffic shortened, a routine by its summary; none for a system message.
#[must_use]
pub fn shown_text(message: &Message) -> Option<Cow<'_, str>> {
    match message.role {
        Role::System => None,
        Role::User => Some(Cow::Borrowed(&message.text)),
        Role::Assistant => {
            let summary = message.routine().and_then(|note| note.summary);
            Some(Cow::Borrowed(summary.unwrap_or(&message.text)))
        }
        Role::ToolUse => Some(Cow::Owned(tool_use(message))),
        Role::ToolResult => Some(Cow::Owned(tool_result(message))),
    }
}

impl Utterance {
    /// Takes up what belongs to the same turn and gives back what does not: tool traffic belongs to the assistant's turn
    /// around it, two replies in a row stay two.
    pub(super) fn join(&mut self, next: Self) -> Option<Self> {
        let both_assistant = self.side == Side::Assistant && next.side == Side::Assistant;
        let no_routine = self.routine.is_none() && next.routine.is_none();
        if !(both_assistant && no_routine && !next.opens && (self.ends_in_tool || next.ends_in_tool)) {
            return Some(next);
        }
        self.ids.extend(next.ids);
        self.text.push('\n');
        self.text.push_str(&next.text);
        self.ends_in_tool = next.ends_in_tool;
        None
    }

    /// Nothing, said by one side: what a renderer writes around it is what every line costs.
    pub(super) fn blank(side: Side, at: Timestamp) -> Self {
        let text = String::new();
        Self {
            ids: Vec::new(),
            side,
            speaker: None,
            at,
            text,
            routine: None,
            opens: false,
            ends_in_tool: false,
        }
    }
}

fn tool_use(message: &Message) -> String {
    format!("(used {}: {})", tool_name(message), cut(&one_line(&message.text), TOOL_USE_SHOWN))
}

fn tool_result(message: &Message) -> String {
    let opening = format!("({} answered: ", tool_name(message));
    let room = TOOL_RESULT_SHOWN.saturating_sub(opening.chars().count() + 1);
    format!("{opening}{})", cut(message.text.trim(), room))
}

fn tool_name(message: &Message) -> String {
    cut(&one_line(message.tool().unwrap_or("a tool")), TOOL_NAME_SHOWN)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `most` characters, the last one an ellipsis where something was cut.
fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::{lane_of, said_by};

    #[test]
    fn c4_tool_traffic_shrinks_into_the_assistants_turn() {
        let mut call = said_by(Role::ToolUse, "{\n  \"query\": \"rain\"\n}");
        call.metadata.insert("tool".into(), "weather".into());
        let mut result = said_by(Role::ToolResult, &"wet ".repeat(1_000));
        result.metadata.insert("tool".into(), "weather".into());
        let lane = lane_of(vec![
            said_by(Role::User, "Will it rain?"),
            said_by(Role::System, "internal"),
            call,
            result,
            said_by(Role::Assistant, "Yes, all day."),
            said_by(Role::Assistant, "Take a coat."),
        ]);
        let said = collapse(&lane);
        assert_eq!(said.len(), 3);
        let turn = &said[1];
        assert_eq!(turn.ids.len(), 3);
        let lines: Vec<&str> = turn.text.lines().collect();
        assert_eq!(lines[0], r#"(used weather: { "query": "rain" })"#);
        assert!(lines[1].starts_with("(weather answered: wet wet") && lines[1].ends_with("…)"));
        assert_eq!(lines[1].chars().count(), TOOL_RESULT_SHOWN);
        assert_eq!(lines[2], "Yes, all day.");
        assert_eq!(said[2].text, "Take a coat.");
    }

    #[test]
    fn c4_twenty_turns_with_tool_output_grow_linearly() {
        let turn = || {
            vec![
                said_by(Role::User, "and the next one?"),
                said_by(Role::ToolUse, "{\"page\":1}"),
                said_by(Role::ToolResult, &"row of data ".repeat(4_000)),
                said_by(Role::Assistant, "Here it is."),
            ]
        };
        let size = |turns: usize| -> usize {
            let lane = lane_of((0..turns).flat_map(|_| turn()).collect());
            collapse(&lane).iter().map(|said| said.text.len()).sum()
        };
        assert_eq!(size(20), 20 * size(1));
        assert!(size(1) < 700, "{}", size(1));
    }
}
