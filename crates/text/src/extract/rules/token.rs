//! A person's words one by one, with short forms spelled out, so that a rule sees "i am" where they wrote "I'm" or "im".

use std::ops::Range;

use crate::words::{plain, spelled_out, spoken_form};

/// A word or a mark of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// In lower case, short forms spelled out.
    pub text: String,
    /// Where it stands in the message, in bytes.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// Whether only its first letter is a capital.
    pub capital: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Letters, digits, and what joins them: "left-handed", "9:30", "ada@example.org".
    Word,
    /// One mark of punctuation, or a line's end.
    Mark,
    /// An emoji or another sign that is no punctuation.
    Sign,
}

impl Token {
    /// Whether it is a mark or a sign.
    pub fn is_mark(&self) -> bool {
        self.kind != Kind::Word
    }

    /// Whether it begins with a digit.
    pub fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// The tokens of a part of a message.
pub fn tokens(message: &str, part: Range<usize>) -> Vec<Token> {
    let base = part.start;
    let text = message.get(part).unwrap_or_default();
    let mut all = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut word: Option<usize> = None;
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        if is_of_word(before, c, next, word.is_some()) {
            word.get_or_insert(at);
        } else {
            if let Some(start) = word.take() {
                push_word(&mut all, text, start..at, base);
            }
            if c == '\n' || !c.is_whitespace() {
                let range = base + at..base + at + c.len_utf8();
                let kind = if is_sign(c) { Kind::Sign } else { Kind::Mark };
                // Parts of a compound emoji are not seen.
                if !matches!(c, '\u{fe0f}' | '\u{200d}') {
                    all.push(Token { text: plain(c).to_string(), range, kind, capital: false });
                }
            }
        }
        before = c;
    }
    if let Some(start) = word {
        push_word(&mut all, text, start..text.len(), base);
    }
    all
}

fn is_of_word(before: char, c: char, next: char, inside: bool) -> bool {
    if c.is_alphanumeric() || c == '_' {
        return true;
    }
    let joins = inside && before.is_alphanumeric() && next.is_alphanumeric();
    match plain(c) {
        '\'' | '-' | '.' | '@' | '&' => joins,
        ':' | '/' | ',' => joins && before.is_ascii_digit() && next.is_ascii_digit(),
        _ => false,
    }
}

fn is_sign(c: char) -> bool {
    matches!(u32::from(c), 0x2190..=0x2bff | 0x1f000..=0x1ffff)
}

fn push_word(all: &mut Vec<Token>, text: &str, range: Range<usize>, base: usize) {
    let written = text.get(range.clone()).unwrap_or_default();
    let lower: String = written.chars().map(plain).flat_map(char::to_lowercase).collect();
    // Capitals throughout are a shout, not a name.
    let is_shouted = written.chars().nth(1).is_some() && !written.contains(char::is_lowercase);
    let capital = written.starts_with(char::is_uppercase) && !is_shouted;
    let mut push = |text: &str, from: usize, to: usize, capital: bool| {
        let range = base + from..base + to;
        all.push(Token { text: text.to_owned(), range, kind: Kind::Word, capital });
    };
    let spelled = spoken_form(&lower)
        .or_else(|| spelled_out(&lower))
        .and_then(|(first, length, second)| Some((first, written.char_indices().nth(length)?.0, second)));
    match spelled {
        Some((first, at, second)) => {
            push(first, range.start, range.start + at, capital);
            push(second, range.start + at, range.end, false);
        }
        None => push(&lower, range.start, range.end, capital),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_forms_are_spelled_out() {
        for (written, words) in [
            ("I'm here", "i am here"),
            ("i’ve", "i have"),
            ("can't won't don't", "can not will not do not"),
            ("im gonna", "i am going to"),
            ("my wife's dog", "my wife 's dog"),
            ("left-handed at 9:30, ada@example.org.", "left-handed at 9:30 , ada@example.org ."),
        ] {
            let seen: Vec<String> = tokens(written, 0..written.len()).into_iter().map(|t| t.text).collect();
            assert_eq!(seen.join(" "), words);
        }
    }

    proptest! {
        #[test]
        fn tokens_lie_in_order_within_any_text(text in "[\\PC\n]{0,80}") {
            let mut end = 0;
            for token in tokens(&text, 0..text.len()) {
                prop_assert!(token.range.start >= end && text.get(token.range.clone()).is_some());
                end = token.range.end;
            }
        }
    }
}
