//! Dates: what has its day in the person's life, such as a birthday, an appointment or a trip.
//!
//! What happens is an open class: a day ahead, and words that put something of the person's on that day, make a date.

use std::sync::LazyLock;

use super::classes;
use super::day::Named;
use super::pattern::{self, Row};
use super::token::Token;
use super::verb;
use crate::word_list::WordList;

/// What a clause says that happens, given the time that it names.
pub fn find(clause: &[Token], when: Option<&Named>) -> Option<&'static str> {
    if let Some((row, _)) = pattern::first(&CANCELED, clause) {
        return Some(row.category);
    }
    let when = when?;
    if has(clause, &PAST) && !has(clause, &PUT_OFF) || is_public(clause) {
        return None;
    }
    // The words of the time are cut out, so that a pattern need not know where they stand.
    let timeless = || clause.iter().enumerate().filter(|(at, _)| !when.tokens.contains(at));
    let rest: Vec<Token> = timeless().map(|(_, token)| token.clone()).collect();
    let is_soon = has(clause, &SOON);
    let is_over_today = is_today(clause.get(when.tokens.clone()).unwrap_or_default()) && !is_yearly(clause);
    if is_over_today || is_denied(clause, &rest, when) {
        return None;
    }
    if let Some((row, _)) = pattern::first(&EVENTS, &rest) {
        return Some(row.category);
    }
    // Between "not the 5th but" and its verb the day cannot stand.
    let close_by = |head: usize| when.tokens.start <= head + 2 || has(clause, &NOT);
    let is_theirs = clause.first().is_some_and(|first| classes::MY.contains(&first.text));
    if when.day.is_none() && !is_theirs {
        return None;
    }
    if let Some((row, _)) = pattern::first(&HAPPENINGS, &rest).filter(|(_, head)| close_by(*head)) {
        return Some(row.category);
    }
    when.day?;
    if let Some((row, head)) = pattern::first(&PLANS, &rest) {
        let is_goal = rest.get(..head).is_some_and(|words| has(words, &WANTED));
        return (!is_soon && !is_goal && !has(clause, &DEADLINE)).then_some(row.category);
    }
    let is_own = has(clause, &OWN) && !has(clause, &TO_THE_ASSISTANT);
    ((is_own || is_bare(&rest, clause, when)) && !is_soon && !has(clause, &DEADLINE)).then_some("schedule")
}

/// Whether the day comes back every year, so that no year belongs to it.
pub fn is_yearly(clause: &[Token]) -> bool {
    has(clause, &YEARLY)
}

fn has(clause: &[Token], list: &WordList) -> bool {
    clause.iter().any(|token| list.contains(&token.text))
}

/// "Tonight", "this morning": a day that is no date to remember.
fn is_today(time: &[Token]) -> bool {
    let is_this = has(time, &THIS) && has(time, &PART_OF_DAY);
    is_this || has(time, &TODAY)
}

/// "Scratch the 9th", "it's not on the 4th": nothing is put on that day.
fn is_denied(clause: &[Token], rest: &[Token], when: &Named) -> bool {
    let names_nothing = rest.iter().all(|token| {
        token.is_mark() || classes::EMPTY.contains(&token.text) || DENYING.contains(&token.text)
    });
    let start = when.tokens.start;
    let before = clause.get(start.saturating_sub(2)..start).unwrap_or_default();
    names_nothing && has(rest, &DENYING) || has(before, &NOT)
}

/// What all the world looks forward to.
fn is_public(clause: &[Token]) -> bool {
    let is_theirs =
        clause.iter().any(|token| classes::MY.contains(&token.text) || classes::ME.contains(&token.text));
    !is_theirs && has(clause, &classes::PUBLIC)
}

/// "Dentist on Thursday": a few words with no verb, and their day.
fn is_bare(rest: &[Token], clause: &[Token], when: &Named) -> bool {
    let Some(first) = clause.first() else { return false };
    let speaks = rest.iter().any(|token| {
        classes::VERB.contains(&token.text) || verb::is_past(&token.text) || NO_EVENT.contains(&token.text)
    });
    let named = rest
        .iter()
        .take_while(|token| !token.is_mark())
        .filter(|token| !classes::EMPTY.contains(&token.text));
    !speaks
        && !IMPERATIVE.contains(&first.text)
        && named.count() > 0
        && (when.tokens.start <= LONGEST_BARE || when.tokens.start == 0)
        && rest.len() <= LONGEST_BARE + 4
}

/// The most words that an event with no verb has.
const LONGEST_BARE: usize = 7;

static YEARLY: WordList = WordList::new("birthday bday anniversary geburtstag cumpleaños born");
static PAST: WordList = WordList::new("was were had yesterday ago last did went");
/// What has happened to an event that is still ahead, or has its day each year.
static PUT_OFF: WordList = WordList::new(
    "born moved rescheduled postponed pushed changed shifted married booked got given delayed brought put confirmed",
);
static DEADLINE: WordList = WordList::new("by before until till");
static TODAY: WordList = WordList::new("today tonight");
static THIS: WordList = WordList::new("this");
static PART_OF_DAY: WordList = WordList::new("morning afternoon evening");
static NOT: WordList = WordList::new("not");
/// Words that take a day back and name no event.
static DENYING: WordList = WordList::new(
    "scratch forget cancel scrap ignore drop skip off out not wrong cancelled canceled works work dead moot happening go never no",
);
static SOON: WordList = WordList::new("today tonight now");
static WANTED: WordList = WordList::new("want like hope plan trying aim");
static NO_EVENT: WordList = WordList::new("you your i we u ur he she they it per each every weather news");
static OWN: WordList = WordList::new("i me my mine we us our ours");
static TO_THE_ASSISTANT: WordList = WordList::new(
    "you your need want should could would can remind book give tell make help write show find",
);
static IMPERATIVE: WordList = WordList::new(
    "remind book give tell make help write show find suggest plan explain translate add set put send schedule move call \
     meet see let need want convert check draft create what when where who how why which is are do does can could on",
);

static EVENTS: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(EVENT_TABLE));
static HAPPENINGS: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(HAPPENING_TABLE));
static PLANS: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(PLAN_TABLE));
static CANCELED: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(CANCELED_TABLE));

/// With any time, be it only a month.
const EVENT_TABLE: &[(&str, &str)] = &[
    ("schedule", "{my} .. {occasion} ... {happens} | {who} was/were {adv}* born"),
    (
        "family",
        "{me} got married | {me} {be} {adv}* celebrating _ | {who} {be} {adv}* getting married/engaged",
    ),
    (
        "travel",
        "{me} {be} {adv}* {going} to? {adv}* {name} | {me} {be} {adv}* {going} {adv}* to/for/on/home/back/there/away {a}? .. {occasion}/{name}",
    ),
    ("travel", "{me} {adv}* fly/travel/sail/move {adv}* to/back/home/out _"),
    ("schedule", "{who} {be} {adv}* due | {who} {have} {adv}* booked _ | {me} booked _"),
];

/// With a day of its own that stands beside the verb.
const HAPPENING_TABLE: &[(&str, &str)] = &[
    ("schedule", "{my}/the/this/a/an/that? .. {happens} {adv}* set?"),
    (
        "schedule",
        "{my}/the/this? ... {be}/{have}/got/was/were {adv}* been? set/due/scheduled/booked/planned/moved/rescheduled/postponed/pushed/changed/shifted/brought/delayed/confirmed ...",
    ),
    ("schedule", "{my}/the .. of/for/with/at/in ... {happens} {adv}*"),
    ("schedule", "{happens} when {who} _ | {me} {have}/{be} ... booked/scheduled/planned/arranged/fixed"),
    ("schedule", "mine 's got .. _ | {happens} {my} ... _"),
];

/// With a day of its own, wherever it stands.
const PLAN_TABLE: &[(&str, &str)] = &[
    ("schedule", "{who} {adv}* {have}/got {adv}* got? {a}/{number}/no/his/her/their? .. _"),
    ("schedule", "there {be} {a}? .. _ | it {be} {adv}* {my} ... _ | that {be} {my} ... _"),
    ("schedule", "{me} {be} {adv}* {progress} | {who} {be} {adv}* {progress} | {me} will be/have {a}? _"),
    ("schedule", "the/{my} .. {be} {adv}* coming/arriving/visiting/starting/ending/due"),
    ("schedule", "the/{my} .. {adv}* come/comes/arrive/arrives/visit/visits/gets/get"),
    ("travel", "{me} {be} {adv}* off to/on/there/for? _"),
    (
        "schedule",
        "{me} {adv}* {does} _ | {me} {adv}* leave/start/begin/finish/see/meet/get/go/turn/sit/give _",
    ),
    ("schedule", "{close} {adv}* {acts} _ | {close} {adv}* turns/starts/leaves/comes/gets/finishes/goes _"),
    ("schedule", "{me} will {adv}* fly/travel/visit/move/start/have/see/marry/meet _"),
    ("schedule", "{me} {have} to {adv}* submit/hand/file/pay/return/deliver/be/send/turn/renew _"),
    (
        "schedule",
        "they/he/she/{my}? ... moved/rescheduled/postponed/pushed/changed/shifted/booked/given/gave/offered me/us/my/our/the _",
    ),
];

const CANCELED_TABLE: &[(&str, &str)] = &[
    ("schedule", "{me} {have}? {adv}* to? canceled/cancelled/postponed/cancel/postpone {my}/the _"),
    ("schedule", "{me} {have}? {adv}* called off {my}/the _"),
    ("schedule", "{my}/the .. {be}/{have}/got/was {adv}* been? canceled/cancelled/postponed"),
];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 4] {
    [EVENT_TABLE, HAPPENING_TABLE, PLAN_TABLE, CANCELED_TABLE]
}
