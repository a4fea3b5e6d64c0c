//! How facts are put: patterns that say so by their words, and those of which the form alone tells.

/// What says by its words that it lasts.
pub const CERTAIN_TABLE: &[(&str, &str)] = &[
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
    ("home", "{who} {have}? {adv}* moved/relocated/emigrated/immigrated {adv}* back? to/from/in/into/here _"),
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
        "{who} {be} {adv}* the .. {person} of/at/for/in _ | {who} {be} {adv}* .. {person} at/for/in/by/and/from/with/on/,/so/but/who/here/$",
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
    ("family", "{close} {be} {adv}* {person} | {close} , who/a/an _ | {name} , {my} .. {kin}/{pet} ,? _"),
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
        "{who} can not {adv}* {body} {adv}* _ | {who} {be}/{have} {adv}* been? on/taking .. medication/diet/mg/pills/insulin/tablets/dialysis | {who} {have}? lost the/my/his/her/one sight/hearing/use/leg/arm/eye",
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
    ("other", "{who} {be} {adv}* {number} and/,/with/so/but/from/$ | {me} {be} a family of _"),
    (
        "schedule",
        "{who} {adv}* wake/get up at _ | {who} {adv}* go to bed at _ | {who} {adv}* go {adv}* .. every/each _",
    ),
    (
        "money",
        "{who} {have}? {adv}* bought/sold/leased/inherited {a} .. house/flat/apartment/car/farm/business",
    ),
    (
        "other",
        "{who} happen/happens to be/have/live/own/work/speak _ | {me} , a/an .. {person} | {my} .. {adv}* dates/comes/stems from _ | {my} .. {be} {adv}* moored/located/stationed/housed _",
    ),
    (
        "study",
        "{who} {be} {adv}* partway/halfway/midway through {a} .. {training} | {who} did my/his/her/our/{a} .. {training}",
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
        "{who} {have}? {adv}* trained/qualified/served/enlisted/volunteered/settled/emigrated/arrived/came {adv}* as/in/with/for/to/at/here/from _",
    ),
    (
        "other",
        "{who} {have}? {adv}* married/fostered/founded/inherited/converted _ | {who} was/were {adv}* widowed/adopted/trained/brought/made/raised/named/called _",
    ),
    (
        "other",
        "{who} {be} {adv}* raising/caring/renting/recovering/fostering/dating _ | {who} {have}? had .. removed/replaced/fitted/transplanted",
    ),
    (
        "other",
        "{who} can {adv}* speak/play/drive/ride/fly/code/sew/weld/swim/sing _ | {who} {adv}* no longer _ | {close} was/were a/an _",
    ),
    (
        "other",
        "{who} {have}? never learned/learnt/owned/had/eaten/smoked/driven/drunk/married _ | ... {be} where/when/who {me} {adv}* _",
    ),
    (
        "other",
        "... {be} {my} .. {attribute} | ... {be} {adv}* {my} first/native/mother/second language/tongue | {my} .. {attribute} : _ | ... {be} mine/ours $ | what i {does} ... {be} {a}/{number}/{name}",
    ),
];

/// Subjects and tenses of which anything is a fact that lasts for years.
pub const LASTING_TABLE: &[(&str, &str)] = &[
    (
        "other",
        "{who} {adv}* {have}/{be}/{does}/go/goes/see/get/come/was/were/spent/served/worked/taught/trained _",
    ),
    ("other", "... years ,? {adv}* {me} {be}/{have} _ | {close} {adv}* {acts}/has/goes _"),
];

/// What is past and still part of a life if its year is told.
pub const PAST_LIFE_TABLE: &[(&str, &str)] = &[("other", "{who} {adv}* {past} _")];

/// What a person has, up to the thing itself.
pub const OWNED_TABLE: &[(&str, &str)] = &[
    (
        "other",
        "{who} {adv}* do? not? {have}/own/owns got? any/no/only? _ | {who} {adv}* keep/keeps {a}/{number} _",
    ),
    ("other", "{my} .. has/have _ | {who} {adv}* look/looks after _ | {who} {adv}* take/takes care of _"),
    ("other", "{my} .. {be} {adv}* a/an/{number} _ | {my} .. {be} {adv}* in/near/at/on/from? the? {name}"),
    ("family", "there {be} {number} of us _ | {who} {adv}* share/shares {a} .. with"),
];

/// Stages of life.
pub const PLACED_TABLE: &[(&str, &str)] =
    &[("other", "{who} {be} {adv}* with/in/on/over/under/between/without")];

/// What a person is.
pub const BEEN_TABLE: &[(&str, &str)] =
    &[("work", "{who} {be} {adv}* a/an | {who} {have} {adv}* been {adv}* a/an")];

/// Habits.
pub const DONE_TABLE: &[(&str, &str)] = &[(
    "other",
    "{me} {adv}* do the/all/most/some/{my}/{number}? | {me} {adv}* {does} | {close} {adv}* {acts} | {my} .. {folks} {adv}* {does}",
)];

/// All of them, to be checked.
#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 7] {
    [CERTAIN_TABLE, LASTING_TABLE, PAST_LIFE_TABLE, OWNED_TABLE, PLACED_TABLE, BEEN_TABLE, DONE_TABLE]
}
