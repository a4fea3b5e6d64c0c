//! Goals: what people want, plan, hope for and work towards, beyond the answer they ask for now.

use std::sync::LazyLock;

use super::classes;
use super::pattern::{self, Row};
use super::token::Token;
use crate::word_list::WordList;

/// What a clause says the person works towards, by words that only an aim has.
pub fn find_firm(clause: &[Token]) -> Option<&'static str> {
    let (row, head) = pattern::first(&FIRM, clause)?;
    is_aim(clause, head).then_some(row.category)
}

/// What a clause says the person wishes or has to do, which is an aim if it lasts; `is_dated` tells whether it names a time
/// ahead.
pub fn find(clause: &[Token], is_dated: bool) -> Option<&'static str> {
    if let Some((row, _)) = pattern::first(&STATES, clause) {
        let is_marked = is_dated || clause.iter().any(|token| AMBITION.contains(&token.text));
        return (is_marked && !clause.iter().any(|token| NOW.contains(&token.text))).then_some(row.category);
    }
    let wish = pattern::first(&WISHES, clause);
    let (row, head) = wish.or_else(|| pattern::first(&DUTIES, clause))?;
    let aim = clause.get(head..).unwrap_or_default();
    let verb = aim.first()?.text.as_str();
    let is_marked = is_dated || aim.iter().any(|token| token.is_number() || AMBITION.contains(&token.text));
    // A duty is no aim unless it has its time.
    let lasts = is_marked || wish.is_some() && classes::LASTING.contains(verb);
    (lasts && is_aim(clause, head) && pattern::has_content(aim.get(1..)?)).then_some(row.category)
}

fn is_aim(clause: &[Token], head: usize) -> bool {
    let is_now = clause.iter().any(|token| NOW.contains(&token.text));
    let is_denied =
        clause.iter().take(head).any(|token| matches!(token.text.as_str(), "not" | "never" | "no"));
    let aim = clause.get(head..).unwrap_or_default();
    !is_now && !is_denied && !is_request(aim)
}

/// Words of what is done before the day is over.
static NOW: WordList =
    WordList::new("today tonight now later quickly quick dinner lunch breakfast asap minute minutes sec");
/// Words that only stand in what takes long.
static AMBITION: WordList = WordList::new(
    "someday eventually finally own myself first fluent fluently better career house home degree licence license job \
     business fit fitter shape book novel marathon kg kilos pounds lbs debt savings smoking drinking abroad world married \
     pilot doctor nurse teacher engineer healthier stronger year years month months retirement retire turn",
);

/// Whether the aim is something the assistant is asked to do or tell, or a matter of a walk round the block.
fn is_request(aim: &[Token]) -> bool {
    let aim = match aim {
        [to, rest @ ..] if to.text == "to" => rest,
        _ => aim,
    };
    let is_listed = |list: &WordList, words: &[Token]| words.iter().any(|token| list.contains(&token.text));
    let (verb, object) = aim.split_at(aim.len().min(1));
    is_listed(&ASKING, verb)
        || is_listed(&POINTED_AT, object.get(..1).unwrap_or_default())
        || is_listed(&OBJECTS, object.get(..object.len().min(3)).unwrap_or_default())
}

static ASKING: WordList = WordList::new(
    "know understand ask hear check confirm clarify discuss talk figure tell say share thank show sort debug use you it \
     that this point mention note add remove print compare calculate translate summarize convert",
);
static POINTED_AT: WordList = WordList::new("you it this that these those");
static OBJECTS: WordList = WordList::new(
    "email e-mail message letter function script summary list query reply text code bug error file files regex sentence \
     paragraph table column line walk stroll nap shower coffee beer bite bed caption tweet post joke poem sure drink \
     jog spin drive",
);

static FIRM: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(FIRM_TABLE));
static DUTIES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(DUTY_TABLE));
static WISHES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(WISH_TABLE));
static STATES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(STATE_TABLE));

const FIRM_TABLE: &[(&str, &str)] = &[
    ("other", "{me} {adv}* plan/intend/hope/aim/aspire/mean {adv}* to/on/for _"),
    (
        "other",
        "{me} {be} {adv}* planning/hoping/aiming/intending/aspiring/gunning/shooting {adv}* to/on/for _",
    ),
    ("other", "{me} {be} {adv}* determined/set/committed/resolved/bent/desperate {adv}* to/on _"),
    ("travel", "{me} {be} {adv}* planning {a} .. trip/holiday/vacation/wedding/move/honeymoon"),
    ("hobby", "{me} {be}/{have} {adv}* been? training {adv}* for/to _"),
    (
        "study",
        "{me} {be}/{have} {adv}* been? preparing/studying/practicing/practising/revising/prepping {adv}* myself? for/to _",
    ),
    ("money", "{me} {be}/{have} {adv}* been? saving {adv}* up? .. for/to/towards/toward _"),
    (
        "money",
        "{me} {be}/{have} {adv}* been? putting/setting/tucking/stashing ... aside/away/by ... for/to/towards _",
    ),
    (
        "other",
        "{me} {be}/{have} {adv}* been? working {adv}* .. towards/toward _ | {me} {be} {adv}* working on my .. {work}",
    ),
    (
        "other",
        "{me} {have}? {adv}* decided/resolved/vowed/settled/sworn/promised {adv}* myself? to/that/on _ | {me} {have}? {adv}* decided ,? {me} {be}/will/want _",
    ),
    (
        "other",
        "{my}/the? .. {goal} ... : _ | {me} {be} {adv}* on a mission to _ | {me} {be} {adv}* gearing up for/to _ | {me} {be} {adv}* counting down to _",
    ),
    ("other", "{my}/the {adv}* .. {goal} ... {be} {adv}* _ | {me} {have} {a} .. {goal} of/to _"),
    (
        "other",
        "... {be} {my} .. {goal} | {me} {have}? {adv}* set myself/ourselves _ | {me} {have} {my} sights/heart/eye/mind set? on _ | {my} heart/mind/sights {be} set on _ | it {be} {my} .. {goal} to _",
    ),
    (
        "other",
        "{me} {adv}* dream {adv}* of/about _ | {me} {be} {adv}* dreaming of/about _ | {me} {have} {adv}* wanted to _",
    ),
    (
        "work",
        "{me} {be} {adv}* looking {adv}* to _ | {me} {be} {adv}* looking/hunting/searching for {a} .. {sought}",
    ),
    (
        "other",
        "{me} {be} {adv}* going {adv}* for {a} .. _ | {me} {be} {adv}* on track to _ | {me} {be} {adv}* going for {my} _",
    ),
    (
        "other",
        "{me} {have}? {adv}* signed/signing up for _ | {me} {have}? {adv}* enrolled/registered in/for _",
    ),
    ("other", "{me} {be}/{have} {adv}* applying/applied for/to _ | {me} applied for/to _"),
];

const WISH_TABLE: &[(&str, &str)] = &[
    (
        "other",
        "... {me} {adv}* want/wish/hope {adv}* to {adv}* | ... {me} would {adv}* like/love {adv}* to {adv}*",
    ),
    (
        "other",
        "{me} {be}/{have} {adv}* been? {adv}* trying/attempting/struggling {adv}* to {adv}* | ... {me} {be} {adv}* going to {adv}* | {me} will/shall {adv}*",
    ),
];

const DUTY_TABLE: &[(&str, &str)] =
    &[("other", "{me} {adv}* need {adv}* to {adv}* | {me} {adv}* {have} {adv}* got? to {adv}* | {me} must")];

/// "I want the roof mended by May": a state of things that is wanted.
const STATE_TABLE: &[(&str, &str)] = &[(
    "other",
    "... {me} want/need {a}/{my}/every/all/{number} .. _ | what {me} {be} after {be} _ | {me} {be} {adv}* after {a} _",
)];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 4] {
    [FIRM_TABLE, WISH_TABLE, DUTY_TABLE, STATE_TABLE]
}
