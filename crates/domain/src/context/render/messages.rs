//! The `messages` format: a system text and turns that alternate, as providers take them. What changes from turn to
//! turn stands in the last user message only, so that a provider's prompt cache keeps hitting.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::escape::{self, First};
use super::{
    Line, MessageSetting, PAST_ABOVE, Renderer, Strand, ThreadStatus, gap, left_out, routine_label,
    speaker_prefix, xml,
};
use crate::context::collapse::{Side, Utterance};
use crate::context::inputs::Current;
use crate::context::{Layer, LayerName};
use crate::time;

/// Whose array shape a prompt has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The system text beside the turns.
    Anthropic,
    /// The system text as the first turn.
    OpenAi,
}

/// One turn of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptTurn {
    /// `user` or `assistant`.
    pub role: &'static str,
    /// The words.
    pub content: String,
}

/// A context as turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// What stands before all turns.
    pub system: String,
    /// Turns that alternate and begin with the user.
    pub messages: Vec<PromptTurn>,
}

/// A day in front of the first words of it.
pub(super) fn day_label(renderer: &Renderer<'_>, at: Timestamp) -> String {
    format!("[{}]\n", time::long_date(at, renderer.zone))
}

/// Only the person's words carry the time: an assistant that sees its own words labelled begins to write labels. The
/// day is named if it is not that of their last words, said `before`.
pub(super) fn line(renderer: &Renderer<'_>, said: &Utterance, before: Option<Timestamp>) -> String {
    if let Some(routine) = &said.routine {
        let words = escape::turn(&said.text, First::AfterLabel);
        return format!("[{}]: {words}", routine_label(renderer, routine, said.at));
    }
    if said.side == Side::Assistant {
        return escape::turn(&said.text, First::OfLine);
    }
    let new_day =
        before.is_none_or(|before| time::day(before, renderer.zone) != time::day(said.at, renderer.zone));
    let day = if new_day { day_label(renderer, said.at) } else { String::new() };
    let words = escape::turn(&said.text, First::AfterLabel);
    format!(
        "{day}[{}] {}{words}",
        time::clock(said.at, renderer.zone),
        speaker_prefix(said.speaker.as_deref())
    )
}

/// The window as one text: what the turns hold, for reading and counting.
pub(super) fn recent(renderer: &Renderer<'_>, strands: &[Strand], thread_status: &ThreadStatus) -> String {
    let mut texts: Vec<String> =
        turns(renderer, strands, thread_status).into_iter().map(|turn| turn.content).collect();
    texts.push(status(renderer, strands, thread_status));
    texts.join("\n\n")
}

/// Where the talk stands. It is said here that the turns are past, because the system text must not change with them.
fn status(renderer: &Renderer<'_>, strands: &[Strand], thread_status: &ThreadStatus) -> String {
    let status = xml::status(renderer, thread_status);
    if strands.is_empty() { status } else { format!("{PAST_ABOVE}\n{status}") }
}

pub(super) fn message(renderer: &Renderer<'_>, current: &Current, beside: MessageSetting) -> String {
    let words = format!(
        "{}{}",
        speaker_prefix(current.speaker.as_deref()),
        escape::turn(&current.text, First::OfLine)
    );
    match beside {
        MessageSetting::Window => words,
        MessageSetting::OtherLayers | MessageSetting::Nothing => {
            format!("({}It is {}.)\n\n{words}", renderer.speaking_with(), renderer.current_time())
        }
    }
}

fn turns(renderer: &Renderer<'_>, strands: &[Strand], thread_status: &ThreadStatus) -> Vec<PromptTurn> {
    let mut turns: Vec<PromptTurn> = Vec::new();
    let mut push = |role: &'static str, content: String| match turns.last_mut() {
        Some(last) if last.role == role => {
            last.content.push_str("\n\n");
            last.content.push_str(&content);
        }
        _ => turns.push(PromptTurn { role, content }),
    };
    if thread_status.left_out > 0 {
        push("user", format!("({})", left_out(thread_status.left_out)));
    }
    let mut before = None;
    for shown in strands.iter().flat_map(|strand| &strand.lines) {
        match shown {
            Line::Said(said) => match said.side {
                Side::Person => {
                    push("user", line(renderer, said, before));
                    before = Some(said.at);
                }
                Side::Assistant => push("assistant", line(renderer, said, before)),
            },
            Line::Gap(count) => push("user", format!("({})", gap(*count))),
        }
    }
    if turns.first().is_some_and(|first| first.role == "assistant") {
        turns.insert(0, PromptTurn { role: "user", content: "(The assistant wrote first.)".to_owned() });
    }
    turns
}

/// Builds the prompt from the layers: those before the memories are stable and make the system text, and the last user
/// message carries the others, with the window's status in place of its turns.
pub(in crate::context) fn prompt(
    renderer: &Renderer<'_>,
    layers: &[Layer],
    strands: &[Strand],
    thread_status: &ThreadStatus,
) -> Prompt {
    let join = |layers: &[Layer], status: &str| {
        let texts = layers.iter().map(|layer| match layer.name {
            LayerName::Recent => status,
            _ => layer.text.as_str(),
        });
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    };
    let has_window = layers.iter().any(|layer| layer.name == LayerName::Recent && !layer.text.is_empty());
    let (mut messages, status) = match has_window {
        true => (turns(renderer, strands, thread_status), status(renderer, strands, thread_status)),
        false => (Vec::new(), String::new()),
    };
    let (stable, changing) =
        layers.split_at(layers.partition_point(|layer| layer.name < LayerName::Memories));
    let content = join(changing, &status);
    match messages.last_mut() {
        _ if content.is_empty() => {}
        Some(last) if last.role == "user" => {
            last.content.push_str("\n\n");
            last.content.push_str(&content);
        }
        _ => messages.push(PromptTurn { role: "user", content }),
    }
    Prompt { system: join(stable, ""), messages }
}

impl Prompt {
    /// The prompt in a provider's shape.
    #[must_use]
    pub fn shaped(&self, provider: Provider) -> Value {
        match provider {
            Provider::Anthropic => json!(self),
            Provider::OpenAi => {
                let system = PromptTurn { role: "system", content: self.system.clone() };
                let system = Some(&system).filter(|turn| !turn.content.is_empty());
                let turns: Vec<&PromptTurn> = system.into_iter().chain(&self.messages).collect();
                json!({ "messages": turns })
            }
        }
    }
}
