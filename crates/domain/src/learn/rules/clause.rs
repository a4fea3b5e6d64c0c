//! How a message falls into sentences and a sentence into clauses, each of which may state one thing.

use std::ops::Range;

use super::classes;
use super::token::{Kind, Token, tokens};

/// A sentence of the person's.
#[derive(Debug)]
pub struct Sentence {
    /// Its words and the marks between them, without the mark that ends it.
    pub tokens: Vec<Token>,
    /// Whether it ends with a question mark.
    pub is_question: bool,
}

/// The sentences of a part of a message.
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
        "!" | "?" | "…" | "\n" | "。" | "！" | "？" | "¿" | "¡" => true,
        "." => {
            let Some(before) = at.checked_sub(1).and_then(|before| all.get(before)) else { return true };
            let glued = before.range.end == token.range.start;
            let initial = before.capital && before.text.chars().count() == 1 && before.text != "i";
            // "3. Mai" goes on after its point.
            let ordinal =
                before.is_number() && all.get(at + 1).is_some_and(|next| listed(GERMAN_MONTHS, &next.text));
            !(glued && (initial || ordinal || listed(ABBREVIATIONS, &before.text)))
        }
        _ => token.kind == Kind::Sign,
    }
}

const ABBREVIATIONS: &[&str] =
    &["dr", "mr", "mrs", "ms", "st", "prof", "e.g", "i.e", "vs", "approx", "jr", "sr", "mt", "ca"];
const GERMAN_MONTHS: &[&str] = &[
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
];

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
    cuts.push(tokens.len());
    let mut start = 0;
    let mut clauses = Vec::new();
    for cut in cuts {
        clauses.push(Clause { tokens: start..cut, is_asked: sentence.is_question && cut == tokens.len() });
        start = cut;
    }
    clauses
}

/// Whether a clause begins at a token: a mark or a conjunction, or the word after them.
fn begins(tokens: &[Token], at: usize) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    let before = at.checked_sub(1).map_or("", text);
    match text(at) {
        ";" | ":" | "(" | ")" | "–" | "—" | "，" | "；" | "：" => true,
        "-" => true,
        "," => opens(tokens, at + 1),
        "but" | "because" | "cause" | "cuz" | "although" | "though" | "whereas" | "hence" | "if"
        | "unless" | "whether" => before != ",",
        "and" | "or" | "plus" | "so" | "since" | "as" | "while" | "then" | "anyway" => {
            before != "," && subject(tokens, at + 1)
        }
        // "..., which", and two sentences with nothing between them.
        "which" | "who" | "whose" => before == ",",
        "can" | "could" | "should" | "would" | "do" | "does" | "is" | "are" | "what" | "how" | "any"
        | "please" => before == "," || is_inversion(tokens, at),
        _ => false,
    }
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
    if listed(OPENERS, text) || subject(tokens, at) {
        return true;
    }
    // "..., and this year I".
    let near = tokens.get(at..at + 6).unwrap_or_default();
    let timed = near.iter().position(|token| listed(TIMED, &token.text)).filter(|at| *at < 2);
    if timed.is_some() && near.iter().any(|token| classes::ME.contains(&token.text)) {
        return true;
    }
    listed(LINKS, text)
        && (subject(tokens, at + 1) || tokens.get(at + 1).is_some_and(|next| listed(OPENERS, &next.text)))
}

/// Whether a subject with its verb stands here.
fn subject(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    if listed(PRONOUNS, &token.text) {
        return true;
    }
    let is_verb = |token: &Token| classes::VERB.contains(&token.text);
    let near = tokens.get(at + 1..).unwrap_or_default().iter().take(6).take_while(|token| token.text != ",");
    if listed(POSSESSIVES, &token.text) {
        return near.into_iter().any(is_verb);
    }
    classes::ADVERB.contains(&token.text)
        && tokens.get(at + 1).is_some_and(|next| listed(PRONOUNS, &next.text))
}

const PRONOUNS: &[&str] = &[
    "i", "we", "he", "she", "it", "they", "you", "there", "that", "this", "what", "how", "where", "why",
    "who", "can", "could", "please",
];
const POSSESSIVES: &[&str] = &["my", "our", "his", "her", "their", "your", "the"];
const TIMED: &[&str] = &["this", "next", "on", "in", "by"];
const LINKS: &[&str] = &[
    "and", "or", "so", "as", "since", "while", "then", "plus", "also", "actually", "anyway", "lol", "btw",
    "well",
];
const OPENERS: &[&str] = &[
    "but",
    "because",
    "though",
    "although",
    "hence",
    "which",
    "whose",
    "if",
    "unless",
    "whether",
    "whereas",
    "what",
    "how",
    "where",
    "when",
    "why",
    "any",
    "is",
    "are",
    "do",
    "does",
    "did",
    "can",
    "could",
    "should",
    "would",
    "will",
    "please",
    "tell",
    "give",
    "show",
    "help",
    "suggest",
    "recommend",
    "scrap",
    "let",
    "find",
    "explain",
    "write",
    "thanks",
    "thank",
    "cheers",
    "know",
    "right",
    "got",
    "get",
    "just",
    "actually",
    "anyway",
    "btw",
    "lol",
    "haha",
    "from",
    "even",
    "so",
    "always",
    "never",
    "stop",
    "also",
];

fn listed(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        for sentence in sentences(text, 0..text.len()) {
            for clause in clauses(&sentence) {
                let words = &sentence.tokens[clause.tokens];
                all.push(text[words[0].range.start..words[words.len() - 1].range.end].to_owned());
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
