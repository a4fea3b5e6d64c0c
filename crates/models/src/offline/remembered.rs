//! The quotable passages of a context: the words of people and assistants, without questions, commands and the
//! model's own replies.

use std::collections::HashMap;

use jiff::Timestamp;
use throughline_domain::context::{LayerName, Side, Utterance};
use throughline_domain::conversation::Thread;
use throughline_domain::message::{MessageId, Role};
use throughline_text::answers::listed;
use throughline_text::correction;
use throughline_text::intent::wanted::{ends_like_a_question, is_question};
use throughline_text::question::NamedSpeaker;
use throughline_text::sentences::sentences;
use throughline_text::told::{self, Modality, modality};

use super::quote::is_own_reply;
use super::{known, lines_of};
use crate::Turn;

/// The source of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// A statement of the person.
    Person,
    /// What the person supposed or joked.
    Supposed,
    /// What the person pasted, forwarded or quoted.
    Cited,
    /// A reply.
    Assistant,
    /// A routine's message, with the routine's name.
    Routine(String),
    /// A line of a summary or of the profile.
    Note,
}

/// A quotable passage of the context.
#[derive(Debug, Clone)]
pub struct Passage {
    pub by: By,
    pub who: String,
    /// The speaker's name, in a chat of several.
    pub speaker: Option<String>,
    pub at: Option<Timestamp>,
    pub text: String,
    /// The full text, if the window shows its summary.
    pub full: Option<String>,
    pub ids: Vec<MessageId>,
    /// True if the speaker's next words corrected it.
    pub is_corrected: bool,
    /// True if it is in the live conversation.
    pub is_live: bool,
    /// True if the person's next words were neither a question nor a no.
    pub is_accepted: bool,
}

/// All passages, in the order of the context.
pub struct Remembered(pub Vec<Passage>);

impl Remembered {
    pub fn of(turn: &Turn) -> Self {
        let mut passages = said(turn);
        let in_window: HashMap<MessageId, usize> = passages
            .iter()
            .enumerate()
            .flat_map(|(at, passage)| passage.ids.iter().map(move |id| (*id, at)))
            .collect();
        for hit in &turn.context.recalled {
            let shown = hit.messages.first().and_then(|id| in_window.get(id));
            if let Some(passage) = shown.and_then(|at| passages.get_mut(*at)) {
                passage.full = Some(hit.text.clone());
                continue;
            }
            let found = match hit.role {
                Role::User => of_person(&hit.text),
                _ => of_assistant(&hit.text),
            };
            passages.extend(found.into_iter().map(|(by, text)| Passage {
                at: Some(hit.at),
                speaker: hit.speaker.clone(),
                ids: hit.messages.clone(),
                ..Passage::new(by.clone(), who(&by, hit.speaker.as_deref()), text)
            }));
        }
        let notes = lines_of(turn, LayerName::Summaries)
            // The first line describes the layer.
            .skip(1)
            .filter(|line| !line.ends_with([':', '：']))
            .chain(known::in_profile(turn).into_iter().map(|listed| listed.text));
        passages.extend(notes.map(|line| Passage::new(By::Note, "I noted".to_owned(), bare(&line))));
        Self(passages)
    }

    /// The speakers of the chat, each once.
    pub fn speakers(&self) -> Vec<NamedSpeaker> {
        let mut names: Vec<&String> = self.0.iter().filter_map(|passage| passage.speaker.as_ref()).collect();
        names.sort_unstable();
        names.dedup();
        (0..).zip(names).map(|(number, name)| NamedSpeaker { number, name: name.clone() }).collect()
    }

    pub fn statements(&self) -> impl Iterator<Item = &Passage> {
        self.0.iter().filter(|passage| passage.by == By::Person)
    }
}

impl Passage {
    pub fn new(by: By, who: String, text: String) -> Self {
        let (speaker, at, full, ids) = (None, None, None, Vec::new());
        Self {
            by,
            who,
            speaker,
            at,
            text,
            full,
            ids,
            is_corrected: false,
            is_live: false,
            is_accepted: false,
        }
    }

    /// The full text.
    pub fn full_text(&self) -> &str {
        self.full.as_deref().unwrap_or(&self.text)
    }
}

/// The passages of the window.
fn said(turn: &Turn) -> Vec<Passage> {
    let said = &turn.context.said;
    let live = live_start(turn);
    let mut passages = Vec::new();
    let mut answers_a_command = false;
    for (at, one) in said.iter().enumerate() {
        let is_command = one.side == Side::Person && is_command(&one.text);
        let skipped = is_command || answers_a_command && one.side == Side::Assistant;
        answers_a_command = is_command;
        if skipped {
            continue;
        }
        let found = match (one.side, &one.routine) {
            (Side::Person, _) => of_person(&one.text),
            (Side::Assistant, Some(name)) => vec![(By::Routine(name.clone()), one.text.clone())],
            (Side::Assistant, None) => of_assistant(&one.text),
        };
        passages.extend(found.into_iter().map(|(by, text)| Passage {
            at: Some(one.at),
            speaker: one.speaker.clone(),
            ids: one.ids.clone(),
            is_live: live.is_some_and(|live| one.at >= live),
            is_accepted: is_accepted(said.get(at + 1..).unwrap_or_default()),
            full: (one.side == Side::Person && listed(&one.text).len() > 1).then(|| one.text.clone()),
            ..Passage::new(by.clone(), who(&by, one.speaker.as_deref()), text)
        }));
    }
    corrected(passages)
}

/// The passages, in which a statement and its correction in the speaker's next words are one.
fn corrected(passages: Vec<Passage>) -> Vec<Passage> {
    let mut all: Vec<Passage> = Vec::with_capacity(passages.len());
    for next in passages {
        // "No, 5" after a question is its answer.
        let is_answer =
            all.last().is_some_and(|last| last.by != By::Person && ends_like_a_question(&last.text));
        let before = all.iter_mut().rfind(|one| one.by == By::Person && one.speaker == next.speaker);
        let before = before.filter(|_| next.by == By::Person && !is_answer);
        match before.and_then(|one| Some((correction::corrected(&one.text, &next.text)?, one))) {
            Some((text, one)) => {
                let ids = [one.ids.clone(), next.ids].concat();
                *one = Passage { text, ids, at: next.at, is_corrected: true, ..one.clone() };
            }
            None => all.push(next),
        }
    }
    all
}

/// The beginning of the live conversation; `None` if a new one begins.
pub fn live_start(turn: &Turn) -> Option<Timestamp> {
    let said = &turn.context.said;
    let opening = said.iter().rev().find(|said| said.opens).or(said.first())?;
    (turn.context.thread == Thread::Continuation).then_some(opening.at)
}

/// Returns true if the person's next words are a statement that does not begin with a no.
fn is_accepted(after: &[Utterance]) -> bool {
    let next = after.iter().find(|said| said.side == Side::Person);
    next.is_some_and(|next| {
        !is_question(&next.text) && throughline_text::answers::says_yes(&next.text) != Some(false)
    })
}

pub fn is_command(text: &str) -> bool {
    text.trim_start().starts_with('/')
}

/// What a person's message holds, by how it is meant: statements, suppositions, and the words of others. Questions and
/// commands are left out.
fn of_person(text: &str) -> Vec<(By, String)> {
    if is_command(text) {
        return Vec::new();
    }
    let told = told::told(text);
    let parts = sentences(&told).into_iter().filter_map(|range| told.get(range)).map(str::trim);
    let stated = parts.filter(|part| part.contains(char::is_alphanumeric) && !is_question(part));
    let (supposed, plain): (Vec<&str>, Vec<&str>) =
        stated.partition(|part| modality(part) == Modality::Supposed);
    // What only announces words of others says nothing.
    let announces = plain.last().is_some_and(|last| last.ends_with([':', '：']));
    let plain = plain.get(..plain.len() - usize::from(announces)).unwrap_or_default();
    let found = [(By::Person, plain.join(" ")), (By::Supposed, supposed.join(" "))];
    let cited = told::cited(text).map(|cited| (By::Cited, cited));
    found.into_iter().filter(|(_, text)| !text.is_empty()).chain(cited).collect()
}

/// An assistant's message, unless it only repeats others.
fn of_assistant(text: &str) -> Vec<(By, String)> {
    if is_own_reply(text) { Vec::new() } else { vec![(By::Assistant, text.to_owned())] }
}

fn who(by: &By, speaker: Option<&str>) -> String {
    match (by, speaker) {
        (By::Person | By::Supposed, Some(name)) => format!("{name} said"),
        (By::Person | By::Supposed, None) => "You said".to_owned(),
        (By::Cited, Some(name)) => format!("{name} quoted"),
        (By::Cited, None) => "You quoted".to_owned(),
        (By::Assistant | By::Routine(_) | By::Note, _) => "I said".to_owned(),
    }
}

/// A line without its list mark.
fn bare(line: &str) -> String {
    line.trim_start_matches(['-', '•', '*', ' ']).to_owned()
}
