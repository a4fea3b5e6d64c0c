//! Finds the remembered passages that best match a question or its time.

use std::collections::HashSet;

use throughline_domain::time;
use throughline_text::answers::{Expected, asks_for_one, expected, names_number};
use throughline_text::cjk::is_cjk;
use throughline_text::extract::day;
use throughline_text::generic::is_generic;
use throughline_text::intent::is_personal;
use throughline_text::intent::wanted::Wanted;
use throughline_text::question::Place;
use throughline_text::told::{Modality, modality};
use throughline_text::words::Telling;
use throughline_text::{question, when, words};

use super::known::{self, Known};
use super::quote;
use super::remembered::{By, Passage, Remembered};
use crate::Turn;
use crate::embed::BuiltIn;

/// Factor by which another passage must match better to be preferred to the person's own statement.
const PREFERENCE: f32 = 0.6;
/// Minimum share of a question for passages that share no word with it.
const MIN_SHARE: f32 = 0.4;
/// Maximum number of statements in a recap.
const MAX_RECAP: usize = 8;
/// Factor by which a passage may match less than the best and still say as much.
const AS_MUCH: f32 = 0.8;
/// The same for a newer passage, if the question asks for what is so now.
const OF_NOW: f32 = 0.4;
/// Maximum number of quotes in an answer.
const MAX_QUOTES: usize = 8;
/// Maximum number of words of a question that are looked at one by one.
const MAX_WORDS: usize = 64;
/// Minimum share of a question for a day or a number that a passage without one must cover.
const NEARLY_ALL: f32 = 0.75;

/// Quotes the passages that best match a question and are still valid: the person's own before others', and every one of
/// them that says as much, unless the question has a single answer.
pub fn best(
    asked: &str,
    wanted: Wanted,
    remembered: &Remembered,
    known: &Known,
    turn: &Turn,
) -> Option<String> {
    let Scope { pool, subject } = Scope::of(asked, remembered, turn)?;
    let expected = expected(asked);
    // What is asked of the person is answered by what they told of themselves.
    let is_of_self = matches!(wanted, Wanted::Facts(_) | Wanted::Preferences | Wanted::Everything);
    let names_them = names_those_asked_about(asked);
    let answers = |passage: &Passage| match passage.by {
        _ if (is_of_self || is_personal(&passage.text)) && !names_them(&passage.text) => false,
        By::Person => {
            known.holds(passage, remembered, turn) && !is_of_another_than_asked(asked, &passage.text)
        }
        By::Supposed | By::Cited => !is_of_self,
        By::Assistant | By::Routine(_) | By::Note => true,
    };
    let mut scored = scored(&pool, &subject);
    scored.retain(|one| answers(one.passage));
    let has_value = |text: &str| match expected {
        Some(Expected::Date) => names_a_time(text, turn),
        Some(Expected::Number) => names_number(text),
        _ => true,
    };
    let least = scored.first()?.score * PREFERENCE;
    // Without a day or a number, only what says nearly all that is asked can be meant.
    let is_answered = scored.iter().any(|one| one.score >= least && has_value(&one.passage.text));
    scored.retain(|one| has_value(&one.passage.text) || !is_answered && one.share >= NEARLY_ALL);
    if question::asks_who(asked) {
        let names = names(&subject);
        let tells_who =
            |one: &Scored<'_>| names.iter().any(|name| question::tells_who(&one.passage.text, name));
        let is_told = scored.iter().any(tells_who);
        scored.retain(|one| !is_told || tells_who(one));
    }
    let best = scored.first()?;
    let statement = scored.iter().find(|one| one.passage.by == By::Person);
    let chosen = statement.filter(|statement| statement.score >= best.score * PREFERENCE).unwrap_or(best);
    let is_now = question::asks_for_now(asked);
    let is_single = is_now || asks_for_one(asked);
    // Of what says the same in other words, the newest holds.
    let is_newer = |one: &&Scored<'_>| {
        let says_as_much = one.share >= chosen.share || is_now && one.score >= chosen.score * OF_NOW;
        one.passage.by == By::Person && one.passage.at > chosen.passage.at && says_as_much
    };
    let newer = scored.iter().filter(is_newer).max_by_key(|one| one.passage.at);
    let chosen = newer.filter(|_| is_single && chosen.share > 0.0).unwrap_or(chosen);
    let says_as_much = |one: &&Scored<'_>| {
        one.passage.by == By::Person && chosen.passage.by == By::Person && one.score >= chosen.score * AS_MUCH
    };
    let mut quoted: Vec<(&str, String)> = Vec::new();
    let others = scored.iter().filter(says_as_much).filter(|_| !is_single);
    for one in std::iter::once(chosen).chain(others) {
        if quoted.len() < MAX_QUOTES && !quoted.iter().any(|(text, _)| *text == one.passage.text) {
            let words = quote::passage(&one.passage.text, asked);
            quoted.push((&one.passage.text, quote::with_time(turn, one.passage, &words)));
        }
    }
    Some(quoted.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n"))
}

/// The passages that a question can be about, and its subject for them.
struct Scope<'a> {
    pool: Vec<&'a Passage>,
    subject: String,
}

impl<'a> Scope<'a> {
    /// Narrows by the speaker and the time that a question names. `None` if it names no subject.
    fn of(asked: &str, remembered: &'a Remembered, turn: &Turn) -> Option<Self> {
        let then = of_the_time(asked, remembered, turn);
        let read = question::read(asked, &remembered.speakers(), turn.now, &turn.zone);
        let about = read.about.first();
        let subject = about.map_or(&read.subject, |(_, subject)| subject);
        // Without messages of the time, others may tell of it by its name.
        let subject = if then.is_empty() && about.is_none() { asked.to_owned() } else { subject.clone() };
        let names_subject = words::query_terms(&subject).iter().any(|term| !is_generic(&term.text));
        let mut pool: Vec<&Passage> = if then.is_empty() { remembered.0.iter().collect() } else { then };
        if let Some((speaker, _)) = about {
            let is_said = question::asks_what_another_said(asked);
            let names_them =
                |text: &str| words::terms(text).iter().any(|term| words::terms(&speaker.name).contains(term));
            pool.retain(|one| {
                one.speaker.as_ref() == Some(&speaker.name) || !is_said && names_them(&one.text)
            });
        }
        names_subject.then_some(Self { pool, subject })
    }
}

/// The first or the last of the person's statements, if the question asks for it.
pub fn at_place(asked: &str, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let place = question::place(asked)?;
    let then = of_the_time(asked, remembered, turn);
    let is_then = |passage: &&Passage| match then.is_empty() {
        true => passage.is_live || place == Place::Last,
        false => then.iter().any(|one| std::ptr::eq(*one, *passage)),
    };
    let said = remembered.statements().filter(|passage| passage.at.is_some()).filter(is_then);
    let found = match place {
        Place::First => said.min_by_key(|passage| passage.at),
        Place::Last => said.max_by_key(|passage| passage.at),
    }?;
    Some(quote::with_time(turn, found, &quote::passage(&found.text, asked)))
}

/// Returns true for a text that names those of the person's whom a question is about ("my brother"); for any, if it names none.
pub fn names_those_asked_about(asked: &str) -> impl Fn(&str) -> bool {
    let words: Vec<&str> =
        asked.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1).take(MAX_WORDS).collect();
    let is_theirs = |pair: &&[&str]| {
        let pair = pair.join(" ");
        // Of "my sisters birthday" the apostrophe was left out.
        let is_another = |who: &str| modality(&format!("{who} lives here")) == Modality::OfAnother;
        is_another(&pair) || pair.strip_suffix('s').is_some_and(is_another)
    };
    let named = words.windows(2).filter(is_theirs).filter_map(|pair| pair.last());
    let others: Vec<String> = named.flat_map(|word| words::terms(word)).collect();
    move |text: &str| others.is_empty() || words::terms(text).iter().any(|term| others.contains(term))
}

/// Returns true if a question is about the person, and a statement is about somebody of theirs whom the question does not
/// name.
pub fn is_of_another_than_asked(asked: &str, text: &str) -> bool {
    if !is_personal(asked) || modality(text) != Modality::OfAnother {
        return false;
    }
    let told = words::terms(text);
    if names(asked).iter().any(|name| told.contains(name)) {
        return false;
    }
    // "My brother", "my little brother".
    let first = |count| text.split_whitespace().take(count).collect::<Vec<_>>().join(" ");
    let names_them = |who: &String| modality(&format!("{who} lives here")) == Modality::OfAnother;
    let who = Some(first(2)).filter(names_them).unwrap_or_else(|| first(3));
    let asked = words::query_terms(asked);
    !words::terms(&who).iter().any(|term| asked.iter().any(|asked| asked.text == *term))
}

/// Returns true if a text names a day or a time of day.
pub fn names_a_time(text: &str, turn: &Turn) -> bool {
    let is_clock = |word: &str| {
        word.split_once([':', 'h']).is_some_and(|(hour, rest)| {
            hour.parse::<u8>().is_ok_and(|hour| hour < 25) && rest.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    day::find(text, known::today(turn)).is_some()
        || day::deadline(text, known::today(turn)).is_some()
        || when::read(text, turn.now, &turn.zone).is_some()
        || text.split_whitespace().any(is_clock)
}

/// A recap of the time or of the speaker that a question names.
pub fn recap(asked: &str, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let mut then = of_the_time(asked, remembered, turn);
    let about = question::read(asked, &remembered.speakers(), turn.now, &turn.zone).about;
    if let Some((speaker, _)) = about.first().filter(|_| question::asks_what_another_said(asked)) {
        let names_time = when::read(asked, turn.now, &turn.zone).is_some();
        then = if names_time { then } else { remembered.statements().collect() };
        then.retain(|one| one.speaker.as_ref() == Some(&speaker.name));
    }
    let (own, others): (Vec<&Passage>, Vec<&Passage>) =
        then.into_iter().partition(|passage| passage.by == By::Person);
    let mut told = if own.is_empty() { others } else { own };
    told.sort_by_key(|passage| passage.at);
    let skipped = told.len().saturating_sub(MAX_RECAP);
    let line = |passage: &&Passage| {
        let at = passage
            .at
            .map(|at| format!("{}, {}: ", time::long_date(at, &turn.zone), time::clock(at, &turn.zone)));
        format!("• {}{}", at.unwrap_or_default(), quote::passage(&passage.text, asked))
    };
    let lines: Vec<String> = told.iter().skip(skipped).map(line).collect();
    let who = &told.first()?.who;
    Some(format!("{who}:\n{}", lines.join("\n")))
}

/// The passages of the past time that a question names.
fn of_the_time<'a>(asked: &str, remembered: &'a Remembered, turn: &Turn) -> Vec<&'a Passage> {
    let Some(when) = question::past_time(asked, turn.now, &turn.zone) else { return Vec::new() };
    let is_then = |passage: &&Passage| passage.at.is_some_and(|at| when.from <= at && at < when.until);
    remembered.0.iter().filter(is_then).collect()
}

/// A passage that matches a question.
struct Scored<'a> {
    /// How well it matches, in the same words and in others.
    score: f32,
    /// The share of the question that it covers, in the same words.
    share: f32,
    passage: &'a Passage,
}

/// The passages that match a question, best first: rare words weigh more, and newer passages win ties.
fn scored<'a>(pool: &[&'a Passage], subject: &str) -> Vec<Scored<'a>> {
    let wanted = words::query_terms(subject);
    let held: Vec<HashSet<String>> =
        pool.iter().map(|passage| words::terms(&passage.text).into_iter().collect()).collect();
    let weights: Vec<f32> = wanted
        .iter()
        .map(|term| {
            let with = held.iter().filter(|terms| question::is_met(&term.text, terms)).count() as f32;
            let common = if words::is_common(&term.text) { words::ASKING } else { 1.0 };
            common * term.weight * (1.0 + (held.len() as f32 - with + 0.5) / (with + 0.5)).ln()
        })
        .collect();
    let all: f32 = weights.iter().sum();
    let share = |terms: &HashSet<String>| -> f32 {
        let met = wanted.iter().zip(&weights).filter(|(term, _)| question::is_met(&term.text, terms));
        let found: f32 = met.map(|(_, weight)| weight).sum();
        if all > 0.0 { found / all } else { 0.0 }
    };
    let names = names(subject);
    // "Which pet" finds "my dog", although they share no word.
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(subject, &[]));
    let mut similarity = |text: &str| near.as_mut().map_or(0.0, |near| near.soft_overlap(text));
    let mut meets = meets(subject);
    let mut scored: Vec<Scored<'_>> = held
        .iter()
        .map(share)
        .zip(pool)
        .filter(|(_, passage)| meets(&passage.text))
        .map(|(share, passage)| Scored { share, score: share + similarity(&passage.text), passage })
        .filter(|one| one.share > 0.0 || one.score >= MIN_SHARE && names.is_empty())
        .collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.passage.at.cmp(&a.passage.at)));
    scored
}

/// Returns true for a text that has a word of a question, or one near to it, besides those that any value has: "what's my blood
/// type" is about blood, not about types.
pub fn meets(subject: &str) -> impl FnMut(&str) -> bool {
    let mut wanted: Vec<String> = words::query_terms(subject).into_iter().map(|term| term.text).collect();
    wanted.retain(|term| !question::is_of_any_value(term));
    let is_wanted = |word: &&str| words::terms(word).iter().any(|term| wanted.contains(term));
    let is_told = |c: char| !is_cjk(c) || !is_generic(c.encode_utf8(&mut [0; 4]));
    let written = subject.split_whitespace().filter(is_wanted).take(MAX_WORDS);
    let written: Vec<String> = written.map(|word| word.chars().filter(|c| is_told(*c)).collect()).collect();
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(&written.join(" "), &[]));
    let names = names(subject);
    move |text: &str| {
        let terms: HashSet<String> = words::terms(text).into_iter().collect();
        // A name has no other word: what is asked of Ana is not told of nobody.
        if !names.is_empty() && !names.iter().any(|name| terms.contains(name)) {
            return false;
        }
        let is_near = near.as_mut().is_some_and(|near| near.soft_overlap(text) >= MIN_SHARE);
        wanted.is_empty() || is_near || wanted.iter().any(|term| question::is_met(term, &terms))
    }
}

/// The terms of the words with a capital within a question, besides "I"; none in German, where every noun has one.
fn names(question: &str) -> Vec<String> {
    let is_german = |word: &str| GERMAN.contains(&word.to_lowercase().as_str());
    let words = || question.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    if words().any(is_german) {
        return Vec::new();
    }
    let is_name = |word: &&str| {
        let is_short = word.chars().nth(1).is_none();
        !is_short && word.starts_with(char::is_uppercase) && words::telling(word) == Telling::Much
    };
    let bare = |word: &'_ str| word.trim_end_matches("'s").trim_end_matches("’s").to_owned();
    words().skip(1).filter(is_name).flat_map(|word| words::terms(&bare(word))).collect()
}

/// Words of German questions.
const GERMAN: [&str; 16] = [
    "wann", "wo", "wer", "wie", "wen", "wem", "welche", "welcher", "welches", "warum", "ist", "der", "die",
    "das", "ich", "mein",
];

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn words(by: By, minutes: i64, text: &str) -> Passage {
        let at = Timestamp::from_second(1_771_000_000 + minutes * 60).unwrap();
        Passage { at: Some(at), ..Passage::new(by, "You said".to_owned(), text.to_owned()) }
    }

    fn first(passages: &[Passage], asked: &str) -> Option<String> {
        let pool: Vec<&Passage> = passages.iter().collect();
        scored(&pool, asked).first().map(|one| one.passage.text.clone())
    }

    #[test]
    fn of_two_equal_statements_the_newer_is_quoted() {
        let passages =
            [words(By::Person, 0, "I live in Singapore"), words(By::Person, 9, "I live in Berlin")];
        assert_eq!(first(&passages, "Where do I live?").as_deref(), Some("I live in Berlin"));
    }

    #[test]
    fn what_shares_no_telling_word_is_no_match() {
        assert_eq!(first(&[words(By::Person, 0, "The cat is on the roof")], "Who won the election?"), None);
    }

    #[test]
    fn a_number_is_matched_by_itself() {
        let passages: Vec<Passage> =
            (1..=22).map(|n| words(By::Person, n, &format!("Message {n}"))).collect();
        assert_eq!(first(&passages, "What was message number 3?").as_deref(), Some("Message 3"));
        assert_eq!(first(&passages, "What was message number 1?").as_deref(), Some("Message 1"));
    }
}
