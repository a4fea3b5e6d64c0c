//! Answers from a routine's message (all of it, its time, or a sentence about something), and from the message that
//! the person replies to.

use jiff::SignedDuration;
use throughline_domain::context::LayerName;
use throughline_domain::time;
use throughline_text::generic::is_generic;
use throughline_text::intent::wanted::{Wanted, is_question};
use throughline_text::sentences::sentences;
use throughline_text::{question, when, words};

use super::quote;
use super::remembered::{By, Passage, Remembered};
use super::unescaped;
use crate::Turn;
use crate::embed::BuiltIn;

/// Age from which a routine's message may be out of date.
const OUT_OF_DATE: SignedDuration = SignedDuration::from_hours(3);
/// Minimum share of a question that a sentence must cover.
const MIN_SHARE: f32 = 0.2;
/// Minimum number of letters in a common stem.
const MIN_STEM: usize = 5;

/// The answer from the routine's message in question, if there is one.
pub fn answer(wanted: Wanted, asked: &str, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let routine = asked_about(asked, remembered, turn)?;
    match wanted {
        _ if wanted == Wanted::RoutineText
            || wanted == Wanted::RoutineDetail && !names_detail(asked, &routine, turn) =>
        {
            Some(format!("{}:\n{}", quote::who_and_when(turn, &routine), routine.full_text().trim()))
        }
        Wanted::RoutineTime => {
            let what = match &routine.by {
                By::Routine(name) => name.clone(),
                _ => "that message".to_owned(),
            };
            Some(format!("I sent {what} {}.", quote::moment(turn, routine.at?)))
        }
        _ => {
            let found = best_sentence(routine.full_text(), asked, turn)?;
            let old = routine.at.is_some_and(|at| turn.now.duration_since(at) >= OUT_OF_DATE);
            let age = |at| time::relative(at, turn.now, &turn.zone);
            let note = match routine.at.filter(|_| old) {
                Some(at) => format!(" That is from {} and may be out of date.", age(at)),
                None => String::new(),
            };
            Some(quote::with_time(turn, &routine, &found) + &note)
        }
    }
}

/// The answer from the message that is replied to; or from a routine's message, if it is the newest one and the
/// person's words begin with an answer to it.
pub fn replied_to(asked: &str, remembered: &Remembered, turn: &Turn) -> Option<String> {
    let answers_first = || {
        let first = sentences(asked).into_iter().next().and_then(|range| asked.get(range));
        first.is_some_and(|first| first.len() < asked.trim().len() && !is_question(first))
    };
    let last = || {
        let last = turn.context.said.last()?;
        let passage =
            remembered.0.iter().find(|passage| !passage.ids.is_empty() && passage.ids == last.ids)?;
        (matches!(passage.by, By::Routine(_)) && answers_first()).then(|| passage.clone())
    };
    let message = quoted(remembered, turn).or_else(last)?;
    let words = best_sentence(message.full_text(), asked, turn).filter(|_| message.full.is_some());
    let words = words.unwrap_or_else(|| quote::passage(&message.text, asked));
    Some(quote::with_time(turn, &message, &words))
}

/// The message that is replied to, else the routine that the question names, else the newest routine's message of the
/// time it names, else the newest one.
fn asked_about(asked: &str, remembered: &Remembered, turn: &Turn) -> Option<Passage> {
    if let Some(quoted) = quoted(remembered, turn) {
        return Some(quoted);
    }
    let when = when::read(asked, turn.now, &turn.zone);
    let squeezed = squeezed(asked);
    let mut near = BuiltIn::new().ok().map(|builtin| builtin.ask(asked, &[]));
    let routines = remembered.0.iter().filter_map(|passage| match &passage.by {
        By::Routine(name) => Some((name, passage)),
        _ => None,
    });
    let best = routines.max_by_key(|(name, passage)| {
        let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| part.chars().count() > 2);
        let named = parts.filter(|part| squeezed.contains(&part.to_lowercase())).count();
        let is_then =
            when.as_ref().zip(passage.at).is_some_and(|(when, at)| when.from <= at && at < when.until);
        let overlap = near.as_mut().map_or(0.0, |near| near.soft_overlap(&name.replace('-', " ")));
        (named, is_then, (overlap * 4.0).round() as i32, passage.at)
    });
    best.map(|(_, passage)| passage.clone())
}

/// Returns true if a question asks what a routine said, which it calls by a part of its name or as people call routines.
pub fn is_named(asked: &str, remembered: &Remembered, turn: &Turn) -> bool {
    let read = question::read(asked, &remembered.speakers(), turn.now, &turn.zone);
    let (squeezed, called) = (squeezed(&read.subject), words::terms(CALLED));
    let is_called = words::terms(&read.subject).iter().any(|term| called.contains(term));
    let is_part = |part: &str| part.len() > 2 && squeezed.contains(&part.to_lowercase());
    let is_meant = |passage: &Passage| match &passage.by {
        By::Routine(name) => is_called || name.split('-').any(is_part),
        _ => false,
    };
    question::asks_what_another_said(asked) && read.about.is_empty() && remembered.0.iter().any(is_meant)
}

/// Returns true if a question names something beside the routine itself.
fn names_detail(asked: &str, routine: &Passage, turn: &Turn) -> bool {
    let By::Routine(name) = &routine.by else { return true };
    let (name, called) = (squeezed(name), words::terms(CALLED));
    let subject = question::read(asked, &[], turn.now, &turn.zone).subject;
    let mut terms = words::query_terms(&subject).into_iter().map(|term| term.text);
    terms.any(|term| !(is_generic(&term) || name.contains(&term) || called.contains(&term)))
}

/// How people call a routine and its messages.
const CALLED: &str = "routine check checkin briefing summary reminder report digest update morning evening daily bericht zusammenfassung erinnerung rutina \
    resumen informe recordatorio rappel résumé rapport";

/// Only the letters of a text: "check-in" and "checkin" are the same word.
fn squeezed(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The message that is replied to: from the window, or else from the context's quote.
fn quoted(remembered: &Remembered, turn: &Turn) -> Option<Passage> {
    let layer = turn.context.layer(LayerName::Quote).filter(|layer| !layer.text.is_empty())?;
    let id = layer.items.first()?.id.as_str();
    // The first line names the speaker; a tag closes the quote.
    let lines: Vec<String> =
        layer.text.lines().skip(1).filter(|line| !line.starts_with("</")).map(unescaped).collect();
    let text = lines.join("\n");
    let known = remembered.0.iter().find(|passage| passage.ids.iter().any(|one| one.to_string() == id));
    Some(match known {
        Some(passage) => Passage { full: Some(text), ..passage.clone() },
        None => Passage::new(By::Assistant, "The message says".to_owned(), text),
    })
}

/// The sentence that covers most of a question, if it covers enough.
fn best_sentence(text: &str, asked: &str, turn: &Turn) -> Option<String> {
    let subject = question::read(asked, &[], turn.now, &turn.zone).subject;
    let wanted = words::query_terms(&subject);
    let mut near = BuiltIn::new().ok()?.ask(&subject, &[]);
    let mut score = |sentence: &str| {
        let terms = words::terms(sentence);
        let is_in = |wanted: &&words::Term| terms.iter().any(|term| share_stem(term, &wanted.text));
        let shared: f32 = wanted.iter().filter(is_in).map(|term| term.weight).sum();
        near.soft_overlap(sentence) + shared / wanted.len().max(1) as f32
    };
    let parts = sentences(text).into_iter().filter_map(|range| text.get(range)).map(str::trim);
    let scored: Vec<(f32, &str)> =
        parts.map(|part| (score(part), part)).filter(|(score, _)| *score >= MIN_SHARE).collect();
    // The first one wins ties.
    scored.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, part)| part.to_owned())
}

/// Returns true if two words are equal, or one begins with the other, as in compounds and inflections.
fn share_stem(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    long == short || short.chars().count() >= MIN_STEM && long.starts_with(short)
}
