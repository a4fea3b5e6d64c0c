//! Finds the remembered passages that best match a question or its time.

use std::collections::{HashMap, HashSet};

use throughline_domain::time;
use throughline_text::{question, when, words};

use super::known::Known;
use super::quote;
use super::remembered::{By, Passage, Remembered};
use crate::Turn;
use crate::embed::BuiltIn;

/// Factor by which another passage must match better to be preferred to the person's own statement.
const PREFERENCE: f32 = 0.6;
/// Minimum share of a question for passages that share no word with it.
const MIN_SHARE: f32 = 0.4;
/// Maximum number of statements in a recap.
const MAX_RECAP: usize = 8;

/// Quotes the best matching passage that is still valid.
pub fn best(asked: &str, remembered: &Remembered, known: &Known, turn: &Turn) -> Option<String> {
    let then = of_the_time(asked, remembered, turn);
    let pool: Vec<&Passage> = if then.is_empty() { remembered.0.iter().collect() } else { then };
    let subject = question::read(asked, &[], turn.now, &turn.zone).subject;
    let scored = scored(&pool, &subject);
    let holds = |passage: &Passage| passage.by != By::Person || known.holds(passage, remembered, turn);
    let best = scored.iter().find(|(_, passage)| holds(passage))?;
    let statement = scored.iter().find(|(_, passage)| passage.by == By::Person && holds(passage));
    let (_, chosen) = statement.filter(|statement| statement.0 >= best.0 * PREFERENCE).unwrap_or(best);
    Some(quote::with_time(turn, chosen, &quote::passage(&chosen.text, asked)))
}

/// A recap of the time that a question names.
pub fn recap(asked: &str, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let then = of_the_time(asked, remembered, turn);
    let (own, others): (Vec<&Passage>, Vec<&Passage>) =
        then.into_iter().partition(|passage| passage.by == By::Person);
    let mut told = if own.is_empty() { others } else { own };
    told.sort_by_key(|passage| passage.at);
    let skipped = told.len().saturating_sub(MAX_RECAP);
    let line = |passage: &&Passage| {
        let at = passage
            .at
            .map(|at| format!("{}, {}: ", time::long_date(at, &turn.zone), time::clock(at, &turn.zone)));
        format!("• {}{}", at.unwrap_or_default(), quote::passage(&passage.text, asked))
    };
    let lines: Vec<String> = told.iter().skip(skipped).map(line).collect();
    let who = told.first()?.who.clone();
    Some(format!("{who}:\n{}", lines.join("\n")))
}

/// The passages of the past time that a question names.
fn of_the_time<'a>(asked: &str, remembered: &'a Remembered, turn: &Turn) -> Vec<&'a Passage> {
    let Some(when) = when::read(asked, turn.now, &turn.zone).filter(|when| when.until <= turn.now) else {
        return Vec::new();
    };
    let is_then = |passage: &&Passage| passage.at.is_some_and(|at| when.from <= at && at < when.until);
    remembered.0.iter().filter(is_then).collect()
}

/// The passages that match a question, best first: rare words weigh more, and newer passages win ties.
fn scored<'a>(pool: &[&'a Passage], subject: &str) -> Vec<(f32, &'a Passage)> {
    let wanted = words::query_terms(subject);
    let held: Vec<HashSet<String>> =
        pool.iter().map(|passage| words::terms(&passage.text).into_iter().collect()).collect();
    let weights: HashMap<&str, f32> = wanted
        .iter()
        .map(|term| {
            let with = held.iter().filter(|terms| terms.contains(&term.text)).count() as f32;
            (term.text.as_str(), term.weight * (1.0 + (held.len() as f32 - with + 0.5) / (with + 0.5)).ln())
        })
        .collect();
    let all: f32 = weights.values().sum();
    let score = |terms: &HashSet<String>| -> f32 {
        let found: f32 = wanted
            .iter()
            .filter(|term| terms.contains(&term.text))
            .filter_map(|term| weights.get(term.text.as_str()))
            .sum();
        if all > 0.0 { found / all } else { 0.0 }
    };
    // "Which pet" finds "my dog", although they share no word.
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(subject, &[]));
    let mut similarity = |text: &str| near.as_mut().map_or(0.0, |near| near.soft_overlap(text));
    let mut scored: Vec<(f32, &Passage)> = held
        .iter()
        .map(score)
        .zip(pool)
        .map(|(score, passage)| (score, similarity(&passage.text), *passage))
        .filter(|(score, similarity, _)| *score > 0.0 || *similarity >= MIN_SHARE)
        .map(|(score, similarity, passage)| (score + similarity, passage))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.at.cmp(&a.1.at)));
    scored
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn words(by: By, minutes: i64, text: &str) -> Passage {
        let at = Timestamp::from_second(1_771_000_000 + minutes * 60).unwrap();
        Passage { at: Some(at), ..Passage::new(by, "You said".to_owned(), text.to_owned()) }
    }

    fn first(passages: &[Passage], asked: &str) -> Option<String> {
        let pool: Vec<&Passage> = passages.iter().collect();
        scored(&pool, asked).first().map(|(_, passage)| passage.text.clone())
    }

    #[test]
    fn of_two_equal_statements_the_newer_is_quoted() {
        let passages =
            [words(By::Person, 0, "I live in Singapore"), words(By::Person, 9, "I live in Berlin")];
        assert_eq!(first(&passages, "Where do I live?").as_deref(), Some("I live in Berlin"));
    }

    #[test]
    fn what_shares_no_telling_word_is_no_match() {
        assert_eq!(first(&[words(By::Person, 0, "The cat is on the roof")], "Who won the election?"), None);
    }

    #[test]
    fn a_number_is_matched_by_itself() {
        let passages: Vec<Passage> =
            (1..=22).map(|n| words(By::Person, n, &format!("Message {n}"))).collect();
        assert_eq!(first(&passages, "What was message number 3?").as_deref(), Some("Message 3"));
        assert_eq!(first(&passages, "What was message number 1?").as_deref(), Some("Message 1"));
    }
}
