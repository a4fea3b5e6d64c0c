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
    let passes = row.category == OF_THINGS && rest.first().is_some_and(|token| PASSING.contains(&token.text));
    let is_momentary = passes || clause.iter().any(|token| MOMENTARY.contains(&token.text));
    let is_vague = rest.first().is_some_and(|token| VAGUE.contains(&token.text));
    (!is_momentary && !(is_vague && row.category != "family")).then_some(row.category)
}

/// "I'm Ada", and nothing more than a greeting or an origin behind it.
fn introduces(clause: &[Token]) -> bool {
    let [subject, be, rest @ ..] = clause else { return false };
    if subject.text != "i" || be.text != "am" {
        return false;
    }
    let Some(end) = pattern::name(rest, 0) else { return false };
    let is_named = rest.first().is_some_and(|name| !classes::TRAIT.contains(&name.text));
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
    ("name", "everyone/everybody/people/friends/they {adv}* calls/call me _ | {my} .. friends call me _"),
    ("family", "{close} {be} {adv}* called/named _ | {close} 's name {be} _ | {my} .. {kin} 's name is _"),
    // Home and origin.
    (
        "home",
        "{who} {adv}* live/lives/reside/resides {adv}* in/at/near/on/outside/between/with/alone/together/by/next/close/off _",
    ),
    ("home", "{who} {adv}* live/lives/lived .. minutes/hours/blocks/miles/km from/outside/away _"),
    (
        "home",
        "{who} {have}/am/are/is {adv}* been? {adv}* living/lived/based/settled in/at/near/with/on/between/outside _",
    ),
    (
        "home",
        "{who} {have}? {adv}* moved/relocated/emigrated/immigrated {adv}* back? to/from/in/into/out/here _",
    ),
    (
        "home",
        "{who} {adv}* grew/grow up in/on/near/with _ | {who} was/were {adv}* born/raised and? raised? in/near/at _",
    ),
    (
        "home",
        "{who} {be} {adv}* from/based {adv}* _ | {who} {adv}* come/comes {adv}* from _ | {who} {have}? bought/rent/own .. house/flat/apartment/condo/cottage",
    ),
    // Work and study.
    (
        "work",
        "{who} {adv}* work/works {adv}* as/at/for/in/from/with/on/night/nights/remotely/part-time/full-time/shifts/weekends/the/freelance/part/full",
    ),
    (
        "work",
        "{who} {be} {adv}* working {adv}* as/at/for/part-time/full-time/remotely/nights _ | {who} {have} {adv}* been working {adv}* as/at/for/in/with _",
    ),
    (
        "work",
        "{who} {have} {adv}* worked {adv}* as/at/for/in/with _ | {who} {adv}* teach/teaches _ | {who} {adv}* run/runs/own/owns/manage/manages/operate {a} .. {thing}",
    ),
    (
        "work",
        "{who} {adv}* run/runs/manage/manages/lead/leads/head/heads {a} .. team/shop/studio/department/clinic/practice/agency/firm/lab/school/hotel/bar/farm",
    ),
    (
        "work",
        "{who} {adv}* got/started/landed/accepted {a}? new? .. job/position/role/internship/apprenticeship",
    ),
    (
        "work",
        "{who} {have}? {adv}* started/began/joined {adv}* at/working/as/with _ | {who} {have}? {adv}* joined {name}",
    ),
    (
        "work",
        "{who} {have}? {adv}* quit/left/lost/resigned {adv}* from? {my} ... job/company/position/role/work/firm/post",
    ),
    (
        "work",
        "{who} {have}/got/was/am/is/been {adv}* been? promoted/fired/hired/laid/transferred/made {adv}* to/as/by/off/at/redundant",
    ),
    (
        "work",
        "{who} {have}? {adv}* retired {adv}* from/last/in/after _ | {who} {have}? switched/changed jobs/careers/from _ | {who} freelance _",
    ),
    ("work", "{who} .. for a living"),
    (
        "study",
        "{who} {adv}* study/studies/studied/major/majors/majored/minor {adv}* _ | {who} {be} {adv}* studying/majoring/enrolled/doing {adv}* in? a? _",
    ),
    (
        "study",
        "{who} {have}? {adv}* started/starts/began/finished/dropped {adv}* out? of? {a}? .. {school} | {who} {have}? {adv}* graduated {adv}* from/in/with _ | {who} {adv}* go/goes/attend/attends/went to? .. {school}",
    ),
    (
        "study",
        "{who} {be} {adv}* in my/her/his/the .. year/grade/semester | {who} {have} {a}? .. degree/master's/masters/phd/bachelor's/diploma in/from _",
    ),
    ("study", "{who} {be} {adv}* learning/taking {adv}* .. {language}/lessons/classes/{instrument}"),
    // What somebody is.
    ("work", "{who} {be} {adv}* a/an/the .. {person} | {who} {have} {adv}* been {adv}* a/an/the .. {person}"),
    ("work", "{who} {adv}* used to be a/an .. {person} | {who} became a/an .. {person}"),
    (
        "family",
        "{who} {be} {adv}* the .. oldest/eldest/youngest/middle | {who} {be} an only child | {me} {be} {adv}* expecting _",
    ),
    (
        "family",
        "{who} {have}/got/am/is/are {adv}* been? {adv}* married/engaged/divorced/widowed to/for/with/since/in/last/and/but",
    ),
    (
        "family",
        "{who} {have}? {adv}* got married/engaged/divorced | {who} broke/split up with _ | {close} {have}? {adv}* passed/died away?",
    ),
    (
        "health",
        "{who} {be} {adv}* {trait} | {who} {have} {adv}* been {adv}* {trait} | {who} {have}? {adv}* went/gone/turned/became {trait}",
    ),
    (
        "health",
        "{who} {be} {adv}* allergic/intolerant/sensitive {adv}* to _ | {who} {have}/had got? .. {ill}",
    ),
    (
        "health",
        "{who} {be}/was/were/got/{have} {adv}* been? diagnosed with/as _ | {who} {adv}* suffer/suffers {adv}* from _",
    ),
    (
        "health",
        "{who} {have} {a}? .. allergy/intolerance/phobia/disability/{ill} | {who} can not {adv}* eat/have/drink/tolerate/digest _",
    ),
    (
        "health",
        "{who} {be} on/taking .. insulin/metformin/statins/antidepressants/medication/warfarin/diet/pill/pills/mg",
    ),
    (
        "health",
        "{who} {adv}* take/takes .. mg/insulin/metformin/statins/antidepressants/medication/tablets | {who} wear/wears .. glasses/contacts/lenses/hearing/braces",
    ),
    (
        "health",
        "{who} {have}? {adv}* quit/stopped/gave/given {adv}* up? smoking/drinking/alcohol/vaping/caffeine/sugar",
    ),
    (
        "health",
        "{who} {be} {number} {adv}* years/weeks/months/cm/kg/kilos/pounds/lbs/meters/metres/feet/ft | {who} {adv}* weigh/weighs {adv}* {number}",
    ),
    (
        "name",
        "{who} {be} {adv}* {number} and | {who} {have}? {adv}* just? turned/turn/turns {number} | {me} was/were born on/in _",
    ),
    // Whom and what somebody has.
    ("family", "{who} {have} got? .. {kin} | {who} {have}? {adv}* had a baby | {me} {be} {a} .. of {number}"),
    (
        "pets",
        "{who} {have} got? .. {pet} | {who} {have}? {adv}* adopted/got/rescued/bought .. {pet} | {who} {adv}* keep/keeps/raise/breed .. {pet}",
    ),
    ("pets", "{close} {be} {a} .. {pet} | that/this/it {be} {my} .. {pet}"),
    (
        "money",
        "{who} {have} got? {a} .. {thing} | {who} {have} got? .. tattoos/piercings/bikes/cars/guitars/books",
    ),
    (
        "money",
        "{who} {adv}* drive/drives/ride/rides/own/owns {adv}* {a}/{number} _ | {who} {have}? {adv}* bought/sold/leased/inherited {a} .. {thing}",
    ),
    (
        "money",
        "{who} {adv}* own/owns .. {thing} | {who} {adv}* drive/drives .. {thing} | {who} {adv}* earn/earns/make/makes .. {number} .. a/per _",
    ),
    (
        "language",
        "{who} {adv}* speak/speaks .. {language} | {who} {be} {adv}* fluent/native/proficient in _ | {who} {be} .. speaker",
    ),
    (
        "hobby",
        "{who} {adv}* play/plays {adv}* the? .. {instrument} | {who} {have} {adv}* been playing _ | {who} {adv}* collect/collects _",
    ),
    (
        "hobby",
        "{who} {adv}* code/program/codes/programs in _ | {who} {have} {adv}* been {language}/learning/doing/practicing/practising/riding/climbing/dancing/painting/running/knitting _",
    ),
    (
        "schedule",
        "{who} {adv}* go/play/do/have/take/practice/train/volunteer/attend/run/swim/meet/work ... every/each _",
    ),
    (
        "schedule",
        "{who} {adv}* wake/get up at _ | {who} {adv}* go to bed at _ | {who} {adv}* volunteer/volunteers {adv}* at/for/with/in _",
    ),
    ("other", "{my} .. {attribute} {adv}* {be}/has/was _ | {my} .. {attribute} of .. {be} _"),
    // What somebody of theirs is like.
    (
        "family",
        "{close} {adv}* love/loves/like/likes/hate/hates/enjoys/prefers/collects/plays/speaks/wants/needs/attends/teaches/goes _",
    ),
    (
        "family",
        "{close} {be} {number} | {close} {be} {adv}* in {number}/kindergarten/preschool/hospital/college/school/prison/rehab | {close} {have} {a} _",
    ),
    (
        "family",
        "{close} {be} {adv}* {person} | {name} , {my} .. {kin} ,? _ | {name} {be} {my} .. {kin} | {name} ,? that/this/he/she/who {be} {my} .. {kin}",
    ),
    ("pets", "{name} {be} {my} .. {pet} | {name} ,? that/this/he/she/it {be} {my} .. {pet}"),
    (
        "contact",
        "{my} .. {attribute} number {be} _ | you can reach me at/on _ | reach/email/call/text me at/on _",
    ),
];

#[cfg(test)]
pub(super) fn table() -> &'static [(&'static str, &'static str)] {
    TABLE
}
