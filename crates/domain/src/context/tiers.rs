//! Time tiers: the live conversation in full, today's in full while the budget lasts, older ones by their summaries.
//! What no summary covers is shown word for word, newest first, within the budget.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::window::{Candidates, Kept};
use crate::conversation::Thread;
use crate::summary::Summary;
use crate::time::days_before;

/// The share of the budget that the beginning of an oversize live conversation keeps.
const HEAD_PERCENT: u64 = 15;

/// What the tiers are measured from.
pub(super) struct Frame<'a> {
    /// The start of the live conversation, or now: tiers stand still while a conversation goes on.
    pub as_of: Timestamp,
    pub thread: Thread,
    pub zone: &'a TimeZone,
    pub carry_over: SignedDuration,
    pub block: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Tier {
    Live,
    Today,
    Older,
}

/// For each candidate why it is kept, or nothing. `summaries` are those that may stand in for messages.
pub(super) fn choose(candidates: &Candidates<'_>, summaries: &[&Summary], frame: &Frame<'_>, budget: u32) -> Kept {
    let mut kept: Kept = vec![None; candidates.len()];
    let mut left = budget;
    let covered = |index: usize| {
        candidates.messages.get(index).is_some_and(|placed| summaries.iter().any(|summary| summary.covers(placed.position())))
    };
    for (nth, conversation) in conversations(candidates).into_iter().rev().enumerate() {
        let tier = tier(candidates, &conversation, nth, frame);
        let uncovered: Vec<usize> = conversation.clone().filter(|index| !covered(*index)).collect();
        let whole = candidates.cost(conversation.clone());
        let why = match tier {
            Tier::Live => "the live conversation",
            Tier::Today => "a conversation of today",
            Tier::Older => "no summary covers it yet",
        };
        if tier != Tier::Older && whole <= left {
            left -= whole;
            mark(&mut kept, conversation, why);
            continue;
        }
        if tier == Tier::Live {
            keep_head_and_tail(candidates, &mut kept, conversation, left, frame.block, why);
            break;
        }
        if uncovered.is_empty() {
            continue;
        }
        // Word for word from the newest back; the first that does not fit ends the window.
        let span = uncovered.first().copied().unwrap_or(conversation.start)..uncovered.last().map_or(conversation.end, |last| last + 1);
        let start = candidates.block_start(span.clone(), left, frame.block);
        left -= candidates.cost(start..span.end);
        let complete = start == span.start;
        mark(&mut kept, start..span.end, why);
        if !complete {
            break;
        }
    }
    kept
}

/// The candidates as ranges, one for each conversation, oldest first.
fn conversations(candidates: &Candidates<'_>) -> Vec<std::ops::Range<usize>> {
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, placed) in candidates.messages.iter().enumerate() {
        match ranges.last_mut() {
            Some(range) if !placed.opens => range.end = index + 1,
            _ => ranges.push(index..index + 1),
        }
    }
    ranges
}

fn tier(candidates: &Candidates<'_>, conversation: &std::ops::Range<usize>, nth: usize, frame: &Frame<'_>) -> Tier {
    let ended = conversation.clone().last().and_then(|last| candidates.messages.get(last)).map(|placed| placed.message.occurred_at);
    let Some(ended) = ended else { return Tier::Older };
    if nth == 0 && frame.thread == Thread::Continuation {
        Tier::Live
    } else if days_before(ended, frame.as_of, frame.zone) <= 0 || frame.as_of.duration_since(ended) < frame.carry_over {
        Tier::Today
    } else {
        Tier::Older
    }
}

fn keep_head_and_tail(
    candidates: &Candidates<'_>,
    kept: &mut Kept,
    conversation: std::ops::Range<usize>,
    budget: u32,
    block: u64,
    why: &'static str,
) {
    let share = u32::try_from(u64::from(budget) * HEAD_PERCENT / 100).unwrap_or(0);
    let mut head = conversation.start;
    let mut spent = 0;
    while let Some(cost) = candidates.costs.get(head).filter(|cost| head < conversation.end && spent + **cost <= share) {
        spent += cost;
        head += 1;
    }
    let tail = candidates.block_start(head..conversation.end, budget - spent, block);
    mark(kept, conversation.start..head, "the beginning of the live conversation");
    mark(kept, tail..conversation.end, why);
}

fn mark(kept: &mut Kept, range: std::ops::Range<usize>, why: &'static str) {
    for slot in kept.iter_mut().take(range.end).skip(range.start) {
        *slot = Some(why);
    }
}
