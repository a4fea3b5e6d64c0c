//! The `text` format: `═══ SECTION ═══`, day headers, lines `[07:02 AM] User: …`.

use jiff::Timestamp;

use super::escape::{self, First};
use super::{Line, PAST, Page, Standing, Strand, gap, left_out, who};
use crate::context::LayerName;
use crate::context::collapse::{Side, Utterance};
use crate::context::material::{Current, Recalled};
use crate::message::Message;
use crate::summary::Summary;
use crate::time;

pub(super) fn section(name: LayerName, body: &str) -> String {
    let title = match name {
        LayerName::Policy => "INSTRUCTIONS",
        LayerName::Identity => "WHO YOU ARE",
        LayerName::Profile => "USER PROFILE",
        LayerName::Summaries => "EARLIER CONVERSATIONS",
        LayerName::Memories => "RELEVANT MEMORIES",
        LayerName::Recent => "RECENT CONVERSATION",
        LayerName::Quote => "QUOTED MESSAGE",
        LayerName::Message => "CURRENT MESSAGE",
    };
    format!("═══ {title} ═══\n{body}")
}

pub(super) fn summary(page: &Page<'_>, summary: &Summary) -> String {
    let days = time::day_range(summary.first.position.at, summary.last.position.at, page.now, page.zone);
    format!("[Summary | {days}]: {}", escape::lines(&summary.text, First::AfterLabel))
}

pub(super) fn memory(page: &Page<'_>, hit: &Recalled) -> String {
    format!(
        "- ({}, {}) {}: {}",
        time::stamp(hit.at, page.zone),
        time::relative(hit.at, page.now, page.zone),
        who(hit.role, hit.speaker.as_deref()),
        escape::lines(&hit.text, First::AfterLabel),
    )
}

pub(super) fn day_header(page: &Page<'_>, at: Timestamp) -> String {
    format!("─── {} ───", time::long_date(at, page.zone))
}

pub(super) fn line(page: &Page<'_>, said: &Utterance) -> String {
    let clock = time::clock12(said.at, page.zone);
    let words = escape::lines(&said.text, First::AfterLabel);
    if let Some(routine) = &said.routine {
        let ago = time::relative(said.at, page.now, page.zone);
        return format!("[{} | {clock}, {ago}]: {words}", escape::name(routine));
    }
    let who = match (said.side, &said.speaker) {
        (Side::Assistant, _) => "Assistant".to_owned(),
        (Side::Person, Some(name)) => escape::name(name),
        (Side::Person, None) => "User".to_owned(),
    };
    format!("[{clock}] {who}: {words}")
}

pub(super) fn recent(page: &Page<'_>, strands: &[Strand], standing: &Standing) -> String {
    let speaking = page.person.map(|name| format!("You are speaking with {}. ", escape::name(name))).unwrap_or_default();
    let mut out = vec![format!("{speaking}Current time: {}.", page.current_time())];
    out.extend(page.standing(standing));
    if standing.left_out > 0 {
        out.push(format!("({})", left_out(standing.left_out)));
    }
    if !strands.is_empty() {
        out.push(PAST.to_owned());
    }
    let mut day = None;
    for shown in strands.iter().flat_map(|strand| &strand.lines) {
        match shown {
            Line::Said(said) => {
                let today = time::day(said.at, page.zone);
                if day != Some(today) {
                    out.push(day_header(page, said.at));
                    day = Some(today);
                }
                out.push(line(page, said));
            }
            Line::Gap(count) => out.push(gap(*count)),
        }
    }
    section(LayerName::Recent, &out.join("\n"))
}

pub(super) fn quote(page: &Page<'_>, quoted: &Message) -> String {
    format!(
        "Replying to what {} said ({}, {}):\n{}",
        who(quoted.role, quoted.speaker.as_deref()),
        time::stamp(quoted.occurred_at, page.zone),
        time::relative(quoted.occurred_at, page.now, page.zone),
        escape::lines(&quoted.text, First::OfLine),
    )
}

pub(super) fn message(page: &Page<'_>, current: &Current, alone: bool) -> String {
    let who = current.speaker.as_deref().map_or_else(|| "User".to_owned(), escape::name);
    let words = escape::lines(&current.text, First::AfterLabel);
    let at = if alone { format!("{}\n", day_header(page, page.now)) } else { String::new() };
    section(LayerName::Message, &format!("{at}[{}] {who}: {words}", time::clock12(page.now, page.zone)))
}
