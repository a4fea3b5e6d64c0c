//! Cases of forgetting: a held-out suite that was written without knowing the rules, whose failure tells the themes and never
//! the texts, and the suite that the rules were developed with.

use std::collections::BTreeMap;
use std::io::Write;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::common::Home;

const CASES: &str = include_str!("../fixtures/forget-held-out.jsonl");
const DEVELOPMENT: &str = include_str!("../fixtures/forget-dev.jsonl");
/// Topics of the development suite that are missed. docs/memory.md names their classes.
const NAMED: [&str; 18] = [
    "schreien",
    "猫",
    "вода",
    "hund",
    "Dirty Dancing",
    "Star Wars",
    "Paris",
    "It",
    "Her",
    "كتاب",
    "min bror",
    "박서준",
    "Oslo",
    "schön",
    "anrufen",
    "rauchen",
    "生活",
    "天气",
];
/// Cases that may be missed; docs/memory.md says what is not matched.
const MOST_MISSED: usize = 6;

#[derive(Deserialize)]
struct Case {
    topic: String,
    messages: Vec<Value>,
    gone: Vec<Expected>,
    kept: Vec<Expected>,
    theme: String,
    #[serde(default)]
    lang: String,
}

/// A text, or the place of a message whose text is meant.
#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    Place(usize),
    Text(String),
}

impl Case {
    fn text(message: &Value) -> &str {
        let fields = ["text", "content"].into_iter().find_map(|field| message.get(field)?.as_str());
        message.as_str().or(fields).unwrap()
    }

    /// The message as a line of an import.
    fn line(&self, chat: &str, message: &Value) -> String {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
        let mut line =
            json!({ "chat": chat, "role": role, "text": Self::text(message), "at": "2026-01-01T00:00:00Z" });
        if let Some(metadata) = message.get("metadata") {
            line["metadata"] = metadata.clone();
        }
        format!("{line}\n")
    }

    fn expected<'a>(&'a self, all: &'a [Expected]) -> impl Iterator<Item = &'a str> {
        all.iter().map(|one| match one {
            Expected::Place(at) => Self::text(&self.messages[*at]),
            Expected::Text(text) => text.as_str(),
        })
    }

    fn misses(&self, before: &str, after: &str) -> (bool, bool) {
        let holds = |all: &str, text: &str| all.contains(text);
        let stays = self.expected(&self.gone).any(|text| holds(after, text));
        let goes = self.expected(&self.kept).any(|text| holds(before, text) && !holds(after, text));
        (stays, goes)
    }
}

/// All words of each chat: texts, and metadata with its keys.
fn exported(home: &Home) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for line in home.ok(&["export"]).lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let words = all.entry(line["chat"].as_str().unwrap_or_default().to_owned()).or_default();
        words.push_str(line["text"].as_str().unwrap_or_default());
        words.push('\n');
        words.push_str(&line["metadata"].to_string());
        words.push('\n');
    }
    all
}

fn read(cases: &str) -> Vec<Case> {
    let lines = cases.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Forgets the topic of every case, and returns which were missed, each with what stayed and what went wrongly.
fn missed(cases: &[Case]) -> Vec<(&Case, bool, bool)> {
    let chat = |n: usize| format!("cli:chat:case-{n}");
    // A case says what one forgetting takes and keeps. The chats of one person are all searched, so in a home of one person the
    // topic of a case would rightly take texts that another case expects to stay; each case is a person of its own instead.
    let person = |n: usize| format!("[chats.\"{}\"]\nperson = \"person-{n}\"\n", chat(n));
    let people: String = (0..cases.len()).map(person).collect();
    // Card numbers and IBANs have to be stored before they can be forgotten.
    let home = Home::new().configured(&format!("[privacy]\nredact_numbers = false\n{people}"));
    let lines = cases
        .iter()
        .enumerate()
        .flat_map(|(n, case)| case.messages.iter().map(move |message| case.line(&chat(n), message)));
    let file = home.file("cases.jsonl", lines.collect::<String>());
    home.json(&["import", &file]);
    let before = exported(&home);
    for (n, case) in cases.iter().enumerate() {
        // A topic that says nothing is refused, and takes nothing.
        home.run(&["forget", "--yes", "--chat", &chat(n), "--", &case.topic]);
    }
    let after = exported(&home);
    let graded = cases.iter().enumerate().map(|(n, case)| {
        let (stays, goes) = case.misses(&before[&chat(n)], &after[&chat(n)]);
        (case, stays, goes)
    });
    graded.filter(|(_, stays, goes)| *stays || *goes).collect()
}

#[test]
fn j2_forgetting_takes_what_was_meant_and_nothing_else() {
    let cases = read(CASES);
    let missed = missed(&cases);
    let mut by_theme: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut by_language = by_theme.clone();
    for (case, stays, goes) in &missed {
        let of_both = [by_theme.entry(&case.theme).or_default(), by_language.entry(&case.lang).or_default()];
        for of in of_both {
            of[0] += usize::from(*stays);
            of[1] += usize::from(*goes);
        }
    }
    let count = missed.len();
    let told = format!(
        "{count} of {} cases missed; [not taken, taken too much] by theme: {by_theme:?}; by language: {by_language:?}",
        cases.len()
    );
    writeln!(std::io::stdout(), "{told}").unwrap();
    assert!(count <= MOST_MISSED, "at most {MOST_MISSED} may be missed: {told}");
}

#[test]
fn j2_the_forms_that_were_developed_for_are_found_but_for_the_named_ones() {
    let cases = read(DEVELOPMENT);
    let missed = missed(&cases);
    let topics: Vec<&str> = missed.iter().map(|(case, ..)| case.topic.as_str()).collect();
    let unnamed: Vec<&&str> = topics.iter().filter(|topic| !NAMED.contains(topic)).collect();
    assert!(unnamed.is_empty(), "docs/memory.md names no such miss: {unnamed:?}");
    let repaired: Vec<&&str> = NAMED.iter().filter(|topic| !topics.contains(topic)).collect();
    assert!(repaired.is_empty(), "no longer missed, so no longer named: {repaired:?}");
}
