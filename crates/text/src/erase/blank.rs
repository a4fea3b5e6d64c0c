//! Takes the sentences that tell a forgotten value out of a text.

use std::ops::Range;

/// What stands in place of sentences that were forgotten.
pub const FORGOTTEN: &str = "[forgotten]";

/// The text with `[forgotten]` in place of these sentences. Neighbors share one mark, also with marks that are already
/// there, so that nobody can count what is gone; every other byte stays.
#[must_use]
pub fn blank(text: &str, sentences: &[Range<usize>]) -> String {
    let mut gone: Vec<Range<usize>> = sentences
        .iter()
        .map(|range| text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end))
        .filter(|range| range.start < range.end)
        .collect();
    if gone.is_empty() {
        return text.to_owned();
    }
    gone.extend(text.match_indices(FORGOTTEN).map(|(at, mark)| at..at + mark.len()));
    gone.sort_by_key(|range| range.start);

    let mut blanked = String::with_capacity(text.len());
    let mut end: Option<usize> = None;
    for range in gone {
        let between = text.get(end.unwrap_or(0)..range.start).unwrap_or_default();
        if end.is_none() || !between.trim().is_empty() {
            blanked.push_str(between);
            blanked.push_str(FORGOTTEN);
        }
        end = end.max(Some(range.end));
    }
    blanked.push_str(text.get(end.unwrap_or(0)..).unwrap_or_default());
    blanked
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn j2_blanking_keeps_every_other_sentence_and_does_nothing_twice(
            sentences in prop::collection::vec(("[a-zäé我]{1,6}( [a-zäé我]{1,6}){0,4}[.!?]", any::<bool>()), 1..8),
        ) {
            let text: String = sentences.iter().map(|(text, _)| format!("{text} ")).collect();
            let mut start = 0;
            let mut gone = Vec::new();
            let mut expected = String::new();
            for (sentence, goes) in &sentences {
                if *goes {
                    gone.push(start..start + sentence.len());
                    if !expected.ends_with("[forgotten] ") {
                        expected.push_str("[forgotten] ");
                    }
                } else {
                    expected.push_str(sentence);
                    expected.push(' ');
                }
                start += sentence.len() + 1;
            }
            let blanked = blank(&text, &gone);
            prop_assert_eq!(&blanked, &expected);
            let marks: Vec<_> = blanked.match_indices(FORGOTTEN).map(|(at, mark)| at..at + mark.len()).collect();
            prop_assert_eq!(blank(&blanked, &marks), blanked);
        }

        #[test]
        fn j2_any_ranges_in_any_text_are_blanked_without_fault(
            text in "\\PC{0,40}",
            ranges in prop::collection::vec((0usize..90, 0usize..90), 0..4),
        ) {
            let ranges: Vec<_> = ranges.into_iter().map(|(a, b)| a..b).collect();
            prop_assert!(blank(&text, &ranges).len() <= text.len() + ranges.len() * FORGOTTEN.len());
        }
    }
}
