//! How a message falls into sentences and a sentence into clauses, each of which may state one thing.

use std::ops::Range;

use super::classes;
use super::token::{Kind, Token, tokens};
use crate::calendar::{self, Language};
use crate::sentences;
use crate::word_list::WordList;

/// A sentence of the person's.
#[derive(Debug)]
pub struct Sentence {
    /// Its words and the marks between them, without the mark that ends it.
    pub tokens: Vec<Token>,
    /// Whether it ends with a question mark.
    pub is_question: bool,
}

/// The sentences of a part of a message. They are cut between tokens, because a sign such as an emoji ends one too.
pub fn sentences(message: &str, part: Range<usize>) -> Vec<Sentence> {
    let all = tokens(message, part);
    let mut sentences = Vec::new();
    let mut current: Vec<Token> = Vec::new();
    for (at, token) in all.iter().enumerate() {
        if !ends_sentence(&all, at) {
            current.push(token.clone());
            continue;
        }
        let is_question = matches!(token.text.as_str(), "?" | "？");
        if !current.is_empty() {
            sentences.push(Sentence { tokens: std::mem::take(&mut current), is_question });
        } else if let Some(last) = sentences.last_mut() {
            last.is_question |=
                is_question && all.get(at - 1).is_some_and(|before| before.range.end == token.range.start);
        }
    }
    if !current.is_empty() {
        sentences.push(Sentence { tokens: current, is_question: false });
    }
    sentences
}

fn ends_sentence(all: &[Token], at: usize) -> bool {
    let Some(token) = all.get(at) else { return false };
    match token.text.as_str() {
        "." => {
            let Some(before) = at.checked_sub(1).and_then(|before| all.get(before)) else { return true };
            let glued = before.range.end == token.range.start;
            let initial = before.capital && before.text.chars().count() == 1 && before.text != "i";
            // "3. Mai" continues after its point.
            let ordinal = before.is_number()
                && all
                    .get(at + 1)
                    .is_some_and(|next| calendar::month(&next.text, &[Language::German]).is_some());
            !(glued && (initial || ordinal || sentences::is_abbreviation(&before.text)))
        }
        "\n" | "¿" | "¡" => true,
        mark => token.kind == Kind::Sign || token.is_mark() && mark.starts_with(sentences::ends),
    }
}

/// A clause of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Its tokens in the sentence.
    pub tokens: Range<usize>,
    /// Whether the sentence's question mark ends it.
    pub is_asked: bool,
}

/// The clauses of a sentence, in order.
pub fn clauses(sentence: &Sentence) -> Vec<Clause> {
    let tokens = &sentence.tokens;
    let mut cuts: Vec<usize> = (1..tokens.len()).filter(|at| begins(tokens, *at)).collect();
    cuts.extend(trailing_question(sentence).filter(|cut| cuts.last().is_none_or(|last| last < cut)));
    cuts.push(tokens.len());
    let mut start = 0;
    let mut clauses = Vec::new();
    for cut in cuts {
        clauses.push(Clause { tokens: start..cut, is_asked: sentence.is_question && cut == tokens.len() });
        start = cut;
    }
    clauses
}

/// "…, cake ideas?": a few words behind the last comma that ask by themselves, unless they only ask for assent.
fn trailing_question(sentence: &Sentence) -> Option<usize> {
    let tokens = &sentence.tokens;
    let comma = tokens.iter().rposition(|token| token.text == ",").filter(|_| sentence.is_question)?;
    let behind = tokens.get(comma + 1..)?;
    let is_assent = behind.iter().any(|token| ASSENT.contains(&token.text));
    (comma > 2 && (2..5).contains(&behind.len()) && !is_assent).then_some(comma)
}

static ASSENT: WordList = WordList::new("right correct yes no ok okay not huh true and or");

/// Whether a clause begins at a token: a mark or a conjunction, or the word after them.
fn begins(tokens: &[Token], at: usize) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    let before = at.checked_sub(1).map_or("", text);
    match text(at) {
        // "My goal for spring: a half marathon"
        ":" if tokens
            .get(at.saturating_sub(5)..at)
            .unwrap_or_default()
            .iter()
            .any(|token| classes::GOAL.contains(&token.text)) =>
        {
            false
        }
        // "X: no" says what is thought of it, "standing rule: X" what is wished.
        ":" if is_verdict(tokens, at) || STANDING.contains(before) || is_label(tokens, at) => false,
        ";" | ":" | "(" | ")" | "–" | "—" | "，" | "；" | "：" => true,
        "-" => true,
        "," if at + 2 == tokens.len() && text(at + 1) == "always" => false,
        "," if is_self_naming(tokens, at + 1) || is_contrast(tokens, at + 1) => false,
        "," => before == "here" || opens(tokens, at + 1) && !is_within_relative(tokens, at),
        // "I'd prefer it if you …"
        "if" if text(at + 1) == "you" => false,
        // "Not the 5th but the 6th"
        "but" if tokens.iter().take(at).any(|token| token.text == "not") && !subject(tokens, at + 1) => false,
        "but" | "because" | "cause" | "cuz" | "although" | "though" | "whereas" | "hence" | "if"
        | "unless" | "whether" => before != ",",
        "and" if text(at + 1) == "i" && classes::KIN.contains(before) => false,
        // "Since I was six" belongs to what has lasted since.
        "since" if matches!(text(at + 2), "was" | "were") => false,
        "and" | "or" | "plus" | "so" | "since" | "as" | "while" | "then" | "anyway" => {
            before != "," && subject(tokens, at + 1)
        }
        // "..., which", and two sentences with nothing between them.
        "which" | "whose" => before == ",",
        "can" | "could" | "should" | "would" | "do" | "does" | "is" | "are" | "what" | "how" | "any"
        | "please" => before == "," || is_inversion(tokens, at),
        _ => false,
    }
}

/// Whether only words of refusal follow a colon to the end of its sentence.
fn is_verdict(tokens: &[Token], colon: usize) -> bool {
    let behind = tokens.get(colon + 1..).unwrap_or_default();
    !behind.is_empty() && behind.iter().all(|token| token.is_mark() || REFUSAL.contains(&token.text))
}

/// "My member number: 88213"
fn is_label(tokens: &[Token], colon: usize) -> bool {
    let before = tokens.get(colon.saturating_sub(LONGEST_LABEL)..colon).unwrap_or_default();
    before.iter().any(|token| classes::MY.contains(&token.text))
        && before.last().is_some_and(|last| classes::ATTRIBUTE.contains(&last.text))
}

/// "…, that's me": what stands before is the person.
fn is_self_naming(tokens: &[Token], at: usize) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    matches!(text(at), "that" | "this")
        && matches!(text(at + 1), "is" | "'s")
        && matches!(text(at + 2), "me" | "us")
        && tokens.get(at + 3).is_none_or(|next| next.is_mark() || LINKS.contains(&next.text))
}

/// "…, not prose": a few words that only set off what stands before.
fn is_contrast(tokens: &[Token], at: usize) -> bool {
    let rest = tokens.get(at..).unwrap_or_default();
    let length = rest.iter().position(Token::is_mark).unwrap_or(rest.len());
    let part = rest.get(1..length).unwrap_or_default();
    rest.first().is_some_and(|first| first.text == "not")
        && (1..=LONGEST_CONTRAST).contains(&part.len())
        && part.iter().all(|token| !token.is_number() && !PREDICATES.contains(&token.text))
        && !part.iter().any(|token| classes::VERB.contains(&token.text))
}

/// The most words that are set off.
const LONGEST_CONTRAST: usize = 3;
/// The most words of what a colon gives the value of.
const LONGEST_LABEL: usize = 4;
static REFUSAL: WordList = WordList::new("no never nope yuck way thanks ever");
/// What people call a wish that lasts.
static STANDING: WordList = WordList::new("rule rules policy");
/// What "not" makes a statement of its own with.
static PREDICATES: WordList =
    WordList::new("a an into keen fond big now anymore yet really sure allowed able married");

/// "My aunt, who sails, is …": the commas belong to what is told of her.
fn is_within_relative(tokens: &[Token], at: usize) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    let opens_here = text(at + 1) == "who";
    let opened = tokens.iter().take(at).rposition(|token| token.text == ",");
    opens_here || opened.is_some_and(|comma| text(comma + 1) == "who") && !subject(tokens, at + 1)
}

/// "I'm vegan can you": an auxiliary with its subject behind it, and none before.
fn is_inversion(tokens: &[Token], at: usize) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    matches!(text(at), "can" | "could" | "should" | "would") && matches!(text(at + 1), "you" | "i")
}

/// Whether what follows a comma is a clause of its own and no further part of a list.
fn opens(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return true };
    let text = token.text.as_str();
    if OPENERS.contains(text) || subject(tokens, at) {
        return true;
    }
    // "…, have never been": no list continues with a verb.
    let part = tokens
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take(WIDEST_SUBJECT)
        .take_while(|token| token.text != ",");
    if FINITE.contains(text) || part.skip(1).any(|token| COPULA.contains(&token.text)) {
        return true;
    }
    // "..., and this year I".
    let near = tokens.get(at..at + WIDEST_TIME).unwrap_or_default();
    let timed = near.iter().position(|token| TIMED.contains(&token.text)).filter(|at| *at < 2);
    if timed.is_some() && near.iter().any(|token| classes::ME.contains(&token.text)) {
        return true;
    }
    let speaks_soon = near.iter().skip(1).any(|token| PRONOUNS.contains(&token.text));
    text == "and" && speaks_soon
        || LINKS.contains(text)
            && (subject(tokens, at + 1)
                || tokens.get(at + 1).is_some_and(|next| OPENERS.contains(&next.text)))
}

/// Whether a subject with its verb stands here.
fn subject(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    if PRONOUNS.contains(&token.text) {
        return true;
    }
    let is_verb = |token: &Token| classes::VERB.contains(&token.text);
    let near = tokens.get(at + 1..).unwrap_or_default().iter().take(6).take_while(|token| token.text != ",");
    if POSSESSIVES.contains(&token.text) {
        return near.into_iter().any(is_verb);
    }
    classes::ADVERB.contains(&token.text)
        && tokens.get(at + 1).is_some_and(|next| PRONOUNS.contains(&next.text))
}

static PRONOUNS: WordList =
    WordList::new("i we he she it they you there that this what how where why who can could please");
static POSSESSIVES: WordList = WordList::new("my our his her their your the");
/// The most words that a subject takes up with its verb.
const WIDEST_SUBJECT: usize = 6;
/// The most words of a time that leads in, with the subject behind it.
const WIDEST_TIME: usize = 8;
static COPULA: WordList = WordList::new("is are am was were");
static FINITE: WordList = WordList::new("have has had am was were been not");
static TIMED: WordList = WordList::new("this next on in by");
static LINKS: WordList =
    WordList::new("and or so as since while then plus also actually anyway lol btw well");
static OPENERS: WordList = WordList::new(
    "but because though although hence which whose if unless whether whereas what how where when why any \
     is are do does did can could should would will please tell give show help suggest recommend scrap \
     let find explain write thanks thank cheers know right got get just actually anyway btw lol haha from \
     even so wish skip always never stop also",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        for sentence in sentences(text, 0..text.len()) {
            for clause in clauses(&sentence) {
                let words = &sentence.tokens[clause.tokens];
                let span = words[0].range.start..words[words.len() - 1].range.end;
                all.push(text.get(span).unwrap().to_owned());
            }
        }
        all
    }

    #[test]
    fn a_sentence_is_cut_where_another_statement_begins() {
        for (text, parts) in [
            ("I like tea, coffee and the sea.", vec!["I like tea, coffee and the sea"]),
            ("I like tea and I hate coffee", vec!["I like tea", "and I hate coffee"]),
            ("We have two cats, Ada and Bo. Ok?", vec!["We have two cats, Ada and Bo", "Ok"]),
            ("I moved to Rome, so what now?", vec!["I moved to Rome", ", so what now"]),
            ("I read Ursula K. Le Guin", vec!["I read Ursula K. Le Guin"]),
            ("Nice 🙂 my dog is old", vec!["Nice", "my dog is old"]),
        ] {
            assert_eq!(cut(text), parts);
        }
    }
}
