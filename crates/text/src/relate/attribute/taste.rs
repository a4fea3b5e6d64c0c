//! What is liked, disliked and preferred.

use super::Attribute;
use super::frame::{Rest, after, is_article, of_value, value};
use crate::relate::same::is_negation;
use crate::relate::wording::{Word, stem};
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
    (
        "like|likes|love|loves|enjoy|enjoys|adore|adores|mag|liebe|gusta|gustan|encanta|encantan|aime|jaime|jadore *",
        Some(true),
    ),
    ("into *", Some(true)),
    ("a? big|huge|great? fan of *", Some(true)),
    ("fond of *", Some(true)),
    (
        "hate|hates|dislike|dislikes|detest|detests|loathe|loathes|despise|despises|hasse|odio|deteste *",
        Some(false),
    ),
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
    let prefers = prefers(rest);
    let named = prefers.or_else(|| after(rest, "like|likes|love|loves *"))?;
    if let Some((first, second)) = pair(named) {
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

fn prefers(rest: Rest<'_>) -> Option<Rest<'_>> {
    let told = PREFERRING.iter().find_map(|phrase| after(rest, phrase))?;
    after(told, "to?")
}

const PREFERRING: &[&str] = &[
    "prefer|prefers|bevorzuge|prefiero|prefere *",
    "would rather have|drink|eat? *",
    "mag|trinke|esse|nehme lieber *",
    "aime mieux *",
];

/// What is preferred, and to what.
fn pair(named: Rest<'_>) -> Option<(String, String)> {
    let named = after(named, "to?")?;
    let compares = |word: &Word| COMPARING.contains(&word.text);
    let at = named.iter().take(LONGEST).position(compares)?;
    let (first, second) = named.split_at_checked(at)?;
    let skipped = second.iter().take_while(|word| compares(word) || word.text == "of").count();
    Some((stems(first), stems(of_value(second.get(skipped..)?))))
}

/// Maximum number of words that are looked at for what is preferred.
const LONGEST: usize = 16;

static COMPARING: WordList = WordList::new("a als au aux better instead more over que rather than to");

/// What a preference chooses from: the two things it compares, or those that people choose from, such as drinks.
pub(super) fn compared(clause: Rest<'_>) -> Vec<Attribute> {
    let Some(named) = prefers(clause) else { return Vec::new() };
    let of = |thing: &str, chosen: &str| Attribute::new(format!("preferring {thing}"), chosen);
    let (chosen, mut all) = match pair(named) {
        Some((chosen, other)) => {
            let both = vec![of(&chosen, &chosen), of(&other, &chosen)];
            (chosen, both)
        }
        None => {
            let chosen = stems(of_value(named));
            let one = vec![of(&chosen, &chosen)];
            (chosen, one)
        }
    };
    let choice = CHOICES.iter().find_map(|(choice, things)| {
        let value = things.split(' ').position(|names| names.split('/').any(|name| stem(name) == chosen))?;
        Some(Attribute::new(format!("preferred {choice}"), value.to_string()))
    });
    all.extend(choice);
    all
}

/// Things that people choose one from, each with its names.
const CHOICES: &[(&str, &str)] = &[
    (
        "drink",
        "tea/tee/té/thé coffee/kaffee/café water/wasser/agua/eau juice/saft/zumo/jus wine/wein/vino/vin \
         beer/bier/cerveza/bière cocoa/kakao/cacao milk/milch/leche/lait",
    ),
    (
        "ride",
        "train/zug/bahn/tren plane/flugzeug/avión/avion bus/autobús car/auto/coche/voiture bike/bicycle/fahrrad/bicicleta/vélo",
    ),
    (
        "time of day",
        "mornings/morning/morgen/mañana/matin evenings/evening/abend/tarde/soir nights/night/nacht/noche/nuit",
    ),
    (
        "season",
        "summer/sommer/verano/été winter/invierno/hiver spring/frühling/primavera/printemps autumn/fall/herbst/otoño/automne",
    ),
    ("seat", "window/fenster/ventana/fenêtre aisle/gang/pasillo/couloir"),
    (
        "contact",
        "phone/calls/telefon/teléfono/téléphone email/emails/mail/correo/courriel texts/texting/sms chat",
    ),
];

/// The one thing a taste is of; several in a list add up.
fn thing(rest: Rest<'_>) -> Option<String> {
    value(rest)?;
    let thing = of_value(rest);
    let next = rest.iter().skip_while(|word| !thing.contains(word)).nth(thing.len());
    let is_list = next.is_some_and(|word| ["and", "or", "und", "y"].contains(&word.text.as_str()));
    (!is_list).then(|| stems(thing)).filter(|thing| !thing.is_empty() && !POINTING.contains(thing))
}

/// Terms that name nothing themselves: "I love it" and "I hate it when people are late" are of two things.
static POINTING: WordList =
    WordList::new("das eso esto everyth it lo nothing someth that them thes thi this those you");

fn stems(words: &[Word]) -> String {
    // French tea is spelled like an English article.
    let is_told = |at: usize, word: &Word| at + 1 == words.len() || !is_article(&word.text);
    let told = words.iter().enumerate().filter(|(at, word)| is_told(*at, word));
    let stems: Vec<String> = told.map(|(_, word)| word.stem()).collect();
    stems.join(" ")
}
