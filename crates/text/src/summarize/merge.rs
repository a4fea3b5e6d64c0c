//! What a new summary takes over from the one before it: durable lines word for word, the rest while there is room.

use super::sections::{Said, Sections};
use super::worth::worth;
use crate::tokens::estimate;

/// What the sections of one summary may cost, in tokens.
pub const MOST_TOKENS: u32 = 900;

/// The new sections after those of the previous summary, each oldest first. A previous line goes if a new one says
/// the same or the same and more; a fact or a decision only if a new fact or decision does.
///
/// Where all of it would cost more than `most_tokens`, lines are dropped until it fits: outcomes, goals and pending
/// actions first, in this order and each oldest first, then the oldest decisions, and last the facts that say least.
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
    while estimate(&sections.render()) > most_tokens {
        let Sections { goals, decisions, facts, outcomes, pending } = sections;
        let oldest = [outcomes, goals, pending, decisions].into_iter().find(|section| !section.is_empty());
        if let Some(section) = oldest {
            section.remove(0);
            continue;
        }
        let least = facts.iter().enumerate().min_by_key(|(_, line)| worth(line));
        let Some(least) = least.map(|(index, _)| index) else { return };
        facts.remove(least);
    }
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
        let whole = merged(&previous, new, MOST_TOKENS);
        assert_eq!(whole.facts, ["The lamp is broken", "the hall seats 90!", "The door is green and creaks"]);
        assert_eq!(whole.decisions, ["We decided: Ana keeps the key"]);
        assert_eq!(whole.pending, ["Buy paint"]);
    }

    #[test]
    fn d4_a_short_budget_drops_outcomes_first_and_facts_last() {
        let previous = Sections {
            goals: lines(&["Learn to sail this summer"]),
            decisions: lines(&["We settled on the blue boat"]),
            facts: lines(&["My berth number is 4471"]),
            outcomes: lines(&["The first lesson went badly", "The second lesson worked"]),
            pending: lines(&["Pay the harbor fee"]),
        };
        let mut gone: Vec<String> = Vec::new();
        let mut left = previous.clone();
        for most in (0..=estimate(&previous.render())).rev() {
            let next = merged(&previous, Sections::default(), most);
            gone.extend(
                left.lines().filter(|line| !next.lines().any(|kept| kept == *line)).map(str::to_owned),
            );
            left = next;
        }
        let order = [
            "The first lesson went badly",
            "The second lesson worked",
            "Learn to sail this summer",
            "Pay the harbor fee",
            "We settled on the blue boat",
            "My berth number is 4471",
        ];
        assert_eq!(gone, order);
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
            // As long as anything else is there, no fact was dropped.
            if !whole.goals.is_empty() {
                prop_assert_eq!(whole.facts, old);
            }
        }
    }
}
