//! Measures how much of the evidence the summaries of conversations and lanes contain.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use throughline_domain::summary::Scope;
use throughline_engine::Engine;
use throughline_text::sentences::sentences;
use throughline_text::tokens::estimate;
use throughline_text::words::{Telling, telling, terms};

use super::set::{Chat, Set};
use crate::output::{Failure, Style};

/// Share of a sentence's content words that one line of a summary must have to contain the sentence.
const SHARE: f64 = 0.6;
/// Minimum number of content words of a sentence; shorter ones match unrelated lines.
const MIN_WORDS: usize = 3;

/// The measurements of a set's summaries.
#[derive(Default)]
pub struct Summaries {
    conversations: Measured,
    lanes: Measured,
    /// The tokens of all messages.
    said: u64,
    chats: usize,
}

/// The content and cost of the summaries of one scope.
#[derive(Default)]
struct Measured {
    gold: usize,
    /// Number of gold messages with at least one sentence in a summary.
    held: usize,
    /// Number of gold messages whose sentence nearest to the question is in a summary.
    asked: usize,
    lines: usize,
    tokens: u64,
}

type Words = HashSet<String>;

/// Looks up every gold message in the summaries.
pub async fn measure(engine: &Engine, set: &Set) -> Result<Summaries, Failure> {
    let mut all = Summaries { chats: set.chats.len(), ..Summaries::default() };
    for (number, chat) in set.chats.iter().enumerate() {
        all.said += chat.messages.iter().map(|message| u64::from(estimate(&message.text))).sum::<u64>();
        let (mut conversations, mut lane) = (Vec::new(), Vec::new());
        for (_, summary) in engine.store.chat(&chat.id).all_summaries().await? {
            let (measured, lines) = match summary.scope {
                Scope::Conversation => (&mut all.conversations, &mut conversations),
                Scope::Lane => (&mut all.lanes, &mut lane),
                Scope::Chunk | Scope::Chat => continue,
            };
            measured.tokens += u64::from(estimate(&summary.text));
            measured.lines += summary.sections.lines().count();
            lines.extend(summary.sections.lines().map(content));
        }
        for question in set.questions.iter().filter(|question| question.chat == number) {
            let asked = content(&question.text);
            for said in gold(chat, &question.gold) {
                all.conversations.look_up(&said, &asked, &conversations);
                all.lanes.look_up(&said, &asked, &lane);
            }
        }
    }
    Ok(all)
}

/// The sentences of each gold message, as their content words.
fn gold(chat: &Chat, places: &HashSet<usize>) -> Vec<Vec<Words>> {
    let messages = places.iter().filter_map(|place| chat.messages.get(*place));
    let said = messages.map(|message| {
        let cut = sentences(&message.text);
        let texts = cut.into_iter().filter_map(|range| message.text.get(range));
        let all: Vec<Words> = texts.map(content).collect();
        let whole = vec![content(&message.text)];
        let long: Vec<Words> = all.into_iter().filter(|words| words.len() >= MIN_WORDS).collect();
        if long.is_empty() { whole } else { long }
    });
    said.collect()
}

fn content(text: &str) -> Words {
    terms(text).into_iter().filter(|term| telling(term) == Telling::Much).collect()
}

impl Measured {
    fn look_up(&mut self, said: &[Words], question: &Words, lines: &[Words]) {
        let is_held = |sentence: &Words| {
            let least = SHARE * sentence.len() as f64;
            lines.iter().any(|line| line.intersection(sentence).count() as f64 >= least)
        };
        let near = |sentence: &&Words| (sentence.intersection(question).count(), sentence.len());
        self.gold += 1;
        self.held += usize::from(said.iter().any(is_held));
        self.asked += usize::from(said.iter().max_by_key(near).is_some_and(is_held));
    }

    fn shares(&self) -> [f64; 2] {
        [self.held, self.asked].map(|count| count as f64 / self.gold.max(1) as f64)
    }
}

impl Summaries {
    /// A table with a row for each scope.
    pub fn text(&self, style: Style) -> String {
        let head =
            format!("{:<26}{:>10}{:>10}{:>10}{:>10}", "summaries of", "held", "asked", "lines", "tokens");
        let mut out = format!("{}\n", style.bold(&head));
        for (name, measured) in [("conversations", &self.conversations), ("lanes", &self.lanes)] {
            let [held, asked] = measured.shares().map(|share| 100.0 * share);
            let (lines, tokens) = (measured.lines, measured.tokens);
            let _ = writeln!(out, "{name:<26}{held:>10.1}{asked:>10.1}{lines:>10}{tokens:>10}");
        }
        out
    }

    pub fn document(&self) -> Value {
        let figures = |measured: &Measured| {
            let [held, asked] = measured.shares();
            json!({
                "gold": measured.gold,
                "held": held,
                "asked": asked,
                "lines": measured.lines,
                "tokens": measured.tokens,
                "share_of_tokens": measured.tokens as f64 / self.said.max(1) as f64,
            })
        };
        let mut lanes = figures(&self.lanes);
        if let Some(lanes) = lanes.as_object_mut() {
            let each = self.lanes.tokens as f64 / self.chats.max(1) as f64;
            lanes.insert("tokens_each".to_owned(), json!(each));
        }
        json!({ "conversations": figures(&self.conversations), "lanes": lanes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d4_a_message_is_held_if_a_line_has_most_content_words_of_one_of_its_sentences() {
        let lines = [content("Ana: I adopted a grey tortoise in Leeds")];
        let sentences = |texts: &[&str]| texts.iter().map(|text| content(text)).collect::<Vec<_>>();
        for (said, question, expected) in [
            (sentences(&["We adopted a tortoise in Leeds"]), "tortoise", [1, 1]),
            (sentences(&["I adopted a tortoise", "The boiler broke in March"]), "boiler", [1, 0]),
            (sentences(&["The tortoise bought kitchen furniture"]), "tortoise", [0, 0]),
        ] {
            let mut measured = Measured::default();
            measured.look_up(&said, &content(question), &lines);
            assert_eq!([measured.held, measured.asked], expected, "{question}");
        }
    }
}
