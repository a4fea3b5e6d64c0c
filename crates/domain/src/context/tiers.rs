//! Time tiers: the live conversation in full, today's in full while the budget lasts, older ones by their summaries.
//! What no summary covers is shown word for word, newest first, within the budget.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::past::Candidate;
use super::window::{Choice, block_start, cost};
use crate::time::days_before;

/// The share of the budget that the beginning of an oversize live conversation keeps.
const HEAD_PERCENT: u64 = 15;

/// What the tiers are measured from.
pub(super) struct Frame<'a> {
    /// The start of the live conversation, or now.
    pub as_of: Timestamp,
    pub zone: &'a TimeZone,
    /// For each candidate whether a summary stands for it.
    pub covered: Vec<bool>,
    pub block: u64,
}

/// For each candidate why it is kept, or nothing.
pub(super) fn choose(
    all: &[Candidate],
    frame: &Frame<'_>,
    carry_over: SignedDuration,
    budget: u32,
) -> Choice {
    let (today_from, live_from) = tiers(all, frame, carry_over);
    let why = |index: usize| match index {
        _ if index >= live_from => Some("the live conversation"),
        _ if index >= today_from => Some("a conversation of today"),
        _ if frame.covered.get(index) == Some(&true) => None,
        _ => Some("no summary covers it yet"),
    };
    let live: Vec<&Candidate> = all.iter().skip(live_from).collect();
    if cost(live.iter().copied()) > budget {
        let kept = head_and_tail(&live, budget, frame.block);
        return std::iter::repeat_n(None, live_from).chain(kept).collect();
    }
    // One strand from the newest back to the first that does not fit, over what summaries stand for.
    let wanted: Vec<(usize, &Candidate)> =
        all.iter().enumerate().filter(|(index, _)| why(*index).is_some()).collect();
    let line: Vec<&Candidate> = wanted.iter().map(|(_, candidate)| *candidate).collect();
    let start = wanted.get(block_start(&line, budget, frame.block)).map_or(all.len(), |(index, _)| *index);
    let start = start.min(live_from);
    (0..all.len()).map(|index| why(index).filter(|_| index >= start)).collect()
}

/// Where today's conversations begin, and where the live one does. The newest conversation of today counts as live after
/// the silence that ends it, too: only the greeting changes then, nothing is lost.
fn tiers(all: &[Candidate], frame: &Frame<'_>, carry_over: SignedDuration) -> (usize, usize) {
    let is_today = |ended: Timestamp| {
        days_before(ended, frame.as_of, frame.zone) <= 0 || frame.as_of.duration_since(ended) < carry_over
    };
    let (mut today_from, mut live_from) = (all.len(), all.len());
    for conversation in all.chunk_by(|one, next| one.conversation == next.conversation).rev() {
        if !conversation.last().is_some_and(|last| is_today(last.position.at)) {
            break;
        }
        today_from -= conversation.len();
        if live_from == all.len() {
            live_from = today_from;
        }
    }
    (today_from, live_from)
}

/// The beginning and the end of a conversation that is too long to be shown.
fn head_and_tail(live: &[&Candidate], budget: u32, block: u64) -> Choice {
    let share = u32::try_from(u64::from(budget) * HEAD_PERCENT / 100).unwrap_or(0);
    let mut spent = 0;
    let fits = |candidate: &&&Candidate| {
        let fits = spent + candidate.cost <= share;
        spent += if fits { candidate.cost } else { 0 };
        fits
    };
    let head = live.iter().take_while(fits).count();
    let rest = live.get(head..).unwrap_or_default();
    let tail = head + block_start(rest, budget - spent, block);
    let why = |index: usize| match index {
        _ if index < head => Some("the beginning of the live conversation"),
        _ if index >= tail => Some("the live conversation"),
        _ => None,
    };
    (0..live.len()).map(why).collect()
}
