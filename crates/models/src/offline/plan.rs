//! Answers with a whole plan: the newest list of the assistant that the person accepted.

use throughline_text::answers::listed;
use throughline_text::when;

use super::quote;
use super::remembered::{By, Passage, Remembered};
use crate::Turn;
use crate::embed::BuiltIn;

/// Minimum number of steps in a plan.
const MIN_STEPS: usize = 2;

/// Chooses the plan by the time in question, then acceptance, similarity to the question, and age.
pub fn answer(asked: &str, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let when = when::read(asked, turn.now, &turn.zone);
    let is_then = |passage: &Passage| {
        when.as_ref().zip(passage.at).is_some_and(|(when, at)| when.from <= at && at < when.until)
    };
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(asked, &[]));
    let plans = remembered
        .0
        .iter()
        .filter(|passage| passage.by == By::Assistant && listed(passage.full_text()).len() >= MIN_STEPS);
    let best = plans.max_by_key(|plan| {
        let overlap = near.as_mut().map_or(0.0, |near| near.soft_overlap(plan.full_text()));
        // Rounding makes nearly equal overlaps ties, which the newer plan wins.
        (is_then(plan), plan.is_accepted, (overlap * 4.0).round() as i32, plan.at)
    })?;
    Some(format!("{}:\n{}", quote::who_and_when(turn, best), best.full_text().trim()))
}
