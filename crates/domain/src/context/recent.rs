//! The window as a layer: chosen within its room, grouped by conversation, with the thread's status.

use super::collapse::Utterance;
use super::inputs::ContextInputs;
use super::past::Past;
use super::preset::Plan;
use super::render::{Renderer, Strand, ThreadStatus};
use super::summaries::{self, Spans};
use super::tiers::Frame;
use super::window::{self, Choice};
use super::{Item, Layer, LayerName};
use crate::conversation::Thread;
use crate::summary::Summary;
use throughline_text::tokens::estimate;

/// Token limits of the window and the summaries.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub recent: u32,
    /// The part of `recent` that conversations older than the live one may use.
    pub older: u32,
    /// The part of `recent` that the last conversation before the live one may use.
    pub last: u32,
    /// The part of `recent` for conversations that are older than a week and have a summary.
    pub oldest: u32,
    pub summaries: u32,
}

/// The window, and the summaries of messages that are not in it.
pub(super) struct Recent {
    pub layer: Layer,
    pub summaries: Layer,
    /// The content of the layer, by conversation.
    pub strands: Vec<Strand>,
    pub thread_status: ThreadStatus,
}

impl Recent {
    pub fn said(&self) -> impl Iterator<Item = &Utterance> {
        self.strands.iter().flat_map(Strand::said)
    }
}

/// Chooses and writes the window within its room. Costs are upper bounds; if the whole text still exceeds the room, the
/// window is chosen again with less.
pub(super) fn choose(
    renderer: &Renderer<'_>,
    inputs: &ContextInputs,
    past: &Past,
    plan: &Plan,
    thread: Thread,
    room: Room,
) -> Recent {
    let covered = summaries::covered(&inputs.summaries, past);
    let [older, last, oldest] =
        [room.older, room.last, room.oldest].map(|room| room.saturating_sub(past.frame));
    let frame =
        Frame { as_of: past.as_of, zone: renderer.zone, covered, block: plan.block, older, last, oldest };
    let mut budget = room.recent.saturating_sub(past.frame);
    loop {
        let kept = match budget {
            0 => vec![None; past.candidates.len()],
            _ => window::choose(&past.candidates, plan.window, &frame, budget),
        };
        let mut recent = write(renderer, inputs, past, &kept, thread, room);
        let over = recent.layer.tokens.saturating_sub(room.recent);
        if over > 0 && budget > 0 {
            budget = budget.saturating_sub(over + budget / 16);
            continue;
        }
        if over > 0 {
            let dropped = std::mem::take(&mut recent.layer.dropped);
            recent.layer = Layer { dropped, ..Layer::empty(LayerName::Recent, room.recent) };
        }
        return recent;
    }
}

fn write(
    renderer: &Renderer<'_>,
    inputs: &ContextInputs,
    past: &Past,
    kept: &Choice,
    thread: Thread,
    room: Room,
) -> Recent {
    let (summaries, shown) = summaries::layer(renderer, &inputs.summaries, past, kept, room.summaries);
    let spans = Spans::of(shown.iter().copied());
    let left_out = left_out(past, kept, &shown, &spans);
    let strands = strands(past, kept);
    let mut thread_status =
        ThreadStatus { thread, last: past.last, left_out, last_reply: None, notices: inputs.notices.clone() };
    let mut text = renderer.recent(&strands, &thread_status);
    let mut tokens = estimate(&text);

    let ids = || strands.iter().flat_map(Strand::said).flat_map(|said| &said.ids);
    if let Some(reply) = inputs.last_reply.as_ref().filter(|reply| !ids().any(|id| *id == reply.id)) {
        thread_status.last_reply = Some(reply.clone());
        let longer = renderer.recent(&strands, &thread_status);
        let cost = estimate(&longer);
        if cost <= room.recent {
            (text, tokens) = (longer, cost);
        } else {
            thread_status.last_reply = None;
        }
    }
    let (items, dropped) = accounts(past, kept, &spans);
    let layer = Layer { name: LayerName::Recent, tokens, budget: room.recent, text, items, dropped };
    Recent { layer, summaries, strands, thread_status }
}

/// The kept messages by conversation, with a mark where messages are missing.
fn strands(past: &Past, kept: &Choice) -> Vec<Strand> {
    let mut strands: Vec<Strand> = Vec::new();
    let mut before: Option<(usize, u64)> = None;
    for (candidate, _) in past.candidates.iter().zip(kept).filter(|(_, why)| why.is_some()) {
        if before.is_none_or(|(conversation, _)| conversation != candidate.conversation) {
            strands.push(Strand { lines: Vec::new() });
        }
        if let Some(strand) = strands.last_mut() {
            let in_sequence = |(_, rank): (usize, u64)| candidate.rank.saturating_sub(rank + 1);
            let skipped = before.filter(|_| !strand.lines.is_empty()).map_or(0, in_sequence);
            strand.push(candidate.said.clone(), skipped);
        }
        before = Some((candidate.conversation, candidate.rank));
    }
    strands
}

/// The number of messages that neither the window, nor a mark in it, nor a summary represents.
fn left_out(past: &Past, kept: &Choice, shown: &[&Summary], spans: &Spans) -> u64 {
    let first = kept.iter().position(Option::is_some).unwrap_or(kept.len());
    let older = past.candidates.get(first).map_or(past.total(), |candidate| candidate.rank);
    let never_loaded = older.saturating_sub(first as u64);
    let in_summaries: u64 = shown
        .iter()
        .filter(|summary| !within_another(summary, shown))
        .map(|summary| {
            let from =
                past.candidates.partition_point(|candidate| candidate.position < summary.first.position);
            let to = past.candidates.partition_point(|candidate| candidate.position <= summary.last.position);
            summary.messages.saturating_sub((to - from) as u64)
        })
        .sum();
    let mut open = None;
    let mut loaded = 0;
    for (candidate, why) in past.candidates.iter().zip(kept) {
        match why {
            Some(_) => open = Some(candidate.conversation),
            None => {
                loaded += u64::from(open != Some(candidate.conversation) && !spans.hold(candidate.position))
            }
        }
    }
    never_loaded.saturating_sub(in_summaries) + loaded
}

fn within_another(summary: &Summary, others: &[&Summary]) -> bool {
    others.iter().any(|other| {
        other.id != summary.id && other.covers(summary.first.position) && other.covers(summary.last.position)
    })
}

fn accounts(past: &Past, kept: &Choice, spans: &Spans) -> (Vec<Item>, Vec<Item>) {
    let (mut items, mut dropped) = (Vec::new(), Vec::new());
    for (candidate, why) in past.candidates.iter().zip(kept) {
        let id = candidate.said.ids.first().map(ToString::to_string).unwrap_or_default();
        let item =
            |why: &'static str| Item { kind: "message".into(), id, tokens: candidate.cost, why: why.into() };
        match why {
            Some(why) => items.push(item(why)),
            None if spans.hold(candidate.position) => dropped.push(item("a summary stands for it")),
            None => dropped.push(item("older than what fits")),
        }
    }
    (items, dropped)
}
