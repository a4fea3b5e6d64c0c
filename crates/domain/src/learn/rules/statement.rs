//! What the clauses of a sentence state: skips what leads in, finds the kind, and keeps the person's own words.

use std::ops::Range;

use jiff::civil::Date;

use super::classes::Class;
use super::clause::{Clause, Sentence, clauses};
use super::day::{self, Form, Named};
use super::doubt::Doubt;
use super::pattern::{self, Pattern};
use super::token::{Kind as Shape, Token};
use super::{classes, date, doubt, fact, goal, neighbors, preference, topic};
use crate::learn::Candidate;
use crate::memory::{Kind, LONGEST_STATEMENT};

/// How sure a statement with its own subject is.
const SAID: f32 = 0.85;
/// How sure one is whose subject is only understood.
const UNDERSTOOD: f32 = 0.7;

/// What a sentence states about the person.
pub fn statements(message: &str, sentence: &Sentence, today: Date) -> Vec<Candidate> {
    let mut found = Vec::new();
    for clause in clauses(sentence) {
        let reader = Reader { message, sentence, clause, today };
        found.extend(reader.statements());
    }
    found
}

/// The clauses of a sentence, and what makes each no statement.
pub fn doubts(sentence: &Sentence) -> Vec<(Range<usize>, Option<Doubt>)> {
    let all = sentence.tokens.as_slice();
    let judge = |clause: Clause| {
        let words = all.get(clause.tokens.clone())?;
        let span = words.first()?.range.start..words.last()?.range.end;
        Some((span, doubt(all, &clause)))
    };
    clauses(sentence).into_iter().filter_map(judge).collect()
}

fn doubt(all: &[Token], clause: &Clause) -> Option<Doubt> {
    let words = all.get(clause.tokens.clone()).unwrap_or_default();
    let before = all.get(..clause.tokens.start).unwrap_or_default();
    let lead = lead(words);
    let body = words.get(lead.length..).unwrap_or_default();
    let is_conditional = before.iter().any(|token| token.text == "if");
    if !is_conditional && preference::is_style(body) {
        None
    } else if doubt::supposes(before, words) {
        Some(Doubt::Hypothetical)
    } else {
        (clause.is_asked && !lead.is_reason || doubt::asks(body)).then_some(Doubt::Question)
    }
}

/// One clause, where it stands.
struct Reader<'m> {
    message: &'m str,
    sentence: &'m Sentence,
    clause: Clause,
    today: Date,
}

/// What a clause states, before its words are taken.
struct Statement {
    kind: Kind,
    category: &'static str,
    when: Option<Named>,
}

impl Reader<'_> {
    fn statements(&self) -> Vec<Candidate> {
        let all = self.sentence.tokens.as_slice();
        let words = all.get(self.clause.tokens.clone()).unwrap_or_default();
        let before = all.get(..self.clause.tokens.start).unwrap_or_default();
        let lead = lead(words);
        let body = words.get(lead.length..).unwrap_or_default();
        if body.is_empty() {
            return Vec::new();
        }
        if doubt(all, &self.clause).is_some() {
            return Vec::new();
        }
        if preference::is_style(body) {
            let statement = Statement { kind: Kind::Preference, category: "style", when: None };
            return self.candidate(statement, &[], body, SAID).into_iter().collect();
        }
        if let Some(named) = self.companion(before, words).or_else(|| self.capacity(words)) {
            return vec![named];
        }
        self.told(body, before.is_empty())
    }

    /// The statement at the head of the body, and those that share its subject.
    fn told(&self, body: &[Token], is_first: bool) -> Vec<Candidate> {
        let spoken = after_time(body, self.today);
        if let Some(statement) = self.classify(spoken, body) {
            return self.shared(statement, spoken, body);
        }
        let subject = understood(spoken).filter(|_| is_first);
        let completed: Vec<Token> =
            subject.iter().flat_map(|subject| implied(subject)).chain(spoken.to_vec()).collect();
        if subject.is_some()
            && let Some(statement) = self.classify(&completed, body)
        {
            return self.candidate(statement, &[], body, UNDERSTOOD).into_iter().collect();
        }
        Vec::new()
    }

    /// "I live in Oslo and work as a nurse": two statements of one subject.
    fn shared(&self, first: Statement, spoken: &[Token], body: &[Token]) -> Vec<Candidate> {
        let subject = subject_length(spoken);
        let lead = body.len() - spoken.len();
        let cut = (subject + 1..spoken.len()).find_map(|at| {
            let link = spoken.get(at).filter(|token| matches!(token.text.as_str(), "and" | "but" | ","))?;
            let next = at + 1 + usize::from(link.text == "," && spoken.get(at + 1)?.text == "and");
            let rest = spoken.get(next..).filter(|rest| !rest.is_empty())?;
            let with_be = subject
                + usize::from(matches!(
                    spoken.get(subject)?.text.as_str(),
                    "am" | "is" | "are" | "'s" | "have" | "has"
                ));
            [subject, with_be].into_iter().find_map(|length| {
                let shared = spoken.get(..length)?;
                let completed: Vec<Token> = shared.iter().chain(rest).cloned().collect();
                let statement = self.classify(&completed, rest)?;
                Some((at, shared.to_vec(), rest, statement))
            })
        });
        let Some((at, shared, rest, second)) = cut else {
            return self.candidate(first, &[], body, SAID).into_iter().collect();
        };
        let head = body.get(..lead + at).unwrap_or_default();
        let first = self.classify(spoken.get(..at).unwrap_or_default(), head).unwrap_or(first);
        let both =
            [self.candidate(first, &[], head, SAID), self.candidate(second, &shared, rest, UNDERSTOOD)];
        both.into_iter().flatten().collect()
    }

    /// "Ask about Rex, that's our dog": the name stands before the clause.
    fn companion(&self, before: &[Token], words: &[Token]) -> Option<Candidate> {
        let names = before.iter().rev().take(2).take_while(|token| token.capital).count();
        let whole: Vec<Token> = before.iter().skip(before.len() - names).chain(words).cloned().collect();
        let pattern = Pattern::new("{name} ,? that/this/he/she/it/who {be} {my} .. {kin}/{pet}");
        pattern.head(&whole).filter(|_| names > 0)?;
        let statement = Statement { kind: Kind::Fact, category: "family", when: None };
        self.candidate(statement, &[], &whole, SAID)
    }

    /// "As a nurse, I …": what somebody is, said in passing.
    fn capacity(&self, words: &[Token]) -> Option<Candidate> {
        let next = self.sentence.tokens.get(self.clause.tokens.end..)?;
        let speaks = next.iter().take(4).any(|token| token.text == "i") && next.first()?.text == ",";
        let [_, _, .., last] = words else { return None };
        Pattern::new("as/being a/an")
            .head(words)
            .filter(|_| speaks && classes::PEOPLE.contains(&last.text))?;
        let statement = Statement { kind: Kind::Fact, category: "work", when: None };
        self.candidate(statement, &[], words, SAID)
    }

    /// What the words state; `told` are those among them that were really written here.
    fn classify(&self, words: &[Token], told: &[Token]) -> Option<Statement> {
        let when = day::find(told, self.today);
        let is_dated = when.is_some() || words.iter().any(|token| DEADLINES.contains(&token.text));
        let found = preference::find(words).map(|category| (Kind::Preference, category));
        let found = found.or_else(|| date::find(words, when.as_ref()).map(|category| (Kind::Date, category)));
        let found = found.or_else(|| goal::find(words, is_dated).map(|category| (Kind::Goal, category)));
        let found = found.or_else(|| fact::find(words).map(|category| (Kind::Fact, category)));
        let (kind, category) = found.or_else(|| neighbors::find(words, when.is_some()))?;
        let when = when.filter(|_| matches!(kind, Kind::Date | Kind::Goal));
        Some(Statement { kind, category: topic::of(words, category), when })
    }

    /// The candidate that `words` make, with the words of the subject that they share, if any.
    fn candidate(
        &self,
        statement: Statement,
        subject: &[Token],
        words: &[Token],
        confidence: f32,
    ) -> Option<Candidate> {
        let words = words.get(..words.len() - trailing(words)).unwrap_or_default();
        let (first, last) = (words.first()?, words.last()?);
        let span = first.range.start..last.range.end;
        let mut text = String::new();
        if let (Some(from), Some(to)) = (subject.first(), subject.last()) {
            text.push_str(self.message.get(from.range.start..to.range.end)?);
            text.push(' ');
        }
        text.push_str(self.message.get(span.clone())?);
        let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let day = statement.when.as_ref().and_then(|when| when.day);
        let is_plain = |form: Form| match form {
            Form::Full => true,
            // A birthday is in every year.
            Form::WithoutYear => date::is_yearly(words),
            Form::Relative => false,
        };
        if let Some(day) = day.filter(|_| !statement.when.is_some_and(|when| is_plain(when.form))) {
            text.push_str(&format!(" ({day})"));
        }
        let fits = text.chars().count() <= LONGEST_STATEMENT;
        let Statement { kind, category, .. } = statement;
        fits.then(|| Candidate { kind, text, category: category.to_owned(), confidence, span, day })
    }
}

/// Words that set a goal its end.
static DEADLINES: Class = Class::new("by before someday eventually until within");

/// What leads into a clause.
struct Lead {
    length: usize,
    /// Whether it gives a reason, which is stated even within a question.
    is_reason: bool,
}

fn lead(words: &[Token]) -> Lead {
    let mut lead = Lead { length: 0, is_reason: false };
    while let Some(rest) = words.get(lead.length..).filter(|rest| !rest.is_empty()) {
        let starts = |list: &str| {
            let lengths = list.split('|').map(|opener| {
                let opener: Vec<&str> = opener.split_whitespace().collect();
                let same = opener.iter().zip(rest).filter(|(word, token)| **word == token.text).count();
                (same == opener.len()).then_some(same)
            });
            lengths.flatten().next()
        };
        let reason = starts(REASONS);
        lead.is_reason |= reason.is_some();
        let is_mark = rest.first().is_some_and(Token::is_mark);
        match reason.or_else(|| starts(OPENERS)).or(is_mark.then_some(1)) {
            Some(length) => lead.length += length,
            None => break,
        }
    }
    lead
}

/// Longer ones first, so that none hides behind its own beginning. An aim may stand in an open condition.
const REASONS: &str = "given that | now that | seeing as | considering that | considering | because | cause | cuz | \
     since | as | if";

const OPENERS: &str = "just fyi | just a heads up | heads up | by the way | just so you know | for what it 's worth | for the record | for context | as i said | \
     as you know | as i mentioned | like i said | keep in mind that | keep in mind | \
     please remember that | please remember | remember that | remember | note that | \
     please note that | you know that | i told you that | i told you | i should mention that | \
     i should mention | i forgot to mention that | i forgot to mention | i should add that | \
     did i mention that | turns out that | turns out | it turns out that | it turns out | \
     the thing is | the truth is | fun fact | good news | bad news | big news | quick update | \
     update | to be honest | in case it matters | in other news | one more thing | wait no | no wait | \
     good morning | good evening | and | but | so | oh | well | ok | okay | hey | hi | hello | btw | \
     also | anyway | actually | honestly | look | yeah | yes | yep | no | nope | hmm | ugh | wait | \
     fyi | sorry | thanks | lol | haha | then | plus | though | although | while | ps | hence | \
     morning | apparently | unfortunately | luckily | sadly | again | basically | obviously | \
     personally | please | correction | nah | right | sure | um | uh | que | pues | hola | hallo | \
     übrigens | che | bueno";

/// The words after a time that leads in: "On 12 June we …".
fn after_time(body: &[Token], today: Date) -> &[Token] {
    let Some(when) = day::read(body, 0, today) else { return body };
    let comma = body.get(when.tokens.end).is_some_and(|token| token.text == ",");
    let rest = body.get(when.tokens.end + usize::from(comma)..).unwrap_or_default();
    let is_subject = rest
        .first()
        .is_some_and(|token| classes::ME.contains(&token.text) || classes::MY.contains(&token.text))
        || rest.first().is_some_and(|token| SUBJECTS_ABROAD.contains(&token.text));
    if is_subject { rest } else { body }
}

/// How a German or Spanish clause goes on after its time.
static SUBJECTS_ABROAD: Class =
    Class::new("ich wir habe haben fliege fliegen fahre fahren mein meine tengo tenemos mi viajo");

/// How many tokens the subject takes up.
fn subject_length(words: &[Token]) -> usize {
    pattern::close(words, 0).unwrap_or(1)
}

/// The subject that people leave out before such a word.
fn understood(words: &[Token]) -> Option<&'static [&'static str]> {
    let first = words.iter().find(|token| !classes::ADVERB.contains(&token.text))?;
    LEFT_OUT
        .iter()
        .find(|(words, _)| words.split(' ').any(|word| word == first.text))
        .map(|(_, subject)| *subject)
}

/// Words that people begin with, and the subject that they leave out before them.
const LEFT_OUT: &[(&str, &[&str])] = &[
    ("got moved love hate prefer bought adopted started quit live work grew decided signed", &["i"]),
    (
        "going planning trying hoping training saving working studying living allergic learning looking flying visiting \
         leaving vegetarian vegan diabetic pregnant married retired left-handed born aiming determined fluent getting \
         starting moving preparing",
        &["i", "am"],
    ),
    ("been", &["i", "have"]),
];

fn implied(subject: &[&str]) -> Vec<Token> {
    let word =
        |text: &&str| Token { text: (*text).to_owned(), range: 0..0, kind: Shape::Word, capital: false };
    subject.iter().map(word).collect()
}

/// How many tokens at the end add nothing.
fn trailing(words: &[Token]) -> usize {
    let texts: Vec<&str> = words.iter().map(|token| token.text.as_str()).collect();
    let mut kept = texts.as_slice();
    loop {
        let cut = TRAILING.split('|').find_map(|ending| {
            let ending: Vec<&str> = ending.split_whitespace().collect();
            kept.strip_suffix(ending.as_slice())
        });
        let mark = kept.split_last().filter(|(last, _)| !last.chars().any(char::is_alphanumeric));
        match cut.or(mark.map(|(_, rest)| rest)) {
            Some(rest) => kept = rest,
            None => return words.len() - kept.len(),
        }
    }
}

const TRAILING: &str = "by the way | i guess | i think | i suppose | to be honest | thank you | lol | haha | hahaha | \
     btw | tbh | please | pls | thanks | thx | though | anyway | and | so | but | right | ok | okay | \
     fyi | xd | or | bitte | danke | gracias";
