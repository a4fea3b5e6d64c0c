//! Which messages of the lane stay word for word, for the presets that count. The tiers have their own file.

use super::material::Placed;
use super::preset::Window;
use crate::message::Role;

/// The messages that could be shown, oldest first, with what each costs as a line.
pub(super) struct Candidates<'a> {
    pub messages: Vec<&'a Placed>,
    pub costs: Vec<u32>,
}

/// For each candidate why it is kept, or nothing.
pub(super) type Kept = Vec<Option<&'static str>>;

impl Candidates<'_> {
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    pub fn cost(&self, range: std::ops::Range<usize>) -> u32 {
        self.costs.get(range).map_or(0, |costs| costs.iter().fold(0, |sum, cost| sum.saturating_add(*cost)))
    }

    /// The first of `range` from which everything up to its end fits the budget.
    pub fn fitting_start(&self, range: std::ops::Range<usize>, budget: u32) -> usize {
        let mut left = budget;
        let mut start = range.end;
        for (index, cost) in self.costs.iter().enumerate().take(range.end).skip(range.start).rev() {
            match left.checked_sub(*cost) {
                Some(rest) => left = rest,
                None => break,
            }
            start = index;
        }
        start
    }

    /// The same, moved up to a multiple of `block` in the lane's count, so that the start stands still for `block` messages.
    pub fn block_start(&self, range: std::ops::Range<usize>, budget: u32, block: u64) -> usize {
        let start = self.fitting_start(range.clone(), budget);
        if start == range.start || block < 2 {
            return start;
        }
        let aligned = |index: usize| self.messages.get(index).is_some_and(|placed| placed.ordinal.is_multiple_of(block));
        (start..range.end).find(|index| aligned(*index)).unwrap_or(start)
    }

    pub fn keep_from(&self, start: usize, why: &'static str) -> Kept {
        (0..self.len()).map(|index| (index >= start).then_some(why)).collect()
    }
}

/// Chooses by count or by budget; `None` when the window is one of tiers. The error is what must be kept, in tokens.
pub(super) fn choose(candidates: &Candidates<'_>, window: Window, budget: u32, block: u64) -> Result<Option<Kept>, u32> {
    let all = 0..candidates.len();
    let kept = match window {
        Window::Tiers { .. } => return Ok(None),
        Window::Last { messages } => {
            let talk = start_of_last(candidates, messages, |role| role != Role::System);
            candidates.keep_from(candidates.fitting_start(talk..all.end, budget), "one of the last messages")
        }
        Window::Tail => candidates.keep_from(candidates.block_start(all, budget, block), "recent in this lane"),
        Window::Everything { at_least, percent, ceiling } => {
            let must = all.end.saturating_sub(at_least);
            let needed = candidates.cost(must..all.end);
            if needed > ceiling {
                return Err(needed);
            }
            let whole = candidates.cost(all.clone()) <= budget;
            let share = u32::try_from(u64::from(budget) * u64::from(percent) / 100).unwrap_or(budget);
            let start = if whole { 0 } else { candidates.block_start(all, share, block).min(must) };
            candidates.keep_from(start, "everything that fits")
        }
        Window::Exchanges { exchanges, characters } => {
            let talk = start_of_last(candidates, exchanges * 2, |role| matches!(role, Role::User | Role::Assistant));
            let mut start = candidates.fitting_start(talk..all.end, budget);
            let mut left = characters;
            for index in (start..all.end).rev() {
                let length = candidates.messages.get(index).map_or(0, |placed| placed.message.text.chars().count());
                match left.checked_sub(length) {
                    Some(rest) => left = rest,
                    None => {
                        start = index + 1;
                        break;
                    }
                }
            }
            candidates.keep_from(start, "one of the last exchanges")
        }
    };
    Ok(Some(kept))
}

fn start_of_last(candidates: &Candidates<'_>, count: usize, counts: impl Fn(Role) -> bool) -> usize {
    let mut seen = 0;
    for (index, placed) in candidates.messages.iter().enumerate().rev() {
        if counts(placed.message.role) {
            seen += 1;
        }
        if seen == count {
            return index;
        }
    }
    0
}
