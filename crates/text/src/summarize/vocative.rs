//! Removes greetings and forms of address from the ends of a sentence: "Thanks, Ana, I live in Porto" states where
//! the speaker lives.

use std::collections::HashSet;

use crate::intent::is_chatter;
use crate::words::written;

/// Maximum words of a form of address between two commas.
const LONGEST: usize = 4;
/// Maximum number of them that are removed at one end; a row of commas has no more.
const MOST: usize = 8;

/// A sentence without a greeting or form of address before its first comma or after its last.
pub(super) fn without_vocatives(sentence: &str, names: &HashSet<&str>) -> String {
    let mut rest = sentence;
    for _ in 0..MOST {
        match rest.split_once([',', '，', '!', '！']) {
            Some((before, after)) if is_courtesy(before, names) && after.contains(char::is_alphanumeric) => {
                rest = after.trim_start();
            }
            _ => break,
        }
    }
    for _ in 0..MOST {
        match rest.rsplit_once([',', '，']) {
            Some((before, after)) if is_courtesy(after, names) && before.contains(char::is_alphanumeric) => {
                rest = before.trim_end();
            }
            _ => break,
        }
    }
    if rest.len() == sentence.len() {
        return sentence.to_owned();
    }
    // The new first word gets a capital letter.
    let mut letters = rest.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn is_courtesy(part: &str, names: &HashSet<&str>) -> bool {
    let is_name = |word: &str| {
        let word = word.to_lowercase();
        let of_name = |name: &str| {
            let name = name.to_lowercase();
            // "Mel" is Melanie.
            name.split_whitespace().any(|part| part == word || word.len() > 2 && part.starts_with(&word))
        };
        names.iter().any(|name| of_name(name))
    };
    let words: Vec<&str> = written(part).collect();
    words.len() <= LONGEST && words.iter().all(|word| is_name(word) || is_chatter(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d4_greetings_thanks_and_names_are_taken_off_and_nothing_else() {
        let names = HashSet::from(["Melanie Ortiz", "Jo"]);
        for (sentence, left) in [
            ("Thanks, Melanie, I live in Porto.", "I live in Porto."),
            ("Hey Mel, good morning, my train leaves at nine.", "My train leaves at nine."),
            ("I sold the boat, Jo!", "I sold the boat"),
            ("Yes, thanks", "Thanks"),
            ("If it rains, we stay here.", "If it rains, we stay here."),
            ("We went to Porto, not to Lisbon.", "We went to Porto, not to Lisbon."),
        ] {
            assert_eq!(without_vocatives(sentence, &names), left);
        }
    }
}
