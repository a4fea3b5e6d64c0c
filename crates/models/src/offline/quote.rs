//! Quotes remembered words, and recognizes the model's own quotes.

use throughline_domain::time;
use throughline_text::sentences::sentences;
use throughline_text::shorten::one_line;
use throughline_text::words;

use super::remembered::Passage;
use super::{ACKNOWLEDGED, NOTHING_FOUND};
use crate::Turn;

/// Maximum length of a quote, in characters, unless the whole text is asked for.
const MAX_CHARS: usize = 400;
/// The beginnings of the model's own replies and of commands' answers.
const OPENINGS: [&str; 12] = [
    ACKNOWLEDGED,
    NOTHING_FOUND,
    "You said",
    "You quoted",
    "I said",
    "I sent",
    "I noted",
    "I know",
    "✓ ",
    "📋 ",
    "📜 ",
    "(",
];

/// Returns true if a text is a reply of this model, or a command's answer, which only repeat others.
pub fn is_own_reply(text: &str) -> bool {
    let is_quotation = (text.contains(" said on ") || text.contains(" quoted on ")) && text.ends_with('”');
    is_quotation || OPENINGS.iter().any(|opening| text.starts_with(opening))
}

/// `You said on Wednesday, 18 February 2026 at 07:02 (8h ago): “…”`
pub fn with_time(turn: &Turn, passage: &Passage, words: &str) -> String {
    format!("{}: “{words}”", who_and_when(turn, passage))
}

/// `You said on Wednesday, 18 February 2026 at 07:02 (8h ago)`
pub fn who_and_when(turn: &Turn, passage: &Passage) -> String {
    let who = format!("{}{}", passage.who, if passage.is_corrected { " (corrected)" } else { "" });
    // Words of the current turn need no date.
    match passage.at.filter(|at| *at != turn.now) {
        Some(at) => format!("{who} {}", moment(turn, at)),
        None => who,
    }
}

/// `on Wednesday, 18 February 2026 at 07:02 (8h ago)`
pub fn moment(turn: &Turn, at: jiff::Timestamp) -> String {
    let (zone, now) = (&turn.zone, turn.now);
    let ago = time::relative(at, now, zone);
    format!("on {} at {} ({ago})", time::long_date(at, zone), time::clock(at, zone))
}

/// The whole text if it is short, or the sentences from the best match on.
pub fn passage(text: &str, asked: &str) -> String {
    let flat = one_line(text);
    if flat.chars().count() <= MAX_CHARS {
        return flat;
    }
    let wanted = words::query_terms(asked);
    let matches = |sentence: &str| {
        words::terms(sentence).iter().filter(|term| wanted.iter().any(|wanted| wanted.text == **term)).count()
    };
    let parts: Vec<&str> = sentences(&flat).into_iter().filter_map(|range| flat.get(range)).collect();
    let best = (0..parts.len())
        .rev()
        .max_by_key(|at| parts.get(*at).map_or(0, |sentence| matches(sentence)))
        .unwrap_or(0);
    let rest = parts.iter().skip(best).map(|part| part.trim()).collect::<Vec<_>>().join(" ");
    let chosen: String = rest.chars().take(MAX_CHARS).collect();
    let before = if best > 0 { "… " } else { "" };
    let after = if chosen.len() < rest.len() { " …" } else { "" };
    format!("{before}{chosen}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_quoted_from_its_best_sentence() {
        let text = format!(
            "{} The safe opens with 4711. {}",
            "Filler words stand here. ".repeat(30),
            "More of them. ".repeat(40)
        );
        let quoted = passage(&text, "How does the safe open?");
        assert!(
            quoted.starts_with("… The safe opens with 4711.") && quoted.chars().count() < MAX_CHARS + 10,
            "{quoted}"
        );
    }
}
