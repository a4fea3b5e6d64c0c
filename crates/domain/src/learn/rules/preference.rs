//! Preferences: what people like and dislike, and how they want to be answered from now on.

use std::sync::LazyLock;

use super::classes::Class;
use super::pattern::{self, Pattern, Row};
use super::token::Token;

/// What a clause says of the person's taste.
pub fn find(clause: &[Token]) -> Option<&'static str> {
    let (row, head) = pattern::first(&TASTES, clause)?;
    let rest = clause.get(head..).unwrap_or_default();
    (!points_at_the_talk(rest)).then_some(row.category)
}

/// Whether a clause asks for a lasting way of answering.
pub fn is_style(clause: &[Token]) -> bool {
    let start = clause.iter().position(|token| !POLITE.contains(&token.text)).unwrap_or(clause.len());
    let asked = clause.get(start..).unwrap_or_default();
    let wished = WISHED.head(asked).unwrap_or(0);
    let asked = asked.get(wished..).unwrap_or_default();
    let has_subject = asked.first().is_some_and(|first| SUBJECTS.contains(&first.text));
    !has_subject && pattern::first(&STYLES, asked).is_some()
}

/// "This", "your idea", "the first one": of the talk at hand, not of the person.
fn points_at_the_talk(object: &[Token]) -> bool {
    let word = |at: usize| object.get(at).map_or("", |token: &Token| token.text.as_str());
    match word(0) {
        "this" | "that" | "these" | "those" | "your" | "you" | "how" | "what" | "where" | "them" | "him"
        | "her" => true,
        "it" => word(1) != "when",
        "the" => [
            "way", "idea", "plan", "sound", "look", "one", "first", "second", "last", "new", "fact", "other",
            "latter",
        ]
        .contains(&word(1)),
        "to" => ["know", "see", "ask", "hear", "think", "say", "point", "thank", "add", "bother", "be"]
            .contains(&word(1)),
        _ => false,
    }
}

static TASTES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(TASTE_TABLE));
static STYLES: LazyLock<Vec<Row>> = LazyLock::new(|| pattern::rows(STYLE_TABLE));

const TASTE_TABLE: &[(&str, &str)] = &[
    ("other", "{me} {adv}* like/love/adore/enjoy/prefer/hate/dislike/detest/despise/loathe _"),
    (
        "other",
        "{me} {have} {adv}* loved/hated/preferred/enjoyed/liked _ | {me} can not {adv}* stand/bear/abide/resist/tolerate/handle _",
    ),
    ("other", "{me} can not {adv}* get enough of _ | {me} could/can not {adv}* live without _"),
    ("other", "{me} {be} {adv}* {a}? .. fan/lover/enthusiast of _"),
    (
        "other",
        "{me} {be} {adv}* a/an .. fan/lover/buff/person/addict/nerd/geek/snob/fanatic/owl | {me} {be} {adv}* more of {a} _",
    ),
    (
        "other",
        "{me} {be} {adv}* fond/crazy/obsessed/addicted/keen/partial/passionate/mad/nuts of/about/with/to/on _",
    ),
    ("other", "{me} {have} {adv}* been a/an .. fan/lover/person/owl"),
    ("other", "{me} {be} {adv}* into _ | {me} {have} a .. tooth/spot | {me} {have} a thing for _"),
    ("other", "{me} would {adv}* rather/sooner ... than _ | {me} would {adv}* prefer ... you/than/over _"),
    (
        "other",
        "{me} {adv}* always/usually {adv}* choose/pick/order _ | {me} {adv}* stick to/with _ | {me} {adv}* tend to prefer _",
    ),
    (
        "food",
        "{me} {adv}* do not {adv}* eat/drink/wear/watch/use/touch _ | {me} {adv}* never {adv}* eat/drink/wear/watch/touch _",
    ),
    ("food", "{me} {adv}* no longer {adv}* eat/drink/wear/watch/like/enjoy _ | {me} {adv}* avoid _"),
    ("food", "{me} {adv}* only {adv}* eat/drink/use/wear/listen/watch/read/fly/buy _"),
    ("food", "{me} {have}? {adv}* stopped/quit eating/drinking/buying/watching _"),
    ("food", "{me} {adv}* take/drink/have {my} coffee/tea/eggs/steak _"),
    ("other", "{my} {adv}* .. {favorite} ... {be}/{have} _ | {my} go-to ... {be} _ | {my} preference {be} _"),
    ("other", "... {be} {adv}* my .. {favorite}/jam | nothing beats _ | ... drives/drive me nuts/crazy/mad"),
];

/// Words of asking for something that say nothing of it.
static POLITE: Class = Class::new(
    ", please pls could can would will you and but so also just oh ok okay hey sorry try to remember btw \
     then",
);
static SUBJECTS: Class = Class::new("i we my our he she they it the people there");
static WISHED: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::new("i would? {adv}* want/like/need/prefer you to"));

const STYLE_TABLE: &[(&str, &str)] = &[
    (
        "style",
        "from/going now/here/forward on? out? ,? .. _ | in the? future ,? {style}/do/no/always/never/only/skip _",
    ),
    (
        "style",
        "always/never {adv}* {style} _ | do not {adv}* ever {style} _ | stop {style} _ | stop with the _ | no more _",
    ),
    (
        "style",
        "do not {adv}* {style} ... your/me _ | do not {style} ... {reply} | {style} ... in your {reply}",
    ),
    (
        "style",
        "keep/make your/all {reply} _ | your {reply} should/must/need {adv}* be _ | no .. in your {reply}",
    ),
    ("style", "{style} ... from now/here on | {style} ... going/by forward/default | {style} ... every time"),
    ("style", "{style} ... in the? future | {adv}* ... from now on | {adv}* ... going forward"),
    (
        "style",
        "{style} ... whenever you _ | whenever you ... {style} _ | {style} ... unless i _ | when you {style} ,? ... {style} _",
    ),
];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 2] {
    [TASTE_TABLE, STYLE_TABLE]
}
