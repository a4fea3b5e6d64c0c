//! Makes any text safe to print on a terminal: nothing in it moves the cursor, hides words or turns their order.

use std::borrow::Cow;

/// The text without control characters, escape sequences and marks that turn the direction of writing. Line breaks and
/// tabs stay.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let opening = match c {
            '\u{1b}' => chars.next_if(|next| !next.is_control()),
            '\u{9b}' => Some('['),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => Some(']'),
            _ if is_unprintable(c) => None,
            _ => {
                shown.push(c);
                continue;
            }
        };
        match opening {
            // Parameters up to a final letter.
            Some('[') => {
                while chars.next_if(|next| matches!(next, ' '..='?')).is_some() {}
                let _ = chars.next_if(|next| matches!(next, '@'..='~'));
            }
            // A string up to its terminator, at most to the end of the line.
            Some(']' | 'P' | 'X' | '^' | '_') => while chars.next_if(|next| !next.is_control()).is_some() {},
            _ => {}
        }
    }
    Cow::Owned(shown)
}

/// Whether a character does something to a terminal other than being shown.
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_not_printed() {
        for (text, shown) in [
            ("plain, 日本 and é\n\tas it is", "plain, 日本 and é\n\tas it is"),
            ("a \u{1b}[31;1mred\u{1b}[0m word", "a red word"),
            ("\u{1b}]0;title\u{7}kept", "kept"),
            ("\u{1b}]8;;http://a\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{9b}2Jclear", "clear"),
            ("over\rwritten\u{8}\u{7f}", "overwritten"),
            ("user\u{202e}txt.exe", "usertxt.exe"),
            ("\u{1b}", ""),
            ("\u{1b}[12", ""),
            ("\u{1b}c reset", " reset"),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_unprintable_is_left_of_any_text(text in "[\\x00-\\x1f\\x7f-\\u{9f}\\[\\]a-z0-9;\u{202e}\u{2067}]{0,60}") {
            prop_assert!(!printable(&text).contains(is_unprintable));
        }
    }
}
