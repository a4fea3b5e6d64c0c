//! What makes a clause no statement: that it asks, supposes, or jokes.

use super::clause::Sentence;
use super::token::Token;
use crate::word_list::WordList;

/// Why a clause states nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// It asks.
    Question,
    /// It supposes.
    Hypothetical,
    /// It is not meant.
    Joke,
}

/// Whether a clause supposes: `before` is what its sentence says ahead of it.
pub fn supposes(before: &[Token], clause: &[Token]) -> bool {
    let all: Vec<&Token> = before.iter().chain(clause).collect();
    let word = |at: usize| all.get(at).map_or("", |token| token.text.as_str());
    (0..all.len()).any(|at| {
        let is_within = at >= before.len();
        match word(at) {
            "if" | "unless" | "whether" => !is_open_condition(&all, at),
            "imagine" | "suppose" | "supposing" | "assuming" | "hypothetically" | "wenn" | "ojalá" => true,
            "wish" => at > 0 && matches!(word(at - 1), "i" | "we"),
            "say" => at > 1 && word(at - 2) == "let",
            "maybe" | "perhaps" | "might" | "could" | "probably" | "possibly" | "vielleicht" | "quizás" => {
                is_within
            }
            "would" => {
                is_within
                    && !(at + 1..at + 4)
                        .any(|next| matches!(word(next), "like" | "love" | "rather" | "prefer" | "sooner"))
            }
            // The month has a number or a preposition beside it.
            "may" => {
                is_within
                    && at > 0
                    && matches!(word(at - 1), "i" | "we" | "he" | "she" | "it" | "you" | "they")
            }
            _ => false,
        }
    })
}

/// "If I'm training for …" tells what a person does; "if that helps" tells nothing.
fn is_open_condition(all: &[&Token], at: usize) -> bool {
    let word = |at: usize| all.get(at).map_or("", |token| token.text.as_str());
    let is_aim = matches!(word(at + 1), "i" | "we")
        && matches!(word(at + 2), "am" | "are")
        && matches!(
            word(at + 3),
            "trying" | "planning" | "saving" | "training" | "hoping" | "aiming" | "working" | "preparing"
        );
    is_aim || matches!(word(at + 1), "that" | "possible" | "you" | "needed" | "anything")
}

/// "My dream is to wait on hold": praise of what nobody likes.
pub fn is_mocking(clause: &[Token]) -> bool {
    let has = |list: &WordList| clause.iter().any(|token| list.contains(&token.text));
    let is_on_hold =
        clause.windows(2).any(|pair| pair.iter().map(|token| token.text.as_str()).eq(["on", "hold"]));
    // "Traffic" with a capital is a band.
    let is_chore = clause.iter().any(|token| !token.capital && CHORES.contains(&token.text));
    has(&PRAISE) && !has(&DENIAL) && (is_on_hold || is_chore)
}

static PRAISE: WordList = WordList::new("dream favorite favourite love adore life highlight passion hobby");
static DENIAL: WordList = WordList::new("not never no without avoid stop hate");
static CHORES: WordList = WordList::new(
    "queue queues queueing queuing queued traffic fine fines bills taxes paperwork laundry spam potholes bureaucracy",
);

/// Whether a clause asks by its first word.
pub fn asks(clause: &[Token]) -> bool {
    let word = |at: usize| clause.get(at).map_or("", |token: &Token| token.text.as_str());
    let first = word(0);
    if ASKING.contains(first) {
        // "What I drive is a van" asks nothing.
        return !(first == "what"
            && matches!(word(1), "i" | "we")
            && !clause.iter().any(|token| token.text == "should"));
    }
    // "Does she", "can I"; but "will do" and "have been".
    INVERTED.contains(first) && SUBJECTS.contains(word(1))
}

static ASKING: WordList = WordList::new(
    "what which who whom whose where why how is are do does did was were should shall any wer wie warum \
     wo qué cómo dónde cuál quién",
);
static INVERTED: WordList = WordList::new("can could will would have has may am");
static SUBJECTS: WordList = WordList::new("i you we he she it they my our the a there anyone");

/// For every sentence, whether it is marked as a joke, there or by the sentence behind it.
pub fn jokes(message: &str, sentences: &[Sentence]) -> Vec<bool> {
    let marked: Vec<bool> = sentences.iter().map(|sentence| is_joke(message, sentence)).collect();
    let next = marked.iter().skip(1).chain([&false]);
    let follows = sentences.iter().skip(1).map(|sentence| sentence.tokens.len() < 6).chain([false]);
    marked.iter().zip(next.zip(follows)).map(|(here, (next, short))| *here || (*next && short)).collect()
}

fn is_joke(message: &str, sentence: &Sentence) -> bool {
    let Some((first, last)) = sentence.tokens.first().zip(sentence.tokens.last()) else { return false };
    let text = message.get(first.range.start..last.range.end).unwrap_or_default().to_lowercase();
    let ends_sarcastic = text.ends_with("/s") && !text.ends_with("m/s");
    let has_word = |word: &str| sentence.tokens.iter().any(|token| token.text == word);
    ends_sarcastic
        || ["jk", "sarcasm"].iter().any(|word| has_word(word))
        || JOKES.iter().any(|joke| text.contains(joke))
}

const JOKES: &[&str] = &[
    " /s ",
    "oh sure",
    "oh great",
    "yeah right",
    "yeah sure",
    "oh yes because",
    "living the dream",
    "said nobody",
    "said no one",
    ", obviously",
    "kidding",
    "just joking",
    "i'm joking",
    "not really",
    "nur spaß",
    "开玩笑",
    "骗你的",
    "逗你",
    "es broma",
];
