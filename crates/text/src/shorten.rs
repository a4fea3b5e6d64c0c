//! Shortens a text for a line, a label or a list: by characters, with an ellipsis if something was cut.

/// A text on one line, with single spaces.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `most` characters, the ellipsis included.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The first `most` characters, with an ellipsis after them if there are more.
#[must_use]
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// At most `most` characters, the ellipsis included, cut at the end of a word if one is near.
#[must_use]
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    let word_ends = head.rfind(char::is_whitespace).filter(|end| *end > head.len() / 2);
    let kept = word_ends.and_then(|end| head.get(..end)).unwrap_or(&head);
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_by_characters_and_only_if_it_is_too_long() {
        // text, limit, cut, beginning, shortened
        for (text, most, expected) in [
            ("über alles", 10, ["über alles", "über alles", "über alles"]),
            ("über alles", 9, ["über all…", "über alle…", "über…"]),
            ("one two three", 9, ["one two …", "one two t…", "one two…"]),
            ("", 0, ["", "", ""]),
        ] {
            assert_eq!(
                [cut(text, most), beginning(text, most), shorten(text, most)],
                expected,
                "{text} {most}"
            );
        }
        assert_eq!(one_line(" a\n\tb  c "), "a b c");
    }
}
