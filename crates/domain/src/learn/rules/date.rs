//! Dates: what has its day in the person's life, such as a birthday, an appointment or a trip.

use std::sync::LazyLock;

use super::classes;
use super::day::Named;
use super::pattern::{self, Row};
use super::token::Token;

/// What a clause says that happens, given the time that it names.
pub fn find(clause: &[Token], when: Option<&Named>) -> Option<&'static str> {
    if let Some((row, _)) = pattern::first(&CANCELED, clause) {
        return Some(row.category);
    }
    let when = when?;
    let has = |words: &[&str]| clause.iter().any(|token| words.contains(&token.text.as_str()));
    if has(PAST) && !has(STILL_AHEAD) {
        return None;
    }
    // "My job is hard this week" has a time but no day.
    let is_vague =
        when.day.is_none() && clause.get(when.tokens.start).is_some_and(|token| token.text == "this");
    if is_vague {
        return None;
    }
    let is_public = || {
        let is_theirs =
            clause.iter().any(|token| classes::MY.contains(&token.text) || classes::ME.contains(&token.text));
        !is_theirs && clause.iter().any(|token| classes::PUBLIC.contains(&token.text))
    };
    if let Some((row, _)) = pattern::first(&EVENTS, clause) {
        return (!is_public()).then_some(row.category);
    }
    if let Some((row, _)) = pattern::first(&BARE, clause) {
        return (when.day.is_some() && when.tokens.start < 4 && !is_public()).then_some(row.category);
    }
    let (row, head) = pattern::first(&PLANS, clause)?;
    let rest = clause.get(head..).unwrap_or_default();
    let word = |at: usize| rest.get(at).map_or("", |token: &Token| token.text.as_str());
    let is_aim = word(0) == "to" && (classes::LASTING.contains(word(1)) || classes::LOOSE.contains(word(1)));
    let is_soon = clause.iter().any(|token| matches!(token.text.as_str(), "today" | "tonight" | "now"));
    // "I'm going to learn Thai next year" is a goal; on a day of its own it is a plan for that day.
    let is_plan = !is_aim || when.day.is_some() && !clause.iter().any(|token| token.text == "by");
    (is_plan && !is_soon).then_some(row.category)
}

/// Whether the day comes back every year, so that no year belongs to it.
pub fn is_yearly(clause: &[Token]) -> bool {
    clause.iter().any(|token| {
        matches!(
            token.text.as_str(),
            "birthday" | "bday" | "anniversary" | "geburtstag" | "cumpleaños" | "born"
        )
    })
}

const PAST: &[&str] = &["was", "were", "had", "yesterday", "ago", "last", "did"];
const STILL_AHEAD: &[&str] =
    &["born", "moved", "rescheduled", "postponed", "pushed", "changed", "married", "booked"];

static EVENTS: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(EVENT_TABLE));
static BARE: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(BARE_TABLE));
static PLANS: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(PLAN_TABLE));
static CANCELED: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(CANCELED_TABLE));

const EVENT_TABLE: &[(&str, &str)] = &[
    ("schedule", "{my} .. {event} ... {happens} _ | the .. {event} ... {happens} _ | .. {event} {happens} _"),
    (
        "schedule",
        "{my}/the .. {event} ... has/got/was moved/rescheduled/postponed/pushed/changed/been _ | {my} .. {event} ... will be _",
    ),
    (
        "schedule",
        "{who} {adv}* {have}/got {adv}* got? ... {event} | there is {a} .. {event} _ | it {be} {my} ... {event}",
    ),
    ("schedule", "the/my/our .. {visitor} {adv}* come/comes/arrive/arrives/visit/visits/gets/get"),
    ("schedule", "the/my/our .. {visitor} {be} {adv}* coming/arriving/visiting/due/getting/scheduled _"),
    (
        "family",
        "{close} {be}/{have} {adv}* {expected} _ | {close} {adv}* turns/turn/graduates/arrives/visits/starts/leaves/comes _",
    ),
    ("family", "{who} {be} {adv}* getting/having married/engaged/surgery/induced/operated/braces"),
    (
        "schedule",
        "{who} {be} {adv}* due/booked/scheduled {adv}* in/on/for/to? _ | {who} {have} {adv}* booked _ | {me} booked _",
    ),
    ("name", "{who} was/were {adv}* born on/in _"),
    ("family", "{me} got married on/in _ | {me} {be} {adv}* celebrating _"),
    (
        "schedule",
        "{me} {have} to {adv}* submit/hand/file/pay/return/deliver/be/send/turn _ | {me} must {adv}* submit/file/pay _",
    ),
];

const PLAN_TABLE: &[(&str, &str)] = &[
    ("travel", "{me} {be} {adv}* {going}"),
    (
        "travel",
        "{me} {be} {adv}* visiting/leaving/departing/landing/arriving/camping/hosting/attending/seeing/meeting/taking",
    ),
    (
        "travel",
        "{me} {adv}* fly/leave/depart/travel/land/arrive/sail/drive {adv}* to/for/from/out/off/home/back/in/at",
    ),
    ("travel", "{me} will be/fly/travel/visit/move/start"),
    ("schedule", "{me} {adv}* start/begin/graduate/finish/retire/move/marry"),
    (
        "schedule",
        "{me} {be} {adv}* starting/graduating/finishing/retiring/presenting/speaking/competing/running/performing",
    ),
    ("schedule", "{me} {be} {adv}* closing/signing/defending/interviewing/throwing/having"),
];

const CANCELED_TABLE: &[(&str, &str)] = &[
    (
        "schedule",
        "{me} {have}? {adv}* to? canceled/cancelled/postponed/rescheduled/cancel/postpone {my}/the .. {event}",
    ),
    ("schedule", "{me} {have}? {adv}* called off {my}/the .. {event}"),
    (
        "schedule",
        "{my}/the .. {event} ... {be}/{have}/got/was {adv}* been? canceled/cancelled/off/postponed/rescheduled",
    ),
];

const BARE_TABLE: &[(&str, &str)] = &[("schedule", ".. {event} on/next/tomorrow/this _")];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 4] {
    [EVENT_TABLE, BARE_TABLE, PLAN_TABLE, CANCELED_TABLE]
}
