//! Phrases matched on words, and the values that follow them.

use crate::extract::same::{digits, is_negation, is_number};
use crate::extract::wording::Word;
use crate::word_list::WordList;

/// What is left of a statement to read.
pub(super) type Rest<'w> = &'w [Word];

/// What follows a phrase. Its words are separated by spaces, other words for the same place by `|`; a place that ends
/// in `?` may be missing, and `*` stands for the rest, which must not be empty.
pub(super) fn after<'w>(words: Rest<'w>, phrase: &str) -> Option<Rest<'w>> {
    let mut rest = words;
    for place in phrase.split(' ') {
        let (choices, optional) = place.strip_suffix('?').map_or((place, false), |choices| (choices, true));
        let fits = |word: &Word| choices.split('|').any(|choice| choice == word.text);
        while let Some((word, tail)) = rest.split_first()
            && ADVERBS.contains(&word.text)
            && !fits(word)
        {
            rest = tail;
        }
        if place == "*" {
            return (!rest.is_empty()).then_some(rest);
        }
        match rest.split_first() {
            Some((word, tail)) if fits(word) => rest = tail,
            _ if optional => {}
            _ => return None,
        }
    }
    Some(rest)
}

/// Words that may stand anywhere in a phrase.
static ADVERBS: WordList =
    WordList::new("actually ahora always currently immer jetzt just now only really siempre still");

/// The value at the start of the rest: up to a mark or a word that starts something else.
pub(super) fn value(rest: Rest<'_>) -> Option<String> {
    let value: Vec<&str> = of_value(rest).iter().map(|word| word.text.as_str()).collect();
    let is_one = !value.is_empty() && value.len() <= 8 && !value.iter().any(|word| is_negation(word));
    is_one.then(|| value.join(" "))
}

/// The words of the value at the start of the rest.
pub(super) fn of_value(rest: Rest<'_>) -> Rest<'_> {
    let start = rest.iter().take_while(|word| is_article(&word.text)).count();
    let rest = rest.get(start..).unwrap_or_default();
    let ends = |(at, word): (usize, &Word)| (at > 0 && word.opens) || ENDS.contains(&word.text);
    let end = rest.iter().enumerate().position(ends).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Whether a word only introduces a value.
pub(super) fn is_article(word: &str) -> bool {
    ARTICLES.contains(word)
}

/// The subject of "X is", in its usual word, and what follows it, from the verb on.
pub(super) fn subject_of(words: Rest<'_>) -> Option<(String, Rest<'_>)> {
    let is_verb = |at: usize, word: &Word| {
        let next = words.get(at + 1).map(|next| next.text.as_str());
        match word.text.as_str() {
            "is" | "are" | "ist" | "es" | "heisst" => true,
            "se" => next == Some("llama"),
            "'s" => matches!(next, Some("called" | "named")),
            _ => false,
        }
    };
    let end = words.iter().enumerate().take(6).position(|(at, word)| is_verb(at, word))?;
    let (subject, rest) = words.split_at_checked(end)?;
    let subject: Vec<&str> = subject
        .iter()
        .map(|word| word.text.as_str())
        .filter(|word| *word != "'s" && *word != "new" && *word != "current")
        .map(|word| USUAL.iter().find(|(other, _)| *other == word).map_or(word, |(_, usual)| usual))
        .collect();
    let subject = subject.join(" ");
    let usual = USUAL_SUBJECTS
        .iter()
        .find(|(other, _)| *other == subject)
        .map_or(subject.as_str(), |(_, usual)| usual);
    (!usual.is_empty()).then(|| (usual.to_owned(), rest))
}

/// A number at the start, in digits, and what follows it.
pub(super) fn number(words: Rest<'_>) -> Option<(String, Rest<'_>)> {
    let (first, rest) = words.split_first()?;
    if is_number(&first.text) {
        return first.text.bytes().all(|b| b.is_ascii_digit()).then(|| (first.text.clone(), rest));
    }
    let tens: u32 = digits(&first.text)?.parse().ok()?;
    // "thirty-four"
    let unit = rest.first().and_then(|word| digits(&word.text)).and_then(|unit| unit.parse::<u32>().ok());
    match unit {
        Some(unit @ 1..=9) if tens >= 20 => Some(((tens + unit).to_string(), rest.split_first()?.1)),
        _ => Some((tens.to_string(), rest)),
    }
}

static ARTICLES: WordList = WordList::new("a an das der die el la my the to");

/// Words after a value that are no part of it.
static ENDS: WordList = WordList::new(
    "again already and any anymore as at aus because but currently desde during for from if instead last \
     like near now nowadays seit since so still that these this though today too und until very when \
     where which while who with y years yesterday",
);

const USUAL: &[(&str, &str)] = &[
    ("dad", "father"),
    ("doggo", "dog"),
    ("favourite", "favorite"),
    ("geburtstag", "birthday"),
    ("cumpleanos", "birthday"),
    ("mobile", "phone"),
    ("cell", "phone"),
    ("cellphone", "phone"),
    ("telephone", "phone"),
    ("telefonnummer", "phone"),
    ("telefono", "phone"),
    ("mom", "mother"),
    ("mum", "mother"),
    ("nombre", "name"),
    ("correo", "email"),
    ("colour", "color"),
];

const USUAL_SUBJECTS: &[(&str, &str)] = &[
    ("e mail", "email"),
    ("e mail address", "email"),
    ("email address", "email"),
    ("first language", "native language"),
    ("first name", "name"),
    ("full name", "name"),
    ("home address", "address"),
    ("mail address", "email"),
    ("mother tongue", "native language"),
    ("number", "phone"),
    ("occupation", "job"),
    ("phone number", "phone"),
    ("phone phone", "phone"),
    ("phone phone number", "phone"),
    ("profession", "job"),
    ("time zone", "timezone"),
    ("birth date", "birthday"),
    ("date of birth", "birthday"),
    ("wedding anniversary", "anniversary"),
    ("company", "employer"),
];
