//! Goals: what people want, plan, hope for and work towards, beyond the answer they ask for now.

use std::sync::LazyLock;

use super::classes::{self, Class};
use super::pattern::{self, Row};
use super::token::Token;

/// What a clause says the person aims at; `is_dated` tells whether it names a time ahead.
pub fn find(clause: &[Token], is_dated: bool) -> Option<&'static str> {
    let is_not_now = !clause.iter().any(|token| NOW.contains(&token.text));
    if let Some((row, head)) = pattern::first(&FIRM, clause) {
        let aim = clause.get(head..).unwrap_or_default();
        return (is_not_now && is_affirmed(clause, head) && !is_request(aim)).then_some(row.category);
    }
    let wish = pattern::first(&WISHES, clause);
    let (row, head) = wish.or_else(|| pattern::first(&DUTIES, clause))?;
    let aim = clause.get(head..).unwrap_or_default();
    let verb = aim.first()?.text.as_str();
    let is_aim = |token: &Token| token.is_number() || classes::AIM.contains(&token.text);
    let is_marked = is_dated || aim.iter().any(is_aim);
    // A duty is no aim unless it has its time.
    let lasts = classes::LASTING.contains(verb) && (wish.is_some() || is_marked)
        || classes::LOOSE.contains(verb) && is_marked;
    (lasts
        && is_not_now
        && is_affirmed(clause, head)
        && !is_request(aim)
        && pattern::has_content(aim.get(1..)?))
    .then_some(row.category)
}

/// Words of what is done before the day is over.
static NOW: Class =
    Class::new("today tonight now later quickly quick dinner lunch breakfast asap minute minutes sec");

fn is_affirmed(clause: &[Token], head: usize) -> bool {
    !clause.iter().take(head).any(|token| matches!(token.text.as_str(), "not" | "never" | "no"))
}

/// Whether the aim is something the assistant is asked to do or tell, or a matter of a walk round the block.
fn is_request(aim: &[Token]) -> bool {
    let aim = match aim {
        [to, rest @ ..] if to.text == "to" => rest,
        _ => aim,
    };
    let is_listed = |list: &Class, words: &[Token]| words.iter().any(|token| list.contains(&token.text));
    let (verb, object) = aim.split_at(aim.len().min(1));
    is_listed(&ASKING, verb)
        || is_listed(&POINTED_AT, object.get(..1).unwrap_or_default())
        || is_listed(&OBJECTS, object.get(..object.len().min(3)).unwrap_or_default())
}

static ASKING: Class = Class::new(
    "know understand ask hear check confirm clarify discuss talk figure tell say share thank show sort debug use you it \
     that this point mention note add remove print compare calculate translate summarize convert",
);
static POINTED_AT: Class = Class::new("you it this that these those");
static OBJECTS: Class = Class::new(
    "email e-mail message letter function script summary list query reply text code bug error file files regex sentence \
     paragraph table column line walk stroll nap shower coffee beer bite bed caption tweet post joke poem sure drink swim \
     jog spin drive",
);

static FIRM: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(FIRM_TABLE));
static DUTIES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(DUTY_TABLE));
static WISHES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(WISH_TABLE));

const FIRM_TABLE: &[(&str, &str)] = &[
    ("other", "{me} {adv}* plan/intend/hope/aim/aspire {adv}* to/on/for _"),
    ("other", "{me} {be} {adv}* planning/hoping/aiming/intending/aspiring {adv}* to/on/for _"),
    ("other", "{me} {be} {adv}* determined/set/committed {adv}* to/on _"),
    ("travel", "{me} {be} {adv}* planning {a} .. trip/holiday/vacation/wedding/move/honeymoon"),
    ("hobby", "{me} {be}/{have} {adv}* been? training {adv}* for/to _"),
    (
        "study",
        "{me} {be}/{have} {adv}* been? preparing/studying/practicing/practising/revising/prepping {adv}* for _",
    ),
    ("money", "{me} {be}/{have} {adv}* been? saving {adv}* up? money? for/to/towards/toward _"),
    (
        "other",
        "{me} {be}/{have} {adv}* been? working {adv}* towards/toward _ | {me} {be} {adv}* working on my .. {work}",
    ),
    (
        "other",
        "{me} {have}? {adv}* decided/resolved/vowed {adv}* to/that/on _ | {me} {have}? {adv}* decided ,? {me} {be}/will/want _",
    ),
    ("other", "{my} {adv}* .. goal/aim/dream/plan/resolution/ambition/target/objective/mission ... {be} _"),
    ("other", "{me} {have} {a} .. goal/target of _ | {me} {have}? {adv}* set myself/ourselves {a} _"),
    (
        "other",
        "{me} {adv}* dream {adv}* of/about _ | {me} {be} {adv}* dreaming of/about _ | {me} {have} {adv}* wanted to _",
    ),
    (
        "work",
        "{me} {be} {adv}* looking {adv}* to _ | {me} {be} {adv}* looking/hunting/searching for {a} .. {sought}",
    ),
    ("other", "{me} {be} {adv}* going {adv}* for {a} _ | {me} {be} {adv}* on track to _"),
    (
        "other",
        "{me} {have}? {adv}* signed/signing up for _ | {me} {have}? {adv}* enrolled/registered in/for _",
    ),
    ("other", "{me} {be}/{have} {adv}* applying/applied for/to _ | {me} applied for/to _"),
];

const WISH_TABLE: &[(&str, &str)] = &[
    (
        "other",
        "{me} {adv}* want/wish/hope {adv}* to finally/eventually? | {me} would {adv}* like/love {adv}* to finally/eventually?",
    ),
    (
        "other",
        "{me} {be}/{have} {adv}* been? {adv}* trying/attempting {adv}* to | {me} {be} {adv}* going to finally?",
    ),
];

const DUTY_TABLE: &[(&str, &str)] =
    &[("other", "{me} {adv}* need {adv}* to finally? | {me} {adv}* {have} {adv}* got? to | {me} must")];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 3] {
    [FIRM_TABLE, WISH_TABLE, DUTY_TABLE]
}
