//! Removes from a text what a terminal would execute, so that nothing moves the cursor, hides words or reverses their
//! order.

use std::borrow::Cow;

/// The text without control characters and escape sequences, as it is stored. Line breaks and tabs stay.
#[must_use]
pub fn without_controls(text: &str) -> Cow<'_, str> {
    if !text.contains(is_forbidden_control) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Cleaner::default().push(text))
}

/// The text as it is printed: also without marks that change the direction of writing.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let mut shown = without_controls(text);
    if shown.contains(turns_direction) {
        shown = Cow::Owned(shown.replace(turns_direction, ""));
    }
    shown
}

/// Returns true if a terminal executes a character rather than shows it.
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    is_forbidden_control(c) || turns_direction(c)
}

fn is_forbidden_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

fn turns_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Removes control characters and escape sequences from a text that arrives in pieces. However it is split, the result
/// is that of [`without_controls`].
#[derive(Debug, Default)]
pub struct Cleaner {
    inside: Inside,
}

#[derive(Debug, Default, Clone, Copy)]
enum Inside {
    #[default]
    Text,
    /// After an escape character.
    Escape,
    /// Parameters up to a final letter.
    Parameters,
    /// A string up to its terminator, at most to the end of the line.
    String,
}

impl Cleaner {
    /// The text of the next piece.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        let mut text = String::with_capacity(piece.len());
        piece.chars().for_each(|c| self.read(c, &mut text));
        text
    }

    fn read(&mut self, c: char, text: &mut String) {
        let inside = std::mem::take(&mut self.inside);
        match (inside, c) {
            (_, '\u{1b}') => self.inside = Inside::Escape,
            (Inside::Escape, '[') => self.inside = Inside::Parameters,
            (Inside::Escape, ']' | 'P' | 'X' | '^' | '_') => self.inside = Inside::String,
            // A sequence such as the choice of a character set: one more character ends it.
            (Inside::Escape, ' '..='/') => self.inside = Inside::Escape,
            (Inside::Parameters, ' '..='?') => self.inside = Inside::Parameters,
            (Inside::Escape, '0'..='~') | (Inside::Parameters, '@'..='~') => {}
            (Inside::String, c) if !c.is_control() => self.inside = Inside::String,
            // The second half of the control characters also appears in wrongly decoded text, so only the character is
            // removed, and the words after it stay.
            (_, c) if is_forbidden_control(c) => {}
            (_, c) => text.push(c),
        }
    }
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
            ("\u{1b}]0;never closed\nnext", "\nnext"),
            ("\u{1b}(Bascii\u{1b}日", "ascii日"),
            ("\u{9b}2Jclear", "2Jclear"),
            ("â€\u{9d} and the rest", "â€ and the rest"),
            ("over\rwritten\u{8}\u{7f}", "overwritten"),
            ("user\u{202e}txt.exe", "usertxt.exe"),
            ("\u{1b}", ""),
            ("\u{1b}[12", ""),
            ("\u{1b}c reset", " reset"),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
        }
        assert_eq!(without_controls("\u{200f}שלום\u{7}"), "\u{200f}שלום", "marks of direction are text");
    }

    proptest! {
        #[test]
        fn nothing_unprintable_is_left_of_any_text(text in "[\\x00-\\x1f\\x7f-\\u{9f}\\[\\]a-z0-9;\u{202e}\u{2067}]{0,60}", cut in 0usize..60) {
            prop_assert!(!printable(&text).contains(is_unprintable));
            let mut cleaner = Cleaner::default();
            let (first, second): (Vec<_>, Vec<_>) = text.chars().enumerate().partition(|(at, _)| *at < cut);
            let piece = |part: Vec<(usize, char)>| part.into_iter().map(|(_, c)| c).collect::<String>();
            prop_assert_eq!(cleaner.push(&piece(first)) + &cleaner.push(&piece(second)), without_controls(&text));
        }
    }
}
