//! Merges a new summary with the previous one: everything while there is room, then the most informative lines.

use super::sections::{Said, Sections};
use super::worth::value;
use crate::tokens::estimate;

/// Weight of a decision compared with another line, because it represents the discussion that led to it.
const DECISION: f32 = 3.0;
/// The index of the decisions among the sections.
const DECISIONS: usize = 1;
/// Maximum tokens of a line's bullet and mark, and of the five headings together.
const PER_LINE: u32 = 4;
const HEADINGS: u32 = 24;

/// The previous sections followed by the new ones, each oldest first. A previous line is dropped if a new one says the
/// same or more; a fact or a decision only if a new fact or decision does.
///
/// If the total exceeds `most_tokens`, the least informative lines per token are left out.
#[must_use]
pub fn merged(previous: &Sections, new: Sections, most_tokens: u32) -> Sections {
    let lasting: Vec<Said> = new.facts.iter().chain(&new.decisions).map(|line| Said::new(line)).collect();
    let all: Vec<Said> = new.lines().map(Said::new).collect();
    let mut whole = Sections {
        goals: joined(&previous.goals, new.goals, &all),
        decisions: joined(&previous.decisions, new.decisions, &lasting),
        facts: joined(&previous.facts, new.facts, &lasting),
        outcomes: joined(&previous.outcomes, new.outcomes, &all),
        pending: joined(&previous.pending, new.pending, &all),
    };
    fit(&mut whole, most_tokens);
    whole
}

/// The previous lines that no new line repeats, then the new ones.
fn joined(previous: &[String], new: Vec<String>, repeated: &[Said]) -> Vec<String> {
    let is_repeated = |line: &&String| {
        let old = Said::new(line);
        repeated.iter().any(|new| new.covers(&old))
    };
    previous.iter().filter(|line| !is_repeated(line)).cloned().chain(new).collect()
}

fn fit(sections: &mut Sections, most_tokens: u32) {
    if estimate(&sections.render()) <= most_tokens {
        return;
    }
    let whole = std::mem::take(sections);
    let Sections { goals, decisions, facts, outcomes, pending } = whole;
    let mut ranked: Vec<Ranked> = Vec::new();
    for (section, lines) in [goals, decisions, facts, outcomes, pending].into_iter().enumerate() {
        let weight = if section == DECISIONS { DECISION } else { 1.0 };
        ranked.extend(lines.into_iter().enumerate().map(|(place, line)| {
            let cost = estimate(&line) + PER_LINE;
            Ranked { section, place, cost, density: weight * value(&line) / (cost as f32).sqrt(), line }
        }));
    }
    // Of two equally informative lines, the newer one stays.
    ranked.sort_by(|a, b| b.density.total_cmp(&a.density).then(b.place.cmp(&a.place)));
    let mut left = most_tokens.saturating_sub(HEADINGS);
    ranked.retain(|line| {
        let rest = left.checked_sub(line.cost);
        left = rest.unwrap_or(left);
        rest.is_some()
    });
    ranked.sort_by_key(|line| (line.section, line.place));
    let Sections { goals, decisions, facts, outcomes, pending } = sections;
    let targets = [goals, decisions, facts, outcomes, pending];
    for (section, lines) in targets.into_iter().enumerate() {
        lines.extend(ranked.iter().filter(|line| line.section == section).map(|line| line.line.clone()));
    }
}

/// A line, and its information per token.
struct Ranked {
    section: usize,
    place: usize,
    line: String,
    cost: u32,
    density: f32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn d4_previous_lines_stand_before_the_new_ones_unless_said_again() {
        let previous = Sections {
            facts: lines(&[
                "The hall seats 90",
                "Ana keeps the key",
                "The door is green",
                "The lamp is broken",
            ]),
            pending: lines(&["Call Ana"]),
            ..Sections::default()
        };
        let new = Sections {
            facts: lines(&["the hall seats 90!", "The door is green and creaks"]),
            decisions: lines(&["We decided: Ana keeps the key"]),
            outcomes: lines(&["I will call Ana; the lamp is broken and was not fixed"]),
            pending: lines(&["Buy paint"]),
            ..Sections::default()
        };
        let whole = merged(&previous, new, 900);
        assert_eq!(whole.facts, ["The lamp is broken", "the hall seats 90!", "The door is green and creaks"]);
        assert_eq!(whole.decisions, ["We decided: Ana keeps the key"]);
        assert_eq!(whole.pending, ["Buy paint"]);
    }

    #[test]
    fn d4_a_short_budget_drops_talk_first_and_a_decision_last() {
        let previous = Sections {
            goals: lines(&["Learn to sail this summer with Jonas"]),
            decisions: lines(&["We settled on the blue boat"]),
            facts: lines(&["My berth number is 4471", "It was really nice"]),
            ..Sections::default()
        };
        let whole = estimate(&previous.render());
        let shorter = merged(&previous, Sections::default(), whole - 1);
        assert!(!shorter.facts.contains(&"It was really nice".to_owned()), "{shorter:?}");
        for most in 36..whole {
            assert_eq!(merged(&previous, Sections::default(), most).decisions, previous.decisions, "{most}");
        }
    }

    #[test]
    fn d4_an_agreement_stands_after_thirteen_compactions_and_chatter_is_gone() {
        let agreed = "We agreed that Ana keeps the dog and Bo the boat";
        let mut sections = Sections { decisions: lines(&[agreed]), ..Sections::default() };
        for round in 0..13 {
            let places = ["Oslo", "Turin", "Ghent", "Porto", "Lyon", "Graz", "Cork", "Bergen"];
            let facts = places
                .iter()
                .map(|place| format!("My flight to {place} has number KX{round}7 and seat {round}"));
            let new = Sections {
                facts: facts.collect(),
                goals: lines(&["That is so good", "I am so happy about this"]),
                ..Sections::default()
            };
            sections = merged(&sections, new, 300);
        }
        assert!(sections.decisions.contains(&agreed.to_owned()), "{sections:?}");
        assert!(sections.goals.is_empty(), "{sections:?}");
        assert!(estimate(&sections.render()) <= 300);
    }

    proptest! {
        #[test]
        fn d4_no_summary_costs_more_than_it_may_and_facts_stay_word_for_word(
            old in proptest::collection::vec("[a-z]{3,8} [a-z]{3,8} [0-9]{1,6}", 0..30),
            new in proptest::collection::vec("[a-z]{3,8} [a-z]{3,8}", 0..30),
            most in 0u32..600,
        ) {
            let previous = Sections { facts: old.clone(), outcomes: new.clone(), ..Sections::default() };
            let whole = merged(&previous, Sections { goals: new.clone(), ..Sections::default() }, most);
            prop_assert!(estimate(&whole.render()) <= most);
            prop_assert!(whole.facts.iter().all(|fact| old.contains(fact)));
        }
    }
}
