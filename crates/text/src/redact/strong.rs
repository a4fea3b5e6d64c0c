//! Passwords with no name near them: words of capitals, small letters, digits and a symbol in their middle, and words of
//! letters and digits right behind an e-mail address.

use super::{Class, Found};

/// The lengths of passwords that people type.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=32;

/// Adds every such word of the text.
pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let mut behind_address = false;
    for token in text.split_ascii_whitespace() {
        // "ana@example.com:hunter2"
        let (address, joined) = token.split_once([':', '|']).unwrap_or((token, ""));
        let word = bare(if is_address(address) { joined } else { token });
        if is_strong(word) || (behind_address || is_address(address)) && is_mixed(word) {
            found.push(Found { span: super::span_of(word, text), class: Class::Password });
        }
        let is_sign = token.bytes().all(|byte| byte.is_ascii_punctuation());
        behind_address = is_address(address.trim_end_matches([',', ';'])) && joined.is_empty()
            || behind_address && is_sign;
    }
}

fn bare(token: &str) -> &str {
    let word = token.trim_start_matches(['"', '\'', '`', '(', '*']);
    word.trim_end_matches(['"', '\'', '`', ')', '*', '.', ',', ';', ':', '!', '?'])
}

fn is_address(text: &str) -> bool {
    let host = text.split_once('@').filter(|(name, _)| !name.is_empty()).map(|(_, host)| host);
    host.is_some_and(|host| host.contains('.') && !host.ends_with('.') && !host.contains(['/', '@']))
}

/// Letters of both cases and digits.
fn is_mixed(word: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| word.as_bytes().iter().any(wanted);
    LENGTHS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_symbol(byte))
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// The same with a symbol in their middle.
fn is_strong(word: &str) -> bool {
    is_mixed(word) && is_parted(word) && !is_tag(word)
}

fn is_symbol(byte: u8) -> bool {
    b"!$^%&*#".contains(&byte)
}

/// A symbol has to stand between letters or digits: elsewhere it is a mark, a variable or an operator.
fn is_parted(word: &str) -> bool {
    let edge = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    edge(word.bytes().next()) && edge(word.bytes().next_back()) && word.bytes().any(is_symbol)
}

/// "Moonlight#4821" names a player, `Outer$Inner1` a class, "Q&A2024" two things: names on both sides of one symbol.
fn is_tag(word: &str) -> bool {
    let mut parts = word.split(|c: char| c.is_ascii_punctuation());
    let head = parts.next().unwrap_or_default();
    let named = head.bytes().all(|byte| byte.is_ascii_alphabetic());
    named && parts.count() == 1 && word.contains(['#', '$', '&', '%', '*'])
}
