//! Facts: how people say who they are, where and with whom they live, what they do, have and suffer from.

use std::sync::LazyLock;

use super::classes::{self, Class};
use super::pattern::{self, Row};
use super::token::Token;

/// What a clause says of the person's life.
pub fn find(clause: &[Token]) -> Option<&'static str> {
    if introduces(clause) {
        return Some("name");
    }
    let (row, head) = pattern::first(&ROWS, clause)?;
    let rest = clause.get(head..).unwrap_or_default();
    let is_of_theirs = clause.first().is_some_and(|token| classes::MY.contains(&token.text));
    let passes = is_of_theirs
        && row.category == OF_THINGS
        && rest.first().is_some_and(|token| PASSING.contains(&token.text));
    let is_momentary = passes || clause.iter().any(|token| MOMENTARY.contains(&token.text));
    let is_vague = rest.first().is_some_and(|token| VAGUE.contains(&token.text));
    (!is_momentary && (!is_vague || row.category == "family")).then_some(row.category)
}

/// "I'm Ada", and nothing more than a greeting or an origin behind it.
fn introduces(clause: &[Token]) -> bool {
    let [subject, be, rest @ ..] = clause else { return false };
    if subject.text != "i" || be.text != "am" {
        return false;
    }
    let Some(end) = pattern::name(rest, 0) else { return false };
    let is_named = rest
        .first()
        .is_some_and(|name| !classes::TRAIT.contains(&name.text) && !classes::NATION.contains(&name.text));
    is_named
        && rest.get(end).is_none_or(|next| {
            next.is_mark() || ["and", "by", "btw", "from", "here"].contains(&next.text.as_str())
        })
}

/// The category of what belongs to somebody, of which much is said that does not last.
const OF_THINGS: &str = "other";

/// Words of a day that passes.
static MOMENTARY: Class = Class::new("rn tonight today yesterday");

/// What follows a head and leaves it empty.
static VAGUE: Class = Class::new("it that this these those something anything");

/// How a thing is for a while.
static PASSING: Class = Class::new(
    "at so too very really broken dead dying full slow not still getting being acting gone in on here ready fine great \
     terrible up down back off late wrong always never just already almost pretty kind super stressful amazing awful \
     crazy busy boring messy driving killing going making about due stuck out working",
);

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(TABLE));

const TABLE: &[(&str, &str)] = &[
    (
        "name",
        "{my} .. name {adv}* {be} {adv}* _ | {me} am/go {adv}* called/by {name} | you? can? call me {name}",
    ),
    ("name", "everyone/everybody/people/they {adv}* calls/call me _ | {my} .. friends call me _"),
    (
        "family",
        "{close} {be} {adv}* called/named _ | {close} 's name {be} _ | {me} {have}? named {my} .. {kin}/{pet} _",
    ),
    // Home and origin.
    ("home", "{who} {adv}* live/lives/reside/resides {adv}* {place} _"),
    ("home", "{who} {adv}* live/lives .. minutes/hours/blocks/miles/km from/outside/away _"),
    ("home", "{who} {have}/{be} {adv}* been? {adv}* living/lived/based/settled {place} _"),
    (
        "home",
        "{who} {have}? {adv}* moved/relocated/emigrated/immigrated {adv}* back? to/from/in/into/out/here _",
    ),
    (
        "home",
        "{who} {adv}* grew/grow up in/on/near/with _ | {who} was/were {adv}* born/raised and? raised? in/near/at _",
    ),
    ("home", "{who} {be} {adv}* from/based {adv}* _ | {who} {adv}* come/comes {adv}* from _"),
    ("home", "{who} {have}? {adv}* bought/rent/own .. house/flat/apartment/condo/cottage/room/studio"),
    // Work.
    ("work", "{who} {adv}* work/works {adv}* {manner}"),
    ("work", "{who} {be} {adv}* working {adv}* as/at/for/part-time/full-time/remotely/nights _"),
    ("work", "{who} {have} {adv}* been? {adv}* worked/working {adv}* as/at/for/in/with _"),
    ("work", "{who} {adv}* teach/teaches _ | {who} {adv}* commute/commutes _ | {who} .. for a living"),
    ("work", "{who} {adv}* run/runs/own/owns/manage/manages/operate {a} .. {thing}"),
    ("work", "{who} {adv}* run/runs/manage/manages/lead/leads/head/heads/own/owns {a} .. {firm}"),
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
    ("work", "{who} {have}? {adv}* switched/changed jobs/careers/from _"),
    ("work", "{who} {be} {adv}* a/an/the .. {person} | {who} {have} {adv}* been {adv}* a/an/the .. {person}"),
    ("work", "{who} {adv}* used to be a/an .. {person} | {who} {have}? became/become a/an .. {person}"),
    // Study.
    ("study", "{who} {adv}* study/studies/studied/major/majors/majored/minor {adv}* _"),
    ("study", "{who} {be} {adv}* studying/majoring {adv}* _ | {who} {be} {adv}* enrolled in/at _"),
    (
        "study",
        "{who} {be} {adv}* doing {a} .. phd/degree/master's/masters/apprenticeship/internship/residency/a-levels/mba",
    ),
    ("study", "{who} did {my} .. phd/degree/master's/masters/bachelor's/undergrad _"),
    (
        "study",
        "{who} {have}? {adv}* started/starts/began/finished {a}? .. {school} | {who} {have}? dropped out of _",
    ),
    (
        "study",
        "{who} {have}? {adv}* graduated {adv}* from/in/with _ | {who} {adv}* go/goes/attend/attends/went to? .. {school}",
    ),
    ("study", "{who} {have}/got/was {adv}* been? accepted/admitted into/to/at/by _"),
    ("study", "{who} {be} {adv}* in my/her/his/the .. year/grade/semester"),
    ("study", "{who} {have} {a}? .. degree/master's/masters/phd/bachelor's/diploma in/from _"),
    ("study", "{who} {be} {adv}* learning/taking {adv}* .. {language}/lessons/classes/{instrument}"),
    // Who is whose.
    ("family", "{who} {be} {adv}* the .. oldest/eldest/youngest/middle | {who} {be} an only child"),
    (
        "family",
        "{me} {be} {adv}* expecting {a}? .. {kin} | {who} {have}? {adv}* had a baby | {who} {adv}* {have} got? any/no? .. {kin}",
    ),
    (
        "family",
        "{who} {have}/{be}/got {adv}* been? {adv}* married/engaged/divorced/widowed to/for/with/since/in/last/and/but",
    ),
    ("family", "{who} {have}/{be}? {adv}* got/getting {a}? married/engaged/divorced/divorce"),
    ("family", "{who} {have}? broke/broken/split up with _ | {close} {have}? {adv}* passed/died away?"),
    (
        "family",
        "{close} {be} {adv}* {number} | {close} {be} {adv}* in {number}/kindergarten/preschool/hospital/college/school",
    ),
    ("family", "{close} {adv}* {feels} _ | {close} {be} {adv}* {person} | {name} , {my} .. {kin} ,? _"),
    ("family", "{name} {be} {my} .. {kin} | {name} ,? that/this/he/she/who {be} {my} .. {kin}"),
    (
        "pets",
        "{name} {be} {my} .. {pet} | {name} ,? that/this/he/she/it {be} {my} .. {pet} | {close} {be} {a} .. {pet}",
    ),
    ("pets", "{who} {adv}* {have} got? any/no? .. {pet} | {who} {adv}* keep/keeps/raise/breed .. {pet}"),
    ("pets", "{who} {have}? {adv}* adopted/got/rescued/bought .. {pet} | that/this/it {be} {my} .. {pet}"),
    // Body and health.
    ("home", "{who} {be} {adv}* half? {nation}"),
    ("health", "{who} {be} {adv}* {trait} | {who} {have} {adv}* been {adv}* {trait}"),
    ("health", "{who} {have}? {adv}* went/gone/turned/became {trait} | {who} {be} {adv}* left/right handed"),
    ("health", "{who} {be} {adv}* color/colour/legally/partially blind | {who} {be} {adv}* hard of hearing"),
    ("health", "{who} {be} {adv}* allergic/intolerant/sensitive {adv}* to _ | {who} {be} .. intolerant/free"),
    ("health", "{who} {have}/had got? .. {ill} | {who} {adv}* suffer/suffers {adv}* from _"),
    ("health", "{who} {be}/{have}/was/were/got {adv}* been? diagnosed with/as _"),
    (
        "health",
        "{who} {have} {a}? .. allergy/intolerance/phobia/disability | {who} can not {adv}* eat/drink/tolerate/digest _",
    ),
    (
        "health",
        "{who} {be}/{have} {adv}* been? on/taking .. {medicine} | {who} {adv}* take/takes .. {medicine}",
    ),
    ("health", "{who} {adv}* wear/wears .. glasses/contacts/lenses/hearing/braces"),
    (
        "health",
        "{who} {have}? {adv}* quit/stopped/gave/given {adv}* up? smoking/drinking/alcohol/vaping/caffeine/sugar",
    ),
    ("health", "{who} {adv}* do/does not {adv}* drive/smoke/drink/swim/drink"),
    ("health", "{who} {be} {number} {adv}* cm/kg/kilos/pounds/lbs/meters/metres/feet/ft/weeks/months"),
    ("health", "{who} {adv}* weigh/weighs {adv}* {number}"),
    (
        "other",
        "{who} {be} {number} {adv}* years _ | {who} {have}? {adv}* turned/turn {number} | {me} was/were born on/in _",
    ),
    ("other", "{who} {be} {adv}* {number} and/$ | {me} {be} a family of _"),
    ("home", "{who} {adv}* live/lives {adv}* alone/together"),
    ("schedule", "{who} {adv}* {routine} ... times/days/nights a/per week/month/year"),
    // Possessions and skills.
    ("money", "{who} {have} got? {a} .. {thing} | {who} {have} got? .. tattoos/piercings/bikes/cars/guitars"),
    ("money", "{who} {adv}* drive/drives/ride/rides/own/owns {adv}* {a}/{number} _"),
    (
        "money",
        "{who} {have}? {adv}* bought/sold/leased/inherited {a} .. {thing} | {who} {adv}* own/owns/drive/drives .. {thing}",
    ),
    ("money", "{who} {adv}* earn/earns/make/makes .. {number} .. a/per _"),
    ("language", "{who} {adv}* speak/speaks .. {language} | {who} {be} {adv}* fluent/native/proficient in _"),
    ("hobby", "{who} {adv}* play/plays {adv}* the? .. {instrument} | {who} {have} {adv}* been playing _"),
    (
        "hobby",
        "{who} {adv}* collect/collects _ | {who} {adv}* code/program/codes/programs {adv}* in _ | {me} {adv}* use {name}",
    ),
    (
        "hobby",
        "{who} {have} {adv}* been learning/practicing/practising/riding/climbing/dancing/painting/knitting/sailing _",
    ),
    (
        "schedule",
        "{who} {adv}* {routine} ... every/each _ | {who} {adv}* wake/get up at _ | {who} {adv}* go to bed at _",
    ),
    ("schedule", "{who} {adv}* volunteer/volunteers {adv}* at/for/with/in _"),
    (
        "contact",
        "{my} .. {attribute} number {be} _ | you can reach me at/on _ | reach/email/call/text me at/on _",
    ),
    ("other", "{my} .. {attribute} {adv}* {be}/has/was _ | {my} .. {attribute} of .. {be} _"),
];

#[cfg(test)]
pub(super) fn table() -> &'static [(&'static str, &'static str)] {
    TABLE
}
