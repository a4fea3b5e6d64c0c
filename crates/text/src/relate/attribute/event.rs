//! Events: the event is the attribute, the day its value.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::civil::Date;

use super::Attribute;
use crate::calendar::{self, EUROPEAN};
use crate::extract::day;
use crate::relate::same::{digits, without_ordinal};
use crate::relate::wording::{Word, is_small, stem, stems, words};
use crate::word_list::WordList;
use crate::words::is_stop_word;

/// The event a statement gives a day.
pub(super) fn read(words: &[Word]) -> Option<Attribute> {
    let is_said = |stem: &String| {
        is_stop_word(stem)
            || is_small(stem)
            || SAID_OF_EVENTS.contains(stem)
            || MOVES.contains(stem)
            || stem == "s"
    };
    let named = words.iter().filter(|word| !is_day_word(&word.text)).map(Word::stem);
    let mut event: Vec<String> = named.clone().filter(|stem| !is_said(stem)).collect();
    if event.is_empty() {
        // A flight to nowhere is one all the same.
        event.extend(named.filter(|stem| ["flight", "shift"].contains(&stem.as_str())));
    }
    event.sort();
    event.dedup();
    of_day(event.join(" "), day_words(words))
}

/// The event of a Chinese or Japanese statement: what is left without the day and the words about it.
pub(super) fn read_han(text: &str) -> Option<Attribute> {
    let named = day::find(text, SOME_DAY)?;
    let (before, after) = (text.get(..named.range.start)?, text.get(named.range.end..)?);
    let said = HAN_SAID_OF_EVENTS.iter().chain(HAN_MOVES.iter());
    let event = said.fold(format!("{before} {after}"), |event, said| event.replace(said, " "));
    let event: Vec<&str> = event
        .split(|c: char| {
            !c.is_alphanumeric() || crate::cjk::is_hiragana(c) || "的了在是我们日天号将于定去到".contains(c)
        })
        .filter(|part| !part.is_empty() && !part.chars().all(|c| c.is_ascii_digit()))
        .collect();
    of_day(event.join(" "), text.get(named.range)?.to_owned())
}

/// The place of a day in a text does not depend on the day it is read.
const SOME_DAY: Date = Date::constant(2026, 1, 1);

fn of_day(event: String, day: String) -> Option<Attribute> {
    (!event.is_empty()).then_some(Attribute { key: event, value: day, is_event: true })
}

/// The words that tell a day, in one order, so that "May 5th" is "5 May".
pub(super) fn day_words(words: &[Word]) -> String {
    let mut day: Vec<String> = words
        .iter()
        .filter(|word| is_day_word(&word.text) && !is_small(&word.text))
        .map(|word| plain(&word.text))
        .collect();
    day.sort();
    day.join(" ")
}

/// Returns true if a word tells a day or a time of it.
pub(super) fn is_day_word(word: &str) -> bool {
    let starts_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
    starts_with_digit || DAYS.contains(word) || month(word).is_some() || digits(word).is_some()
}

fn plain(word: &str) -> String {
    let name = month(word).and_then(|place| calendar::MONTHS.split(' ').nth(place));
    name.unwrap_or_else(|| without_ordinal(word)).to_owned()
}

/// The place of a month that a folded word names, from 0 on.
fn month(word: &str) -> Option<usize> {
    static MONTHS: LazyLock<Vec<(String, i8)>> = LazyLock::new(|| {
        let folded = |name: &str| words(name).into_iter().map(|word| word.text).collect::<String>();
        calendar::months(EUROPEAN).map(|(name, place)| (folded(name), place)).collect()
    });
    let is_short = |name: &str| word.len() == 3 && name.starts_with(word) && !is_small(word);
    let named = MONTHS.iter().find(|(name, _)| name == word || is_short(name))?;
    usize::try_from(named.1 - 1).ok()
}

/// Returns true if a statement says that an event has another day than before.
pub(in crate::relate) fn is_moved(text: &str) -> bool {
    words(text).iter().any(|word| MOVES.contains(&word.stem()))
        || HAN_MOVES.iter().any(|mark| text.contains(mark))
}

/// Returns true if a statement says what it is that has a day.
pub(in crate::relate) fn names_event(text: &str) -> bool {
    let words = words(text);
    if words.iter().any(Word::is_han) { read_han(text).is_some() } else { read(&words).is_some() }
}

/// What is known of an event, with the day that a later statement names in its place: "It was moved to 12 May" after
/// "Dentist appointment: 5 May".
pub(in crate::relate) fn moved_to(known: &str, said: &str, today: Date) -> Option<String> {
    let (old, new) = (day::find(known, today)?, day::find(said, today)?);
    let day = said.get(new.range)?;
    let worked_out = if new.is_relative { format!("{day} ({})", new.day) } else { day.to_owned() };
    let (before, after) = (known.get(..old.range.start)?, known.get(old.range.end..)?);
    // The day that was worked out for the old words goes with them.
    let worked_out_before = format!(" ({})", old.day);
    Some(format!("{before}{worked_out}{}", after.strip_prefix(worked_out_before.as_str()).unwrap_or(after)))
}

/// A moved event as a note, "Wedding: 19 June" of "We moved the wedding to 19 June", if that says it all.
pub(in crate::relate) fn note(text: &str, today: Date) -> Option<String> {
    let named = day::find(text, today)?;
    let before: Vec<&str> = text.get(..named.range.start)?.split_whitespace().collect();
    let folded = |word: &str| words(word).into_iter().map(|word| word.text).collect::<String>();
    let start = before.iter().position(|word| ARTICLES.contains(&folded(word)))?;
    let name: Vec<&str> = before
        .iter()
        .skip(start + 1)
        .take_while(|word| {
            !is_stop_word(&stem(&folded(word))) && !is_small(&stem(&folded(word))) && !is_moved(word)
        })
        .copied()
        .collect();
    let name = name.join(" ");
    let whole = read(&words(text))?;
    read(&words(&name)).filter(|event| event.key == whole.key)?;
    let mut letters = name.chars();
    let first = letters.next()?.to_uppercase();
    Some(format!("{first}{}: {}", letters.as_str(), text.get(named.range.start..)?))
        .filter(|_| text.get(named.range.end..).is_some_and(|rest| !rest.contains(char::is_whitespace)))
        .map(|note| note.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned())
}

/// What stands before the name of an event.
static ARTICLES: WordList = WordList::new(
    "the my our der die das den mein meine meinen unser unsere el la los mi nuestra nuestro le mon ma notre",
);

static DAYS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let weekdays = calendar::weekdays(EUROPEAN).flat_map(|(name, _)| words(name)).map(|word| word.text);
    let others = "afternoon am evening fridays mon morning next noon oclock pm this today tomorrow tonight week weekend year \
                  heute morgen ubermorgen uhr nachste nachsten hoy manana proximo proxima demain prochain prochaine";
    weekdays.chain(others.split_whitespace().map(str::to_owned)).collect()
});

/// Terms of giving an event another day.
static MOVES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    stems(
        "changed delayed move moved moves moving postponed push pushed rescheduled shifted switched \
         verlegt verschoben verschieben vorverlegt vorgezogen \
         aplazado aplazada aplazó cambiado cambiada cambió movido movida movió pospuesto pospuesta retrasado trasladado \
         avancé avancée décalé décalée déplacé déplacée reporté reportée repoussé repoussée",
    )
});

const HAN_MOVES: [&str; 12] = [
    "改到",
    "改成",
    "改为",
    "改期",
    "推迟到",
    "推迟",
    "延期",
    "提前到",
    "挪到",
    "変更",
    "ずれ",
    "移動しました",
];

/// Terms about a day, not about the event.
static SAID_OF_EVENTS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    stems(
        "actually back be book booked bring brought change correct correction date day end expired flight fly forward go going \
         have held instead last mean meant mistake move new now oops plan planned plans plac place postpone push reschedule \
         rescheduled sched schedule scheduled set shift sorry start starts take takes tak tim time until wait will wrong \
         warte espera attends non nein eigentlich doch meinte sagen sorry wollte decir perdon queria quise realidad dire finalement pardon voulais ça er",
    )
});

/// What is said of a day in Chinese and Japanese.
const HAN_SAID_OF_EVENTS: [&str; 12] = [
    "になりました",
    "なりました",
    "なった",
    "予定",
    "我们",
    "已经",
    "现在",
    "安排",
    "定于",
    "今年",
    "来年",
    "私",
];
