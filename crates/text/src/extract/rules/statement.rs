//! What the clauses of a sentence state: skips what leads in, finds the kind, and keeps the person's own words.

use std::ops::Range;

use jiff::civil::Date;

use super::clause::{Clause, Sentence, clauses};
use super::day::{self, Form, Named};
use super::doubt::Doubt;
use super::pattern;
use super::token::{Kind as Shape, Token};
use super::{aside, classes, date, doubt, fact, goal, lead, neighbors, preference, topic, verb};
use crate::extract::Candidate;
use crate::extract::{Kind, LONGEST_STATEMENT};
use crate::word_list::WordList;

/// How sure a statement with its own subject is.
const SAID: f32 = 0.85;
/// How sure one is whose subject is only understood.
const UNDERSTOOD: f32 = 0.7;
/// How sure one is that only has signs of a fact.
const UNSURE: f32 = 0.55;

/// What a sentence states about the person; `previous` is the sentence before it, which may name what it calls "it".
pub fn statements(
    message: &str,
    sentence: &Sentence,
    previous: Option<&Sentence>,
    today: Date,
) -> Vec<Candidate> {
    let previous =
        previous.filter(|previous| !previous.is_question).map_or(&[][..], |previous| &previous.tokens);
    let mut found = Vec::new();
    for clause in clauses(sentence) {
        let reader = Reader { message, sentence, previous, clause, today };
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
        let is_aside = aside::find(words, speaks_of_self(all)).is_some();
        let doubt = doubt(all, &clause).filter(|doubt| *doubt != Doubt::Question || !is_aside);
        Some((span, doubt))
    };
    clauses(sentence).into_iter().filter_map(judge).collect()
}

fn doubt(all: &[Token], clause: &Clause) -> Option<Doubt> {
    let words = all.get(clause.tokens.clone()).unwrap_or_default();
    let before = all.get(..clause.tokens.start).unwrap_or_default();
    let lead = lead::lead(words);
    let body = words.get(lead.length..).unwrap_or_default();
    let is_conditional = before.iter().any(|token| token.text == "if");
    if !is_conditional && preference::is_style(body) {
        None
    } else if doubt::supposes(before, words) {
        Some(Doubt::Hypothetical)
    } else if doubt::is_mocking(body) {
        Some(Doubt::Joke)
    } else {
        (clause.is_asked && !lead.is_reason || doubt::asks(body)).then_some(Doubt::Question)
    }
}

fn speaks_of_self(words: &[Token]) -> bool {
    words.iter().any(|token| SELF.contains(&token.text))
}

static SELF: WordList = WordList::new("i me my mine we us our myself");

/// One clause, where it stands.
struct Reader<'m> {
    message: &'m str,
    sentence: &'m Sentence,
    previous: &'m [Token],
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
        let lead = lead::lead(words);
        let body = words.get(lead.length..).unwrap_or_default();
        if body.is_empty() {
            return Vec::new();
        }
        let doubt = doubt(all, &self.clause);
        if doubt.is_none() && preference::is_style(body) {
            let statement = Statement { kind: Kind::Preference, category: "style", when: None };
            return self.candidate(statement, &[], body, SAID).into_iter().collect();
        }
        let told = if doubt.is_none() { self.told(before, body) } else { Vec::new() };
        if !told.is_empty() || matches!(doubt, Some(Doubt::Hypothetical | Doubt::Joke)) {
            return told;
        }
        let aside = self.aside(words).or_else(|| self.aside(body));
        aside
            .or_else(|| self.by_signs(body).filter(|_| doubt.is_none() && !points_back(body, self.today)))
            .into_iter()
            .collect()
    }

    /// The statement at the head of the body, and those that share its subject.
    fn told(&self, before: &[Token], body: &[Token]) -> Vec<Candidate> {
        let spoken = lead::after_adverbial(lead::after_time(body, self.today));
        if points_back(spoken, self.today) {
            let direct =
                || self.classify(spoken, body).filter(|statement| is_done_to_self(spoken, statement.kind));
            let resolved = self.resolved(before, spoken);
            return resolved
                .or_else(|| self.candidate(direct()?, &[], body, UNDERSTOOD))
                .into_iter()
                .collect();
        }
        if let Some(statement) = self.classify(spoken, body) {
            return self.shared(statement, spoken, body);
        }
        if let Some(embedded) = self.embedded(spoken) {
            return vec![embedded];
        }
        let is_of_another = before.iter().any(|token| OTHERS.contains(&token.text));
        let subject = lead::understood(spoken).filter(|_| !is_of_another);
        let completed: Vec<Token> =
            subject.iter().flat_map(|subject| implied(subject)).chain(spoken.to_vec()).collect();
        if subject.is_some()
            && let Some(statement) = self.certain(&completed, body)
        {
            return self.candidate(statement, &[], body, UNDERSTOOD).into_iter().collect();
        }
        Vec::new()
    }

    /// "The only thing is I hate porridge": a statement behind what leads up to it.
    fn embedded(&self, spoken: &[Token]) -> Option<Candidate> {
        let is_dated = || day::find(spoken, self.today).is_some();
        let abroad = |at: usize| {
            let rest = spoken.get(at..)?;
            spoken.get(at - 1).filter(|before| JOINS_ABROAD.contains(&before.text))?;
            let (kind, category) = neighbors::find(rest, is_dated())?;
            self.candidate(Statement { kind, category, when: None }, &[], rest, UNDERSTOOD)
        };
        let own = |at: usize| {
            let before =
                spoken.get(at - 1).filter(|token| LEADS_UP.contains(&token.text) || token.is_mark())?;
            let rest =
                spoken.get(at..).filter(|rest| pattern::who(rest, 0).is_some() && !before.is_number())?;
            let statement = self.classify(rest, rest)?;
            self.candidate(statement, &[], rest, UNDERSTOOD)
        };
        (1..spoken.len()).find_map(|at| own(at).or_else(|| abroad(at)))
    }

    /// "…, it's on the 5th": what "it" is stands before, so both are kept.
    fn resolved(&self, before: &[Token], spoken: &[Token]) -> Option<Candidate> {
        let named = spoken.get(1..)?;
        let subject = implied(&["my", "own"]);
        let completed: Vec<Token> = subject.iter().chain(named).cloned().collect();
        let statement = self
            .classify(spoken, spoken)
            .or_else(|| self.classify(&completed, spoken).filter(|statement| statement.kind == Kind::Date))?;
        let antecedent = if pattern::has_content(before) { before } else { self.previous };
        let lead = lead::lead(antecedent).length;
        let antecedent = antecedent.get(lead..).filter(|words| pattern::has_content(words))?;
        let whole: Vec<Token> = antecedent.iter().chain(spoken).cloned().collect();
        self.candidate(statement, &[], &whole, UNDERSTOOD)
    }

    /// "I live in Oslo and work as a nurse": two statements of one subject.
    fn shared(&self, first: Statement, spoken: &[Token], body: &[Token]) -> Vec<Candidate> {
        let subject = subject_length(spoken);
        let lead = body.len() - spoken.len();
        let cut = (subject + 1..spoken.len()).find_map(|at| {
            let link = spoken.get(at).filter(|token| matches!(token.text.as_str(), "and" | "but" | ","))?;
            let next = at + 1 + usize::from(link.text == "," && spoken.get(at + 1)?.text == "and");
            let rest = spoken.get(next..).filter(|rest| pattern::has_content(rest))?;
            let first = rest.iter().find(|token| !classes::ADVERB.contains(&token.text))?;
            let is_pair = spoken.get(..at)?.iter().any(|token| token.text == "between");
            let with_be = subject
                + usize::from(matches!(
                    spoken.get(subject)?.text.as_str(),
                    "am" | "is" | "are" | "'s" | "have" | "has"
                ));
            [subject, with_be].into_iter().find_map(|length| {
                let is_noun = first.capital || pattern::is_person(&first.text);
                let can_follow = if length == subject { verb::is_finite(first) } else { !is_noun };
                let is_own = rest.iter().any(|token| classes::ME.contains(&token.text));
                ((can_follow || is_own) && !is_pair).then_some(())?;
                let shared = if is_own { &[] } else { spoken.get(..length)? };
                let completed: Vec<Token> = shared.iter().chain(rest).cloned().collect();
                let statement = self.certain(&completed, rest)?;
                Some((at, shared.to_vec(), rest, statement))
            })
        });
        let Some((at, shared, rest, second)) = cut.filter(|_| pattern::who(spoken, 0).is_some()) else {
            return self.candidate(first, &[], body, SAID).into_iter().collect();
        };
        let head = body.get(..lead + at).unwrap_or_default();
        let first = self.classify(spoken.get(..at).unwrap_or_default(), head).unwrap_or(first);
        let both =
            [self.candidate(first, &[], head, SAID), self.candidate(second, &shared, rest, UNDERSTOOD)];
        both.into_iter().flatten().collect()
    }

    /// What is told in passing.
    fn aside(&self, words: &[Token]) -> Option<Candidate> {
        let (start, category) = aside::find(words, speaks_of_self(&self.sentence.tokens))?;
        let words = words.get(start..)?;
        let statement = Statement { kind: Kind::Fact, category: topic::of(words, category), when: None };
        self.candidate(statement, &[], words, UNDERSTOOD)
    }

    /// What is told in a way of its own.
    fn by_signs(&self, body: &[Token]) -> Option<Candidate> {
        let category = topic::of(body, fact::find_by_signs(body)?);
        self.candidate(Statement { kind: Kind::Fact, category, when: None }, &[], body, UNSURE)
    }

    /// What the words state; `told` are those among them that were really written here.
    fn classify(&self, words: &[Token], told: &[Token]) -> Option<Statement> {
        self.certain(words, told).or_else(|| {
            let category = fact::find_by_form(words)?;
            Some(Statement { kind: Kind::Fact, category: topic::of(words, category), when: None })
        })
    }

    /// What the words state by more than their form.
    fn certain(&self, words: &[Token], told: &[Token]) -> Option<Statement> {
        let has_end = words.iter().chain(told).any(|token| DEADLINES.contains(&token.text));
        let told = day::find(told, self.today);
        // A time that leads in stands before the words.
        let before = told.clone().map(|named| Named { tokens: 0..0, ..named });
        let when = told.and_then(|_| day::find(words, self.today).or(before));
        let is_dated = when.is_some() || has_end;
        let found = preference::find(words).map(|category| (Kind::Preference, category));
        let found = found.or_else(|| goal::find_firm(words).map(|category| (Kind::Goal, category)));
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
        let words = words.get(..words.len() - lead::trailing(words)).unwrap_or_default();
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

/// What may stand before a German or Spanish statement.
static JOINS_ABROAD: WordList = WordList::new(", und y e pero aber porque weil denn dass");
/// What may stand before a statement within a clause.
static LEADS_UP: WordList = WordList::new(
    "is that because since and so but as cause mind remember note mention mentioned say told forgot know given considering which \
     why where already years days means while though plus now",
);
/// "They gave me …": the person is named, so that the clause says enough, unless it only says what "it" is.
fn is_done_to_self(spoken: &[Token], kind: Kind) -> bool {
    let is_copula =
        spoken.get(1).is_some_and(|verb| matches!(verb.text.as_str(), "is" | "are" | "'s" | "was"));
    let names_self =
        spoken.iter().skip(1).any(|token| matches!(token.text.as_str(), "me" | "us" | "my" | "our"));
    names_self && (kind == Kind::Date || !is_copula)
}

/// Whether what a clause is about must stand before it: "it's on …", "nothing is dearer to me", "we're off there".
fn points_back(spoken: &[Token], today: Date) -> bool {
    let first = spoken.first().map_or("", |token| token.text.as_str());
    let is_nothing = spoken.iter().take(3).any(|token| token.text == "nothing")
        && !spoken.iter().take(3).any(|token| COMPARES.contains(&token.text));
    // "It's my son's birthday" says itself what it is.
    let is_own = spoken.iter().take(3).any(|token| classes::MY.contains(&token.text));
    let is_named = first == "it" && is_own && day::find(spoken, today).is_some();
    POINTING.contains(first) && !is_named
        || is_nothing
        || spoken.iter().skip(2).take(3).any(|token| token.text == "there")
}

/// Verbs that name behind them what nothing comes up to.
static COMPARES: WordList = WordList::new("beats tops like compares");
/// Subjects that say nothing without what stands before them.
static POINTING: WordList = WordList::new("it that this he she they those these");
/// Whom a verb with no subject may belong to, if they were spoken of before.
static OTHERS: WordList = WordList::new("he she they who");
/// Words that set a goal its end.
static DEADLINES: WordList = WordList::new("by before someday eventually until within");

/// How many tokens the subject takes up.
fn subject_length(words: &[Token]) -> usize {
    pattern::close(words, 0).unwrap_or(1)
}

fn implied(subject: &[&str]) -> Vec<Token> {
    let word =
        |text: &&str| Token { text: (*text).to_owned(), range: 0..0, kind: Shape::Word, capital: false };
    subject.iter().map(word).collect()
}
