//! Answers with one item of a list: "the 3rd item", "number 2 on the list".

use throughline_text::answers::{listed, place_in_list};

use super::quote;
use super::remembered::{Passage, Remembered};
use crate::Turn;
use crate::embed::BuiltIn;

/// The item of the list that is nearest to the question, and then the newest.
pub fn answer(asked: &str, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let place = place_in_list(asked)?;
    let item = |passage: &Passage| {
        let items = listed(passage.full_text());
        let last = if items.len() > 1 { items.last().cloned() } else { None };
        usize::try_from(place).map_or(last, |nth| items.get(nth.checked_sub(1)?).cloned())
    };
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(asked, &[]));
    let lists = remembered.0.iter().filter_map(|passage| Some((passage, item(passage)?)));
    let (passage, item) = lists.max_by_key(|(passage, _)| {
        let overlap = near.as_mut().map_or(0.0, |near| near.soft_overlap(passage.full_text()));
        // Rounding makes nearly equal overlaps ties, which the newer list wins.
        ((overlap * 4.0).round() as i32, passage.at)
    })?;
    Some(quote::with_time(turn, passage, &item))
}
