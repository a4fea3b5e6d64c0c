//! Statements that something is over or done, and what they say it of.

use crate::calendar::is_english_term;
use crate::extract::same::{is_name, is_negation, is_number, telling};
use crate::extract::wording::{Word, stem, words};
use crate::word_list::WordList;

/// What a statement says is over.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// Its telling words.
    pub(super) what: Vec<String>,
    /// Whether the statement also tells what holds instead.
    pub(super) states_more: bool,
}

/// What a statement says holds no longer: "we cancelled the Lisbon trip", "I don't smoke any more".
pub(super) fn ended(text: &str) -> Option<Ended> {
    let (over, more) = first_clause(text);
    let all: Vec<String> = telling(over).into_iter().map(|word| word.text).collect();
    let has = |word: &str| all.iter().any(|other| other == word);
    let denied = all.iter().any(|word| is_negation(word));
    let says_so = has("不") && has("再")
        || HAN_ENDS.iter().any(|end| over.contains(end))
        || denied && (has("longer") || has("mor") || has("mehr") || has("ya"))
        || has("ya") && has("no")
        || !denied && all.iter().any(|word| ENDS.contains(word))
        || !denied && has("giv") && has("up")
        || !denied && has("gav") && has("up")
        || !denied && has("call") && has("off")
        || !denied && has("mov") && (has("away") || has("out"))
        || !denied && has("given") && has("up")
        || !denied && has("used") && has("to")
        || !denied && has("off") && over.ends_with(" is off");
    if !says_so {
        return None;
    }
    let spoken = HAN_ENDS.iter().fold(over.to_owned(), |rest, end| rest.replace(end, ""));
    let what: Vec<String> = telling(&spoken)
        .into_iter()
        .map(|word| word.text)
        .filter(|word| !is_negation(word) && !ENDS.contains(word) && !AROUND.contains(word))
        .collect();
    (!what.is_empty()).then(|| Ended { what, states_more: more.is_some_and(states) })
}

/// What a statement says was done: "I passed the driving test", "ran the marathon".
pub(super) fn done(text: &str) -> Option<Vec<String>> {
    let all = words(text);
    let is_ahead = all.iter().any(|word| is_negation(&word.text) || AHEAD.contains(&word.text));
    let is_done = all.iter().any(|word| DONE.contains(&word.text) || past(&word.text).is_some())
        || HAN_DONE.iter().any(|done| text.contains(done))
        // To stop something can be the goal.
        || ended(text).is_some();
    if is_ahead || !is_done || HAN_AHEAD.iter().any(|ahead| text.contains(ahead)) {
        return None;
    }
    let spoken = HAN_DONE.iter().fold(text.to_owned(), |rest, done| rest.replace(done, ""));
    Some(aimed_at(&spoken)).filter(|done| !done.is_empty())
}

/// What a goal or a date is about, without the words of aiming, doing and dating.
pub(super) fn aimed_at(text: &str) -> Vec<String> {
    let spoken = HAN_AIMS.iter().fold(text.to_owned(), |rest, aim| rest.replace(aim, ""));
    let mut aimed: Vec<String> = telling(&spoken)
        .into_iter()
        .map(|word| past(&word.text).map_or(word.text, stem))
        .filter(|word| !is_aim(word) && !is_number(word) && !is_negation(word))
        .collect();
    aimed.sort();
    aimed.dedup();
    // To buy a car is about the car; only "I want to run" is about running.
    let things: Vec<String> = aimed.iter().filter(|word| !is_doing(word)).cloned().collect();
    if things.is_empty() { aimed } else { things }
}

/// Whether both statements name or count something, and nothing the same: another marathon, fewer books.
pub(super) fn names_another(a: &str, b: &str) -> bool {
    let are_apart = |telling_apart: fn(&Word) -> bool| {
        let of = |text| -> Vec<String> {
            let words = telling(text).into_iter().filter(telling_apart).map(|word| word.text);
            words.filter(|word| !is_aim(word)).collect()
        };
        let (a, b): (Vec<String>, Vec<String>) = (of(a), of(b));
        !a.is_empty() && !b.is_empty() && !a.iter().any(|word| b.contains(word))
    };
    are_apart(is_name) || are_apart(|word| is_number(&word.text))
}

/// The first clause of a statement and what follows it.
fn first_clause(text: &str) -> (&str, Option<&str>) {
    let breaks = [", ", ". ", "; ", "，", "。", "；", " but ", " and "];
    match breaks.iter().filter_map(|pause| text.split_once(pause)).min_by_key(|(first, _)| first.len()) {
        Some((first, more)) if ended_alone(first) => (first, Some(more)),
        _ => (text, None),
    }
}

/// Whether a clause holds more than a word or two of introduction: "Sadly, we cancelled it".
fn ended_alone(clause: &str) -> bool {
    telling(clause).len() > 2
}

fn states(more: &str) -> bool {
    telling(more).len() > 1
}

/// The plain form of a verb whose past is not made by an ending.
fn past(word: &str) -> Option<&'static str> {
    PAST.iter().find(|(past, _)| *past == word).map(|(_, plain)| *plain)
}

fn is_doing(word: &str) -> bool {
    PAST.iter().any(|(_, plain)| stem(plain) == word)
}

const PAST: &[(&str, &str)] = &[
    ("became", "become"),
    ("bought", "buy"),
    ("built", "build"),
    ("did", "do"),
    ("found", "find"),
    ("got", "get"),
    ("had", "have"),
    ("learned", "learn"),
    ("learnt", "learn"),
    ("lost", "lose"),
    ("made", "make"),
    ("paid", "pay"),
    ("ran", "run"),
    ("saved", "save"),
    ("sold", "sell"),
    ("swam", "swim"),
    ("visited", "visit"),
    ("went", "go"),
    ("won", "win"),
    ("wrote", "write"),
];

static DONE: WordList = WordList::new(
    "accomplished achieved completed done finished handed managed passed reached submitted succeeded",
);
static HAN_DONE: WordList =
    WordList::new("完成了 完成 考过了 通过了 做完了 达成了 跑完了 读完了 写完了 学会了");

/// Words of what is yet to come.
static AHEAD: WordList = WordList::new(
    "almost going hope hopes if might must need needs plan plans should soon still try trying want wants \
     will would",
);
static HAN_AHEAD: WordList = WordList::new("想 打算 要 希望 没");
static HAN_AIMS: WordList = WordList::new("我想要 我想 打算 希望 计划 我要 目标是 我");

/// Terms (stemmed) that say that something is over.
static ENDS: WordList = WordList::new("abandon cancel cancell drop end left quit scrap scrapp stop");
static HAN_ENDS: WordList = WordList::new("不再 取消了 取消 放弃了 放弃 戒了 不干了");

/// Terms (stemmed) around an end that are not what ended.
static AROUND: WordList = WordList::new(
    "any away been call can do for from gav get giv given go going got had have her his longer mehr mor \
     mov off our out sadly this to unfortunately up us used was we wer with ya",
);

fn is_aim(term: &str) -> bool {
    AIMS.contains(term) || is_english_term(term)
}

/// Terms (stemmed) of aiming, doing and dating.
static AIMS: WordList = WordList::new(
    "accomplish achiev aim becom befor by complet do don end finally finish first for get go goal going \
     hand have hop i last lik mak manag month need next pass plan reach submit submitt succeed this to \
     today try want we week will with would year yesterday",
);
