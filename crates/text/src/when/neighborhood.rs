//! What stands around a phrase and makes it something else than a time.

use std::ops::Range;

use super::tokens::{Kind, Token};
use crate::words;

/// Marks that make one number or name of what they touch.
const JOINTS: &[&str] = &[".", ",", "-", "/", ":", "+", "#", "@", "$", "€", "£"];

const QUOTES: &[&str] = &["\"", "“", "”", "„", "«", "»", "「", "」", "『", "』", "《", "》"];

/// "On the 5th" is a date at the end of a clause and before words such as "I" or "about"; "on the 5th floor" is none.
pub fn no_noun_follows(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_none_or(|token| match token.kind {
        Kind::Word => words::terms(&token.text).first().is_some_and(|term| words::is_stop_word(term)),
        Kind::Number => false,
        Kind::Character | Kind::Mark => true,
    })
}

/// Returns true if a phrase is neither a piece of a longer number or name ("2023.1", "v2022-05-07") nor a title in
/// quotes.
pub fn stands_alone(tokens: &[Token], phrase: Range<usize>) -> bool {
    let (head, tail) = tokens.split_at(phrase.start.min(tokens.len()));
    let (inside, after) = tail.split_at(phrase.len().min(tail.len()));
    let (before, next) = (head.last(), after.first());
    let quoted = before.is_some_and(is_quote) && next.is_some_and(is_quote);
    !(quoted || is_joined_before(before, inside) || is_joined_after(inside, after))
}

fn is_joined_before(before: Option<&Token>, inside: &[Token]) -> bool {
    let glued = inside.first().is_some_and(|first| first.kind == Kind::Number && first.glued);
    glued && before.is_some_and(|before| before.kind == Kind::Word || is_joint(before))
}

fn is_joined_after(inside: &[Token], after: &[Token]) -> bool {
    if inside.last().is_none_or(|last| last.kind != Kind::Number) {
        return false;
    }
    match after {
        [next, ..] if next.glued && next.kind == Kind::Word => true,
        [joint, number, ..] => joint.glued && is_joint(joint) && number.glued && number.kind == Kind::Number,
        _ => false,
    }
}

fn is_joint(token: &Token) -> bool {
    JOINTS.contains(&token.text.as_str())
}

fn is_quote(token: &Token) -> bool {
    QUOTES.contains(&token.text.as_str())
}
