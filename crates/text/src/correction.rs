//! A correction in the next breath: "The meeting is on Tuesday." – "no wait, Wednesday".

use crate::calendar::{self, EUROPEAN, Language};
use crate::word_list::WordList;

/// A longer message tells more than a correction, in bytes.
const LONGEST: usize = 80;
/// Maximum number of words of the right value.
const MOST_WORDS: usize = 4;

/// Words at the beginning of a correction, and of other messages.
static OPENERS: WordList = WordList::new(
    "no wait sorry rather actually oops nein warte moment quatsch vielmehr doch perdón espera digo non attends pardon plutôt",
);
/// Words at the beginning of nothing but a correction.
static SURE: WordList = WordList::new(
    "mean meant correction scratch meine meinte korrektur besser gesagt quiero quise decir dicho veux voulais dire",
);
/// Words between them.
static BETWEEN: WordList = WordList::new("i oh or that ich mejor je");
/// Words between the right value and the wrong one.
static NOT: WordList = WordList::new("not nicht no pas statt instead");

/// A statement with the value that the next message of its speaker corrects; where the value cannot be placed, both.
/// `None` if that message corrects nothing.
#[must_use]
pub fn corrected(statement: &str, next: &str) -> Option<String> {
    if next.len() > LONGEST {
        return None;
    }
    let words: Vec<&str> = next.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let is = |word: &str, list: &WordList| list.contains(&word.to_lowercase());
    let opens = |word: &&&str| [&OPENERS, &SURE, &BETWEEN].iter().any(|list| is(word, list));
    let (opening, rest) = words.split_at(words.iter().take_while(opens).count());
    let is_sure = opening.iter().any(|word| is(word, &SURE));
    let (right, wrong) = match rest.iter().position(|word| is(word, &NOT)) {
        Some(at) => (rest.get(..at)?, rest.last()),
        None => (rest, None),
    };
    let is_opened = is_sure || opening.iter().any(|word| is(word, &OPENERS));
    if !is_opened || !(1..=MOST_WORDS).contains(&right.len()) {
        return None;
    }
    let placed = match wrong {
        Some(wrong) => replaced(statement, &right.join(" "), |word| word.eq_ignore_ascii_case(wrong)),
        None => right.iter().fold(None, |text, word| {
            // A name after "sorry" may be that of somebody who is addressed.
            let kind = Kind::of(word).filter(|kind| is_sure || *kind != Kind::Name);
            let is_same = |other: &str| kind.is_some() && Kind::of(other) == kind;
            replaced(text.as_deref().unwrap_or(statement), word, is_same).or(text)
        }),
    };
    placed.or_else(|| is_sure.then(|| format!("{} {}", statement.trim(), next.trim())))
}

/// What kind of value a word is.
#[derive(PartialEq)]
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
            ("Lunch is at 12:15 on Friday", "correction: 13:00", Some("Lunch is at 13:00 on Friday")),
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
