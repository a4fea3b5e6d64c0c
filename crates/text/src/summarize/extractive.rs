//! The summary that needs no model: the sentences of a span that say something, word for word, by section.

use std::collections::{HashMap, HashSet};

use super::sections::{Said, Sections, letters, shorten};
use super::sentences::sentences;
use super::vocative::without_vocatives;
use super::worth::{has_identifier, information, worth};
use crate::answers::{Expected, listed};
use crate::cues::{
    AIMS, ASKS_TO_BE_REMINDED, COMES_OUT, DECIDES, HAS_NO_ANSWER, PROMISES, Plain, REJECTS, UNDECIDED,
};
use crate::intent::wanted::{Wanted, wanted};
use crate::redact::redact;

/// A sentence is kept to this many characters.
const LONGEST_SENTENCE: usize = 240;
/// A step of an accepted plan is kept to this many characters, and a plan to this many steps.
const LONGEST_STEP: usize = 120;
const MOST_STEPS: usize = 12;
/// A sentence with a number in it that is said this often, each time with another number, is a series.
const SERIES: usize = 3;
/// A sentence is left out if its words, weighed by how likely it states something, come to less.
const LEAST: f32 = 0.9;

/// A sentence that is less likely to state something is left out if it seems to ask.
const UNSURE: f32 = 0.5;

/// What one side of a conversation said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoken<'a> {
    /// Whether a person said it, and not the assistant.
    pub is_person: bool,
    /// The name of who said it.
    pub speaker: Option<&'a str>,
    /// The words.
    pub text: &'a str,
}

impl Spoken<'_> {
    /// Whether they speak for themselves: an assistant with a name is the other person of an imported chat.
    fn is_own(&self) -> bool {
        self.is_person || self.speaker.is_some()
    }

    fn is_by_the_same(&self, other: &Spoken<'_>) -> bool {
        (self.is_person, self.speaker) == (other.is_person, other.speaker)
    }
}

/// Selects what the messages state that the previous sections do not: sentences of people, what the assistant gave them
/// (a number, an address), and plans of either that were accepted. No sentence is reworded; if several people speak, the
/// name stands before it. Empty if nothing is worth keeping; what fits is decided by [`merged`](super::merged).
#[must_use]
pub fn extractive(talk: &[Spoken<'_>], previous: &Sections) -> Sections {
    let spoken = sentences_of(talk);
    let series = Series::of(&spoken);
    let mut known: Vec<Said> = previous.lines().map(Said::new).collect();
    let mut chosen: Vec<(usize, Section, String)> = Vec::new();
    for (place, plan) in accepted_plans(talk) {
        known.push(Said::new(&plan));
        chosen.push((place, Section::Decisions, plan));
    }
    chosen.extend(series.lines.iter().map(|(place, line)| (*place, Section::Facts, line.clone())));
    // People's own words first, so that an echo of them is known as one.
    let (own, given): (Vec<_>, Vec<_>) = spoken.iter().partition(|sentence| sentence.is_own);
    for sentence in own.into_iter().chain(given).filter(|sentence| !series.has(sentence)) {
        let Some(section) = section(sentence) else { continue };
        let said = Said::new(&sentence.text);
        if !known.iter().any(|old| old.covers(&said) || !sentence.is_own && old.overlaps(&said)) {
            chosen.push((sentence.place, section, sentence.line()));
            known.push(said);
        }
    }
    chosen.sort_by_key(|(place, ..)| *place);
    let mut sections = Sections::default();
    chosen.into_iter().for_each(|(_, section, line)| section.of(&mut sections).push(line));
    sections
}

/// One sentence of a message.
struct Sentence<'a> {
    text: String,
    is_own: bool,
    /// The name to write before it, if several people speak.
    speaker: Option<&'a str>,
    /// Whether it is a question that was not answered.
    is_open: bool,
    /// The number of its message in the span.
    place: usize,
}

impl Sentence<'_> {
    fn line(&self) -> String {
        let text = shorten(&self.text, LONGEST_SENTENCE);
        self.speaker.map_or(text.clone(), |name| format!("{name}: {text}"))
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

/// The sentences of all sides, in order, without the names of those who are spoken to.
fn sentences_of<'a>(talk: &[Spoken<'a>]) -> Vec<Sentence<'a>> {
    let names: HashSet<&str> = talk.iter().filter_map(|spoken| spoken.speaker).collect();
    let mut all = Vec::new();
    for (place, spoken) in talk.iter().enumerate() {
        // What comes after the span may be the answer, so the last question is not open yet.
        let is_unanswered = talk.get(place + 1).is_some_and(|next| {
            next.is_by_the_same(spoken) || HAS_NO_ANSWER.found_in(&Plain::new(next.text))
        });
        let speaker = spoken.speaker.filter(|_| names.len() > 1);
        for text in sentences(spoken.text) {
            let text = without_vocatives(&text, &names);
            let is_open = is_unanswered && spoken.is_own() && is_question(&text);
            all.push(Sentence { is_own: spoken.is_own(), speaker, is_open, place, text });
        }
    }
    all
}

/// Where a sentence belongs; nowhere if it is not worth keeping.
fn section(sentence: &Sentence<'_>) -> Option<Section> {
    let text = &sentence.text;
    // Marked already or not: a sentence with a secret in it is left to the message.
    if text.contains("[redacted:") || text.contains("[forgotten]") || redact(text) != *text {
        return None;
    }
    let information = information(text);
    if information < 2.0 {
        return None;
    }
    if is_question(text) {
        return sentence.is_open.then_some(Section::Goals);
    }
    // "Tell me a joke about 3 penguins" asks without a mark.
    if sentence.is_own && worth(text) < UNSURE && wanted(text) != Wanted::Nothing {
        return None;
    }
    let is_given = has_identifier(text);
    // What the assistant knows of the world is not of this person; what it gives them may be.
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
    Some(kind.map_or(Section::Facts, |(_, section)| section))
}

fn is_question(text: &str) -> bool {
    text.trim_end_matches(|c: char| !c.is_alphanumeric() && !"?？".contains(c)).ends_with(['?', '？'])
}

/// The lists that another side agreed to, each as one line, with the number of the message that has it.
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

/// Whether a message agrees to what was proposed, and says little else.
fn accepts(message: &str) -> bool {
    let plain = Plain::new(message);
    let agrees = DECIDES.found_in(&plain) && information(message) <= 6.0;
    (agrees || Expected::YesNo.fits(message)) && !REJECTS.open(&plain) && !is_question(message)
}

/// Sentences that are alike but for their numbers, such as numbered notes: one line stands for each such series.
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
            Some((first.place, format!("{} … {} ({} alike)", first.line(), last.text, all.len())))
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
