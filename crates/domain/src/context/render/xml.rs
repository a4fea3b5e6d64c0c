//! The `xml` format: tags with times as attributes, lines `[human 09:15] …` and `[you 09:16] …`.

use jiff::Timestamp;

use super::escape::{self, First};
use super::{Line, PAST, Page, Standing, Strand, gap, left_out, speaker_prefix, who};
use crate::context::LayerName;
use crate::context::collapse::{Side, Utterance};
use crate::context::material::{Current, Recalled};
use crate::message::Message;
use crate::summary::Summary;
use crate::time;

pub(super) const CLOSE: &str = "</conversation>";

pub(super) fn section(name: LayerName, body: &str) -> String {
    let name = name.as_str();
    format!("<{name}>\n{body}\n</{name}>")
}

pub(super) fn summary(page: &Page<'_>, summary: &Summary) -> String {
    let ago = time::relative(summary.last.position.at, page.now, page.zone);
    tagged_summary(page, summary, &format!(" relative=\"{ago}\""))
}

pub(super) fn summary_without_relative(page: &Page<'_>, summary: &Summary) -> String {
    tagged_summary(page, summary, "")
}

fn tagged_summary(page: &Page<'_>, summary: &Summary, relative: &str) -> String {
    let (from, to) = (summary.first.position.at, summary.last.position.at);
    format!(
        "<conversation-summary scope=\"{}\" timestamp=\"{}\" until=\"{}\" messages=\"{}\"{relative}>\n{}\n</conversation-summary>",
        summary.scope.as_str(),
        time::stamp(from, page.zone),
        time::stamp(to, page.zone),
        summary.messages,
        escape::tagged_lines(&summary.text, First::OfLine),
    )
}

pub(super) fn memory(page: &Page<'_>, hit: &Recalled) -> String {
    format!(
        "<memory kind=\"{}\" from=\"{}\" timestamp=\"{}\" relative=\"{}\">{}</memory>",
        hit.kind,
        who(hit.role, hit.speaker.as_deref()),
        time::stamp(hit.at, page.zone),
        time::relative(hit.at, page.now, page.zone),
        escape::tagged_lines(&hit.text, First::AfterLabel),
    )
}

pub(super) fn open(page: &Page<'_>, started: Timestamp) -> String {
    let (stamp, ago) = (time::stamp(started, page.zone), time::relative(started, page.now, page.zone));
    format!("<conversation timestamp=\"{stamp}\" relative=\"{ago}\">")
}

pub(super) fn line(page: &Page<'_>, said: &Utterance, before: Option<Timestamp>) -> String {
    let who = match said.side {
        Side::Person => "human",
        Side::Assistant => "you",
    };
    // The tag gives the day; a conversation across midnight names the new one.
    let new_day = before.is_some_and(|before| time::day(before, page.zone) != time::day(said.at, page.zone));
    let at = if new_day { time::stamp(said.at, page.zone) } else { time::clock(said.at, page.zone) };
    let routine = said.routine.as_deref().map(|name| format!(" | {}", escape::name(name))).unwrap_or_default();
    format!("[{who} {at}{routine}] {}{}", speaker_prefix(said), escape::tagged_lines(&said.text, First::AfterLabel))
}

pub(super) fn recent(page: &Page<'_>, strands: &[Strand], standing: &Standing) -> String {
    let mut out = vec!["<conversation_history>".to_owned()];
    if !strands.is_empty() {
        out.push(PAST.to_owned());
    }
    if standing.left_out > 0 {
        out.push(format!("({})", left_out(standing.left_out)));
    }
    for strand in strands {
        let Some(started) = strand.started() else { continue };
        out.push(open(page, started));
        let mut before = Some(started);
        for shown in &strand.lines {
            match shown {
                Line::Said(said) => {
                    out.push(line(page, said, before));
                    before = Some(said.at);
                }
                Line::Gap(count) => out.push(gap(*count)),
            }
        }
        out.push(CLOSE.to_owned());
    }
    out.push("</conversation_history>".to_owned());
    out.push(status(page, standing));
    if strands.is_empty() && standing.left_out == 0 {
        return status(page, standing);
    }
    out.join("\n")
}

/// The moment and where the talk stands.
pub(super) fn status(page: &Page<'_>, standing: &Standing) -> String {
    let mut sentences = vec![format!("It is {}.", page.current_time())];
    sentences.extend(page.standing(standing));
    format!("<thread-status thread=\"{}\">{}</thread-status>", standing.thread.as_str(), sentences.join(" "))
}

pub(super) fn quote(page: &Page<'_>, quoted: &Message) -> String {
    format!(
        "<quoted-message from=\"{}\" timestamp=\"{}\" relative=\"{}\">\n{}\n</quoted-message>",
        who(quoted.role, quoted.speaker.as_deref()),
        time::stamp(quoted.occurred_at, page.zone),
        time::relative(quoted.occurred_at, page.now, page.zone),
        escape::tagged_lines(&quoted.text, First::OfLine),
    )
}

pub(super) fn message(page: &Page<'_>, current: &Current, alone: bool) -> String {
    let at = if alone { format!(" time=\"{}\"", page.current_time()) } else { String::new() };
    let from = current.speaker.as_deref().map(|name| format!(" from=\"{}\"", escape::name(name))).unwrap_or_default();
    format!("<message{from}{at}>\n{}\n</message>", escape::tagged_lines(&current.text, First::OfLine))
}
