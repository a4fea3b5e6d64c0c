//! Shortens a long message to its best passages: its first sentence, and those that share the most terms with the
//! question, with a mark wherever something is left out.

use std::borrow::Cow;
use std::collections::HashSet;

use throughline_text::sentences::sentences;
use throughline_text::tokens::{estimate, head};
use throughline_text::words;

/// The mark in place of omitted text.
const LEFT_OUT: &str = "[…]";

/// The text, or its best passages if it costs more than `most` tokens.
#[must_use]
pub fn best_passages<'a>(text: &'a str, question: &str, most: u32) -> Cow<'a, str> {
    if estimate(text) <= most {
        return Cow::Borrowed(text);
    }
    Cow::Owned(passages(text, &words::terms(question).into_iter().collect(), most))
}

/// The best passages of a text that costs more than `most` tokens. `asked` are the terms of the question.
pub(super) fn passages(text: &str, asked: &HashSet<String>, most: u32) -> String {
    let sentences = with_space(text);
    let shared = |sentence: &str| words::terms(sentence).iter().filter(|term| asked.contains(*term)).count();
    let mut order: Vec<(usize, usize)> =
        sentences.iter().map(|sentence| shared(sentence)).enumerate().collect();
    // The first sentence shows the subject of the message. The earlier one wins ties.
    order.sort_by_key(|(at, shared)| (*at > 0, std::cmp::Reverse(*shared), *at));
    let mark = estimate(LEFT_OUT) + 1;
    let mut left = most.saturating_sub(mark);
    let mut kept = vec![false; sentences.len()];
    for (at, _) in order {
        let cost = sentences.get(at).map_or(0, |sentence| estimate(sentence)) + mark;
        if let (Some(rest), Some(kept)) = (left.checked_sub(cost), kept.get_mut(at)) {
            (left, *kept) = (rest, true);
        }
    }
    if !kept.contains(&true) {
        return format!("{} {LEFT_OUT}", head(text, most.saturating_sub(mark)).trim_end());
    }
    let mut out = String::new();
    for (run, sentence) in kept.chunk_by(|one, next| one == next).scan(0, |at, run| {
        let from = *at;
        *at += run.len();
        Some((run.first() == Some(&true), sentences.get(from..*at).unwrap_or_default().concat()))
    }) {
        let piece = if run { sentence.trim() } else { LEFT_OUT };
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(piece);
    }
    out
}

/// The sentences of a text, each with the white space up to the next; together they are the text.
fn with_space(text: &str) -> Vec<&str> {
    let ends = sentences(text).into_iter().skip(1).map(|next| next.start).chain([text.len()]);
    ends.scan(0, |start, end| text.get(std::mem::replace(start, end)..end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d8_a_long_message_comes_in_as_its_first_sentence_and_what_was_asked_for() {
        let filler =
            "We walked along the river for an hour and talked about nothing in particular. ".repeat(6);
        let text = format!("A long day in Porto. {filler}The key is under the blue pot. {filler}Good night.");
        let shown = best_passages(&text, "Where is the key?", 60);
        assert!(shown.starts_with("A long day in Porto."), "{shown}");
        assert!(shown.contains("[…] The key is under the blue pot. […]"), "{shown}");
        assert!(estimate(&shown) <= 60, "{} tokens", estimate(&shown));
        assert_eq!(best_passages("Short.", "key", 60), "Short.");
    }

    #[test]
    fn d8_a_long_message_without_sentences_keeps_its_beginning() {
        let text = "word ".repeat(400);
        let shown = best_passages(&text, "key", 30);
        assert!(shown.starts_with("word word") && shown.ends_with(LEFT_OUT), "{shown}");
        assert!(estimate(&shown) <= 30);
    }
}
