//! The current statements about the person: the profile's lists, which date from the beginning of the conversation,
//! updated with what was stated since.

use jiff::Timestamp;
use jiff::civil::Date;
use throughline_domain::context::{LayerName, Side};
use throughline_domain::memory::Kind;
use throughline_domain::profile::{self, Listed};
use throughline_text::earlier::is_of_earlier;
use throughline_text::extract::{Candidate, Reading, gate, stated};
use throughline_text::relate::{self, Relation, Worth, follow, relate, relate_said, remainder, with_changes};

use super::lines_of;
use super::remembered::{Passage, Remembered, is_command, live_start};
use crate::Turn;

/// One statement about the person.
#[derive(Debug, Clone)]
pub struct Statement {
    pub kind: Kind,
    pub category: String,
    pub text: String,
    pub day: Option<Date>,
    /// When it was stated, if in this conversation.
    pub at: Option<Timestamp>,
}

/// The statements that are valid.
pub struct Known(pub Vec<Statement>);

impl Known {
    pub fn of(turn: &Turn) -> Self {
        let today = today(turn);
        let listed = in_profile(turn).into_iter();
        let mut known =
            Self(listed.map(|it| Statement::of(stated(&it.text, Some(it.kind), today), None)).collect());
        let speaker = turn.context.message.as_ref().and_then(|message| message.speaker.as_deref());
        let Some(live) = live_start(turn) else { return known };
        let own = turn.context.said.iter().filter(|said| {
            said.side == Side::Person && said.at >= live && said.speaker.as_deref() == speaker
        });
        for said in own.filter(|said| !is_command(&said.text)) {
            let day = said.at.to_zoned(turn.zone.clone()).date();
            let reading = Reading::of(&said.text);
            let stated = statements_in(&reading, said.at, turn);
            for (candidate, worth) in with_changes(&reading, stated, day) {
                for candidate in follow(candidate, known.newest_date(), day) {
                    let words = said.text.get(candidate.span.clone()).unwrap_or_default();
                    known.learn(Statement::of(candidate, Some(said.at)), words, worth, day);
                }
            }
        }
        known
    }

    /// The date that was told last in this conversation.
    fn newest_date(&self) -> Option<&str> {
        let mut told = self.0.iter().rev().filter(|it| it.at.is_some() && it.kind == Kind::Date);
        told.next().map(|it| it.text.as_str())
    }

    fn learn(&mut self, new: Statement, said: &str, worth: Worth, today: Date) {
        let statements: Vec<relate::Known<'_>> = self.0.iter().map(Statement::as_known).collect();
        let mut rest = Vec::new();
        let over = match relate_said(&new.as_known(), said, &statements, &|_| None, 1.0) {
            Relation::Same(_) => return,
            Relation::New | Relation::Unclear(_) if worth == Worth::IfItChanges => return,
            Relation::New | Relation::Unclear(_) => Vec::new(),
            Relation::Replaces(_) if is_of_earlier(&new.text, today) => Vec::new(),
            Relation::Replaces(over) => {
                let replaced = over.iter().filter_map(|at| self.0.get(*at));
                rest.extend(replaced.flat_map(|old| old.without(&new)));
                over
            }
            Relation::Ends(over) => return self.drop_all(&over),
            Relation::Finishes(at) => return self.drop_all(&[at]),
        };
        self.drop_all(&over);
        self.0.extend(rest);
        self.0.push(new);
    }

    fn drop_all(&mut self, over: &[usize]) {
        let mut at = 0;
        self.0.retain(|_| {
            at += 1;
            !over.contains(&(at - 1))
        });
    }

    /// Returns true if a person's words are still valid: no known statement and no later words replace them.
    pub fn holds(&self, passage: &Passage, remembered: &Remembered, turn: &Turn) -> bool {
        let Some(at) = passage.at else { return true };
        statements_in(&Reading::of(&passage.text), at, turn).iter().all(|old| {
            let old = relate::Known { kind: old.kind, text: &old.text, day: old.day };
            !self.stated_after(at, turn).any(|new| takes_the_place(&new.as_known(), &old, turn))
                && newer_than(passage, remembered)
                    .all(|newer| !takes_the_place(&as_fact(&newer.text), &old, turn))
        })
    }

    fn stated_after(&self, at: Timestamp, turn: &Turn) -> impl Iterator<Item = &Statement> {
        let was_live = live_start(turn).is_some_and(|live| at >= live);
        self.0.iter().filter(move |new| match new.at {
            Some(said) => said > at,
            // The profile covers everything before this conversation.
            None => !was_live,
        })
    }
}

/// Later words that replace a fact, although they were not learned.
pub fn replacement<'r>(
    fact: &Statement,
    said: &Passage,
    remembered: &'r Remembered,
    turn: &Turn,
) -> Option<&'r Passage> {
    newer_than(said, remembered)
        .filter(|newer| takes_the_place(&as_fact(&newer.text), &fact.as_known(), turn))
        .max_by_key(|newer| newer.at)
}

fn newer_than<'r>(passage: &Passage, remembered: &'r Remembered) -> impl Iterator<Item = &'r Passage> {
    let (at, who) = (passage.at, passage.who.clone());
    remembered.statements().filter(move |newer| newer.at > at && newer.who == who)
}

fn as_fact(text: &str) -> relate::Known<'_> {
    relate::Known { kind: Kind::Fact, text, day: None }
}

fn takes_the_place(new: &relate::Known<'_>, old: &relate::Known<'_>, turn: &Turn) -> bool {
    let relation = relate(new, &[*old], &|_| None, 1.0);
    // What was so long ago replaces nothing.
    !is_of_earlier(new.text, today(turn))
        && matches!(relation, Relation::Replaces(_) | Relation::Ends(_) | Relation::Finishes(_))
}

impl Statement {
    fn of(candidate: Candidate, at: Option<Timestamp>) -> Self {
        let Candidate { kind, category, text, day, .. } = candidate;
        Self { kind, category, text, day, at }
    }

    /// What it states beside that which a new statement takes the place of.
    fn without(&self, new: &Self) -> Vec<Self> {
        let rest = remainder(&self.as_known(), &new.as_known()).into_iter();
        rest.map(|text| Self { text, ..self.clone() }).collect()
    }

    fn as_known(&self) -> relate::Known<'_> {
        relate::Known { kind: self.kind, text: &self.text, day: self.day }
    }
}

/// The day of the turn.
pub fn today(turn: &Turn) -> Date {
    turn.now.to_zoned(turn.zone.clone()).date()
}

/// The lists of the profile; if several people speak, those of the speaker.
pub fn in_profile(turn: &Turn) -> Vec<Listed> {
    let text = lines_of(turn, LayerName::Profile).collect::<Vec<_>>().join("\n");
    let speaker = turn.context.message.as_ref().and_then(|message| message.speaker.as_deref());
    let mut listed = profile::read(&text);
    listed.retain(|it| it.speaker.is_none() || it.speaker.as_deref() == speaker);
    listed
}

fn statements_in(reading: &Reading<'_>, at: Timestamp, turn: &Turn) -> Vec<Candidate> {
    let today = at.to_zoned(turn.zone.clone()).date();
    let mut found = reading.candidates(at, &turn.zone);
    found.retain(|candidate| gate::admit(candidate, reading, today).is_ok());
    found
}
