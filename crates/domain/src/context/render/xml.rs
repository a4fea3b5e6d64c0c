//! The `xml` format: tags with times as attributes, lines `[human 09:15] …` and `[you 09:16] …`.

use jiff::Timestamp;

use super::escape::{self, First};
use super::{
    Format, Line, MessageSetting, PAST_BELOW, Renderer, Strand, ThreadStatus, gap, left_out, speaker_prefix,
    who,
};
use crate::context::LayerName;
use crate::context::collapse::{Side, Utterance};
use crate::context::inputs::{Current, Recalled};
use crate::message::Message;
use crate::summary::Summary;
use crate::time;

pub(super) const CLOSE: &str = "</conversation>";

pub(super) fn section(name: LayerName, body: &str) -> String {
    let name = name.as_str();
    format!("<{name}>\n{body}\n</{name}>")
}

pub(super) fn summary(renderer: &Renderer<'_>, summary: &Summary, text: &str) -> String {
    let (from, to) = (summary.first.position.at, summary.last.position.at);
    let relative = match renderer.format {
        // What stands before the window must not change from turn to turn.
        Format::Messages => String::new(),
        Format::Xml | Format::Text | Format::Roles => {
            format!(" relative=\"{}\"", time::relative(to, renderer.now, renderer.zone))
        }
    };
    format!(
        "<conversation-summary scope=\"{}\" timestamp=\"{}\" until=\"{}\" messages=\"{}\"{relative}>\n{}\n</conversation-summary>",
        summary.scope.as_str(),
        time::stamp(from, renderer.zone),
        time::stamp(to, renderer.zone),
        summary.messages,
        escape::tagged_lines(text, First::OfLine),
    )
}

pub(super) fn memory(renderer: &Renderer<'_>, hit: &Recalled, text: &str) -> String {
    format!(
        "<memory kind=\"{}\" from=\"{}\"{} timestamp=\"{}\" relative=\"{}\">{}</memory>",
        hit.kind,
        who(hit.role, hit.speaker.as_deref(), "human", "you"),
        lane(hit),
        time::stamp(hit.at, renderer.zone),
        time::relative(hit.at, renderer.now, renderer.zone),
        escape::tagged_lines(text, First::AfterLabel),
    )
}

/// `[Ana 09:15] …`: the conversation around it gives the day.
pub(super) fn recalled_message(renderer: &Renderer<'_>, hit: &Recalled, text: &str) -> String {
    let who = who(hit.role, hit.speaker.as_deref(), "human", "you");
    let (at, words) = (time::clock(hit.at, renderer.zone), escape::tagged_lines(text, First::AfterLabel));
    format!("[{who} {at}] {words}")
}

/// A day further back has no other relative name than its date.
pub(super) fn recalled_conversation(renderer: &Renderer<'_>, first: &Recalled, lines: &str) -> String {
    let (day, ago) =
        (time::date(first.at, renderer.zone), time::relative(first.at, renderer.now, renderer.zone));
    let relative = if day == ago { String::new() } else { format!(" relative=\"{ago}\"") };
    format!("<said on=\"{day}\"{relative}{}>\n{lines}\n</said>", lane(first))
}

/// The other lane that a hit is of, as an attribute.
fn lane(hit: &Recalled) -> String {
    let lane = hit.lane.as_ref().map(|lane| format!(" lane=\"{}\"", escape::name(&lane.label())));
    lane.unwrap_or_default()
}

pub(super) fn open(renderer: &Renderer<'_>, started: Timestamp) -> String {
    let (stamp, ago) =
        (time::stamp(started, renderer.zone), time::relative(started, renderer.now, renderer.zone));
    format!("<conversation timestamp=\"{stamp}\" relative=\"{ago}\">")
}

pub(super) fn line(renderer: &Renderer<'_>, said: &Utterance, before: Option<Timestamp>) -> String {
    let who = match said.side {
        Side::Person => "human",
        Side::Assistant => "you",
    };
    // The tag gives the day; a conversation across midnight names the new one.
    let new_day =
        before.is_some_and(|before| time::day(before, renderer.zone) != time::day(said.at, renderer.zone));
    let at = if new_day { time::stamp(said.at, renderer.zone) } else { time::clock(said.at, renderer.zone) };
    let words = escape::tagged_lines(&said.text, First::AfterLabel);
    match &said.routine {
        Some(name) => {
            let (name, ago) = (escape::name(name), time::relative(said.at, renderer.now, renderer.zone));
            format!("[{who} {at} | {name}, {ago}] {words}")
        }
        None => format!("[{who} {at}] {}{words}", speaker_prefix(said.speaker.as_deref())),
    }
}

pub(super) fn recent(renderer: &Renderer<'_>, strands: &[Strand], thread_status: &ThreadStatus) -> String {
    let status = status(renderer, thread_status);
    if strands.is_empty() && thread_status.left_out == 0 {
        return status;
    }
    let mut out = vec!["<conversation_history>".to_owned()];
    if !strands.is_empty() {
        out.push(PAST_BELOW.to_owned());
    }
    if thread_status.left_out > 0 {
        out.push(format!("({})", left_out(thread_status.left_out)));
    }
    for strand in strands {
        let Some(started) = strand.started() else { continue };
        out.push(open(renderer, started));
        let mut before = Some(started);
        for shown in &strand.lines {
            match shown {
                Line::Said(said) => {
                    out.push(line(renderer, said, before));
                    before = Some(said.at);
                }
                Line::Gap(count) => out.push(gap(*count)),
            }
        }
        out.push(CLOSE.to_owned());
    }
    out.push("</conversation_history>".to_owned());
    out.push(status);
    out.join("\n")
}

/// The moment and where the talk stands.
pub(super) fn status(renderer: &Renderer<'_>, thread_status: &ThreadStatus) -> String {
    let mut sentences = vec![format!("{}It is {}.", renderer.speaking_with(), renderer.current_time())];
    sentences.extend(renderer.thread_status(thread_status));
    format!(
        "<thread-status thread=\"{}\">{}</thread-status>",
        thread_status.thread.as_str(),
        sentences.join(" ")
    )
}

pub(super) fn quote(renderer: &Renderer<'_>, quoted: &Message, text: &str) -> String {
    format!(
        "<quoted-message from=\"{}\" timestamp=\"{}\" relative=\"{}\">\n{}\n</quoted-message>",
        who(quoted.role, quoted.speaker.as_deref(), "human", "you"),
        time::stamp(quoted.occurred_at, renderer.zone),
        time::relative(quoted.occurred_at, renderer.now, renderer.zone),
        escape::tagged_lines(text, First::OfLine),
    )
}

pub(super) fn message(renderer: &Renderer<'_>, current: &Current, beside: MessageSetting) -> String {
    let at = if beside == MessageSetting::Window {
        String::new()
    } else {
        format!(" time=\"{}\"", renderer.current_time())
    };
    let person = renderer.person.filter(|_| beside != MessageSetting::Window);
    let from = current
        .speaker
        .as_deref()
        .or(person)
        .map(|name| format!(" from=\"{}\"", escape::person(name)))
        .unwrap_or_default();
    format!("<message{from}{at}>\n{}\n</message>", escape::tagged_lines(&current.text, First::OfLine))
}
