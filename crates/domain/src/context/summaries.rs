//! Chooses the summaries: those of messages that the window does not show, such that the choice stays the same while a
//! conversation lasts.

use std::cmp::Reverse;

use super::fit::{Filling, LEAST, head_and_tail, shorten_to};
use super::past::{Candidate, Past};
use super::render::Renderer;
use super::window::Choice;
use super::{Layer, LayerName};
use crate::summary::{Position, Scope, Summary};
use throughline_text::tokens::estimate;

/// The positions that some summaries cover, as spans in order that do not overlap.
pub(super) struct Spans(Vec<(Position, Position)>);

impl Spans {
    pub fn of<'a>(summaries: impl IntoIterator<Item = &'a Summary>) -> Self {
        let mut spans: Vec<_> =
            summaries.into_iter().map(|summary| (summary.first.position, summary.last.position)).collect();
        spans.sort_unstable();
        let mut merged: Vec<(Position, Position)> = Vec::with_capacity(spans.len());
        for (first, last) in spans {
            match merged.last_mut() {
                Some(open) if first <= open.1 => open.1 = open.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        Self(merged)
    }

    pub fn hold(&self, position: Position) -> bool {
        let after = self.0.partition_point(|(first, _)| *first <= position);
        after.checked_sub(1).and_then(|index| self.0.get(index)).is_some_and(|(_, last)| position <= *last)
    }
}

/// Returns true if a summary existed when the conversation began. If the times are equal, the order of writing decides.
fn is_frozen(summary: &Summary, past: &Past) -> bool {
    let earlier = past.live_seq.is_none_or(|live| summary.made_after < live);
    summary.updated_at < past.as_of || summary.updated_at == past.as_of && earlier
}

/// For each candidate, whether a summary covers it. A message that arrived after the summary was written is not in it.
pub(super) fn covered(summaries: &[Summary], past: &Past) -> Vec<bool> {
    let frozen = || summaries.iter().filter(|summary| is_frozen(summary, past));
    let spans = Spans::of(frozen());
    let stale: Vec<&Summary> = frozen().filter(|summary| summary.stale).collect();
    let came_late = |candidate: &Candidate| {
        stale
            .iter()
            .any(|summary| summary.covers(candidate.position) && candidate.recorded_at > summary.updated_at)
    };
    past.candidates.iter().map(|candidate| spans.hold(candidate.position) && !came_late(candidate)).collect()
}

/// The messages that the window does not show.
struct Unshown<'a> {
    past: &'a Past,
    /// The positions and costs of loaded messages that are not shown, in order.
    dropped: Vec<(Position, u32)>,
}

impl Unshown<'_> {
    /// Those within a summary's span.
    fn within(&self, summary: &Summary) -> &[(Position, u32)] {
        let from = self.dropped.partition_point(|(position, _)| *position < summary.first.position);
        let to = self.dropped.partition_point(|(position, _)| *position <= summary.last.position);
        self.dropped.get(from..to).unwrap_or_default()
    }

    fn reaches_behind_what_was_loaded(&self, summary: &Summary) -> bool {
        self.past.reaches_back_to.is_none_or(|first| summary.first.position < first)
    }

    fn fills_the_hole(&self, summary: &Summary) -> bool {
        self.past
            .hole
            .is_some_and(|(before, after)| summary.first.position < after && before < summary.last.position)
    }

    fn are_in(&self, summary: &Summary) -> bool {
        !self.within(summary).is_empty()
            || self.reaches_behind_what_was_loaded(summary)
            || self.fills_the_hole(summary)
    }

    /// The cost of the messages that a summary replaces; `None` if not all of them were loaded.
    fn cost(&self, summary: &Summary) -> Option<u32> {
        let is_loaded = !self.reaches_behind_what_was_loaded(summary) && !self.fills_the_hole(summary);
        is_loaded.then(|| self.within(summary).iter().map(|(_, cost)| cost).sum())
    }

    /// Returns true if only this summary represents some of them, given those that existed when the conversation began.
    fn need(&self, summary: &Summary, frozen: &Spans) -> bool {
        self.within(summary).iter().any(|(position, _)| !frozen.hold(*position))
            || self.reaches_behind_what_was_loaded(summary) && !frozen.hold(summary.first.position)
            || self.fills_the_hole(summary)
    }
}

/// The summaries layer, and the summaries it shows.
pub(super) fn layer<'a>(
    renderer: &Renderer<'_>,
    summaries: &'a [Summary],
    past: &Past,
    kept: &Choice,
    cap: u32,
) -> (Layer, Vec<&'a Summary>) {
    let shown = past.candidates.iter().zip(kept);
    let dropped = shown.filter(|(_, why)| why.is_none());
    let dropped = dropped.map(|(candidate, _)| (candidate.position, candidate.cost)).collect();
    let unshown = Unshown { past, dropped };
    let frozen = Spans::of(summaries.iter().filter(|summary| is_frozen(summary, past)));

    let mut order: Vec<&Summary> = summaries.iter().collect();
    // The lane's own first, because it carries durable facts. Then newest first, so a short budget drops the oldest; of
    // two with the same end, the longer.
    let is_narrow = |summary: &Summary| summary.scope != Scope::Lane;
    order.sort_by_key(|summary| (is_narrow(summary), Reverse(summary.last.position), summary.first.position));
    let mut filling = Filling::new(LayerName::Summaries, cap, &renderer.summaries(&[""]));
    let mut taken: Vec<&Summary> = Vec::new();
    for summary in order {
        let id = summary.id.to_string();
        let within =
            |other: &&Summary| other.covers(summary.first.position) && other.covers(summary.last.position);
        let tokens = estimate(&summary.text);
        // A summary is never longer than the messages it replaces.
        let most = unshown.cost(summary).unwrap_or(u32::MAX);
        if !unshown.are_in(summary) {
            filling.refuse("summary", id, tokens, "all of it is shown word for word");
        } else if !is_frozen(summary, past) && !unshown.need(summary, &frozen) {
            filling.refuse(
                "summary",
                id,
                tokens,
                "newer than this conversation, and what it covers is there",
            );
        } else if taken.iter().any(within) {
            filling.refuse("summary", id, tokens, "a longer summary stands for it");
        } else if tokens > most && most < LEAST {
            filling.refuse("summary", id, tokens, "longer than what it stands for");
        } else {
            let text = head_and_tail(&summary.text, most);
            let written = |text: &str| renderer.summary(summary, text);
            // The most important one is shortened rather than dropped.
            let shortened =
                if filling.is_empty() { shorten_to(&text, filling.left(), written) } else { None };
            let text = shortened.unwrap_or_else(|| written(&text));
            let why = format!("stands for {} messages", summary.messages);
            if filling.offer(summary, text, "summary", id, why) {
                taken.push(summary);
            }
        }
    }
    filling.finish(|pieces| {
        let mut pieces: Vec<_> = pieces.iter().collect();
        pieces.sort_by_key(|(summary, _)| summary.first.position);
        renderer.summaries(&pieces.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>())
    })
}
