//! Utterances: the messages as the history shows them. Tool calls are shortened and joined to the assistant's turn, a
//! fulfilled request becomes one line, and system messages are left out.

use std::borrow::Cow;

use jiff::Timestamp;
use serde_json::Value;
use throughline_text::shorten::{cut, one_line};

use super::inputs::StoredMessage;
use crate::message::{Message, MessageId, Role, STANDS_FOR_IT, Shortfall};

/// Maximum characters of a tool result in the history.
pub const TOOL_RESULT_SHOWN: usize = 500;
/// Maximum characters of a tool call, which is one line.
const TOOL_USE_SHOWN: usize = 200;
/// Maximum characters of a tool's name, which is foreign text too.
const TOOL_NAME_SHOWN: usize = 60;
/// Maximum characters of a person's name.
const NAME_SHOWN: usize = 60;
/// Maximum characters of an emoji, which may be a short sequence.
const EMOJI_SHOWN: usize = 16;
/// Maximum characters of an artifact's name.
const ARTIFACT_SHOWN: usize = 60;
/// Maximum number of artifacts named in one line.
const MOST_ARTIFACTS: usize = 5;

/// The side of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A person.
    Person,
    /// The assistant, its tools included.
    Assistant,
}

/// The words of one side at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Utterance {
    /// The messages it consists of.
    pub ids: Vec<MessageId>,
    /// The side that speaks.
    pub side: Side,
    /// The speaker's name, if known.
    pub speaker: Option<String>,
    /// When it began.
    pub at: Timestamp,
    /// The words.
    pub text: String,
    /// The routine that sent it, if one did.
    pub routine: Option<String>,
    /// True if it shows a summary in place of a longer text.
    pub is_summed_up: bool,
    /// True if it begins a conversation.
    pub opens: bool,
    /// True if its last part came from a tool, so that the assistant's next words belong to the same turn.
    ends_in_tool: bool,
}

/// Turns messages, oldest first, into utterances.
pub fn collapse<'a>(messages: impl IntoIterator<Item = &'a StoredMessage>) -> Vec<Utterance> {
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

/// The utterance of a single message; `None` if the history does not show it.
#[must_use]
pub fn utterance(stored: &StoredMessage) -> Option<Utterance> {
    let message = &stored.message;
    let text = shown_text(message)?.into_owned();
    let side = if message.role == Role::User { Side::Person } else { Side::Assistant };
    Some(Utterance {
        ids: vec![message.id],
        side,
        speaker: message.speaker.clone().filter(|_| side == Side::Person),
        at: message.occurred_at,
        text,
        routine: message.routine().map(|note| note.name.to_owned()),
        is_summed_up: message
            .routine()
            .and_then(|note| note.summary)
            .is_some_and(|note| note != message.text),
        opens: stored.opens,
        ends_in_tool: matches!(message.role, Role::ToolUse | Role::ToolResult),
    })
}

/// The text of a message in the history: tool calls and results shortened, a routine's message by its summary. `None`
/// for a system message, a command, a message that was edited before it was answered, and a reply that a later one
/// replaces.
#[must_use]
pub fn shown_text(message: &Message) -> Option<Cow<'_, str>> {
    if message.is_command() {
        return None;
    }
    match message.role {
        Role::System => None,
        Role::User if message.is_edited_away() => None,
        Role::User => Some(with_reactions(message, said(message))),
        Role::Assistant => replied(message).map(|text| with_reactions(message, text)),
        Role::ToolUse => Some(Cow::Owned(tool_use(message))),
        Role::ToolResult => Some(Cow::Owned(tool_result(message))),
    }
}

/// The assistant's words, or the summary of a routine's message. A reply that falls short is marked, so that its
/// question does not look answered.
fn replied(message: &Message) -> Option<Cow<'_, str>> {
    let text = message.routine().and_then(|note| note.summary).unwrap_or(&message.text);
    Some(match message.shortfall() {
        None => Cow::Borrowed(text),
        Some(Shortfall::Replaced) => return None,
        Some(Shortfall::Unanswered) => {
            Cow::Borrowed("(no answer: the model failed, and the question is still open)")
        }
        Some(Shortfall::StandIn) => {
            Cow::Owned(format!("(a stand-in answered, because the model failed) {text}"))
        }
        Some(Shortfall::Cut) => Cow::Owned(format!("{text} [broken off]")),
        Some(Shortfall::Stopped) => Cow::Owned(format!("{text} [stopped by the person]")),
    })
}

/// A text followed by the reactions to it, such as `[Ana reacted 👍]`.
fn with_reactions<'a>(message: &Message, text: Cow<'a, str>) -> Cow<'a, str> {
    if !message.metadata.contains_key("reactions") {
        return text;
    }
    let mut by_person: Vec<(String, String)> = Vec::new();
    for reaction in message.reactions().into_iter().filter(|reaction| !reaction.is_removed) {
        let (name, emoji) = (cut(&one_line(&reaction.name), NAME_SHOWN), cut(&reaction.emoji, EMOJI_SHOWN));
        match by_person.iter_mut().find(|(known, _)| *known == name) {
            Some((_, all)) => *all = format!("{all} {emoji}"),
            None => by_person.push((name, emoji)),
        }
    }
    by_person.into_iter().fold(text, |text, (name, emoji)| format!("{text} [{name} reacted {emoji}]").into())
}

/// A person's words, marked if they are an edit, a forwarded text, or a transcript.
fn said(message: &Message) -> Cow<'_, str> {
    let words = words(message);
    match message.transcribed() {
        Some(what) => Cow::Owned(format!("({}, transcribed) {words}", cut(&one_line(what), NAME_SHOWN))),
        None => words,
    }
}

fn words(message: &Message) -> Cow<'_, str> {
    let known = |key: &str| message.metadata.get(key).filter(|value| !value.is_null());
    if known("edit_of").is_some() && known(STANDS_FOR_IT).is_none() {
        return Cow::Owned(format!("(edited) {}", message.text));
    }
    match known("forwarded") {
        Some(Value::String(from)) => {
            Cow::Owned(format!("(forwarded from {}) {}", cut(&one_line(from), NAME_SHOWN), message.text))
        }
        Some(Value::Bool(false)) | None => Cow::Borrowed(&message.text),
        Some(_) => Cow::Owned(format!("(forwarded) {}", message.text)),
    }
}

/// The line in place of a request whose reply made something, such as `(done: made report.pdf, artifact 123)`. Only an
/// artifact in the reply's metadata shows this, never the words.
pub(super) fn fulfillment(reply: &Message) -> Option<String> {
    if reply.role != Role::Assistant || reply.routine().is_some() {
        return None;
    }
    let shown = |value: &Value| match value {
        Value::String(text) => Some(cut(&one_line(text), ARTIFACT_SHOWN)).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let named = |key: &str| reply.metadata.get(key);
    let several = named("artifacts").and_then(Value::as_array).into_iter().flatten();
    let ids: Vec<String> = named("artifact").into_iter().chain(several).filter_map(shown).collect();
    let artifacts = match ids.as_slice() {
        [] => return None,
        [id] => format!("artifact {id}"),
        [first @ .., _] if ids.len() > MOST_ARTIFACTS => {
            format!("artifacts {}, …", first.get(..MOST_ARTIFACTS).unwrap_or(first).join(", "))
        }
        all => format!("artifacts {}", all.join(", ")),
    };
    let name = named("artifact_name").and_then(shown).map(|name| format!("{name}, ")).unwrap_or_default();
    Some(format!("(done: made {name}{artifacts})"))
}

impl Utterance {
    /// Replaces the request, the tool calls and this reply by one line.
    pub(super) fn stand_for(&mut self, before: impl IntoIterator<Item = Self>, line: String) {
        let mut ids = Vec::new();
        for said in before {
            self.opens |= said.opens;
            ids.extend(said.ids);
        }
        ids.append(&mut self.ids);
        self.ids = ids;
        self.text = line;
    }

    /// Appends the next utterance if it belongs to the same turn, else returns it: tool calls and results belong to the
    /// assistant's turn around them; two replies in a row stay separate.
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

    /// An empty utterance, whose rendering shows the cost of a line without its words.
    pub(super) fn blank(side: Side, at: Timestamp) -> Self {
        let text = String::new();
        Self {
            ids: Vec::new(),
            side,
            speaker: None,
            at,
            text,
            routine: None,
            is_summed_up: false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    use crate::context::testing::{lane_of, said_by};
    use crate::context::{ContextInputs, Current, Format, History, Preset, assemble};
    use crate::conversation::Thread;

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
    fn a_transcript_and_reactions_are_marked_and_removed_reactions_are_not_shown() {
        let mut message = said_by(Role::User, "I live in Lisbon.");
        message.metadata.insert("transcribed".into(), "voice".into());
        let reaction = |name: &str, emoji: &str, is_removed: bool| crate::message::Reaction {
            person: name.to_lowercase(),
            name: name.to_owned(),
            emoji: emoji.to_owned(),
            at: message.occurred_at,
            is_removed,
        };
        let all = [
            reaction("Ana", "👍", false),
            reaction("Bo", "❤", true),
            reaction("Ana", "🔥", false),
            reaction("Bo", "🎉", false),
        ];
        message.set_reactions(&all);
        assert_eq!(
            shown_text(&message).unwrap(),
            "(voice, transcribed) I live in Lisbon. [Ana reacted 👍 🔥] [Bo reacted 🎉]"
        );
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

    fn made(reply: &str, metadata: serde_json::Value) -> Message {
        let mut message = said_by(Role::Assistant, reply);
        message.metadata = metadata.as_object().cloned().unwrap();
        message
    }

    /// What a lane looks like in the window: how many messages each utterance stands for, and its text.
    fn shown(messages: Vec<Message>) -> Vec<(usize, String)> {
        let lane = lane_of(messages);
        let now = lane.last().unwrap().message.occurred_at + jiff::SignedDuration::from_mins(1);
        let inputs = ContextInputs {
            now,
            zone: jiff::tz::TimeZone::UTC,
            person: None,
            policy: Default::default(),
            identity: Vec::new(),
            profile: None,
            history: History { messages: lane, head: Vec::new() },
            summaries: Vec::new(),
            recalled: Vec::new(),
            match_is_certain: true,
            focus: Default::default(),
            quoted: None,
            last_reply: None,
            message: Some(Current { ids: Vec::new(), text: "And now?".into(), speaker: None }),
            notices: Vec::new(),
        };
        let plan = Preset::Standard.plan();
        let context = assemble(&inputs, &plan, Format::Messages, Thread::Continuation).unwrap();
        let turns = context.prompt.unwrap().messages;
        assert!(
            turns.iter().zip(["user", "assistant"].iter().cycle()).all(|(turn, role)| turn.role == *role)
        );
        context.said.iter().map(|said| (said.ids.len(), said.text.clone())).collect()
    }

    #[test]
    fn c5_a_request_whose_artifact_exists_is_one_line_that_names_it() {
        let said = shown(vec![
            said_by(Role::User, "Hello"),
            said_by(Role::Assistant, "Hi."),
            said_by(Role::User, "Make the report, please"),
            said_by(Role::ToolUse, "{}"),
            said_by(Role::ToolResult, "written"),
            made("Here is your report.", json!({"artifact": "123", "artifact_name": "report.pdf"})),
            said_by(Role::User, "Thanks"),
        ]);
        let expected =
            [(1, "Hello"), (1, "Hi."), (4, "(done: made report.pdf, artifact 123)"), (1, "Thanks")];
        assert_eq!(said, expected.map(|(ids, text)| (ids, text.to_owned())));
    }

    #[test]
    fn c5_without_an_artifact_or_without_its_request_nothing_collapses() {
        for reply in [
            made("Done! I made the report, artifact 123.", json!({})),
            made("Done.", json!({"artifact": "", "artifacts": [], "artifact_name": "report.pdf"})),
            made("Done.", json!({"artifact": null})),
        ] {
            let text = reply.text.clone();
            let said = shown(vec![said_by(Role::User, "Make it"), reply]);
            assert_eq!(said, [(1, "Make it".to_owned()), (1, text)]);
        }
        let said = shown(vec![
            said_by(Role::User, "Make it"),
            said_by(Role::Assistant, "Later."),
            made("Here it is.", json!({"artifact": "1"})),
        ]);
        assert_eq!(
            said.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(),
            ["Make it", "Later.", "Here it is."]
        );
    }

    #[test]
    fn c5_several_artifacts_and_long_names_stay_one_short_line() {
        let line = |metadata| fulfillment(&made("Done.", metadata)).unwrap();
        assert_eq!(line(json!({"artifact": 7})), "(done: made artifact 7)");
        assert_eq!(line(json!({"artifacts": ["a", "b"]})), "(done: made artifacts a, b)");
        let many: Vec<u32> = (0..50).collect();
        assert_eq!(line(json!({ "artifacts": many })), "(done: made artifacts 0, 1, 2, 3, 4, …)");
        let long = line(json!({"artifact": "x\ny".repeat(90), "artifact_name": "n".repeat(900)}));
        assert!(long.chars().count() < 200 && !long.contains('\n'));
    }
}
