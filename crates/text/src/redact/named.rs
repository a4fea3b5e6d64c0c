//! Secrets that are known by the name in front of them: "my wifi password is …", `FOO_API_KEY=…`.

use super::link::links;
use super::names::{Kind, NAMES, Name};
use super::opens::LONG;
use super::reading::{holds_marker, leading, leads_to_marker, trailing};
use super::value::{Value, ends_clause};
use super::written::Written;
use super::{Class, Secret, Sight, words};
use crate::cjk::is_cjk_or_mark;
use Class::{Password, Token};
use Kind::{Code, Key, Machine, Phrase, Pin, QualifiedCode, Word};

/// What is done with a password that is named last: "use tangerine as the password".
const CHOOSES: &[&str] = &[
    "use", "try", "enter", "type", "put", "take", "set", "with", "chose", "choose", "used", "using", "pick",
];

/// The verbs that hand a value over.
const HANDS: &[&str] = &[
    "type",
    "enter",
    "use",
    "try",
    "put",
    "input",
    "from",
    "type:",
    "enter:",
    "use:",
    "gib",
    "tippe",
    "nimm",
    "tape",
    "tapez",
    "escribe",
    "usa",
    "inserisci",
    "digita",
    "digite",
    "typ",
    "wpisz",
    "введи",
    "gir",
];

/// How "my wifi password" begins.
const DETERMINERS: &[&str] = &["my", "the", "our", "your", "his", "her", "their", "a"];

/// The value that this name announces.
pub(super) fn examine<'t>(sight: &Sight<'t>, name: &'static Name) -> Option<Secret<'t>> {
    let written = Written::read(sight, name)?;
    let after = written.end(sight.after)?;
    for (link, rest) in links(sight.before, after, written.spelling) {
        // This is how the value was read that is redacted already; what other readings would find is none.
        if leads_to_marker(rest) {
            return None;
        }
        if let Some(text) = written.value(link, rest) {
            return Some(Secret { text, class: written.class });
        }
    }
    let text = written.near(sight.before, after)?;
    Some(Secret { text, class: written.class })
}

/// The value that stands before its name: "hunter2 is my wifi password", "use hunter2 as the password".
pub(super) fn examine_before<'t>(sight: &Sight<'t>, name: &'static Name) -> Option<Secret<'t>> {
    let written = Written::read(sight, name)?;
    if written.spelling.unspaced || !sight.before.ends_with(' ') {
        return None;
    }
    let mut words = sight.before.split_whitespace().rev().take_while(|word| !holds_marker(word));
    let (mut modifier, mut between, mut talks) = ("", 0, written.plural);
    let verb = words.by_ref().take(5).find(|word| {
        let found = matches!(*word, "is" | "was" | "as");
        modifier = if found { modifier } else { word };
        between += usize::from(!found);
        talks |= !found && (*word == "most" || words::is_talk(word));
        found
    })?;
    let value = Value::read(words.next()?)?;
    let owned = verb == "as" || DETERMINERS.contains(&modifier);
    let before = words.next().unwrap_or(".");
    let plain = value.is_word() && !value.is_remark() && !words::is_topic(value.text);
    let secret = match written.kind {
        Code | QualifiedCode => owned && is_sent_code(value.text),
        _ if value.is_made_up(6) => owned,
        _ if verb == "as" => plain && between <= 2 && CHOOSES.contains(&before.to_ascii_lowercase().as_str()),
        // "swordfish is my wifi password", the whole sentence
        _ => {
            plain
                && owned
                && between <= 3
                && before.ends_with(['.', '!', '?', ':', ','])
                && ends_clause(sight.after)
        }
    };
    (secret && !talks && !value.is_reference()).then(|| Secret { text: value.whole(), class: written.class })
}

/// "528019", "G-528019"
fn is_sent_code(text: &str) -> bool {
    let digits = text.strip_prefix("G-").unwrap_or(text);
    (4..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The value behind "it's", if a password or a PIN was named shortly before.
pub(super) fn examine_pronoun<'t>(sight: &Sight<'t>) -> Option<Secret<'t>> {
    let clause = trailing(sight.before, 80, |c| c != '\n');
    if holds_marker(clause) || sight.before.ends_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let lower = clause.to_lowercase();
    let said = |name: &&Name| matches!(name.kind, Word | Pin | Code) && name.literal.len() > 2;
    let name = NAMES.iter().filter(said).find(|name| ends_word(&lower, name.literal));
    let behind = leading(sight.after, 64, |c| c != '\n');
    let named_later = || behind.contains(" my password") || behind.contains(" the password");
    let value = Value::read(sight.after)?;
    let known = name.is_some() || named_later();
    let digit = value.text.contains(|c: char| c.is_ascii_digit());
    let secret = known && digit && (value.is_made_up(5) || value.is_number() && value.text.len() <= 8);
    (secret && !value.is_reference()).then(|| Secret { text: value.whole(), class: Password })
}

/// Whether the word stands in the text and ends there.
fn ends_word(text: &str, word: &str) -> bool {
    text.split_once(word)
        .is_some_and(|(_, rest)| !rest.starts_with(|c: char| c.is_alphanumeric() && !is_cjk_or_mark(c)))
}

/// The class of secret that a JSON member of this name holds.
pub(super) fn class_of_key(key: &str) -> Option<Class> {
    let plural = || key.strip_suffix('s').and_then(class_of_singular).filter(|class| *class == Password);
    class_of_singular(key).or_else(plural)
}

fn class_of_singular(key: &str) -> Option<Class> {
    if key.to_ascii_lowercase().ends_with("authorization") {
        return Some(Token);
    }
    NAMES.iter().find_map(|name| {
        let start = key.len().checked_sub(name.literal.len())?;
        let sight = Sight::new(key, start..key.len())
            .filter(|sight| sight.literal.eq_ignore_ascii_case(name.literal))?;
        let written = Written::read(&sight, name)?;
        let sure = matches!(written.kind, Word | Phrase | Machine | Key) || name.literal == "pass";
        (sure && written.least < LONG).then_some(written.class)
    })
}

impl Written {
    /// What looks made up and stands in the same sentence, where a verb hands it over: "type Tulip77 when it asks for the
    /// password", "changed the password from Tulip77 to Rose88".
    fn near<'t>(&self, before: &'t str, after: &'t str) -> Option<&'t str> {
        if !matches!(self.kind, Word | Phrase)
            || self.plural
            || self.spelling.identifier
            || self.spelling.unspaced
        {
            return None;
        }
        let clause = leading(after, 64, |c| !matches!(c, '\n' | '!' | '?' | ';'));
        let front = trailing(before, 64, |c| !matches!(c, '\n' | '!' | '?' | ';'));
        let next = clause.split_whitespace().next().unwrap_or_default();
        if holds_marker(clause) || holds_marker(front) || words::is_topic(next) && !HANDS.contains(&next) {
            return None;
        }
        handed(clause, after).or_else(|| handed(front, before)).filter(|_| !front.contains("://"))
    }
}

/// The first value of the clause that a verb hands over; `text` is what the clause is part of.
fn handed<'t>(clause: &'t str, text: &'t str) -> Option<&'t str> {
    let mut last = "";
    for word in clause.split(' ') {
        let verb = HANDS.contains(&last.trim_matches(',').to_ascii_lowercase().as_str());
        last = word;
        // An empty word lies nowhere in the text.
        if word.is_empty() {
            continue;
        }
        let start = super::span_of(word, text).start;
        let Some(value) = Value::read(text.get(start..)?).filter(|_| verb) else { continue };
        let digit =
            value.text.contains(|c: char| c.is_ascii_digit()) && value.text.contains(char::is_alphabetic);
        if digit && value.is_made_up(6) && !value.is_reference() {
            return Some(value.list());
        }
    }
    None
}
