//! The development lists of secrets and of harmless look-alikes, and how many of each go wrong.

use super::tests::{HEX, MIXED, random};
use super::{redact, redact_after};

const SECRETS: &str = include_str!("../../tests/redact/secrets.txt");
const HARMLESS: &str = include_str!("../../tests/redact/harmless.txt");

/// One line of a list: the message before, the message, and what of it is secret.
struct Case {
    previous: String,
    text: String,
    secrets: Vec<String>,
}

fn cases(list: &str) -> Vec<Case> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(case).collect()
}

fn case(line: &str) -> Case {
    let line = expand(line).replace("\\n", "\n").replace("\\t", "\t");
    let (previous, marked) = line.split_once(" ⇒ ").unwrap_or(("", &line));
    let secrets = marked.split('⟪').skip(1).filter_map(|part| part.split('⟫').next()).map(str::to_owned);
    Case {
        previous: previous.to_owned(), text: marked.replace(['⟪', '⟫'], ""), secrets: secrets.collect()
    }
}

/// Replaces `<M36>` by random characters and drops `~`; two of them are one.
fn expand(line: &str) -> String {
    let mut parts = line.split('<');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let drawn = part.split_once('>').and_then(|(shape, rest)| Some((draw(shape)?, rest)));
        match drawn {
            Some((drawn, rest)) => out.push_str(&format!("{drawn}{rest}")),
            None => out.push_str(&format!("<{part}")),
        }
    }
    out.replace("~~", "\u{1}").replace('~', "").replace('\u{1}', "~")
}

fn draw(shape: &str) -> Option<String> {
    let length: usize = shape.get(1..)?.parse().ok()?;
    let alphabet = match shape.get(..1)? {
        "M" => MIXED,
        "H" => HEX,
        "U" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "D" => "0123456789",
        _ => return None,
    };
    Some(random(alphabet, length))
}

fn clean(case: &Case) -> String {
    if case.previous.is_empty() {
        redact(&case.text).into_owned()
    } else {
        redact_after(&[&case.previous], &case.text).into_owned()
    }
}

#[test]
fn c6_secrets_of_the_development_list_are_taken_out() {
    let cases = cases(SECRETS);
    let kept: Vec<String> = cases
        .iter()
        .filter(|case| case.secrets.iter().any(|secret| clean(case).contains(secret.as_str())))
        .map(|case| format!("{} ⇒ {:?} became {:?}", case.previous, case.text, clean(case)))
        .collect();
    let share = kept.len() * 100 / cases.len();
    assert!(share <= 2, "{} of {} stay:\n{}", kept.len(), cases.len(), kept.join("\n"));
}

#[test]
fn c6_look_alikes_of_the_development_list_are_kept() {
    let cases = cases(HARMLESS);
    let damaged: Vec<String> = cases
        .iter()
        .filter(|case| clean(case) != case.text)
        .map(|case| format!("{} ⇒ {:?} became {:?}", case.previous, case.text, clean(case)))
        .collect();
    let share = damaged.len() * 100 / cases.len();
    assert!(share < 1, "{} of {} are damaged:\n{}", damaged.len(), cases.len(), damaged.join("\n"));
}
