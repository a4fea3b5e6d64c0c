//! Answers with the plan that was made, whole: the newest list of an assistant's that the person accepted.

use throughline_text::answers::listed;
use throughline_text::when;

use super::quote;
use super::remembered::{By, Passage, Remembered};
use crate::Turn;
use crate::embed::BuiltIn;

/// A plan has at least this many steps.
const FEWEST_STEPS: usize = 2;

/// The plan of the time that is asked about, the accepted before others, the nearer to the question, the newer.
pub fn answer(asked: &str, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let when = when::read(asked, turn.now, &turn.zone);
    let is_then = |passage: &Passage| {
        when.as_ref().zip(passage.at).is_some_and(|(when, at)| when.from <= at && at < when.until)
    };
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(asked, &[]));
    let plans = remembered
        .0
        .iter()
        .filter(|passage| passage.by == By::Assistant && listed(passage.full_text()).len() >= FEWEST_STEPS);
    let best = plans.max_by_key(|plan| {
        let overlap = near.as_mut().map_or(0.0, |near| near.soft_overlap(plan.full_text()));
        // Nearly equal is equal: then the newer one counts.
        (is_then(plan), plan.is_accepted, (overlap * 4.0).round() as i32, plan.at)
    })?;
    Some(format!("{}:\n{}", quote::who_and_when(turn, best), best.full_text().trim()))
}
