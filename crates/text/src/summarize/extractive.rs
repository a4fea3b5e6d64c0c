//! The summary without a model: the informative sentences of a span, verbatim, by section.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use rustc_hash::FxHashSet;

use super::sections::{Lines, Said, Sections, letters};
use super::sentences::sentences;
use super::vocative::without_vocatives;
use super::worth::{has_identifier, information, worth};
use crate::answers::{Expected, listed};
use crate::cues::{
    AIMS, ASKS_TO_BE_REMINDED, COMES_OUT, DECIDES, HAS_NO_ANSWER, PROMISES, Plain, REJECTS, UNDECIDED,
};
use crate::extract::day;
use crate::intent::asks::asks;
use crate::intent::wanted::{Wanted, wanted};
use crate::redact::redact;
use crate::shorten::shorten;
use crate::told::{Modality, modality};

/// Maximum characters of a sentence.
const LONGEST_SENTENCE: usize = 240;
/// Maximum characters of a step of an accepted plan, and maximum steps of a plan.
const LONGEST_STEP: usize = 120;
const MOST_STEPS: usize = 12;
/// Number of sentences that differ only in their numbers from which they count as a series.
const SERIES: usize = 3;
/// Minimum score of a sentence: its informative words, weighted by the probability that it is a statement.
const LEAST: f32 = 0.9;

/// Minimum probability of a statement, for a sentence that looks like a request.
const UNSURE: f32 = 0.5;

/// One message of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoken<'a> {
    /// True if a person said it, false if the assistant did.
    pub is_person: bool,
    /// The speaker's name.
    pub speaker: Option<&'a str>,
    /// The words.
    pub text: &'a str,
    /// The day on which they were said, for "tomorrow" in them.
    pub day: Option<Date>,
}

impl Spoken<'_> {
    /// Returns true if a person speaks: an assistant with a name is the other person of an imported chat.
    fn is_own(&self) -> bool {
        self.is_person || self.speaker.is_some()
    }

    fn is_by_the_same(&self, other: &Spoken<'_>) -> bool {
        (self.is_person, self.speaker) == (other.is_person, other.speaker)
    }
}

/// Selects what the messages state that the previous sections do not: sentences of people, what the assistant gave them
/// (a number, an address), and plans of either that were accepted. No sentence is reworded; if several people speak,
/// the name stands before it. Empty if nothing is worth keeping; what fits is decided by [`merged`](super::merged).
#[must_use]
pub fn extractive(talk: &[Spoken<'_>], previous: &Sections) -> Sections {
    let spoken = sentences_of(talk);
    let series = Series::of(&spoken);
    let mut known = Lines::default();
    previous.lines().map(Said::new).for_each(|said| known.push(said));
    let mut chosen: Vec<(usize, Section, String)> = Vec::new();
    for (place, plan) in accepted_plans(talk) {
        known.push(Said::new(&plan));
        chosen.push((place, Section::Decisions, plan));
    }
    chosen.extend(series.lines.iter().map(|(place, line)| (*place, Section::Facts, line.clone())));
    // People's own words first, so that an echo of them is recognized as a repetition.
    let (own, given): (Vec<_>, Vec<_>) = spoken.iter().partition(|sentence| sentence.is_own);
    // The same words again add nothing, whether they were kept or not.
    let mut read = FxHashSet::default();
    for sentence in own.into_iter().chain(given).filter(|sentence| !series.has(sentence)) {
        if !read.insert((sentence.text.as_str(), sentence.is_own, sentence.is_open)) {
            continue;
        }
        let Some(section) = section(sentence) else { continue };
        let said = Said::new(&sentence.text);
        if !known.cover(&said) && (sentence.is_own || !known.overlap(&said)) {
            let line = match section {
                Section::Goals | Section::Pending => sentence.dated_line(),
                Section::Decisions | Section::Facts | Section::Outcomes => sentence.line(),
            };
            chosen.push((sentence.place, section, line));
            known.push(said);
        }
    }
    chosen.sort_by_key(|(place, ..)| *place);
    let mut sections = Sections::default();
    chosen.into_iter().for_each(|(_, section, line)| section.of(&mut sections).push(line));
    sections
}

/// The first and the last of a series, if a line stands for one.
pub(super) fn series(line: &str) -> Option<&str> {
    line.strip_suffix(ALIKE).and_then(|line| line.rsplit_once(" (")).map(|(series, _)| series)
}

/// The end of a line that stands for a series, after its number of sentences.
const ALIKE: &str = " alike)";

/// One sentence of a message.
struct Sentence<'a> {
    text: String,
    is_own: bool,
    /// The name to put before it, if several people speak.
    speaker: Option<&'a str>,
    /// True if it is a question without an answer.
    is_open: bool,
    /// The number of its message in the span.
    place: usize,
    /// The day on which it was said.
    day: Option<Date>,
}

impl Sentence<'_> {
    fn line(&self) -> String {
        let text = shorten(&self.text, LONGEST_SENTENCE);
        self.speaker.map_or(text.clone(), |name| format!("{name}: {text}"))
    }
}

impl Sentence<'_> {
    /// The line with the day that "tomorrow" in it means, for it is read later.
    fn dated_line(&self) -> String {
        let named = self.day.and_then(|today| day::find(&self.text, today)).filter(|named| named.is_relative);
        named.map_or_else(|| self.line(), |named| format!("{} ({})", self.line(), named.day))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Section {
    Goals,
    Decisions,
    Facts,
    Outcomes,
    Pending,
}

impl Section {
    fn of(self, sections: &mut Sections) -> &mut Vec<String> {
        match self {
            Self::Goals => &mut sections.goals,
            Self::Decisions => &mut sections.decisions,
            Self::Facts => &mut sections.facts,
            Self::Outcomes => &mut sections.outcomes,
            Self::Pending => &mut sections.pending,
        }
    }
}

/// The sentences of all speakers, in order, without the names of those they address.
fn sentences_of<'a>(talk: &[Spoken<'a>]) -> Vec<Sentence<'a>> {
    let names: HashSet<&str> = talk.iter().filter_map(|spoken| spoken.speaker).collect();
    let mut all = Vec::new();
    for (place, spoken) in talk.iter().enumerate() {
        // The next message after the span may be the answer, so the last question is not open yet.
        let is_unanswered = talk.get(place + 1).is_some_and(|next| {
            next.is_by_the_same(spoken) || HAS_NO_ANSWER.found_in(&Plain::new(next.text))
        });
        let speaker = spoken.speaker.filter(|_| names.len() > 1);
        for text in sentences(spoken.text) {
            let text = without_vocatives(&text, &names);
            let is_open = is_unanswered && spoken.is_own() && asks(&text);
            all.push(Sentence { is_own: spoken.is_own(), speaker, is_open, place, day: spoken.day, text });
        }
    }
    all
}

/// The section of a sentence; `None` if it is not worth keeping.
fn section(sentence: &Sentence<'_>) -> Option<Section> {
    let text = &sentence.text;
    let information = information(text);
    if information < 2.0 {
        return None;
    }
    // Redacted already or not, a sentence with a secret is left out.
    if text.contains("[redacted:") || text.contains("[forgotten]") || redact(text) != *text {
        return None;
    }
    if asks(text) {
        return sentence.is_open.then_some(Section::Goals);
    }
    // "Tell me a joke about 3 penguins" is a request without a question mark.
    if sentence.is_own && worth(text) < UNSURE && wanted(text) != Wanted::Nothing {
        return None;
    }
    let is_given = has_identifier(text);
    // General knowledge of the assistant is not about this person, but a number or address that it gives them may be.
    if !(is_given || sentence.is_own && information * worth(text) >= LEAST) {
        return None;
    }
    let plain = Plain::new(text);
    let kinds = [
        (&ASKS_TO_BE_REMINDED, Section::Pending),
        (&UNDECIDED, Section::Goals),
        (&DECIDES, Section::Decisions),
        (&COMES_OUT, Section::Outcomes),
        (&AIMS, Section::Goals),
        (&PROMISES, Section::Pending),
    ];
    let kind = kinds.into_iter().filter(|_| sentence.is_own).find(|(cues, _)| cues.found_in(&plain));
    match kind {
        Some((_, section)) => Some(section),
        // What somebody only supposes is no fact.
        None if sentence.is_own && !is_given && modality(text) == Modality::Supposed => None,
        None => Some(Section::Facts),
    }
}

/// The lists that the other side accepted, each as one line, with the number of its message.
fn accepted_plans(talk: &[Spoken<'_>]) -> Vec<(usize, String)> {
    let plan = |(place, pair): (usize, &[Spoken<'_>])| {
        let [offered, next] = pair else { return None };
        let steps = listed(offered.text);
        let is_accepted = steps.len() >= 2 && !next.is_by_the_same(offered) && accepts(next.text);
        let steps = steps.iter().take(MOST_STEPS).enumerate();
        let lines: Vec<String> =
            steps.map(|(at, step)| format!("{}. {}", at + 1, shorten(step, LONGEST_STEP))).collect();
        let line = lines.join(" ");
        (is_accepted && redact(&line) == line).then_some((place, line))
    };
    talk.windows(2).enumerate().filter_map(plan).collect()
}

/// Returns true if a message accepts a proposal and says little else.
fn accepts(message: &str) -> bool {
    let plain = Plain::new(message);
    let agrees = DECIDES.found_in(&plain) && information(message) <= 6.0;
    (agrees || Expected::YesNo.fits(message)) && !REJECTS.open(&plain) && !asks(message)
}

/// Sentences that differ only in their numbers, such as numbered notes. Each series becomes one line.
struct Series {
    patterns: HashSet<String>,
    lines: Vec<(usize, String)>,
}

impl Series {
    fn of(spoken: &[Sentence<'_>]) -> Self {
        let mut alike: HashMap<String, Vec<&Sentence<'_>>> = HashMap::new();
        for sentence in spoken.iter().filter(|sentence| sentence.is_own && !has_identifier(&sentence.text)) {
            let pattern = pattern(&sentence.text);
            if pattern.contains('#') {
                alike.entry(pattern).or_default().push(sentence);
            }
        }
        let distinct = |all: &[&Sentence<'_>]| {
            all.iter().map(|sentence| letters(&sentence.text)).collect::<HashSet<_>>().len()
        };
        alike.retain(|_, all| distinct(all) >= SERIES);
        let line = |all: &Vec<&Sentence<'_>>| {
            let (first, last) = (all.first()?, all.last()?);
            Some((first.place, format!("{} … {} ({}{ALIKE}", first.line(), last.text, all.len())))
        };
        let mut lines: Vec<_> = alike.values().filter_map(line).collect();
        lines.sort();
        Self { patterns: alike.into_keys().collect(), lines }
    }

    fn has(&self, sentence: &Sentence<'_>) -> bool {
        !has_identifier(&sentence.text) && self.patterns.contains(&pattern(&sentence.text))
    }
}

/// A sentence with every number replaced.
fn pattern(text: &str) -> String {
    let digits = |c: char| if c.is_numeric() { '#' } else { c };
    let mut pattern: Vec<char> =
        text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).map(digits).collect();
    pattern.dedup_by(|next, last| *next == '#' && *last == '#');
    pattern.into_iter().collect()
}

#[cfg(test)]
mod tests;
