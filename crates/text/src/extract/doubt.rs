//! What makes words no statement although a person wrote them: they ask, suppose, or joke.

use std::ops::Range;

use super::word;
use crate::intent::asks::asks_without_mark;
use crate::sentences::sentences;
use crate::word_list::WordList;

/// Why words state nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// They ask.
    Question,
    /// They suppose.
    Hypothetical,
    /// They are not meant.
    Joke,
}

/// What makes a part of a message no statement.
pub(super) fn doubt(message: &str, part: &Range<usize>) -> Option<Doubt> {
    let all = sentences(message);
    let at = all.iter().position(|it| part.start < it.end)?;
    let sentence = all.get(at)?;
    let written = message.get(sentence.clone())?.to_lowercase();
    let is_joke =
        |text: &str| JOKES.iter().any(|joke| text.contains(joke)) || text.trim_end().ends_with(" /s");
    let next = all.get(at + 1).and_then(|next| message.get(next.clone())).map(str::to_lowercase);
    if is_joke(&written) || next.is_some_and(|next| next.len() < 40 && is_joke(&next)) {
        return Some(Doubt::Joke);
    }
    let ahead = message.get(sentence.start..part.start.max(sentence.start))?.to_lowercase();
    let inside = message.get(part.clone())?.to_lowercase();
    let word = |text: &str, place: Range<usize>| text.get(place).unwrap_or_default().to_owned();
    let words =
        |text: &str| word::places(text).into_iter().map(|place| word(text, place)).collect::<Vec<_>>();
    // What an "if" supposes ends with its clause; what it leads to does not.
    let supposes = words(&ahead).iter().any(|word| SUPPOSING.contains(word))
        || words(&inside).iter().take(2).any(|word| SUPPOSING.contains(word))
        || SUPPOSING_EAST.iter().any(|mark| inside.starts_with(mark) || ahead.ends_with(mark));
    if supposes {
        return Some(Doubt::Hypothetical);
    }
    let is_marked = written.trim_end().ends_with(['?', '？']);
    let is_whole = ahead.trim().is_empty() && part.end + 1 >= sentence.end;
    (asks_without_mark(&inside) || is_marked && is_whole).then_some(Doubt::Question)
}

static SUPPOSING: WordList = WordList::new(
    "if unless whether imagine suppose supposing assuming hypothetically wish wenn falls angenommen ojalá si supongamos imagine \
     imaginons supposons",
);
const SUPPOSING_EAST: &[&str] = &["如果", "假如", "要是", "假设", "もし", "仮に", "例えば"];
const JOKES: &[&str] = &[
    "kidding",
    "joking",
    "j/k",
    "just teasing",
    "sarcasm",
    "not really",
    "yeah right",
    "oh sure",
    "said nobody",
    "said no one",
    "living the dream",
    "nur spaß",
    "spaß beiseite",
    "scherz beiseite",
    "ein witz",
    "ein scherz",
    "es broma",
    "en broma",
    "era broma",
    "es coña",
    "je rigole",
    "je plaisante",
    "je blague",
    "pour rire",
    "une blague",
    "开玩笑",
    "開玩笑",
    "骗你的",
    "逗你",
    "冗談",
    "嘘です",
    "嘘だけど",
    "なんちゃって",
];
