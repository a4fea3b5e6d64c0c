//! Preferences: what people like and dislike, and how they want to be answered from now on.

use std::sync::LazyLock;

use super::pattern::{self, Pattern, Row};
use super::token::Token;
use crate::word_list::WordList;

/// What a clause says of the person's taste.
pub fn find(clause: &[Token]) -> Option<&'static str> {
    let Some((row, head)) = pattern::first(&TASTES, clause) else {
        return is_taste(clause).then_some("other");
    };
    let rest = clause.get(head..).unwrap_or_default();
    // "Green tea is my thing": what is liked stands before the head.
    let is_behind = pattern::who(clause, 0).is_some();
    (!is_behind || !points_at_the_talk(rest)).then_some(row.category)
}

/// Whether a clause of the person's has a word that only tastes have, wherever it stands.
fn is_taste(clause: &[Token]) -> bool {
    let has = |list: &WordList| clause.iter().any(|token| list.contains(&token.text));
    let is_of_answers = has(&FORM) && has(&KEPT) && !has(&POINTED);
    is_of_answers || has(&TASTE) && has(&OWN) && !has(&NOT_MEANT) && pattern::has_content(clause)
}

/// What an answer is made of.
static FORM: WordList = WordList::new(
    "answers replies responses explanations bullet bullets paragraphs emoji emojis headings metric imperial celsius fahrenheit \
     kilometers kilometres miles jargon formal informal acronyms abbreviations hashtags exclamation preamble disclaimers prose tables units conclusion",
);
/// Words of how it is always to be.
static KEPT: WordList = WordList::new(
    "only never no not always skip drop avoid stick instead without rather prefer please pls lead",
);
static POINTED: WordList = WordList::new("this that i we he she they it convert these those");
static TASTE: WordList = WordList::new(
    "love adore prefer hate detest despise loathe abide favorite favourite fave dislike fond soft-spot weakness",
);
static OWN: WordList = WordList::new("i me my mine we us our");
static NOT_MEANT: WordList = WordList::new("would you your it this that if might could");

/// Whether a clause asks for a lasting way of answering.
pub fn is_style(clause: &[Token]) -> bool {
    let start = clause.iter().position(|token| !POLITE.contains(&token.text)).unwrap_or(clause.len());
    let asked = clause.get(start..).unwrap_or_default();
    let wished = WISHED.head(asked).unwrap_or(0);
    let asked = asked.get(wished..).unwrap_or_default();
    let is_case = asked.first().is_some_and(|first| matches!(first.text.as_str(), "when" | "whenever"));
    let has_subject = !is_case && asked.iter().take(2).any(|token| SUBJECTS.contains(&token.text));
    let within = || (0..asked.len()).any(|at| is_lasting_at(asked, at));
    !has_subject && pattern::has_content(asked) && (pattern::first(&STYLES, asked).is_some() || within())
}

/// Whether a wish that lasts stands here: "from now on", or "always use" with nobody who does so.
fn is_lasting_at(asked: &[Token], at: usize) -> bool {
    let rest = asked.get(at..).unwrap_or_default();
    let before = at.checked_sub(1).and_then(|before| asked.get(before));
    let is_told = before.is_none_or(|before| !SUBJECTS.contains(&before.text) && before.text != "you");
    LASTING.head(rest).is_some() || is_told && STANDING.head(rest).is_some()
}

static LASTING: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::new("from/going/in/by now/here/forward/default/future on/$"));
static STANDING: LazyLock<Pattern> = LazyLock::new(|| Pattern::new("always/never {adv}* {style} _"));

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
    ("other", "{me} {adv}* {likes} _ | {me} {have} {adv}* loved/hated/preferred/enjoyed/liked _"),
    (
        "other",
        "{me} can not {adv}* stand/bear/abide/resist/handle/stomach _ | {me} can not {adv}* get enough of _",
    ),
    ("other", "{me} could/can not {adv}* live without _ | {me} {have} no time/patience/love for _"),
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
    (
        "other",
        "{me} {be} {adv}* all? into/about {adv}* _ | {me} {have} a .. tooth/spot | {me} {have} a thing for _",
    ),
    ("other", "{me} would {adv}* rather/sooner ... than _ | {me} would {adv}* prefer ... you/than/over _"),
    (
        "other",
        "{me} {adv}* {habitually} {adv}* {choose} {adv}* _ | {me} {adv}* stick to/with _ | {me} {adv}* tend to prefer _",
    ),
    (
        "food",
        "{me} do not {adv}* eat/drink/wear/watch/use/touch _ | {me} {adv}* no longer {adv}* {choose}/{likes} _",
    ),
    ("food", "{me} {adv}* avoid _ | {me} {have}? {adv}* stopped/quit eating/drinking/buying/watching _"),
    ("food", "{me} {have}? {adv}* switched to _"),
    ("food", "{me} {adv}* take/drink/have {my} .. black/white/with/without/plain/neat/cold/hot"),
    ("other", "{my} {adv}* .. {favorite} ... {be}/{have} _ | {my} go-to ... {be} _ | {my} preference {be} _"),
    ("other", "... {be} {adv}* my .. {favorite} | nothing beats _ | ... drives/drive me nuts/crazy/mad"),
    (
        "other",
        "... {be} {adv}* not .. for me | nothing ... {be} dearer/better to/than _ | there {be} nothing ... {me} would rather _",
    ),
    (
        "other",
        "... suits/suit me {adv}* | ... does/do nothing for me | ... puts/put me off | {me} {adv}* swear by _ | {me} {adv}* live for _",
    ),
    (
        "other",
        "{me} will? {adv}* not {adv}* touch _ | {me} refuse to {choose} _ | {me} {have} {adv}* cared for _ | {me} {adv}* not {adv}* care for _",
    ),
    (
        "other",
        "{me} could/can {adv}* do without _ | {me} would {adv}* rather/sooner {adv}* {choose} _ | {me} {have} a weakness for _",
    ),
    (
        "other",
        "{me} {adv}* find ... {judged} | ... all the way | ... gives/give me the .. creeps/shivers/ick | no .. for me $",
    ),
    (
        "other",
        "... makes/make me {adv}* sick/happy/gag/smile/sad/queasy/cringe/sneeze | ... bores/relaxes/annoys/irritates/soothes/calms/bothers/disgusts/thrills/fascinates me {adv}* $ | make mine _",
    ),
    (
        "other",
        "{me} {be} {adv}* a? sucker/big/team/huge for/on _ | {me} {adv}* go/reach/opt for _ | {me} never got/liked/cared/warmed/took _",
    ),
    (
        "other",
        "... leaves/leave me cold | ... bores/bore me to/stiff/silly | {me} can not {adv}* be doing with _ | .. : no/never/nope/yuck",
    ),
    (
        "other",
        "... beats/beat .. {a}? .. any/every/for day/time/me | ... {be} {adv}* {a}? .. {extreme} for/to me | anything but _",
    ),
    (
        "other",
        "{me} {adv}* say no to _ | {me} {have} {adv}* gone off _ | {me} {be} {adv}* hooked/sold/keen/big on _ | {me} {adv}* steer/keep/stay clear/away of/from _",
    ),
    (
        "other",
        "{me} {be} {adv}* much of a/an _ | {me} do not {adv}* do _ | {me} will not {adv}* {choose} _ | {me} {be}? {a}? .. believer in _",
    ),
    (
        "other",
        "... makes/make/turns/turn my skin/mouth/stomach/heart/toes _ | .. , always $ | {a}? .. only for me",
    ),
    // What is said by turning the sentence round.
    (
        "other",
        "... {be} {adv}* what/how/where {me} {adv}* {likes}/learn/think/work/roll/want _ | ... {be} {adv}* what/how {me} {adv}* {likes}/learn/think",
    ),
    (
        "other",
        "it {be} {adv}* ... {me} {adv}* {likes} | what {me} {adv}* {likes} ... {be} _ | what {me} {adv}* want/need from you {be} _",
    ),
    (
        "other",
        "give me ... over ... any/every day/time | ... over ... any/every day/time | ... over .. {a}? .. please/always/thanks | i will take ... over _",
    ),
];

/// Words of asking for something that say nothing of it.
static POLITE: WordList = WordList::new(
    ", please pls kindly could can would will you and but so also just oh ok okay hey sorry try to remember btw \
     then u like",
);
static SUBJECTS: WordList = WordList::new("i we my our he she they it people there who");
static WISHED: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::new("i would? {adv}* want/like/need/prefer/appreciate/be .. it? if? you to?"));

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
        "keep/make your/all {reply} _ | keep the? {reply} _ | your {reply} should/must/need {adv}* be _ | no .. in your/my/the? {reply}",
    ),
    (
        "style",
        "{adv}* .. rule/rules/policy : _ | lead/start/begin/open with the/your conclusion/answer/result/summary/verdict",
    ),
    (
        "style",
        "whenever/anytime you ... ,? go/{choose}/{style} ... _ | every time you ... ,? go/{choose}/{style} ... _",
    ),
    ("style", "{style} ... from now/here on | {style} ... going/by forward/default | {style} ... every time"),
    (
        "style",
        "{style} ... in the? future | .. {reply} please/pls | no .. please/pls | .. only ... please/pls",
    ),
    (
        "style",
        "{style} ... whenever you _ | whenever you ... {style} _ | {style} ... unless i _ | when you {style} ,? ... {style} _",
    ),
    (
        "style",
        "use/speak ... with me $ | talk/speak/write to me like/as/in _ | do not ... when you {style} | when/whenever i ask/say/send ... , leave/go/{choose}/{style} _",
    ),
];

#[cfg(test)]
pub(super) fn tables() -> [&'static [(&'static str, &'static str)]; 2] {
    [TASTE_TABLE, STYLE_TABLE]
}
