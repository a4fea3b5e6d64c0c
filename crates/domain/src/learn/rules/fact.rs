//! Facts: how people say who they are, where and with whom they live, what they do, have and suffer from.
//!
//! Some are told by words that say so ("I was born in"), the others by their form: what somebody is, has, or does by habit is
//! a fact, unless it belongs to the moment or to the talk.

use std::sync::LazyLock;

use super::classes::{self, Class};
use super::pattern::{self, Row};
use super::token::Token;
use super::verb;

/// What a clause says of the person's life.
pub fn find(clause: &[Token]) -> Option<&'static str> {
    if introduces(clause) {
        return Some("name");
    }
    if clause.iter().any(|token| MOMENTARY.contains(&token.text)) {
        return None;
    }
    if let Some((row, head)) = pattern::first(&CERTAIN, clause) {
        let is_vague =
            clause.get(head).is_some_and(|token| VAGUE.contains(&token.text)) && row.category != "family";
        return (!is_vague).then_some(row.category);
    }
    if let Some((row, _)) = pattern::first(&LASTING, clause)
        && lasts_for_years(clause)
    {
        return Some(row.category);
    }
    let owned = pattern::first(&OWNED, clause).filter(|(_, head)| is_owned(object(clause, *head)));
    let been = || pattern::first(&BEEN, clause).filter(|(_, head)| is_lasting_role(object(clause, *head)));
    let done = || pattern::first(&DONE, clause).filter(|(_, head)| is_done_by_habit(object(clause, *head)));
    owned.or_else(been).or_else(done).map(|(row, _)| row.category)
}

/// "I'm Ada", and nothing more than a greeting or an origin behind it.
fn introduces(clause: &[Token]) -> bool {
    let [subject, be, rest @ ..] = clause else { return false };
    if subject.text != "i" || be.text != "am" {
        return false;
    }
    let Some(end) = pattern::name(rest, 0) else { return false };
    let is_named = rest.first().is_some_and(|name| !is_origin(name) && !classes::TRAIT.contains(&name.text));
    is_named
        && rest.get(end).is_none_or(|next| {
            next.is_mark() || ["and", "by", "btw", "from", "here"].contains(&next.text.as_str())
        })
}

/// "Norwegian", "Vietnamese": where somebody belongs, by its ending.
fn is_origin(token: &Token) -> bool {
    let endings = ["ish", "ese", "ian", "ean", "can", "ine"];
    token.capital && token.text.len() > 4 && endings.iter().any(|ending| token.text.ends_with(ending))
}

fn object(clause: &[Token], head: usize) -> &[Token] {
    clause.get(head..).unwrap_or_default()
}

/// The words of a noun phrase up to what hangs on it.
fn noun_phrase(object: &[Token]) -> impl Iterator<Item = &Token> {
    object.iter().take_while(|token| !token.is_mark() && !HANGS_ON.contains(&token.text))
}

/// Whether somebody can own it: no matter of the talk, and no auxiliary's verb.
fn is_owned(object: &[Token]) -> bool {
    let Some(first) = object.first() else { return false };
    let is_verb = verb::is_past(&first.text) || first.text.ends_with("ing") && first.text.len() > 5;
    !is_verb
        && !POINTED_AT.contains(&first.text)
        && pattern::has_content(object)
        && !noun_phrase(object).any(|token| OF_THE_TALK.contains(&token.text))
}

/// Whether somebody is so for long: "a welder", not "a bit lost".
fn is_lasting_role(object: &[Token]) -> bool {
    let mut words = noun_phrase(object).peekable();
    words.peek().is_some()
        && pattern::has_content(object)
        && !words.any(|token| OF_THE_TALK.contains(&token.text) || PASSING_ROLE.contains(&token.text))
}

/// Whether somebody does it by habit and not only at times that the clause names.
fn is_done_by_habit(object: &[Token]) -> bool {
    is_owned(object) && !object.iter().any(|token| AT_TIMES.contains(&token.text))
}

/// "For ten years", "since 2019", "all my life": what has lasted will last.
fn lasts_for_years(clause: &[Token]) -> bool {
    let word = |at: usize| clause.get(at).map_or("", |token: &Token| token.text.as_str());
    (0..clause.len()).any(|at| match word(at) {
        "years" | "decades" | "months" => {
            at > 0 && (classes::NUMBERS.contains(word(at - 1)) || word(at - 1).parse::<u32>().is_ok())
        }
        "since" => word(at + 1).parse::<u32>().is_ok() || SINCE.contains(word(at + 1)),
        "life" => at > 1 && word(at - 2) == "all",
        "birth" => true,
        _ => false,
    })
}

static SINCE: Class = Class::new(
    "i childhood birth january february march april may june july august september october november december spring \
     summer autumn winter last school university college easter christmas",
);

/// Words of a day that passes.
static MOMENTARY: Class = Class::new("rn tonight today yesterday atm currently moment again");
/// What follows a head and leaves it empty.
static VAGUE: Class = Class::new("it that this these those something anything");
/// What points at the talk instead of naming something.
static POINTED_AT: Class = Class::new(
    "it that this these those them him her you your something anything everything nothing what how why where if to not \
     been much more enough so too the",
);
/// What parts a noun from what hangs on it.
static HANGS_ON: Class =
    Class::new("with of for about from in on at by that who which where when and or but because to");
/// When a habit is only a reaction.
static AT_TIMES: Class = Class::new("when whenever once until while time times if");
/// What people have at hand while they ask, and for no longer.
static OF_THE_TALK: Class = Class::new(
    "question questions problem problems issue issues idea ideas trouble doubt doubts feeling time look chance clue hour \
     hours minute minutes thing things way reason choice option options point plan plans headache cold fever flu cough \
     file files csv code script error bug table list function string array image photo picture letter email document draft \
     essay report page pages app task assignment exercise request favor favour lot bit few couple mess wreck idiot fool \
     hurry meeting call fun luck sense mistake mistakes guess half day week weekend night hard tough rough sore recipe \
     leftovers leftover data dataset form sentence paragraph text bunch ton tons opinion say turn sec second",
);
/// What somebody only calls themselves for now.
static PASSING_ROLE: Class = Class::new(
    "little while loss fan person lover big huge one tad touch step victim genius liar worst best only",
);

static CERTAIN: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(CERTAIN_TABLE));
static LASTING: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(LASTING_TABLE));
static OWNED: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(OWNED_TABLE));
static BEEN: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(BEEN_TABLE));
static DONE: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(DONE_TABLE));

/// What says by its words that it lasts.
const CERTAIN_TABLE: &[(&str, &str)] = &[
    (
        "name",
        "{my}? .. name {adv}* {be} {adv}* {name} | {me} am/go {adv}* called/by {name} | you? can? call me {name}",
    ),
    ("name", "everyone/everybody/people/they {adv}* calls/call me _ | {my} .. friends call me _"),
    ("name", "{my} .. name {be} _"),
    (
        "family",
        "{close} {be} {adv}* called/named _ | {close} 's name {be} _ | {me} {have}? named {my} .. {kin}/{pet} _",
    ),
    (
        "home",
        "{who} {adv}* live/lives {adv}* _ | {who} {have}/{be} {adv}* been? {adv}* living/lived/based/settled _",
    ),
    (
        "home",
        "{who} {have}? {adv}* moved/relocated/emigrated/immigrated {adv}* back? to/from/in/into/out/here _",
    ),
    ("home", "{who} {adv}* grew/grow up in/on/near/with/speaking _ | {who} was/were {adv}* born/raised _"),
    ("home", "{who} {be} {adv}* from/based {adv}* _ | {who} {adv}* come/comes {adv}* from _"),
    (
        "work",
        "{who} {adv}* work/works {adv}* _ | {who} {be} {adv}* working {adv}* as/at/for/part-time/full-time _",
    ),
    (
        "work",
        "{who} .. for a living | {who} ... for a living | {who} {be} .. by trade/training/profession/birth",
    ),
    (
        "work",
        "{who} {have}? {adv}* got/started/landed/accepted {a}? new? .. job/position/role/internship/apprenticeship",
    ),
    (
        "work",
        "{who} {have}? {adv}* started/began working {adv}* at/as/for/with _ | {who} {have}? {adv}* joined {name}",
    ),
    (
        "work",
        "{who} {have}? {adv}* quit/left/lost/resigned {adv}* from? {my} ... job/company/position/role/work/firm/post",
    ),
    (
        "work",
        "{who} {have}/{be}/got/was {adv}* been? promoted/fired/hired/laid/transferred {adv}* to/as/by/off/at _",
    ),
    (
        "work",
        "{who} {have}/{be}/got/was {adv}* been? laid off | {who} {have}? {adv}* retired {adv}* from/last/in/after _",
    ),
    (
        "work",
        "{who} {have}? {adv}* switched/changed jobs/careers/from _ | {who} {adv}* go/goes to .. school/university/college",
    ),
    ("work", "{who} {adv}* used to be a/an .. {person} | {who} {have}? became/become a/an .. {person}"),
    (
        "work",
        "{who} {be} {adv}* the .. {person} of/at/for/in _ | {who} {be} {adv}* .. {person} at/for/in/by/and/$",
    ),
    (
        "study",
        "{who} {be} {adv}* studying/majoring/learning/enrolled {adv}* _ | {who} studied/majored {adv}* _",
    ),
    (
        "study",
        "{who} {be} {adv}* doing {a} .. phd/degree/master's/masters/apprenticeship/internship/residency",
    ),
    ("study", "{who} {have}? {adv}* graduated {adv}* from/in/with _ | {who} {have}? dropped out of _"),
    ("study", "{who} {have}/got/was {adv}* been? accepted/admitted into/to/at/by _"),
    (
        "study",
        "{who} {be} {adv}* in my/her/his/the .. year/grade/semester | {who} just? started kindergarten/school/college/university",
    ),
    ("family", "{who} {be} {adv}* the .. oldest/eldest/youngest/middle | {who} {be} an only child"),
    ("family", "{who} {be} {adv}* expecting {a}? .. {kin} | {who} {have}? {adv}* had a baby"),
    (
        "family",
        "{who} {have}/{be}/got {adv}* been? {adv}* married/engaged/divorced/widowed to/for/with/since/in/last/and/but",
    ),
    ("family", "{who} {have}/{be}? {adv}* got/getting {a}? married/engaged/divorced/divorce"),
    ("family", "{who} {have}? broke/broken/split up with _ | {close} {have}? {adv}* passed/died away?"),
    (
        "family",
        "{close} {be} {adv}* {number} | {close} {be} {adv}* in {number}/kindergarten/preschool/college/school",
    ),
    ("family", "{close} {be} {adv}* {person} | {close} , who _ | {name} , {my} .. {kin}/{pet} ,? _"),
    ("family", "{name} ,? that/this/he/she/who/it? {be} {my} .. {kin}/{pet}"),
    (
        "pets",
        "{close} {be} {a} .. {pet} | {who} {have}? {adv}* adopted/got/rescued/bought .. {pet} | that/this/it {be} {my} .. {pet}",
    ),
    (
        "health",
        "{who} {be} {adv}* {trait} | {who} {have}? {adv}* been/went/gone/turned/became {adv}* {trait}",
    ),
    (
        "health",
        "{who} {be} {adv}* left/right handed | {who} {be} .. blind/deaf/intolerant/free/hearing/sighted",
    ),
    ("health", "{who} {be} {adv}* allergic/intolerant/sensitive/immune/prone {adv}* to _"),
    (
        "health",
        "{who} {adv}* suffer/suffers {adv}* from _ | {who} {be}/{have}/was/were/got {adv}* been? diagnosed with/as _",
    ),
    (
        "health",
        "{who} can not {adv}* {body} {adv}* _ | {who} {be}/{have} {adv}* been? on/taking .. medication/diet/mg/pills/insulin",
    ),
    (
        "health",
        "{who} {have}? {adv}* quit/stopped/gave/given {adv}* up? smoking/drinking/alcohol/vaping/caffeine/sugar",
    ),
    (
        "health",
        "{who} {adv}* do/does not {adv}* drive/smoke/drink/swim | {who} {have}? had {a} .. surgery/stroke/transplant/operation",
    ),
    ("health", "{who} {have}? {adv}* broke/tore/lost/torn/broken my/his/her _ | {who} {be} missing {a} _"),
    ("health", "{who} {be} {number} {adv}* cm/kg/kilos/pounds/lbs/meters/metres/feet/ft/weeks/months"),
    ("other", "{who} {be} {number} {adv}* years _ | {who} {have}? {adv}* turned/turn {number}"),
    ("other", "{who} {be} {adv}* {number} and/$ | {me} {be} a family of _"),
    (
        "schedule",
        "{who} {adv}* wake/get up at _ | {who} {adv}* go to bed at _ | {who} {adv}* go {adv}* .. every/each _",
    ),
    (
        "money",
        "{who} {have}? {adv}* bought/sold/leased/inherited {a} .. house/flat/apartment/car/farm/business",
    ),
    ("language", "{who} {be} {adv}* fluent/native/proficient in _"),
    ("hobby", "{who} {have} {adv}* been learning/practicing/practising/playing _"),
    (
        "contact",
        "{my} .. {attribute} number {be} _ | you can reach me at/on _ | reach/email/call/text me at/on _",
    ),
    ("other", "{my} .. {attribute} {adv}* {be}/has _ | {my} .. {attribute} of .. {be} _"),
    (
        "other",
        "... {be} {my} .. {attribute} | ... {be} mine/ours $ | what i {does} ... {be} {a}/{number}/{name}",
    ),
];

/// Subjects and tenses of which anything is a fact that goes on for years.
const LASTING_TABLE: &[(&str, &str)] =
    &[("other", "{who} {adv}* {have}/{be}/{does} _ | ... years ,? {adv}* {me} {be}/{have} _")];

const OWNED_TABLE: &[(&str, &str)] = &[
    ("other", "{who} {adv}* do? not? {have}/own/owns got? any/no/only? _"),
    ("other", "{me} got {a}/{number} .. at/for home _"),
];

const BEEN_TABLE: &[(&str, &str)] =
    &[("work", "{who} {be} {adv}* a/an | {who} {have} {adv}* been {adv}* a/an")];

const DONE_TABLE: &[(&str, &str)] =
    &[("other", "{me} {adv}* {does} | {close} {adv}* {acts} | {my} .. {folks} {adv}* {does}")];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 5] {
    [CERTAIN_TABLE, LASTING_TABLE, OWNED_TABLE, BEEN_TABLE, DONE_TABLE]
}
