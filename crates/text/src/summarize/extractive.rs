//! The summary that needs no model: the sentences of a span that are worth keeping, word for word, by section.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::sections::{MOST_LINES, Said, Sections, letters, shorten};
use super::sentences::sentences;
use super::worth::{content, has_identifier, specifics, worth};
use crate::cues::{
    ADDRESSES, AIMS, ASKS_TO_BE_REMINDED, COMES_OUT, DECIDES, HAS_A_TERM, HAS_NO_ANSWER, IS, NAMES_A_THING,
    PASSES, POINTS_BACK, PROMISES, Plain, REQUESTS, REQUIRES, SMALL_TALK, UNDECIDED,
};
use crate::redact::redact;
use crate::words::terms;

/// A sentence is kept to this many characters.
const LONGEST_SENTENCE: usize = 240;
/// Of goals, outcomes and pending actions one span keeps this many: they are of the day, not for good.
const MOST_PASSING: usize = 12;
/// A sentence that is said this often, but for its numbers, is a template.
const TEMPLATE: usize = 3;

/// What one side of a conversation said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoken<'a> {
    /// Whether a person said it, and not the assistant.
    pub is_person: bool,
    /// The name of the person.
    pub speaker: Option<&'a str>,
    /// The words.
    pub text: &'a str,
}

/// Selects what the messages say that the previous sections do not: sentences of the person and, if they carry more
/// than talk, of the assistant. No sentence is reworded; if several people speak, the name stands before the sentence.
/// Empty if nothing is worth keeping.
#[must_use]
pub fn extractive(talk: &[Spoken<'_>], previous: &Sections) -> Sections {
    let spoken = sentences_of(talk);
    let templates = templates(&spoken);
    let rarity = Rarity::of(&spoken);
    let known: Vec<Said> = previous.lines().map(Said::new).collect();
    let mut chosen: Vec<Chosen> = Vec::new();
    // The person's own words first, so that an echo of them is known as one.
    let (own, echoed): (Vec<_>, Vec<_>) = spoken.iter().partition(|sentence| sentence.is_person);
    for sentence in own.into_iter().chain(echoed) {
        let Some(section) = section(sentence) else { continue };
        let said = Said::new(&sentence.line());
        let says_it = |old: &Said| old.covers(&said) || !sentence.is_person && old.overlaps(&said);
        let is_known = known.iter().chain(chosen.iter().map(|chosen| &chosen.said)).any(says_it);
        let is_template = !has_identifier(&sentence.text) && templates.contains(&pattern(&sentence.text));
        if !is_known && !is_template {
            let rank = (worth(&sentence.text), rarity.of_sentence(&sentence.text));
            chosen.push(Chosen { sentence, section, said, rank });
        }
    }
    best(chosen)
}

/// The best of each section, in the order in which they were said.
fn best(mut chosen: Vec<Chosen<'_>>) -> Sections {
    chosen.sort_by_key(|chosen| Reverse(chosen.rank));
    let mut counts: HashMap<Section, usize> = HashMap::new();
    chosen.retain(|chosen| {
        let count = counts.entry(chosen.section).or_default();
        *count += 1;
        *count <= chosen.section.most()
    });
    chosen.sort_by_key(|chosen| chosen.sentence.place);
    let mut sections = Sections::default();
    for Chosen { sentence, section, .. } in chosen {
        section.of(&mut sections).push(sentence.line());
    }
    sections
}

/// One sentence of a message.
struct Sentence<'a> {
    text: String,
    is_person: bool,
    /// The name to write before it, if several people speak.
    speaker: Option<&'a str>,
    /// Whether it is a question that nobody answered.
    is_open: bool,
    /// Its number in the span.
    place: usize,
}

impl Sentence<'_> {
    fn line(&self) -> String {
        let text = shorten(&self.text, LONGEST_SENTENCE);
        self.speaker.map_or(text.clone(), |name| format!("{name}: {text}"))
    }
}

/// A sentence that is worth keeping.
struct Chosen<'a> {
    sentence: &'a Sentence<'a>,
    section: Section,
    said: Said,
    /// What it is worth, and how rare its words are in the span.
    rank: (u32, usize),
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

    fn most(self) -> usize {
        match self {
            Self::Facts | Self::Decisions => MOST_LINES,
            Self::Goals | Self::Outcomes | Self::Pending => MOST_PASSING,
        }
    }
}

/// The sentences of both sides, in order.
fn sentences_of<'a>(talk: &[Spoken<'a>]) -> Vec<Sentence<'a>> {
    let names: HashSet<&str> =
        talk.iter().filter(|spoken| spoken.is_person).filter_map(|spoken| spoken.speaker).collect();
    let mut all = Vec::new();
    for (index, spoken) in talk.iter().enumerate() {
        let next = talk.get(index + 1);
        // What comes after the span may be the answer, so the last question is not open yet.
        let is_unanswered =
            next.is_some_and(|next| next.is_person || HAS_NO_ANSWER.found_in(&Plain::new(next.text)));
        let speaker = spoken.speaker.filter(|_| spoken.is_person && names.len() > 1);
        for text in sentences(spoken.text) {
            let is_open = is_unanswered && spoken.is_person && is_question(&text);
            all.push(Sentence { is_person: spoken.is_person, speaker, is_open, place: all.len(), text });
        }
    }
    all
}

/// Where a sentence belongs; nowhere when it is not worth keeping.
fn section(sentence: &Sentence<'_>) -> Option<Section> {
    let text = &sentence.text;
    // Marked already or not: a sentence with a secret in it is left to the message.
    if text.contains("[redacted:") || text.contains("[forgotten]") || redact(text) != *text {
        return None;
    }
    let plain = Plain::new(text);
    let specifics = specifics(text, &plain);
    let content = content(text);
    let is_small_talk = SMALL_TALK.found_in(&plain) && content <= 4 && !has_identifier(text);
    if is_small_talk || content == 0 && specifics == 0 {
        return None;
    }
    if sentence.is_person && ASKS_TO_BE_REMINDED.found_in(&plain) {
        return (content >= 1).then_some(Section::Pending);
    }
    if is_question(text) {
        return (sentence.is_open && content >= 2).then_some(Section::Goals);
    }
    let is_said_enough = if sentence.is_person { content >= 2 } else { specifics >= 2 };
    if UNDECIDED.found_in(&plain) {
        return is_said_enough.then_some(Section::Goals);
    }
    if DECIDES.found_in(&plain) && (content >= 1 && sentence.is_person || is_said_enough) {
        return Some(Section::Decisions);
    }
    let has_term = HAS_A_TERM.found_in(&plain);
    if PROMISES.found_in(&plain) && has_term && specifics >= 2 && is_said_enough {
        return Some(Section::Pending);
    }
    if COMES_OUT.found_in(&plain) && is_said_enough {
        return Some(Section::Outcomes);
    }
    if sentence.is_person && AIMS.found_in(&plain) && is_said_enough {
        return Some(Section::Goals);
    }
    let is_promised = PROMISES.found_in(&plain) && !POINTS_BACK.found_in(&plain);
    if sentence.is_person && is_promised && (content >= 4 || content >= 2 && specifics > 0) {
        return Some(Section::Pending);
    }
    is_fact(sentence, &plain, specifics).then_some(Section::Facts)
}

fn is_fact(sentence: &Sentence<'_>, plain: &Plain, specifics: u32) -> bool {
    let requires = REQUIRES.open(plain);
    if sentence.is_person {
        let is_request = REQUESTS.open(plain) && !requires;
        return !is_request && (requires || worth(&sentence.text) >= 2 || describes(&sentence.text, plain));
    }
    // What the assistant knows of the world is not of this person; what it says to them with figures may be.
    ADDRESSES.found_in(plain) && has_identifier(&sentence.text) && specifics >= 4
}

/// "The key to the shed is behind the mirror": says how a certain thing is, for more than today.
fn describes(text: &str, plain: &Plain) -> bool {
    let is_passing = PASSES.found_in(plain) || POINTS_BACK.found_in(plain);
    NAMES_A_THING.open(plain) && IS.found_in(plain) && !is_passing && content(text) >= 3
}

fn is_question(text: &str) -> bool {
    text.trim_end_matches(|c: char| !c.is_alphanumeric() && !"?？".contains(c)).ends_with(['?', '？'])
}

/// A sentence with every number replaced.
fn pattern(text: &str) -> String {
    let digits = |c: char| if c.is_numeric() { '#' } else { c };
    let mut pattern: Vec<char> =
        text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).map(digits).collect();
    pattern.dedup_by(|next, last| *next == '#' && *last == '#');
    pattern.into_iter().collect()
}

/// The patterns that several different sentences share.
fn templates(spoken: &[Sentence<'_>]) -> HashSet<String> {
    let mut sentences: HashMap<String, HashSet<String>> = HashMap::new();
    for sentence in spoken {
        sentences.entry(pattern(&sentence.text)).or_default().insert(letters(&sentence.text));
    }
    sentences.into_iter().filter(|(_, texts)| texts.len() >= TEMPLATE).map(|(pattern, _)| pattern).collect()
}

/// In how many sentences of the span each word stands.
struct Rarity(HashMap<String, usize>);

impl Rarity {
    fn of(spoken: &[Sentence<'_>]) -> Self {
        let mut counts = HashMap::new();
        for sentence in spoken {
            let distinct: HashSet<String> = terms(&sentence.text).into_iter().collect();
            distinct.into_iter().for_each(|term| *counts.entry(term).or_default() += 1);
        }
        Self(counts)
    }

    /// How many words of a sentence stand nowhere else.
    fn of_sentence(&self, text: &str) -> usize {
        let distinct: HashSet<String> = terms(text).into_iter().collect();
        distinct.iter().filter(|term| self.0.get(*term) == Some(&1)).count()
    }
}

#[cfg(test)]
mod tests;
