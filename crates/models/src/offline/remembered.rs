//! The quotable passages of a context: the words of people and assistants, without questions, commands and the
//! model's own replies.

use std::collections::HashMap;

use jiff::Timestamp;
use throughline_domain::context::{LayerName, Side, Utterance};
use throughline_domain::conversation::Thread;
use throughline_domain::message::{MessageId, Role};
use throughline_text::intent::wanted::is_question;
use throughline_text::sentences::sentences;

use super::quote::is_own_reply;
use super::{known, lines_of};
use crate::Turn;

/// The source of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// A statement of the person.
    Person,
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
    pub at: Option<Timestamp>,
    pub text: String,
    /// The full text, if the window shows its summary.
    pub full: Option<String>,
    pub ids: Vec<MessageId>,
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
            let (by, text) = match hit.role {
                Role::User => (By::Person, stated(&hit.text)),
                _ => (By::Assistant, Some(hit.text.clone()).filter(|text| !is_own_reply(text))),
            };
            let who = who(&by, hit.speaker.as_deref());
            passages.extend(text.map(|text| Passage {
                at: Some(hit.at),
                ids: hit.messages.clone(),
                ..Passage::new(by, who, text)
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

    pub fn statements(&self) -> impl Iterator<Item = &Passage> {
        self.0.iter().filter(|passage| passage.by == By::Person)
    }
}

impl Passage {
    pub fn new(by: By, who: String, text: String) -> Self {
        let (full, ids) = (None, Vec::new());
        Self { by, who, at: None, text, full, ids, is_live: false, is_accepted: false }
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
        let (by, text) = match (one.side, &one.routine) {
            (Side::Person, _) => (By::Person, stated(&one.text)),
            (Side::Assistant, Some(name)) => (By::Routine(name.clone()), Some(one.text.clone())),
            (Side::Assistant, None) => {
                (By::Assistant, Some(one.text.clone()).filter(|text| !is_own_reply(text)))
            }
        };
        let who = who(&by, one.speaker.as_deref());
        passages.extend(text.map(|text| Passage {
            at: Some(one.at),
            ids: one.ids.clone(),
            is_live: live.is_some_and(|live| one.at >= live),
            is_accepted: is_accepted(said.get(at + 1..).unwrap_or_default()),
            ..Passage::new(by, who, text)
        }));
    }
    passages
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

/// A person's words without questions; `None` if nothing is left, or if they are a command.
fn stated(text: &str) -> Option<String> {
    if is_command(text) {
        return None;
    }
    let parts = sentences(text).into_iter().filter_map(|range| text.get(range));
    let stated: Vec<&str> =
        parts.map(str::trim).filter(|part| !part.is_empty() && !is_question(part)).collect();
    (!stated.is_empty()).then(|| stated.join(" "))
}

fn who(by: &By, speaker: Option<&str>) -> String {
    match (by, speaker) {
        (By::Person, Some(name)) => format!("{name} said"),
        (By::Person, None) => "You said".to_owned(),
        (By::Assistant | By::Routine(_) | By::Note, _) => "I said".to_owned(),
    }
}

/// A line without its list mark.
fn bare(line: &str) -> String {
    line.trim_start_matches(['-', '•', '*', ' ']).to_owned()
}
