//! Utterances: what a reader of the history sees. Tool traffic shrinks into the assistant's turn, system messages go.

use jiff::Timestamp;

use super::material::Placed;
use crate::message::{Message, MessageId, Role};

/// A tool result shows at most this many characters in history.
pub const TOOL_RESULT_SHOWN: usize = 500;
/// A tool call is one line of at most this many characters.
const TOOL_USE_SHOWN: usize = 200;

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
    for placed in messages {
        let Some(next) = utterance(placed) else { continue };
        match said.last_mut() {
            Some(last) if joins(last, &next) => {
                last.ids.extend(next.ids);
                last.text.push('\n');
                last.text.push_str(&next.text);
                last.ends_in_tool = next.ends_in_tool;
            }
            _ => said.push(next),
        }
    }
    said
}

/// The utterance of one message alone; none for a system message.
#[must_use]
pub fn utterance(placed: &Placed) -> Option<Utterance> {
    let message = &placed.message;
    let routine = message.routine();
    let (side, text) = match message.role {
        Role::System => return None,
        Role::User => (Side::Person, message.text.clone()),
        Role::Assistant => {
            let shown = routine.and_then(|note| note.summary).unwrap_or(&message.text);
            (Side::Assistant, shown.to_owned())
        }
        Role::ToolUse => (Side::Assistant, tool_use(message)),
        Role::ToolResult => (Side::Assistant, tool_result(message)),
    };
    Some(Utterance {
        ids: vec![message.id],
        side,
        speaker: message.speaker.clone().filter(|_| side == Side::Person),
        at: message.occurred_at,
        text,
        routine: routine.map(|note| note.name.to_owned()),
        opens: placed.opens,
        ends_in_tool: matches!(message.role, Role::ToolUse | Role::ToolResult),
    })
}

/// Tool traffic belongs to the assistant's turn around it; two replies in a row stay two.
fn joins(last: &Utterance, next: &Utterance) -> bool {
    let both_assistant = last.side == Side::Assistant && next.side == Side::Assistant;
    let no_routine = last.routine.is_none() && next.routine.is_none();
    both_assistant && no_routine && !next.opens && (last.ends_in_tool || next.ends_in_tool)
}

fn tool_use(message: &Message) -> String {
    let name = message.tool().unwrap_or("a tool");
    let line = message.text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("(used {name}: {})", cut(&line, TOOL_USE_SHOWN))
}

fn tool_result(message: &Message) -> String {
    let name = message.tool().unwrap_or("the tool");
    let frame = format!("({name} answered: )").chars().count();
    format!("({name} answered: {})", cut(message.text.trim(), TOOL_RESULT_SHOWN.saturating_sub(frame)))
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
