//! Answers with a list of known statements: goals, dates, preferences, facts of a category, or all of them.

use std::collections::HashSet;

use throughline_domain::memory::Kind;
use throughline_text::answers::{Expected, expected};
use throughline_text::earlier::{asks_of_earlier, is_of_earlier};
use throughline_text::extract::gate::evidence;
use throughline_text::intent::wanted::Wanted;
use throughline_text::told::{Modality, modality};
use throughline_text::words;

use super::known::{self, Known, Statement};
use super::remembered::{Passage, Remembered};
use super::{matching, quote};
use crate::Turn;
use crate::embed::{Asked, BuiltIn};

/// The answer, unless the list is empty.
pub fn answer(
    wanted: Wanted,
    asked: &str,
    known: &Known,
    remembered: &Remembered,
    turn: &Turn,
) -> Option<String> {
    let of_kind = |kind: Kind| known.0.iter().filter(|it| it.kind == kind).collect::<Vec<_>>();
    match wanted {
        // Without goals, list statements with a due day.
        Wanted::Goals => list("your goals", &of_kind(Kind::Goal)).or_else(|| {
            list("what is due", &known.0.iter().filter(|it| it.day.is_some()).collect::<Vec<_>>())
        }),
        Wanted::Dates => list("your dates", &of_kind(Kind::Date)),
        Wanted::Preferences => list("your preferences", &of_kind(Kind::Preference)),
        Wanted::Everything => everything(known),
        Wanted::Facts(category) => facts(&of_category(category, asked, known, turn), remembered, turn),
        _ => None,
    }
}

/// The known dates that a question for a day names.
pub fn dates_asked(asked: &str, known: &Known) -> Option<String> {
    let (mut meets, names_them) = (matching::meets(asked), matching::names_those_asked_about(asked));
    let dated = known.0.iter().filter(|it| it.day.is_some() && expected(asked) == Some(Expected::Date));
    list("your dates", &dated.filter(|it| meets(&it.text) && names_them(&it.text)).collect::<Vec<_>>())
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

/// The statements that answer a question for a category. Of the person's own place and work, those of others are left
/// out, and those of earlier times unless the question asks for them; of health, all are named that may matter.
fn of_category<'k>(category: &str, asked: &str, known: &'k Known, turn: &Turn) -> Vec<&'k Statement> {
    let named = CATEGORY_WORDS.iter().find(|(name, _)| *name == category).map_or("", |(_, words)| *words);
    let mut near: Vec<Asked> = BuiltIn::new()
        .map(|builtin| named.split(' ').map(|word| builtin.ask(word, &[])).collect())
        .unwrap_or_default();
    let mut is_near = |text: &str| near.iter_mut().any(|near| near.soft_overlap(text) >= NEAR_ENOUGH);
    let is_open = category == "family" || category == "health" || asks_of_earlier(asked);
    let names_them = matching::names_those_asked_about(asked);
    let found = known.0.iter().filter(|it| names_them(&it.text)).filter(|it| {
        let is_kind = it.kind == Kind::Fact || category == "health" && it.kind != Kind::Date;
        is_kind && (it.category == category || is_near(&it.text))
    });
    let mut found: Vec<&Statement> = found
        .filter(|it| category == "family" || !matching::is_of_another_than_asked(asked, &it.text))
        .filter(|it| is_open || !is_of_earlier(&it.text, known::today(turn)))
        .collect();
    // "My wife" is one of the family; only "my family" are all.
    if category == "family" {
        let mut is_named = matching::meets(asked);
        let names_all = is_named(FAMILY);
        found.retain(|it| names_all || is_named(&it.text));
    }
    if expected(asked) == Some(Expected::Date) {
        found.retain(|it| matching::names_a_time(&it.text, turn));
    }
    // Those left are of somebody whom the question names: then it does not ask for the person's own.
    let is_of_another = |it: &&Statement| modality(&it.text) == Modality::OfAnother;
    if category != "family" && found.iter().any(is_of_another) {
        found.retain(is_of_another);
    }
    found
}

const FAMILY: &str = "family families relatives Familie Verwandte Angehörige familia parientes famille parents proches 家人 家族 家庭";
/// Minimum similarity of a statement and a word for its category.
const NEAR_ENOUGH: f32 = 0.5;
/// Words near to what people tell of a category in words that the category does not know.
const CATEGORY_WORDS: [(&str, &str); 2] = [
    ("health", "allergic medication disease"),
    ("work", "business profession employer shop restaurant bakery"),
];

/// The facts in their original words, if the context has them.
fn facts(facts: &[&Statement], remembered: &Remembered, turn: &Turn) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        let wanted: HashSet<String> = words::terms(&fact.text).into_iter().collect();
        // A message that shares only half of a fact's words may state another one.
        let share = |passage: &&Passage| {
            let said: HashSet<String> = words::terms(&passage.text).into_iter().collect();
            (wanted.intersection(&said).count(), passage.at)
        };
        let proves = |passage: &&Passage| {
            passage.text.contains(&fact.text) || evidence(&fact.text, &passage.text).is_some()
        };
        let line = match remembered.statements().filter(proves).max_by_key(share) {
            Some(said) => {
                let said = known::replacement(fact, said, remembered, turn).unwrap_or(said);
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
