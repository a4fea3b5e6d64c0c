//! The `roles` format: `[USER]: …`, a blank line, `[ASSISTANT]: …`. Runs of one role are one block.

use super::escape::{self, First};
use super::{
    Line, MessageSetting, PAST_ABOVE, Renderer, Strand, ThreadStatus, gap, left_out, routine_label,
    speaker_prefix,
};
use crate::context::LayerName;
use crate::context::collapse::{Side, Utterance};
use crate::context::inputs::Current;

pub(super) fn system(body: &str) -> String {
    format!("[SYSTEM]: {body}")
}

/// A layer that is one block of text; only the profile does not say itself what it is.
pub(super) fn section(name: LayerName, body: &str) -> String {
    if name == LayerName::Profile { system(&format!("About the user:\n{body}")) } else { system(body) }
}

pub(super) fn line(renderer: &Renderer<'_>, said: &Utterance) -> String {
    let role = match said.side {
        Side::Person => "USER",
        Side::Assistant => "ASSISTANT",
    };
    format!("[{role}]: {}", words(renderer, said, First::AfterLabel))
}

fn words(renderer: &Renderer<'_>, said: &Utterance, first: First) -> String {
    let label = match &said.routine {
        Some(routine) => format!("({}) ", routine_label(renderer, routine, said.at)),
        None => speaker_prefix(said.speaker.as_deref()),
    };
    let first = if label.is_empty() { first } else { First::AfterLabel };
    format!("{label}{}", escape::lines(&said.text, first))
}

pub(super) fn recent(renderer: &Renderer<'_>, strands: &[Strand], thread_status: &ThreadStatus) -> String {
    let mut blocks: Vec<String> = Vec::new();
    let mut open: Option<Side> = None;
    if thread_status.left_out > 0 {
        blocks.push(system(&left_out(thread_status.left_out)));
    }
    for shown in strands.iter().flat_map(|strand| &strand.lines) {
        match shown {
            Line::Said(said) => {
                match blocks.last_mut().filter(|_| open == Some(said.side)) {
                    Some(block) => {
                        block.push('\n');
                        block.push_str(&words(renderer, said, First::OfLine));
                    }
                    None => blocks.push(line(renderer, said)),
                }
                open = Some(said.side);
            }
            Line::Gap(count) => {
                blocks.push(system(&gap(*count)));
                open = None;
            }
        }
    }
    let mut status = vec![format!("{}It is {}.", renderer.speaking_with(), renderer.current_time())];
    status.extend(renderer.thread_status(thread_status));
    if !strands.is_empty() {
        status.push(PAST_ABOVE.to_owned());
    }
    blocks.push(system(&status.join(" ")));
    blocks.join("\n\n")
}

/// One message without history is itself.
pub(super) fn message(renderer: &Renderer<'_>, current: &Current, beside: MessageSetting) -> String {
    let who = speaker_prefix(current.speaker.as_deref());
    let speaking = renderer.speaking_with();
    match beside {
        MessageSetting::OtherLayers if !speaking.is_empty() => {
            let words = escape::lines(&current.text, First::AfterLabel);
            format!("{}\n\n[USER]: {who}{words}", system(speaking.trim_end()))
        }
        MessageSetting::Window => format!("[USER]: {who}{}", escape::lines(&current.text, First::AfterLabel)),
        MessageSetting::OtherLayers => format!("{who}{}", escape::lines(&current.text, First::OfLine)),
        MessageSetting::Nothing => format!("{who}{}", current.text),
    }
}
