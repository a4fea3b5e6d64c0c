//! How much a word looks like something that a person made up to get in with, by its letters, digits and signs alone.

use super::cues::{Cue, Cues, cues};
use super::names::{Kind, NAMES, Name};
use super::value::{Value, has_hump};
use super::words;

/// What a word looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Four to eight digits.
    Number,
    /// What locks have besides: "9-0-4-4", "27B41", "114-8802".
    Combination,
    /// A word.
    Plain,
    /// Unusual for a word, and as usual for an identifier: capitals and digits, words joined by an underscore.
    Odd,
    /// Letters with digits or signs.
    Mixed,
    /// The same, as nothing else is written: digits or signs among the letters.
    Strong,
}

/// Longer words are keys, which have rules of their own.
const LONGEST: usize = 40;

/// What code, paths and addresses are written with, and people's passwords hardly.
const FOREIGN: &[char] =
    &['/', '\\', '(', ')', '[', ']', '{', '}', '<', '>', '=', '"', '|', ':', ',', ';', '`'];

impl Form {
    /// How much the form alone says that it is a password.
    pub(super) fn weight(self) -> usize {
        match self {
            Self::Number | Self::Combination | Self::Plain => 0,
            Self::Odd => 1,
            Self::Mixed => 2,
            Self::Strong => 3,
        }
    }

    /// Returns true if the word may have another form than a plain one, by one look.
    pub(super) fn is_unusual(word: &str) -> bool {
        word.len() >= 3 && word.contains(|c: char| c.is_ascii_digit() || is_sign(c) || c == '_')
    }

    /// The form of a value, unless it is known to be something else.
    pub(super) fn of(value: &Value<'_>) -> Option<Self> {
        let text = value.text.trim_end_matches(['!', '?', '.']);
        if text.len() > LONGEST || value.is_reference() {
            return None;
        }
        if is_plain(text) {
            return (text.chars().count() >= 4).then_some(Self::Plain);
        }
        // "G-482913", as Google sends them.
        let digits = text
            .strip_prefix("G-")
            .filter(|code| code.len() == 6)
            .unwrap_or(text)
            .trim_end_matches(['#', '*']);
        if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            if digits.len() == 3 {
                return Some(Self::Combination);
            }
            return ((4..=8).contains(&digits.len()) && !value.is_measure()).then_some(Self::Number);
        }
        if is_combination(digits) {
            return Some(Self::Combination);
        }
        let known = text.contains(FOREIGN)
            || text.starts_with(|c: char| !c.is_alphanumeric() && c != '!')
            || is_file(text) && !text.contains(is_sign)
            || is_random_hex(text)
            || is_named_thing(text)
            || holds_name(text)
            || is_clock(text);
        if known || text.chars().count() < 6 {
            return None;
        }
        Self::of_mixed(value, text)
    }

    fn of_mixed(value: &Value<'_>, text: &str) -> Option<Self> {
        let has = |wanted: fn(char) -> bool| text.contains(wanted);
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let digit = has(|c| c.is_ascii_digit());
        let sign = signs_inside(text);
        let is_word = |part: &str| cues("", part) == Cues::default();
        let joined = text.split('_').count() == 2
            && text.split('_').all(is_word)
            && text.chars().all(|c| c.is_lowercase() || c == '_');
        if !value.is_made_up(6) || letters < 2 {
            return (joined && letters >= 6).then_some(Self::Odd);
        }
        if !has(char::is_lowercase) || text.starts_with(|c: char| c.is_ascii_digit()) && !sign {
            return (digit && text.len() >= 8 && letters >= 3).then_some(Self::Odd);
        }
        let among = is_digit_among_letters(text);
        let strong = text.len() >= 8 && digit && (sign || among || has_hump(text));
        match (strong, digit || sign) {
            (true, _) => Some(Self::Strong),
            (false, true) => Some(Self::Mixed),
            // Words joined by hyphens.
            (false, false) => Some(Self::Odd),
        }
    }
}

/// Digits that hyphens or blanks part, four to six with one letter before or among them, or groups as backup codes are.
fn is_combination(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let digits = text.chars().filter(|c| is_digit(*c)).count();
    let others = text.chars().filter(|c| !is_digit(*c)).count();
    let mut parts = text.split(['-', ' ']);
    let parted = others > 0
        && text.chars().all(|c| is_digit(c) || matches!(c, '-' | ' '))
        && parts.clone().all(|part| !part.is_empty());
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let lettered = letters == 1 && others == 1 && digits <= 6 && text.ends_with(is_digit);
    let hex = |part: &str| matches!(part.len(), 4..=6) && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let grouped = digits > 1 && text.contains('-') && parts.all(hex);
    (4..=8).contains(&digits) && (parted || lettered) || grouped && letters > 0
}

/// One word, or two that a hyphen joins.
pub(super) fn is_plain(text: &str) -> bool {
    let mut parts = text.split('-');
    parts.clone().count() <= 2
        && parts.clone().all(|part| part.chars().all(char::is_alphabetic))
        && (!text.contains('-') || parts.all(|part| part.chars().count() >= 3))
}

fn is_sign(c: char) -> bool {
    matches!(c, '!' | '@' | '$' | '%' | '^' | '*' | '~' | '#')
}

/// A sign between letters or digits: elsewhere it is a mark.
fn signs_inside(text: &str) -> bool {
    text.trim_matches(|c: char| !c.is_alphanumeric()).contains(is_sign)
}

/// "gr4vy"
fn is_digit_among_letters(text: &str) -> bool {
    text.as_bytes().windows(3).any(|part| {
        matches!(part, [a, b, c] if a.is_ascii_alphabetic() && b.is_ascii_digit() && c.is_ascii_alphabetic())
    })
}

/// A word for a password is part of it: the rule of names reads on from there, and has to find it in a second pass too.
fn holds_name(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_word = |name: &&Name| name.kind == Kind::Word && name.literal.len() > 3;
    NAMES.iter().filter(is_word).any(|name| lower.contains(name.literal))
}

/// "notes-2024.pdf", "portal3.example.com", "v1.2"
fn is_file(text: &str) -> bool {
    let Some((name, end)) = text.rsplit_once('.') else { return false };
    name.contains('.') || end.len() <= 5 && end.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// A part of a hash or of an id: letters and digits change places again and again.
fn is_random_hex(text: &str) -> bool {
    let hex = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let changes = text
        .as_bytes()
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()));
    hex && text.len() >= 7 && changes.count() >= 3
}

/// "Windows11", "room204", "TP-Link-AX3000": the word before the digits says what it is.
pub(super) fn is_named_thing(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (stem, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let is_model = |part: &str| part.chars().filter(|c| c.is_alphabetic()).count() <= 3;
    let numbered = !rest.contains(is_sign) && (rest.starts_with('-') || is_model(rest));
    let known = |word: &str| cues("", &word.to_lowercase()).any(&[Cue::Product, Cue::Other, Cue::User]);
    numbered && known(stem) || known(text) || words::is_term(text) || is_network_name(text)
}

/// "HomeNet5G", "Attic_EXT"
fn is_network_name(text: &str) -> bool {
    ["5G", "5g", "2G", "2g", "2.4", "_EXT", "-EXT", "GHz"].iter().any(|band| text.ends_with(band))
}

/// "10h30", "9am"
fn is_clock(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().filter(|c| c.is_alphabetic()).count() <= 2
        && !text.contains(is_sign)
}
