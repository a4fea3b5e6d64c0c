//! The five sections of a summary: parsed from a model's answer, and rendered for people.

use std::collections::HashSet;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::redact::redact;
use crate::shorten::{one_line, shorten};
use crate::words::{is_stop_word, terms};

/// Maximum bytes of an answer; a longer one is not a summary.
pub const LONGEST_ANSWER: usize = 64 * 1024;
/// Maximum lines of a section.
pub const MOST_LINES: usize = 40;
/// Maximum characters of a line.
pub const LONGEST_LINE: usize = 300;

/// The mark before a pending action, so that it is not mistaken for a finished one.
const PENDING: &str = "[pending]";

/// The content of a span of messages, line by line, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sections {
    /// Goals, and open questions.
    pub goals: Vec<String>,
    /// Decisions.
    pub decisions: Vec<String>,
    /// Facts and constraints.
    pub facts: Vec<String>,
    /// What was tried, with its outcome.
    pub outcomes: Vec<String>,
    /// Pending actions.
    pub pending: Vec<String>,
}

/// Why a model's answer cannot be parsed as sections.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSections {
    /// It is too long.
    #[error("the answer has {0} bytes, and the most is {LONGEST_ANSWER}")]
    TooLong(usize),
    /// It contains no complete object with the five sections.
    #[error("the answer holds no JSON object with goals, decisions, facts, outcomes and pending")]
    NoObject,
}

impl Sections {
    /// Parses a model's answer: one JSON object with the five keys, each a list of strings. Text and code fences around
    /// it are ignored.
    ///
    /// # Errors
    /// If the answer is too long, or the object is incomplete or has another shape.
    pub fn parse(answer: &str) -> Result<Self, BadSections> {
        if answer.len() > LONGEST_ANSWER {
            return Err(BadSections::TooLong(answer.len()));
        }
        let object_at = |start: usize| {
            let rest = answer.get(start..)?;
            serde_json::Deserializer::from_str(rest).into_iter::<Self>().next()?.ok()
        };
        let found = answer.match_indices('{').find_map(|(start, _)| object_at(start));
        found.map(Self::cleaned).ok_or(BadSections::NoObject)
    }

    /// The sections as text for people; empty if all sections are.
    #[must_use]
    pub fn render(&self) -> String {
        let parts = [
            ("Goals and open questions", &self.goals, ""),
            ("Decisions", &self.decisions, ""),
            ("Important facts and constraints", &self.facts, ""),
            ("Recent outcomes", &self.outcomes, ""),
            ("Pending actions", &self.pending, "[pending] "),
        ];
        let mut written: Vec<String> = Vec::new();
        for (heading, lines, mark) in parts.into_iter().filter(|(_, lines, _)| !lines.is_empty()) {
            written.push(format!("{heading}:"));
            written.extend(lines.iter().map(|line| format!("- {mark}{line}")));
        }
        written.join("\n")
    }

    /// Returns true if all sections are empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all().into_iter().all(Vec::is_empty)
    }

    /// The lines of all sections.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.all().into_iter().flatten().map(String::as_str)
    }

    fn all(&self) -> [&Vec<String>; 5] {
        [&self.goals, &self.decisions, &self.facts, &self.outcomes, &self.pending]
    }

    fn cleaned(mut self) -> Self {
        let Self { goals, decisions, facts, outcomes, pending } = &mut self;
        let mut known = HashSet::new();
        // A line in two sections stays in the one that is kept longer.
        for section in [facts, decisions, goals, pending, outcomes] {
            let lines = std::mem::take(section).into_iter().filter_map(|line| clean(&line));
            section.extend(lines.filter(|line| known.insert(letters(line))).take(MOST_LINES));
        }
        self
    }
}

/// One line without secrets and of bounded length; `None` if no letter is left.
fn clean(line: &str) -> Option<String> {
    // Redact first: half of a secret would not be recognized.
    let line = one_line(&redact(line));
    let bare = line.strip_prefix(PENDING).map_or(line.as_str(), str::trim_start);
    (!letters(bare).is_empty()).then(|| shorten(bare, LONGEST_LINE))
}

/// The letters and digits of a line in lower case, by which two lines are compared.
pub(super) fn letters(line: &str) -> String {
    line.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Lines that were said, by their terms: a new one is compared only with those that may say the same.
#[derive(Default)]
pub(super) struct Lines {
    all: Vec<Said>,
    letters: FxHashSet<String>,
    by_term: FxHashMap<String, Vec<usize>>,
}

impl Lines {
    pub fn push(&mut self, said: Said) {
        for term in &said.terms {
            self.by_term.entry(term.clone()).or_default().push(self.all.len());
        }
        self.letters.insert(said.letters.clone());
        self.all.push(said);
    }

    /// Returns true if one of them says the same as a line, or more.
    pub fn cover(&self, line: &Said) -> bool {
        // A line that has all its terms has the rarest one.
        let rarest = line.terms.iter().map(|term| self.having(term)).min_by_key(|lines| lines.len());
        self.letters.contains(&line.letters)
            || self.of(rarest.unwrap_or_default()).any(|said| said.covers(line))
    }

    /// Returns true if one of them contains most of a line's terms about a subject.
    pub fn overlap(&self, line: &Said) -> bool {
        let telling = line.terms.iter().filter(|term| !is_stop_word(term));
        let mut having: Vec<&[usize]> = telling.map(|term| self.having(term)).collect();
        having.sort_by_key(|lines| lines.len());
        // A line that has more than half of the terms has one of the rarer half.
        let rarer = having.len() - having.len() / 2;
        having.into_iter().take(rarer).any(|lines| self.of(lines).any(|said| said.overlaps(line)))
    }

    fn having(&self, term: &str) -> &[usize] {
        self.by_term.get(term).map(Vec::as_slice).unwrap_or_default()
    }

    fn of(&self, places: &[usize]) -> impl Iterator<Item = &Said> {
        places.iter().filter_map(|place| self.all.get(*place))
    }
}

/// A line prepared for comparison with another.
pub(super) struct Said {
    letters: String,
    terms: HashSet<String>,
}

impl Said {
    pub fn new(line: &str) -> Self {
        Self { letters: letters(line), terms: terms(line).into_iter().collect() }
    }

    /// Returns true if it says the same as an older line, or more.
    pub fn covers(&self, old: &Self) -> bool {
        self.letters == old.letters || !old.terms.is_empty() && old.terms.is_subset(&self.terms)
    }

    /// Returns true if it contains most of the other line's terms about a subject.
    pub fn overlaps(&self, other: &Self) -> bool {
        let telling: Vec<&String> = other.terms.iter().filter(|term| !is_stop_word(term)).collect();
        let shared = telling.iter().filter(|term| self.terms.contains(**term)).count();
        shared * 2 > telling.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn facts(lines: &[&str]) -> Sections {
        Sections { facts: lines.iter().map(ToString::to_string).collect(), ..Sections::default() }
    }

    #[test]
    fn d4_a_summary_is_written_under_five_headings_and_pending_actions_are_marked() {
        let sections = Sections {
            goals: vec!["Run a marathon".into()],
            decisions: vec!["We take the train".into()],
            facts: vec!["The hall seats 90".into()],
            outcomes: vec!["The first offer was refused".into()],
            pending: vec!["Call the landlord".into()],
        };
        assert_eq!(
            sections.render(),
            "Goals and open questions:\n- Run a marathon\nDecisions:\n- We take the train\n\
             Important facts and constraints:\n- The hall seats 90\nRecent outcomes:\n- The first offer was refused\n\
             Pending actions:\n- [pending] Call the landlord"
        );
        assert_eq!(facts(&["a"]).render(), "Important facts and constraints:\n- a");
        assert_eq!(Sections::default().render(), "");
    }

    #[test]
    fn d4_a_models_answer_is_read_with_or_without_words_around_it() {
        let object =
            r#"{"goals":[],"decisions":[],"facts":["The hall seats 90"],"outcomes":[],"pending":[]}"#;
        for answer in [
            object.to_owned(),
            format!("Here {{it}} is:\n```json\n{object}\n```\nAnything else?"),
            format!("<think>{{\"a\": 1}}</think>{object}"),
        ] {
            assert_eq!(Sections::parse(&answer), Ok(facts(&["The hall seats 90"])), "{answer}");
        }
    }

    #[test]
    fn d4_an_answer_of_another_shape_is_refused() {
        for answer in [
            "",
            "nothing",
            r#"{"goals":[],"decisions":[],"facts":["cut in the mid"#,
            r#"{"goals":[],"decisions":[],"facts":[],"outcomes":[]}"#,
            r#"{"goals":[],"decisions":[],"facts":"one","outcomes":[],"pending":[]}"#,
            r#"{"goals":[],"decisions":[],"facts":[1],"outcomes":[],"pending":[]}"#,
            r#"{"goals":[],"decisions":[],"facts":[],"outcomes":[],"pending":[],"more":[]}"#,
        ] {
            assert_eq!(Sections::parse(answer), Err(BadSections::NoObject), "{answer}");
        }
        let long = " ".repeat(LONGEST_ANSWER + 1);
        assert_eq!(Sections::parse(&long), Err(BadSections::TooLong(long.len())));
    }

    #[test]
    fn d4_lines_are_cleaned_bounded_and_without_secrets_or_repetition() {
        let answer = serde_json::json!({
            "goals": ["  Ship\n it ", " Sleep", "sleep!", "--", ""],
            "decisions": ["Ship it"],
            "facts": (0..60).map(|n| format!("Fact {n}")).collect::<Vec<_>>(),
            "outcomes": ["word ".repeat(100), "the password: hunter2hunter2"],
            "pending": ["[pending] Call Ana"],
        });
        let read = Sections::parse(&answer.to_string()).unwrap();
        assert_eq!((read.goals, read.decisions), (vec!["Sleep".to_owned()], vec!["Ship it".to_owned()]));
        assert_eq!(read.facts.len(), MOST_LINES);
        assert!(read.outcomes[0].ends_with("word…") && read.outcomes[0].chars().count() <= LONGEST_LINE);
        assert_eq!(read.outcomes[1], "the password: [redacted:password]");
        assert_eq!(read.pending, ["Call Ana"]);
    }

    proptest! {
        #[test]
        fn d4_lines_are_known_as_by_comparing_each(
            lines in proptest::collection::vec("(ab|cd|ef|gh|the|of)( (ab|cd|ef|gh|ij|the|of)){0,5}", 0..8),
            line in "((ab|cd|ef|gh|ij|the|of) ?){0,6}",
        ) {
            let mut known = Lines::default();
            lines.iter().for_each(|line| known.push(Said::new(line)));
            let (said, each) = (Said::new(&line), || lines.iter().map(|line| Said::new(line)));
            prop_assert_eq!(known.cover(&said), each().any(|old| old.covers(&said)));
            prop_assert_eq!(known.overlap(&said), each().any(|old| old.overlaps(&said)));
        }

        #[test]
        fn d4_cleaned_sections_are_read_back_as_they_are(lines in proptest::collection::vec("\\PC{0,400}", 0..8)) {
            let dirty = Sections { facts: lines.clone(), goals: lines, ..Sections::default() };
            let once = Sections::parse(&serde_json::to_string(&dirty).unwrap()).unwrap();
            prop_assert!(once.lines().all(|line| line.chars().count() <= LONGEST_LINE));
            let again = Sections::parse(&serde_json::to_string(&once).unwrap()).unwrap();
            prop_assert_eq!(once, again);
        }
    }
}
