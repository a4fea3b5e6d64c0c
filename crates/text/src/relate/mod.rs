//! How a new statement relates to what is known: the same again, a change, an end, or a contradiction to ask about.

pub mod attribute;
mod ending;
mod follow;
mod remainder;
pub mod same;
mod wording;

use std::cell::OnceCell;

use jiff::civil::Date;

use self::attribute::{Attribute, attributes, is_moved};
use self::ending::{Ended, ended};
pub use self::follow::{Worth, follow, with_changes};
pub use self::remainder::remainder;
use self::same::{Folded, has_digit, is_name, is_negation};
pub(crate) use self::wording::is_small;
use self::wording::{Word, words};
use crate::extract::Kind;
use crate::told::{Modality, modality};
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

/// A statement with what its words say, each read once and only if asked for.
struct Told<'a> {
    known: Known<'a>,
    folded: Folded<'a>,
    attributes: OnceCell<Vec<Attribute>>,
    ended: OnceCell<Option<Ended>>,
}

impl<'a> Told<'a> {
    fn of(known: &Known<'a>) -> Self {
        let folded = Folded::of(known.text);
        Self { known: *known, folded, attributes: OnceCell::new(), ended: OnceCell::new() }
    }

    fn attributes(&self) -> &[Attribute] {
        self.attributes.get_or_init(|| attributes(self.known.kind, self.known.text))
    }

    fn ended(&self) -> Option<&Ended> {
        self.ended.get_or_init(|| ended(self.known.text)).as_ref()
    }

    /// The same words about two days are two statements.
    fn has_day_of(&self, other: &Self) -> bool {
        match (self.known.day, other.known.day) {
            (Some(new), Some(old)) => new == old,
            (None, _) | (_, None) => true,
        }
    }
}

/// Relates a new statement to the known ones. `cosine` tells how alike it is to a known one, if both have a vector;
/// from `threshold` on they are the same, unless their words say otherwise.
pub fn relate(
    new: &Known<'_>,
    known: &[Known<'_>],
    cosine: &dyn Fn(usize) -> Option<f32>,
    threshold: f32,
) -> Relation {
    relate_said(new, new.text, known, cosine, threshold)
}

/// Relates a new statement with the words in which it was said: "Sorry, my birthday is on 5 July" corrects what is known,
/// though the statement itself is only of the birthday.
pub fn relate_said(
    new: &Known<'_>,
    said: &str,
    known: &[Known<'_>],
    cosine: &dyn Fn(usize) -> Option<f32>,
    threshold: f32,
) -> Relation {
    let new = Told::of(new);
    let known: Vec<Told<'_>> = known.iter().map(Told::of).collect();
    let find = |fits: &dyn Fn(usize, &Told<'_>) -> bool| {
        known.iter().enumerate().find(|(at, old)| fits(*at, old)).map(|(at, _)| at)
    };
    if let Some(at) = find(&|_, old| new.has_day_of(old) && new.folded.is_exactly(&old.folded)) {
        return Relation::Same(at);
    }
    if let Some(at) = finished(&new, &known) {
        return Relation::Finishes(at);
    }
    if let Some(at) = find(&|_, old| new.has_day_of(old) && new.folded.is_near(&old.folded)) {
        return Relation::Same(at);
    }
    let is_similar = |at: usize| cosine(at).is_some_and(|similarity| similarity >= threshold);
    let agrees = |old: &Told<'_>| {
        let is_other = |a: &Attribute, b: &Attribute| a.key == b.key && a.value != b.value;
        let changes = new.attributes().iter().any(|a| old.attributes().iter().any(|b| is_other(a, b)));
        new.has_day_of(old) && !changes && !new.folded.differs(&old.folded) && new.ended() == old.ended()
    };
    if let Some(at) = find(&|at, old| is_similar(at) && agrees(old)) {
        return Relation::Same(at);
    }
    let is_marked = is_marked(new.known.text) || is_marked(said);
    if let Some(relation) = by_attribute(&new, is_marked, &known) {
        return relation;
    }
    if let Some(end) = new.ended() {
        let over = ends(end, &new, &known);
        if !over.is_empty() {
            return if end.states_more { Relation::Replaces(over) } else { Relation::Ends(over) };
        }
    }
    let opposite = known.iter().enumerate().find(|(_, old)| is_opposite(&new, old));
    opposite.map_or(Relation::New, |(at, old)| match old.known.kind {
        Kind::Goal | Kind::Date if new.folded.denies() => Relation::Ends(vec![at]),
        Kind::Preference | Kind::Goal | Kind::Date => Relation::Replaces(vec![at]),
        Kind::Fact | Kind::Outcome if is_marked => Relation::Replaces(vec![at]),
        Kind::Fact | Kind::Outcome => Relation::Unclear(at),
    })
}

/// Returns true if a statement says what another one does but for one value with a digit in it: another number, code
/// or seat. What has its own day, and how something came out, may well be true twice.
#[must_use]
pub fn changes_value(new: &Known<'_>, old: &Known<'_>) -> bool {
    let may_be_both = matches!(new.kind, Kind::Date | Kind::Outcome) && new.day != old.day;
    let (new, old) = (Told::of(new), Told::of(old));
    let (said, known): (Vec<_>, Vec<_>) = (new.folded.telling().collect(), old.folded.telling().collect());
    if may_be_both || !new.has_day_of(&old) || said.len() != known.len() || said.len() < 2 {
        return false;
    }
    let mut apart = said.iter().zip(&known).filter(|(a, b)| a.text != b.text);
    let is_value = |(a, b): (&&Word, &&Word)| has_digit(&a.text) && has_digit(&b.text);
    apart.next().is_some_and(is_value) && apart.next().is_none()
}

/// What follows from the values of attributes. A later value takes the place of an earlier one of the same holder.
fn by_attribute(new: &Told<'_>, is_marked: bool, known: &[Told<'_>]) -> Option<Relation> {
    let mut replaced = Vec::new();
    let mut repeated = None;
    for (at, old) in known.iter().enumerate() {
        for slot in new.attributes() {
            if slot.value.is_empty() && new.known.day.is_none() {
                continue;
            }
            let Some(before) =
                old.attributes().iter().find(|before| is_of_same(slot, before, new, is_marked))
            else {
                continue;
            };
            let is_same = match (new.known.day, old.known.day) {
                (Some(day), Some(other)) if slot.is_event => day == other,
                (Some(day), Some(other)) if new.known.kind == Kind::Date && day == other => true,
                _ => is_part(&slot.value, &before.value),
            };
            if is_same {
                repeated = Some(at);
            } else if slot.has_many() && !is_marked {
                // Another brother, perhaps.
            } else if slot.is_lasting() && !fits(slot, before) && !is_marked && !new.folded.denies() {
                return Some(Relation::Unclear(at));
            } else if !replaced.contains(&at) && !tells_more(old, new) {
                replaced.push(at);
            }
        }
    }
    // "The appointment": the one that was told last.
    if new.attributes().first().is_some_and(|slot| slot.is_event && is_moved(new.known.text)) {
        replaced.drain(..replaced.len().saturating_sub(1));
    }
    if !replaced.is_empty() {
        return Some(Relation::Replaces(replaced));
    }
    let at = repeated?;
    match added(&new.folded, &known.get(at)?.folded) {
        Added::Nothing => Some(Relation::Same(at)),
        Added::ToAll => Some(Relation::Replaces(vec![at])),
        Added::Elsewhere => None,
    }
}

/// Returns true if two values are of the same attribute. An event may be named more shortly when it is moved, or told
/// again with its day: "the offsite" of the team offsite.
fn is_of_same(new: &Attribute, old: &Attribute, told: &Told<'_>, is_marked: bool) -> bool {
    if new.key == old.key {
        return true;
    }
    let names_the_same = || is_part(&new.key, &old.key) || is_part(&old.key, &new.key);
    let is_event = new.is_event && old.is_event;
    is_event && names_the_same() && (is_marked || is_moved(told.known.text) || new.value == old.value)
}

/// Returns true if a statement also tells for good what another one does not: "I'm Ana and I live in Cork".
fn tells_more(old: &Told<'_>, new: &Told<'_>) -> bool {
    old.attributes()
        .iter()
        .any(|told| told.is_lasting() && !new.attributes().iter().any(|other| other.key == told.key))
}

/// Returns true if all words of one value are in the other: "Berlin" in "Berlin Mitte".
fn is_part(part: &str, whole: &str) -> bool {
    part == whole
        || (!part.is_empty() && part.split(' ').all(|word| whole.split(' ').any(|other| other == word)))
}

/// Returns true if a lasting value can have become the other in the course of time: people grow older, and a name is
/// told in full.
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

fn added(new: &Folded<'_>, old: &Folded<'_>) -> Added {
    let lacks = |words: &Folded<'_>, word: &Word| !words.telling().any(|other| other.text == word.text);
    let mut more = new.telling().filter(|word| lacks(old, word) && !FRAMING.contains(&word.text)).peekable();
    if more.peek().is_none() {
        Added::Nothing
    } else if !old.telling().any(|word| lacks(new, word)) {
        Added::ToAll
    } else if more.any(|word| is_name(word) || has_digit(&word.text)) {
        Added::Elsewhere
    } else {
        Added::Nothing
    }
}

/// Terms (stemmed) that only say what a value is of.
static FRAMING: WordList = WordList::new("bas call liv mov nam number old to turn work year");

/// Returns true if a statement says that something changed, or that it was told wrongly before.
fn is_marked(text: &str) -> bool {
    words(text).iter().any(|word| MARKS.contains(&word.text))
        || MARKS_IN_HAN.iter().any(|mark| text.contains(mark))
        || is_moved(text)
}

static MARKS: WordList = WordList::new(
    "actually ahora anymore changed correct correction instead jetzt longer meant mistake moved new now      renamed rescheduled sorry turned wait wrong      eigentlich falsch gezogen inzwischen korrektur korrigiere lieber meinte mittlerweile nunmehr umgezogen warte      correccion equivoque mude mudado mudo perdon realidad espera      attends correction demenage desormais erreur maintenant pardon plutot trompe",
);
static MARKS_IN_HAN: WordList = WordList::new(
    "其实 更正 不是 改 新的 现在 说错 今は 実は 訂正 間違え ではなく じゃなくて になりました 引っ越し 転職 これから 从现在 以后",
);

/// Returns true if two statements have the same words, and one denies them.
fn is_opposite(new: &Told<'_>, old: &Told<'_>) -> bool {
    if new.folded.denies() == old.folded.denies() {
        return false;
    }
    let bare = |of: &Told<'_>| -> Vec<String> {
        let words = of.folded.telling().map(|word| word.text.as_str());
        words.filter(|word| !is_negation(word) && !SOFTENERS.contains(word)).map(str::to_owned).collect()
    };
    let (said, known) = (bare(new), bare(old));
    !said.is_empty() && said == known
}

static SOFTENERS: WordList = WordList::new("any anymor correction do longer mor sorry to");

/// The statements that an end is about.
fn ends(end: &Ended, new: &Told<'_>, known: &[Told<'_>]) -> Vec<usize> {
    if end.is_ahead {
        return Vec::new();
    }
    let is_of_another = modality(new.known.text) == Modality::OfAnother;
    let has_ended = |word: &str| end.what.iter().any(|over| over == word);
    let is_of_work = end.what.iter().all(|word| ending::is_work(word));
    let is_over = |old: &Told<'_>| {
        if !is_of_work && !old.folded.telling().any(|word| has_ended(&word.text)) {
            return false;
        }
        // "I left Google" ends the work there, though it does not name work; "I quit my job" ends it, though it does not
        // name the place.
        if let Some(slot) = old.attributes().iter().find(|slot| slot.ends_with_its_value()) {
            let is_named = Folded::of(&slot.value).telling().all(|word| has_ended(&word.text));
            return is_named && end.is_of(&old.folded) || slot.is_work() && is_of_work && !is_of_another;
        }
        let names_all = |words: &[String]| end.what.iter().all(|word| words.contains(word));
        if end.is_lost && ending::owned(&old.folded).is_some_and(|thing| names_all(&thing)) {
            return true;
        }
        let told: Vec<String> = old.folded.telling().map(|word| word.text.clone()).collect();
        if !names_all(&told) {
            return false;
        }
        let aimed = ending::aimed_at(old.known.text);
        let met = aimed.iter().filter(|word| end.what.contains(word)).count();
        // To drop coffee does not end an allergy to it, so of a fact most must be named.
        match old.known.kind {
            Kind::Goal | Kind::Date => 2 * met >= aimed.len(),
            Kind::Fact | Kind::Preference | Kind::Outcome => 3 * met >= 2 * aimed.len(),
        }
    };
    let holds = |old: &Told<'_>| old.ended().is_none() && !old.folded.denies();
    let over = known.iter().enumerate().filter(|(_, old)| is_over(old) && holds(old));
    over.map(|(at, _)| at).collect()
}

/// The goal or the date that a statement says is done.
fn finished(new: &Told<'_>, known: &[Told<'_>]) -> Option<usize> {
    let open = known.iter().enumerate().filter(|(_, old)| matches!(old.known.kind, Kind::Goal | Kind::Date));
    let mut open = open.peekable();
    open.peek()?;
    // What somebody else has done is not what the person aims at.
    let is_of_another = modality(new.known.text) == Modality::OfAnother;
    let mut open =
        open.filter(|(_, old)| !is_of_another || modality(old.known.text) == Modality::OfAnother).peekable();
    open.peek()?;
    let done = ending::done(new.known.text)?;
    let calls_off = |told: &Told<'_>| told.ended().is_some_and(|end| !end.is_lost);
    let share = |old: &Told<'_>| {
        let aimed = ending::aimed_at(old.known.text);
        let met = aimed.iter().filter(|word| done.what.contains(word)).count();
        let is_of_it = met > 0 && 2 * met >= aimed.len() && 2 * met >= done.what.len();
        // What was called off is not done, unless that was the aim.
        (is_of_it
            && done.is_of(&old.folded)
            && calls_off(new) == calls_off(old)
            && !ending::names_another(new.known.text, old.known.text))
        .then(|| met * 100 / aimed.len().max(1))
    };
    open.filter_map(|(at, old)| Some((share(old)?, at)))
        .max_by_key(|(share, at)| (*share, usize::MAX - at))
        .map(|(_, at)| at)
}

#[cfg(test)]
mod tests;
