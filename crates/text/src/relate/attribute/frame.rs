//! Phrases matched on words, and the values that follow them.

use crate::relate::same::{digits, is_negation, is_number};
use crate::relate::wording::Word;
use crate::word_list::WordList;

/// What is left of a statement to read.
pub(super) type Rest<'w> = &'w [Word];

/// What follows a phrase. Its words are separated by spaces, other words for the same place by `|`; a place that ends
/// in `?` may be missing, `~` stands for a few words, and `*` for the rest, which must not be empty.
pub(super) fn after<'w>(words: Rest<'w>, phrase: &str) -> Option<Rest<'w>> {
    let mut rest = words;
    for place in phrase.split(' ') {
        let (choices, optional) = place.strip_suffix('?').map_or((place, false), |choices| (choices, true));
        if place == "~" {
            let next =
                phrase.split_once("~ ").map_or("", |(_, next)| next.split(' ').next().unwrap_or_default());
            let fits = |word: &Word| next.split('|').any(|choice| choice == word.text);
            let at = rest.iter().take(MOST_BETWEEN).position(fits)?;
            rest = rest.get(at..)?;
            continue;
        }
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

/// Maximum number of words that `~` stands for, and the one after them.
const MOST_BETWEEN: usize = 6;

/// Words that may stand anywhere in a phrase.
static ADVERBS: WordList = WordList::new(
    "actualmente actually ahora always currently desormais immer inzwischen jetzt just maintenant mittlerweile now only \
     really siempre still toujours",
);

/// The value before one of these words: Bonn of "Bonn gezogen".
pub(super) fn value_before(rest: Rest<'_>, ends: &str) -> Option<String> {
    let at = rest.iter().take(LONGEST_VALUE).position(|word| ends.split('|').any(|end| end == word.text))?;
    value(rest.get(..at)?)
}

/// Maximum number of words that are looked at for a value.
const LONGEST_VALUE: usize = 12;

/// The value at the start of the rest: up to a mark or a word that starts something else.
pub(super) fn value(rest: Rest<'_>) -> Option<String> {
    let value: Vec<&str> = of_value(rest).iter().map(|word| word.text.as_str()).collect();
    let is_one = !value.is_empty() && value.len() <= 8 && !value.iter().any(|word| is_negation(word));
    is_one.then(|| value.join(" "))
}

/// The words of the value at the start of the rest.
pub(super) fn of_value(rest: Rest<'_>) -> Rest<'_> {
    let articles = rest.iter().take_while(|word| is_article(&word.text)).count();
    let start = articles.min(rest.len().saturating_sub(1));
    let rest = rest.get(start..).unwrap_or_default();
    let rest = rest.get(..LONGEST_VALUE).unwrap_or(rest);
    let ends = |(at, word): (usize, &Word)| (at > 0 && word.opens) || ENDS.contains(&word.text);
    let end = rest.iter().enumerate().position(ends).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Returns true if a word only introduces a value.
pub(super) fn is_article(word: &str) -> bool {
    ARTICLES.contains(word)
}

/// The subject of "X is", in its usual word, and what follows it, from the verb on.
pub(super) fn subject_of(words: Rest<'_>) -> Option<(String, Rest<'_>)> {
    let is_verb = |at: usize, word: &Word| {
        let next = words.get(at + 1).map(|next| next.text.as_str());
        match word.text.as_str() {
            "is" | "are" | "ist" | "sind" | "es" | "est" | "heisst" | "sappelle" => true,
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
        .map(usual)
        .collect();
    let subject = subject.join(" ");
    let usual = USUAL_SUBJECTS
        .iter()
        .find(|(other, _)| *other == subject)
        .map_or(subject.as_str(), |(_, usual)| usual);
    (!usual.is_empty()).then(|| (usual.to_owned(), rest))
}

/// The usual word for a thing.
pub(super) fn usual(word: &str) -> &str {
    USUAL.iter().find(|(other, _)| *other == word).map_or(word, |(_, usual)| usual)
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

static ARTICLES: WordList =
    WordList::new("a an das der die ein eine einem einen el l la le les los my the to un una une");

/// Words after a value that are no part of it.
static ENDS: WordList = WordList::new(
    "ab again already als and any anymore as at au aus because but como comme currently desde during for from if instead last \
     like maintenant depuis desde desormais et ahora mit con avec near jetzt now nowadays pour seit since so still that these this though today too und until very when \
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
    ("nom", "name"),
    ("prenom", "name"),
    ("anniversaire", "birthday"),
    ("hermano", "brother"),
    ("hermana", "sister"),
    ("bruder", "brother"),
    ("schwester", "sister"),
    ("frere", "brother"),
    ("soeur", "sister"),
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
