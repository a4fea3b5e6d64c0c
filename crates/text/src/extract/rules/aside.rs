//! Facts told in passing, with no clause of their own: "as a nurse", "single dad here", "two kids, both teens".

use std::sync::LazyLock;

use super::classes;
use super::pattern::{self, Row};
use super::token::Token;
use crate::word_list::WordList;

/// Where in the words an aside begins, and what it is about; `is_own` tells whether their sentence is about the person.
pub fn find(words: &[Token], is_own: bool) -> Option<(usize, &'static str)> {
    let opening = pattern::first(&OPENING, words).map(|(row, _)| (0, row.category));
    let within = || {
        (0..words.len()).find_map(|at| {
            let rest = words.get(at..)?;
            let (row, head) = pattern::first(&WITHIN, rest)?;
            let is_role = rest.first().is_some_and(|first| first.text == "as");
            (!is_role || is_of_the_person(words, at, at + head)).then_some((at, row.category))
        })
    };
    opening.or_else(|| present(words)).or_else(|| within().filter(|_| is_own))
}

/// "As a nurse, I …", "to me as a nurse": not "he works as a nurse", "dressed as a nurse", "as a nurse would".
fn is_of_the_person(words: &[Token], at: usize, end: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
    let is_apart = before(1).is_none_or(|token| token.is_mark() || LEADS_TO_ROLE.contains(&token.text));
    let is_of_me = before(1).is_some_and(|token| matches!(token.text.as_str(), "me" | "us"))
        && before(2).is_some_and(|token| classes::PREPOSITION.contains(&token.text));
    let is_comparison = words.get(end).is_some_and(|next| COMPARISONS.contains(&next.text));
    (is_apart || is_of_me) && !is_comparison
}

static LEADS_TO_ROLE: WordList = WordList::new("speaking talking and but so because since hi hello hey");
/// What follows the person in a comparison.
static COMPARISONS: WordList = WordList::new("would might could should does did do will");

/// "Ada here", "night nurse here": who writes, with no verb.
fn present(words: &[Token]) -> Option<(usize, &'static str)> {
    let end = words.iter().position(|token| HERE.contains(&token.text))?;
    let said = words.get(..end)?;
    let is_end = words
        .get(end + 1)
        .is_none_or(|next| next.is_mark() || matches!(next.text.as_str(), "and" | "so" | "but"));
    let is_phrase = said.iter().all(|token| {
        !token.is_mark() && !classes::VERB.contains(&token.text) && !classes::EMPTY.contains(&token.text)
            || matches!(
                token.text.as_str(),
                "a" | "of" | "with" | "in" | "at" | "and" | "over" | "to" | "an" | "for"
            )
    });
    let is_short = (1..=LONGEST_PRESENT).contains(&said.len());
    let category = if pattern::name(said, 0) == Some(said.len()) { "name" } else { "work" };
    (is_end && is_phrase && is_short && pattern::has_content(said)).then_some((0, category))
}

/// The most words of a self-introduction.
const LONGEST_PRESENT: usize = 8;
static HERE: WordList = WordList::new("here speaking");

static OPENING: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(OPENING_TABLE));
static WITHIN: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(WITHIN_TABLE));

/// What stands at the head of a clause with its subject and verb left out.
const OPENING_TABLE: &[(&str, &str)] = &[
    (
        "family",
        "two/three/four/five/six/seven/2/3/4/5/6 .. {kin}/{pet} ,/$/and/under/aged/at/in/who/here | {kin} of/to {number}/{kin}",
    ),
    ("family", "{kin} of {a}? .. {kin} | .. {kin} of {number}"),
    ("health", "{adv}* {trait} ,/$/since/from/for/and/but/by/in/with/so/last/after/early/now"),
    ("health", "{adv}* allergic/intolerant {adv}* to _ | {adv}* diagnosed with _"),
    ("home", "{adv}* born/raised/based/settled and? bred/raised? in/on/near/with/to/deaf/blind _"),
    ("work", "{number} years {adv}* in/of/at/as/behind/on/with/into/sober/clean _"),
    (
        "work",
        "new/single/broke/retired/former/full-time/part-time/stay-at-home .. {person}/{kin} ,/$/and/with/from/at/in/so/but | {people} ,/and/so/but",
    ),
    (
        "home",
        "{adv}* from {name} {adv}* ,/$/originally | no {kin}/{pet} ,/$/but/just/yet/and | no .. , just/only _",
    ),
    ("name", "thanks/cheers/regards/best/greetings/yours ,? {name} $ | this is {name} $/,/here/from"),
    ("study", "first/second/third/fourth/fifth/final/last/1st/2nd/3rd/4th .. year/semester .. of/at/in _"),
    ("study", "first/second/third/fourth/fifth/final .. year .. student"),
    (
        "work",
        "having been/had/lost/broken/torn/lived/worked/grown/moved/spent/studied _ | being {a} _ | being {trait}",
    ),
    ("work", "... ,? that/this {be} me/us $/,/and/so/but"),
    ("health", "ever? since the/my .. i/we _"),
];

/// What is told of the person anywhere in a clause.
const WITHIN_TABLE: &[(&str, &str)] = &[
    ("work", "as/being a/an .. {person}/{trait} | as someone/somebody/one who/with _"),
    (
        "health",
        "with .. like mine/ours | because/thanks/due/owing of/to my _ | given my _ | {a} .. like me/myself/us",
    ),
    ("health", "my .. {ill} | {my} .. hearing aids/aid"),
    (
        "family",
        "with two/three/four/five/six/2/3/4/5/6/a .. {kin}/{pet} | just me and {my}/the/{number}/{name} | in my .. twenties/thirties/forties/fifties/sixties/seventies/eighties",
    ),
    ("contact", "{label} number/no/id? {be}? :? {code}"),
    ("pets", "{my}/two/three/four .. called/named {name} | neither/both/none/all of us _"),
    ("work", "the/a/an .. {me} run/own/teach/conduct/manage/drive/coach/captain/lead/rent/work/live"),
    (
        "work",
        "{my} .. students/patients/pupils/clients/customers/apprentices/parishioners/tenants/hives/flock/herd/crew/classroom/allotment",
    ),
    ("home", "here/home/back in {name} | at home {me} {does} _ | of us in the/our _"),
    ("work", "after/for/in/my {number} years as/of/in a/an? _"),
];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 2] {
    [OPENING_TABLE, WITHIN_TABLE]
}
