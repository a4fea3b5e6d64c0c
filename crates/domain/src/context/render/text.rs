//! The `text` format: `═══ SECTION ═══`, day headers, lines `[07:02 AM] User: …`.

use jiff::Timestamp;

use super::escape::{self, First};
use super::{
    Line, MessageSetting, PAST_BELOW, Renderer, Strand, ThreadStatus, gap, left_out, routine_label, who,
};
use crate::context::LayerName;
use crate::context::collapse::{Side, Utterance};
use crate::context::inputs::{Current, Recalled};
use crate::message::Message;
use crate::summary::Summary;
use crate::time;

pub(super) fn section(name: LayerName, body: &str) -> String {
    format!("═══ {} ═══\n{body}", name.rule().heading)
}

pub(super) fn summary(renderer: &Renderer<'_>, summary: &Summary, text: &str) -> String {
    let days =
        time::day_range(summary.first.position.at, summary.last.position.at, renderer.now, renderer.zone);
    format!("[Summary | {days}]: {}", escape::lines(text, First::AfterLabel))
}

pub(super) fn memory(renderer: &Renderer<'_>, hit: &Recalled, text: &str) -> String {
    let who = who(hit.role, hit.speaker.as_deref(), "User", "Assistant");
    let (stamp, ago) =
        (time::stamp(hit.at, renderer.zone), time::relative(hit.at, renderer.now, renderer.zone));
    // Indented, so that a further line cannot look like the next item.
    let words = escape::lines(text, First::AfterLabel).replace('\n', "\n  ");
    format!("- ({stamp}, {ago}{}) {who}: {words}", lane(hit))
}

/// `- [07:02 AM] Ana: …`: the line above it gives the day.
pub(super) fn recalled_message(renderer: &Renderer<'_>, hit: &Recalled, text: &str) -> String {
    let who = who(hit.role, hit.speaker.as_deref(), "User", "Assistant");
    let words = escape::lines(text, First::AfterLabel).replace('\n', "\n  ");
    format!("- [{}] {who}: {words}", time::clock12(hit.at, renderer.zone))
}

/// A day further back has no other relative name than its date.
pub(super) fn recalled_conversation(renderer: &Renderer<'_>, first: &Recalled, lines: &str) -> String {
    let (day, ago) =
        (time::date(first.at, renderer.zone), time::relative(first.at, renderer.now, renderer.zone));
    let relative = if day == ago { String::new() } else { format!(", {ago}") };
    format!("On {day}{relative}{}:\n{lines}", lane(first))
}

/// The other lane that a hit is of.
fn lane(hit: &Recalled) -> String {
    hit.lane.as_ref().map(|lane| format!(", {}", escape::name(&lane.label()))).unwrap_or_default()
}

pub(super) fn day_header(renderer: &Renderer<'_>, at: Timestamp) -> String {
    format!("─── {} ───", time::long_date(at, renderer.zone))
}

pub(super) fn line(renderer: &Renderer<'_>, said: &Utterance) -> String {
    let clock = time::clock12(said.at, renderer.zone);
    let words = escape::lines(&said.text, First::AfterLabel);
    if let Some(routine) = &said.routine {
        return format!("[{}]: {words}", routine_label(renderer, routine, said.at));
    }
    let who = match (said.side, &said.speaker) {
        (Side::Assistant, _) => "Assistant".to_owned(),
        (Side::Person, Some(name)) => escape::person(name),
        (Side::Person, None) => "User".to_owned(),
    };
    format!("[{clock}] {who}: {words}")
}

pub(super) fn recent(renderer: &Renderer<'_>, strands: &[Strand], thread_status: &ThreadStatus) -> String {
    let mut out = vec![opening(renderer)];
    out.extend(renderer.thread_status(thread_status));
    if thread_status.left_out > 0 {
        out.push(format!("({})", left_out(thread_status.left_out)));
    }
    if !strands.is_empty() {
        out.push(PAST_BELOW.to_owned());
    }
    let mut day = None;
    for shown in strands.iter().flat_map(|strand| &strand.lines) {
        match shown {
            Line::Said(said) => {
                let today = time::day(said.at, renderer.zone);
                if day != Some(today) {
                    out.push(day_header(renderer, said.at));
                    day = Some(today);
                }
                out.push(line(renderer, said));
            }
            Line::Gap(count) => out.push(gap(*count)),
        }
    }
    section(LayerName::Recent, &out.join("\n"))
}

/// Who is spoken with, and when.
fn opening(renderer: &Renderer<'_>) -> String {
    format!("{}Current time: {}.", renderer.speaking_with(), renderer.current_time())
}

pub(super) fn quote(renderer: &Renderer<'_>, quoted: &Message, text: &str) -> String {
    format!(
        "The message below replies to this one, by {} at {} ({}):\n{}",
        who(quoted.role, quoted.speaker.as_deref(), "User", "Assistant"),
        time::stamp(quoted.occurred_at, renderer.zone),
        time::relative(quoted.occurred_at, renderer.now, renderer.zone),
        escape::lines(text, First::OfLine),
    )
}

pub(super) fn message(renderer: &Renderer<'_>, current: &Current, beside: MessageSetting) -> String {
    let who = current.speaker.as_deref().map_or_else(|| "User".to_owned(), escape::person);
    let words = escape::lines(&current.text, First::AfterLabel);
    let opening = if beside == MessageSetting::Window { String::new() } else { opening(renderer) + "\n" };
    section(
        LayerName::Message,
        &format!("{opening}[{}] {who}: {words}", time::clock12(renderer.now, renderer.zone)),
    )
}
