//! The lists of `training/redaction`: conversations with a secret that has to go, and with an identifier or plain words that
//! have to stay, passed through the steps of the engine's intake.

#![expect(clippy::print_stdout, reason = "the figures are what these tests are run for")]

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{LOOK_BACK, may_answer, redact, redact_after};

/// How many cases of each list may go wrong: what the rules reached. Less is better.
const DEV_LEAKED: usize = 280;
const DEV_DAMAGED: usize = 8;
const HELDOUT_LEAKED: usize = 17;
const HELDOUT_DAMAGED: usize = 2;

/// One conversation of a list.
struct Case {
    id: String,
    kind: String,
    messages: Vec<String>,
    /// The secret, or what has to be kept.
    marked: String,
}

/// Scanners of repositories must not take a list for a leak: a `·` parts each secret.
fn cases(list: &str, marked: &str) -> Vec<Case> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().replace('·', "");
    let read = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        Case {
            id: text(&row["id"]),
            kind: text(&row["kind"]),
            messages: row["messages"].as_array().unwrap().iter().map(text).collect(),
            marked: text(&row[marked]),
        }
    };
    list.lines().filter(|line| !line.is_empty()).map(read).collect()
}

/// What the store would hold, by the same steps as in `engine/src/turn/intake.rs`.
fn stored(messages: &[String]) -> Vec<String> {
    let mut stored: Vec<String> = Vec::new();
    for message in messages {
        let clean = redact(message).into_owned();
        let before = stored.get(stored.len().saturating_sub(LOOK_BACK)..).unwrap();
        let clean = if may_answer(&clean) { redact_after(before, &clean).into_owned() } else { clean };
        stored.push(clean);
    }
    stored
}

/// The cases that went wrong: how many of each kind, and each with what the store would hold.
fn report(wrong: &[&Case]) -> (String, String) {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    wrong.iter().for_each(|case| *kinds.entry(&case.kind).or_default() += 1);
    let lines = wrong.iter().fold(String::new(), |mut lines, case| {
        writeln!(lines, "{}: {:?} of {:?}", case.id, case.marked, stored(&case.messages)).unwrap();
        lines
    });
    (format!("{} {kinds:?}", wrong.len()), lines)
}

fn leaked(cases: &[Case]) -> Vec<&Case> {
    let is_kept = |case: &&Case| stored(&case.messages).iter().any(|text| text.contains(&case.marked));
    cases.iter().filter(is_kept).collect()
}

fn damaged(cases: &[Case]) -> Vec<&Case> {
    let is_lost = |case: &&Case| !stored(&case.messages).iter().any(|text| text.contains(&case.marked));
    cases.iter().filter(is_lost).collect()
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../training/redaction/");

fn read(name: &str, marked: &str) -> Vec<Case> {
    cases(&std::fs::read_to_string(format!("{FOLDER}{name}.jsonl")).unwrap(), marked)
}

#[test]
fn c6_secrets_of_the_development_conversations_are_taken_out() {
    let cases = read("dev-secrets", "secret");
    let (kinds, lines) = report(&leaked(&cases));
    println!("{kinds} of {} secrets stay\n{lines}", cases.len());
    assert!(leaked(&cases).len() <= DEV_LEAKED, "{kinds} stay:\n{lines}");
}

#[test]
fn c6_look_alikes_of_the_development_conversations_are_kept() {
    let cases = read("dev-lookalikes", "keep");
    let (kinds, lines) = report(&damaged(&cases));
    println!("{kinds} of {} look-alikes are damaged\n{lines}", cases.len());
    assert!(damaged(&cases).len() <= DEV_DAMAGED, "{kinds} are damaged:\n{lines}");
}

/// The held-out lists have another author. Only the kinds are shown: rules are not to be written by looking at the lines.
#[test]
fn c6_the_held_out_conversations_stay_as_good_as_they_were() {
    let (secrets, lookalikes) = (read("heldout-secrets", "secret"), read("heldout-lookalikes", "keep"));
    let (leaked, damaged) = (leaked(&secrets), damaged(&lookalikes));
    println!("of {} secrets stay {}", secrets.len(), report(&leaked).0);
    println!("of {} look-alikes are damaged {}", lookalikes.len(), report(&damaged).0);
    assert!(leaked.len() <= HELDOUT_LEAKED, "{} secrets stay", report(&leaked).0);
    assert!(damaged.len() <= HELDOUT_DAMAGED, "{} look-alikes are damaged", report(&damaged).0);
}
