//! Answers with a list of known statements: goals, dates, preferences, facts of a category, or all of them.

use throughline_domain::memory::Kind;
use throughline_text::extract::gate::evidence;
use throughline_text::intent::wanted::Wanted;

use super::known::{self, Known, Statement};
use super::quote;
use super::remembered::{Passage, Remembered};
use crate::Turn;

/// The answer, unless the list is empty.
pub fn answer(wanted: Wanted, known: &Known, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let of_kind = |kind: Kind| known.0.iter().filter(|it| it.kind == kind).collect::<Vec<_>>();
    match wanted {
        // Without goals, list statements with a due day.
        Wanted::Goals => list("your goals", &of_kind(Kind::Goal)).or_else(|| {
            list("what is due", &known.0.iter().filter(|it| it.day.is_some()).collect::<Vec<_>>())
        }),
        Wanted::Dates => list("your dates", &of_kind(Kind::Date)),
        Wanted::Preferences => list("your preferences", &of_kind(Kind::Preference)),
        Wanted::Everything => everything(known),
        Wanted::Facts(category) => {
            let is_of = |it: &&Statement| it.kind == Kind::Fact && it.category == category;
            facts(&known.0.iter().filter(is_of).collect::<Vec<_>>(), remembered, turn)
        }
        _ => None,
    }
}

fn list(what: &str, statements: &[&Statement]) -> Option<String> {
    (!statements.is_empty()).then(|| format!("I know of {what}:\n{}", lines(statements)))
}

fn lines(statements: &[&Statement]) -> String {
    statements.iter().map(|it| format!("• {}", it.text)).collect::<Vec<_>>().join("\n")
}

fn everything(known: &Known) -> Option<String> {
    let headings = [
        (Kind::Fact, "About you"),
        (Kind::Preference, "Preferences"),
        (Kind::Goal, "Goals"),
        (Kind::Date, "Dates"),
        (Kind::Outcome, "Outcomes"),
    ];
    let parts: Vec<String> = headings
        .into_iter()
        .filter_map(|(kind, heading)| {
            let of_kind: Vec<&Statement> = known.0.iter().filter(|it| it.kind == kind).collect();
            (!of_kind.is_empty()).then(|| format!("{heading}:\n{}", lines(&of_kind)))
        })
        .collect();
    (!parts.is_empty()).then(|| format!("I know this of you:\n\n{}", parts.join("\n\n")))
}

/// The facts in their original words, if the context has them.
fn facts(facts: &[&Statement], remembered: &Remembered, turn: &Turn) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        let proves = |passage: &&Passage| {
            passage.text.contains(&fact.text) || evidence(&fact.text, &passage.text).is_some()
        };
        let line = match remembered.statements().filter(proves).max_by_key(|passage| passage.at) {
            Some(said) => {
                let said = known::replacement(fact, said, remembered).unwrap_or(said);
                quote::with_time(turn, said, &quote::passage(&said.text, &fact.text))
            }
            None => format!("I know this of you: “{}”", fact.text),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}
