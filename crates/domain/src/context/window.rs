//! Chooses the messages of the lane that stay verbatim, for the presets that count messages. [`tiers`] is separate.

use super::past::Candidate;
use super::preset::Window;
use super::tiers;
use crate::message::Role;

/// For each candidate, why it is kept, or `None`.
pub(super) type Choice = Vec<Option<&'static str>>;

/// Chooses the messages to keep within the budget.
pub(super) fn choose(all: &[Candidate], window: Window, frame: &tiers::Frame<'_>, budget: u32) -> Choice {
    let (start, why) = match window {
        Window::Tiers { carry_over, older } => {
            return tiers::choose(all, frame, carry_over, older, budget);
        }
        Window::Last { messages } => {
            let last = start_of_last(all, messages, |_| true);
            (last.max(fitting_start(all, budget)), "one of the last messages")
        }
        Window::Tail => {
            (block_start(&all.iter().collect::<Vec<_>>(), budget, frame.block), "recent in this lane")
        }
        Window::Everything { at_least, percent, .. } => {
            let share = u32::try_from(u64::from(budget) * u64::from(percent) / 100).unwrap_or(budget);
            let start = if cost(all) <= budget { 0 } else { fitting_start(all, share) };
            (start.min(all.len().saturating_sub(at_least)), "everything that fits")
        }
        Window::Exchanges { exchanges, characters } => {
            let last = start_of_last(all, exchanges * 2, |role| matches!(role, Role::User | Role::Assistant));
            let length = |candidate: &Candidate| {
                u32::try_from(candidate.said.text.chars().count()).unwrap_or(u32::MAX)
            };
            let most = u32::try_from(characters).unwrap_or(u32::MAX);
            let start = last.max(fitting_start(all, budget)).max(fitting(all.iter().map(length), most));
            (start, "one of the last exchanges")
        }
    };
    (0..all.len()).map(|index| (index >= start).then_some(why)).collect()
}

/// The total cost of messages.
pub(super) fn cost<'a>(messages: impl IntoIterator<Item = &'a Candidate>) -> u32 {
    messages.into_iter().fold(0, |sum, candidate| sum.saturating_add(candidate.cost))
}

/// The first message from which the rest fits the budget, moved up to the next block of the lane's messages, so that it
/// stays the same while new messages arrive. A window of few messages moves in smaller steps, which cost at most half
/// of what would fit.
pub(super) fn block_start(line: &[&Candidate], budget: u32, block: u64) -> usize {
    let start = fitting(line.iter().map(|candidate| candidate.cost), budget);
    let fits = (line.len() - start) as u64;
    let Some(step) =
        [block, block / 2].into_iter().find(|step| *step > 1 && step * 2 <= fits).filter(|_| start > 0)
    else {
        return start;
    };
    let begins_block = |pair: &[&Candidate]| match pair {
        [before, candidate] => before.ordinal / step != candidate.ordinal / step,
        _ => false,
    };
    let moved = line.get(start - 1..).and_then(|rest| rest.windows(2).position(begins_block));
    start + moved.unwrap_or(0)
}

fn fitting_start(all: &[Candidate], budget: u32) -> usize {
    fitting(all.iter().map(|candidate| candidate.cost), budget)
}

/// The first index from which the rest sums up to at most `most`.
fn fitting(sizes: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator, most: u32) -> usize {
    let mut left = most;
    let mut start = sizes.len();
    for size in sizes.rev() {
        match left.checked_sub(size) {
            Some(rest) => left = rest,
            None => break,
        }
        start -= 1;
    }
    start
}

fn start_of_last(all: &[Candidate], count: usize, counts: impl Fn(Role) -> bool) -> usize {
    let counted = all.iter().enumerate().rev().filter(|(_, candidate)| counts(candidate.role));
    count
        .checked_sub(1)
        .map_or(all.len(), |skipped| counted.map(|(index, _)| index).nth(skipped).unwrap_or(0))
}
