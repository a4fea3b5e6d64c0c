//! How a new statement relates to what is known: the same again, a change, an end, or a contradiction to ask about.

mod ending;

use jiff::civil::Date;

use self::ending::{Ended, ended};
use super::attribute::{Attribute, attribute};
use super::same::{differ, exact, has_digit, is_name, is_negation, near, telling};
use super::wording::{Word, words};
use crate::extract::Kind;
use crate::word_list::WordList;

/// A statement, with what else is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known<'a> {
    /// What it states.
    pub kind: Kind,
    /// The statement.
    pub text: &'a str,
    /// The day it is about, if it has one.
    pub day: Option<Date>,
}

/// How a new statement relates to the known ones, which are named by their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// Nothing like it is known.
    New,
    /// It is known already.
    Same(usize),
    /// It takes the place of these.
    Replaces(Vec<usize>),
    /// The goal is reached, or the date is dealt with.
    Finishes(usize),
    /// These hold no longer, and nothing is stated in their place.
    Ends(Vec<usize>),
    /// It contradicts this one, and which of them holds is not clear: ask.
    Unclear(usize),
}

/// Relates a new statement to the known ones. `cosine` tells how alike it is to a known one, if both have a vector;
/// from `threshold` on they are the same, unless their words say otherwise.
pub fn relate(
    new: &Known<'_>,
    known: &[Known<'_>],
    cosine: &dyn Fn(usize) -> Option<f32>,
    threshold: f32,
) -> Relation {
    let places = || known.iter().enumerate();
    let slot_of_new = attribute(new.kind, new.text);
    if let Some((at, _)) = places().find(|(_, old)| same_day(new, old) && exact(new.text, old.text)) {
        return Relation::Same(at);
    }
    if let Some(at) = finished(new, known) {
        return Relation::Finishes(at);
    }
    let is_near = |old: &Known<'_>| same_day(new, old) && near(new.text, old.text);
    if let Some((at, _)) = places().find(|(_, old)| is_near(old)) {
        return Relation::Same(at);
    }
    let end = ended(new.text);
    let is_similar = |at: usize| cosine(at).is_some_and(|similarity| similarity >= threshold);
    let agrees = |old: &Known<'_>| {
        let told = (&slot_of_new, attribute(old.kind, old.text));
        let same_value = !matches!(told, (Some(a), Some(b)) if a.key == b.key && a.value != b.value);
        same_day(new, old) && same_value && !differ(new.text, old.text) && end == ended(old.text)
    };
    if let Some((at, _)) = places().find(|(at, old)| is_similar(*at) && agrees(old)) {
        return Relation::Same(at);
    }
    if let Some(relation) = slot_of_new.and_then(|attribute| by_attribute(new, &attribute, known)) {
        return relation;
    }
    if let Some(end) = end {
        let over = ends(&end, known);
        if !over.is_empty() {
            return if end.states_more { Relation::Replaces(over) } else { Relation::Ends(over) };
        }
    }
    places().find(|(_, old)| is_opposite(new, old)).map_or(Relation::New, |(at, old)| match old.kind {
        Kind::Goal | Kind::Date if denies(new.text) => Relation::Ends(vec![at]),
        Kind::Preference | Kind::Goal | Kind::Date => Relation::Replaces(vec![at]),
        Kind::Fact | Kind::Outcome if is_marked(new.text) => Relation::Replaces(vec![at]),
        Kind::Fact | Kind::Outcome => Relation::Unclear(at),
    })
}

/// Whether a statement says what another one does but for one value with a digit in it: another number, code or seat. What
/// has its own day, and how something came out, may well be true twice.
#[must_use]
pub fn changes_value(new: &Known<'_>, old: &Known<'_>) -> bool {
    let (said, known) = (telling(new.text), telling(old.text));
    let may_be_both = matches!(new.kind, Kind::Date | Kind::Outcome) && new.day != old.day;
    if may_be_both || !same_day(new, old) || said.len() != known.len() || said.len() < 2 {
        return false;
    }
    let mut apart = said.iter().zip(&known).filter(|(a, b)| a.text != b.text);
    let is_value = |(a, b): (&Word, &Word)| has_digit(&a.text) && has_digit(&b.text);
    apart.next().is_some_and(is_value) && apart.next().is_none()
}

/// The same words about two days are two statements.
fn same_day(new: &Known<'_>, old: &Known<'_>) -> bool {
    match (new.day, old.day) {
        (Some(new), Some(old)) => new == old,
        (None, _) | (_, None) => true,
    }
}

fn by_attribute(new: &Known<'_>, slot_of_new: &Attribute, known: &[Known<'_>]) -> Option<Relation> {
    if slot_of_new.value.is_empty() && new.day.is_none() {
        return None;
    }
    let mut replaced = Vec::new();
    let mut repeated = None;
    for (at, old) in known.iter().enumerate() {
        let Some(slot_of_old) = attribute(old.kind, old.text) else { continue };
        if slot_of_old.key != slot_of_new.key {
            continue;
        }
        let is_same = match (new.day, old.day) {
            (Some(new), Some(old)) => new == old,
            _ => is_part(&slot_of_new.value, &slot_of_old.value),
        };
        if is_same {
            repeated = Some(at);
        } else if slot_of_new.is_lasting()
            && !fits(slot_of_new, &slot_of_old)
            && !is_marked(new.text)
            && !denies(new.text)
        {
            return Some(Relation::Unclear(at));
        } else {
            replaced.push(at);
        }
    }
    if !replaced.is_empty() {
        return Some(Relation::Replaces(replaced));
    }
    let at = repeated?;
    let old = known.get(at)?;
    match added(new.text, old.text) {
        Added::Nothing => Some(Relation::Same(at)),
        Added::ToAll => Some(Relation::Replaces(vec![at])),
        Added::Elsewhere => None,
    }
}

/// Whether all words of one value are in the other: "Berlin" in "Berlin Mitte".
fn is_part(part: &str, whole: &str) -> bool {
    part == whole
        || (!part.is_empty() && part.split(' ').all(|word| whole.split(' ').any(|other| other == word)))
}

/// Whether a lasting value can have become the other in the course of time: people grow older, and a name is told in full.
fn fits(new: &Attribute, old: &Attribute) -> bool {
    if let ("age", Ok(new), Ok(old)) = (new.key.as_str(), new.value.parse::<u32>(), old.value.parse::<u32>())
    {
        return new > old && new - old <= 5;
    }
    is_part(&old.value, &new.value)
}

/// What a statement says beyond another one with the same value.
enum Added {
    Nothing,
    /// It says all the other does, and more: "I live in Berlin with Anna".
    ToAll,
    /// It leaves something out, and brings a name or a number.
    Elsewhere,
}

fn added(new: &str, old: &str) -> Added {
    let (new, old) = (telling(new), telling(old));
    let lacks = |words: &[Word], word: &Word| !words.iter().any(|other| other.text == word.text);
    let mut more = new.iter().filter(|word| lacks(&old, word) && !FRAMING.contains(&word.text)).peekable();
    if more.peek().is_none() {
        Added::Nothing
    } else if !old.iter().any(|word| lacks(&new, word)) {
        Added::ToAll
    } else if more.any(|word| is_name(word) || has_digit(&word.text)) {
        Added::Elsewhere
    } else {
        Added::Nothing
    }
}

/// Terms (stemmed) that only say what a value is of.
static FRAMING: WordList = WordList::new("bas call liv mov nam number old to turn work year");

/// Whether a statement says that something changed, or that it was told wrongly before.
fn is_marked(text: &str) -> bool {
    let told: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
    told.iter().any(|word| MARKS.contains(word)) || MARKS_IN_HAN.iter().any(|mark| text.contains(mark))
}

static MARKS: WordList = WordList::new(
    "actually ahora anymore changed correct correction instead jetzt longer meant mistake moved new now \
     renamed rescheduled sorry turned wrong",
);
static MARKS_IN_HAN: WordList = WordList::new("其实 更正 不是 改 新的 现在 说错");

/// Whether two statements have the same words, and one denies them.
fn is_opposite(new: &Known<'_>, old: &Known<'_>) -> bool {
    let bare = |text: &str| {
        let mut bare: Vec<String> = telling(text).into_iter().map(|word| word.text).collect();
        bare.retain(|word| !is_negation(word) && !SOFTENERS.contains(word));
        bare
    };
    let (said, known) = (bare(new.text), bare(old.text));
    denies(new.text) != denies(old.text) && !said.is_empty() && said == known
}

static SOFTENERS: WordList = WordList::new("any anymor correction do longer mor sorry to");

fn denies(text: &str) -> bool {
    telling(text).iter().filter(|word| is_negation(&word.text)).count() % 2 == 1
}

/// The statements that an end is about.
fn ends(end: &Ended, known: &[Known<'_>]) -> Vec<usize> {
    let is_over = |old: &Known<'_>| {
        if ended(old.text).is_some() || denies(old.text) {
            return false;
        }
        // "I left Google" ends the work there, though it does not name work.
        if let Some(place) = attribute(old.kind, old.text)
            .filter(|attribute| ["employer", "home"].contains(&attribute.key.as_str()))
        {
            return telling(&place.value).iter().all(|word| end.what.contains(&word.text));
        }
        let told: Vec<String> = telling(old.text).into_iter().map(|word| word.text).collect();
        let aimed = ending::aimed_at(old.text);
        let met = aimed.iter().filter(|word| end.what.contains(word)).count();
        // To drop coffee does not end an allergy to it, so of a fact most must be named.
        let is_enough = match old.kind {
            Kind::Goal | Kind::Date => 2 * met >= aimed.len(),
            Kind::Fact | Kind::Preference | Kind::Outcome => 3 * met >= 2 * aimed.len(),
        };
        is_enough && end.what.iter().all(|word| told.contains(word))
    };
    known.iter().enumerate().filter(|(_, old)| is_over(old)).map(|(at, _)| at).collect()
}

/// The goal or the date that a statement says is done.
fn finished(new: &Known<'_>, known: &[Known<'_>]) -> Option<usize> {
    let done = ending::done(new.text)?;
    let share = |old: &Known<'_>| {
        let aimed = ending::aimed_at(old.text);
        let met = aimed.iter().filter(|word| done.contains(word)).count();
        let is_of_it = met > 0 && 2 * met >= aimed.len() && 2 * met >= done.len();
        // What was called off is not done, unless that was the aim.
        let is_end = ended(new.text).is_some() == ended(old.text).is_some();
        (is_of_it && is_end && !ending::names_another(new.text, old.text))
            .then(|| met * 100 / aimed.len().max(1))
    };
    known
        .iter()
        .enumerate()
        .filter(|(_, old)| matches!(old.kind, Kind::Goal | Kind::Date))
        .filter_map(|(at, old)| Some((share(old)?, at)))
        .max_by_key(|(share, at)| (*share, usize::MAX - at))
        .map(|(_, at)| at)
}

#[cfg(test)]
mod tests;
