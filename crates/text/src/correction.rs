//! A correction in the next breath: "The meeting is on Tuesday." – "no wait, Wednesday".

use crate::calendar::{self, EUROPEAN, Language};
use crate::cues::{Plain, cues};
use crate::word_list::WordList;

/// A longer message tells more than a correction, in bytes.
const LONGEST: usize = 80;
/// Maximum number of words of the right value.
const MOST_WORDS: usize = 4;

/// Words at the beginning of a correction, and of other messages.
static OPENERS: WordList = WordList::new(
    "no wait oh or sorry rather actually oops nein warte moment quatsch vielmehr doch perdón espera digo non attends pardon plutôt",
);
/// Words between the right value and the wrong one.
static NOT: WordList = WordList::new("not nicht no pas statt instead");

cues! {
    /// Beginnings of nothing but a correction.
    CORRECTS =
        "i mean | i meant | correction | make that | scratch that | ich meine | ich meinte | korrektur | besser gesagt | quiero decir"
        "| quise decir | mejor dicho | je veux dire | je voulais dire";
}

/// A statement with the value that the next message of its speaker corrects; where the value cannot be placed, both.
/// `None` if that message corrects nothing.
#[must_use]
pub fn corrected(statement: &str, next: &str) -> Option<String> {
    if next.len() > LONGEST || next.contains('\n') {
        return None;
    }
    let words: Vec<&str> = next.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let opened = words.iter().take_while(|word| OPENERS.contains(&word.to_lowercase())).count();
    let words = words.get(opened..)?;
    let plain = Plain::new(&words.join(" "));
    let corrects =
        CORRECTS.opened(&plain).map(|rest| plain.words().count() - rest.split_whitespace().count());
    let words = words.get(corrects.unwrap_or_default()..)?;
    let (right, wrong) = match words.iter().position(|word| NOT.contains(word)) {
        Some(at) => (words.get(..at)?, words.last()),
        None => (words, None),
    };
    let is_opened = opened > 0 || corrects.is_some();
    if !is_opened || right.is_empty() || right.len() > MOST_WORDS {
        return None;
    }
    let placed = match wrong {
        Some(wrong) => replaced(statement, &right.join(" "), |word| word.eq_ignore_ascii_case(wrong)),
        None => right.iter().fold(None, |text, word| {
            // A name after "sorry" may be somebody's who is addressed.
            let Some(kind) = Kind::of(word).filter(|kind| *kind != Kind::Name || corrects.is_some()) else {
                return text;
            };
            let text = text.unwrap_or_else(|| statement.to_owned());
            Some(replaced(&text, word, |other| Kind::of(other) == Some(kind)).unwrap_or(text))
        }),
    };
    let placed = placed.filter(|placed| placed != statement);
    placed.or_else(|| corrects.map(|_| format!("{} {}", statement.trim(), next.trim())))
}

/// What kind of value a word is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Weekday,
    Month,
    Number,
    Name,
}

impl Kind {
    fn of(word: &str) -> Option<Self> {
        let lower = word.to_lowercase();
        let is_weekday = |languages| calendar::weekday(&lower, languages).is_some();
        match word.chars().next()? {
            _ if is_weekday(EUROPEAN) || is_weekday(&[Language::Short]) => Some(Self::Weekday),
            _ if calendar::month(&lower, EUROPEAN).is_some() => Some(Self::Month),
            first if first.is_ascii_digit() => Some(Self::Number),
            first => first.is_uppercase().then_some(Self::Name),
        }
    }
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A text with a word in place of the last one that is meant.
fn replaced(text: &str, right: &str, is_meant: impl Fn(&str) -> bool) -> Option<String> {
    let mut start = 0;
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        start += word.len();
        (start - word.len(), word)
    });
    let (at, word) = words.filter(|(_, word)| is_meant(bare(word))).last()?;
    let from = at + word.find(bare(word))?;
    Some(format!("{}{right}{}", text.get(..from)?, text.get(from + bare(word).len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i3_the_next_breath_corrects_the_value_of_a_statement() {
        for (statement, next, expected) in [
            ("The meeting is on Tuesday.", "no wait, Wednesday", Some("The meeting is on Wednesday.")),
            (
                "My train leaves at 9 from platform 4",
                "sorry, 10 not 9",
                Some("My train leaves at 10 from platform 4"),
            ),
            ("Dinner is with Carla on Friday", "I meant Clara", Some("Dinner is with Clara on Friday")),
            ("Die Prüfung ist am 3. Mai", "ich meine am 5. Juni", Some("Die Prüfung ist am 5. Juni")),
            ("La cena es el lunes", "perdón, el martes", Some("La cena es el martes")),
            ("Lunch is at 12:15 on Friday", "make that 13:00", Some("Lunch is at 13:00 on Friday")),
            ("We go to Mainz am 3. Mai", "quatsch, am 4. Mai", Some("We go to Mainz am 4. Mai")),
            ("I like tea", "coffee not tea, sorry", None),
            ("I like tea", "sorry, coffee not tea", Some("I like coffee")),
            ("I like tea", "I mean coffee", Some("I like tea I mean coffee")),
            ("I like tea", "no thanks", None),
            ("The exam is on 3 March", "actually no, 4 March", Some("The exam is on 4 March")),
            ("I met Carla", "Sorry Anna I'm late", None),
            ("The meeting is on Tuesday.", "Actually, I am late today because of the rain", None),
            ("The meeting is on Tuesday.", "Wednesday is free", None),
            ("The meeting is on Tuesday.", "no", None),
        ] {
            assert_eq!(corrected(statement, next).as_deref(), expected, "{statement} {next}");
        }
    }
}
