//! What is liked, disliked and preferred.

use super::Attribute;
use super::frame::{Rest, after, is_article, of_value, value};
use crate::extract::same::is_negation;
use crate::extract::wording::Word;
use crate::word_list::WordList;

/// The taste a clause tells: of one thing, or of one thing over another.
pub(super) fn read(clause: Rest<'_>) -> Option<Attribute> {
    let skipped = clause.iter().take_while(|word| is_helper(&word.text)).count();
    let (helpers, rest) = clause.split_at_checked(skipped)?;
    let denied = helpers.iter().any(|word| is_negation(&word.text));
    if !denied && let Some(attribute) = preferred(rest) {
        return Some(attribute);
    }
    let (likes, rest) = VERBS.iter().find_map(|(phrase, likes)| Some((*likes, after(rest, phrase)?)))?;
    let thing = thing(rest)?;
    let likes = match (likes, denied) {
        // "I don't hate it" tells neither.
        (Some(false), true) => return None,
        (Some(likes), denied) => likes != denied,
        (None, true) => false,
        (None, false) => return None,
    };
    Some(Attribute::new(format!("liking {thing}"), if likes { "like" } else { "dislike" }))
}

/// Whether a thing is liked; none if the verb tells only when denied.
const VERBS: &[(&str, Option<bool>)] = &[
    ("like|likes|love|loves|enjoy|enjoys|adore|adores|mag|liebe|gusta|gustan|encanta|encantan *", Some(true)),
    ("into *", Some(true)),
    ("a? big|huge|great? fan of *", Some(true)),
    ("fond of *", Some(true)),
    ("hate|hates|dislike|dislikes|detest|detests|loathe|loathes|despise|despises|hasse|odio *", Some(false)),
    ("sick|tired of *", Some(false)),
    ("stand|bear|liked|loved|enjoyed *", None),
];

fn is_helper(word: &str) -> bool {
    is_negation(word) || HELPERS.contains(word)
}

/// Words that may stand between the person and the verb.
static HELPERS: WordList =
    WordList::new("absolutely am are can could did do does is longer me much quite really simply so");

/// "I prefer tea over coffee", "I like tea more than coffee", "I prefer window seats".
fn preferred(rest: Rest<'_>) -> Option<Attribute> {
    let prefers = after(rest, "prefer|prefers *").or_else(|| after(rest, "would rather have|drink|eat? *"));
    let named = prefers.or_else(|| after(rest, "like|likes|love|loves *"))?;
    let named = after(named, "to?")?;
    let compares = |word: &Word| COMPARING.contains(&word.text);
    if let Some(at) = named.iter().position(compares) {
        let (first, second) = named.split_at_checked(at)?;
        let skipped = second.iter().take_while(|word| compares(word) || word.text == "of").count();
        let (first, second) = (stems(first), stems(of_value(second.get(skipped..)?)));
        let mut both = [first.as_str(), second.as_str()];
        both.sort_unstable();
        let [one, other] = both;
        return (!one.is_empty() && one != other)
            .then(|| Attribute::new(format!("preference {one} {other}"), first.clone()));
    }
    prefers?;
    match of_value(named) {
        [] => None,
        [_] => Some(Attribute::new(format!("liking {}", thing(named)?), "like")),
        [kind @ .., of] => Some(Attribute::new(format!("preferred {}", of.stem()), stems(kind))),
    }
}

static COMPARING: WordList = WordList::new("better instead more over rather than to");

/// The one thing a taste is of; several in a list add up.
fn thing(rest: Rest<'_>) -> Option<String> {
    value(rest)?;
    let thing = of_value(rest);
    let next = rest.iter().skip_while(|word| !thing.contains(word)).nth(thing.len());
    let is_list = next.is_some_and(|word| ["and", "or", "und", "y"].contains(&word.text.as_str()));
    (!is_list).then(|| stems(thing)).filter(|thing| !thing.is_empty())
}

fn stems(words: &[Word]) -> String {
    let stems: Vec<String> = words.iter().filter(|word| !is_article(&word.text)).map(Word::stem).collect();
    stems.join(" ")
}
