//! Splits a text into words, numbers and marks. A CJK character is a token of its own, because those scripts have no
//! spaces.

use std::ops::Range;

use crate::cjk::is_cjk;
use crate::words::plain;

/// Maximum number of tokens: a pasted page names its time early or not at all.
const MOST: usize = 500;

/// A word, a number or a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// In lower case, digits in ASCII.
    pub text: String,
    /// Its byte range.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: Kind,
    /// True if it follows the previous token without a space.
    pub glued: bool,
    /// True if it began with a capital letter.
    pub capital: bool,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Letters.
    Word,
    /// Digits.
    Number,
    /// One CJK character.
    Character,
    /// One mark of punctuation.
    Mark,
}

/// The first tokens of a text, in order.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::new();
    for (start, c) in text.char_indices() {
        let end = start + c.len_utf8();
        let Some(kind) = kind(c) else { continue };
        let glued = all.last().is_some_and(|last| last.range.end == start);
        if let Some(last) = all.last_mut()
            && glued
            && last.kind == kind
            && matches!(kind, Kind::Word | Kind::Number)
        {
            last.text.extend(plain(c).to_lowercase());
            last.range.end = end;
            continue;
        }
        if all.len() == MOST {
            break;
        }
        let text = plain(c).to_lowercase().collect();
        all.push(Token { text, range: start..end, kind, glued, capital: c.is_uppercase() });
    }
    all
}

fn kind(c: char) -> Option<Kind> {
    match c {
        _ if c.is_whitespace() => None,
        '0'..='9' | '０'..='９' => Some(Kind::Number),
        // The mark repeats the character before it.
        '々' => Some(Kind::Character),
        _ if is_cjk(c) => Some(Kind::Character),
        _ if c.is_alphanumeric() || c == '_' => Some(Kind::Word),
        _ => Some(Kind::Mark),
    }
}
