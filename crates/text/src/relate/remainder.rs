//! What a statement still tells when a later one takes the place of a part of it.

use std::collections::HashSet;

use super::Known;
use super::attribute::attributes;
use crate::extract::Kind;
use crate::word_list::WordList;

/// Between the clauses of a statement.
const JOINTS: &[&str] = &[", ", "; ", " and ", " und ", " y ", " et ", "，", "；", "、"];

/// Subjects that a second clause leaves out: "I live in Porto and work as a nurse".
static SUBJECTS: WordList = WordList::new("i we ich wir je nous yo nosotros");
/// Words that begin a clause with a subject of its own.
static OWN_SUBJECT: WordList = WordList::new(
    "i my we our ich mein meine wir unser unsere yo mi mis nosotros nuestro nuestra je j'ai mon ma mes nous notre nos",
);
/// Words that begin one more thing of the clause before: "with my wife and two cats".
static FURTHER_THING: WordList = WordList::new(
    "a an the one two three four five six no some ein eine einen einem der die das zwei drei vier fünf un una el la los las dos tres \
     cuatro cinco une le les des deux trois quatre cinq",
);

/// A part of a statement that can stand by itself, and the attributes it gives a value.
struct Part {
    text: String,
    keys: HashSet<String>,
}

/// The parts of a known statement that a new one says nothing about: "I work as a nurse" of "I live in Porto and work as a
/// nurse" once the person has moved. None if the new statement takes the place of all of it, or of nothing that can be told
/// apart.
#[must_use]
pub fn remainder(old: &Known<'_>, new: &Known<'_>) -> Vec<String> {
    let replaced = keys(new.kind, new.text);
    let parts = parts(old);
    let (gone, kept): (Vec<Part>, Vec<Part>) =
        parts.into_iter().partition(|part| !part.keys.is_disjoint(&replaced));
    if gone.is_empty() { Vec::new() } else { kept.into_iter().map(|part| part.text).collect() }
}

fn keys(kind: Kind, text: &str) -> HashSet<String> {
    attributes(kind, text).into_iter().map(|attribute| attribute.key).collect()
}

/// The clauses that give something a value, each with the words after it that do not.
fn parts(statement: &Known<'_>) -> Vec<Part> {
    let subject =
        statement.text.split_whitespace().next().filter(|word| SUBJECTS.contains(&word.to_lowercase()));
    let mut parts: Vec<Part> = Vec::new();
    for (joint, clause) in clauses(statement.text) {
        let first = clause.split_whitespace().next().unwrap_or_default().to_lowercase();
        let text = match subject.filter(|_| !OWN_SUBJECT.contains(&first)) {
            Some(subject) => format!("{subject} {clause}"),
            None => clause.to_owned(),
        };
        let keys = if FURTHER_THING.contains(&first) { HashSet::new() } else { keys(statement.kind, &text) };
        match parts.last_mut() {
            Some(before) if keys.is_empty() => before.text.extend([joint, clause]),
            _ => parts.push(Part { text, keys }),
        }
    }
    parts
}

/// The clauses of a statement, each with the joint before it.
fn clauses(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let (mut joint, mut rest) = ("", text);
    let next = |rest: &str| {
        let places = JOINTS.iter().filter_map(|joint| rest.find(joint).map(|at| (at, *joint)));
        places.min_by_key(|(at, _)| *at)
    };
    while let Some((at, between)) = next(rest) {
        let Some((clause, after)) = rest.split_at_checked(at) else { break };
        found.push((joint, clause));
        (joint, rest) = (between, after.strip_prefix(between).unwrap_or_default());
    }
    found.push((joint, rest));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(old: &str, new: &str) -> Vec<String> {
        let known = |text| Known { kind: Kind::Fact, text, day: None };
        remainder(&known(old), &known(new))
    }

    #[test]
    fn i3_what_a_change_says_nothing_about_is_kept() {
        for (old, new, expected) in [
            (
                "I live in Porto and work as a nurse at São João",
                "I moved to Braga",
                &["I work as a nurse at São João"][..],
            ),
            ("My name is Ana and I live in Rome", "I live in Turin now", &["My name is Ana"]),
            ("I live in Rome, my name is Ana", "I moved to Turin", &["my name is Ana"]),
            (
                "Ich wohne in Ulm und arbeite als Bäcker",
                "Ich bin nach Kiel gezogen",
                &["Ich arbeite als Bäcker"],
            ),
            ("I live in Rome with my wife and two cats", "I moved to Turin", &[]),
            ("I live in Rome", "I moved to Turin", &[]),
            ("My bike is red and I like tea", "I moved to Turin", &[]),
        ] {
            assert_eq!(left(old, new), expected, "{old}");
        }
    }
}
