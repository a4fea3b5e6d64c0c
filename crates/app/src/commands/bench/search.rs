//! Searches by words, meaning and time, in ten chats turn about, and in one chat of a large store.

use std::time::Instant;

use serde_json::{Value, json};
use throughline_engine::recall::Question;
use throughline_text::when;

use super::corpus::Chance;
use super::figures::Samples;
use super::filled::{Chat, Filled};
use super::talk::Talk;
use crate::output::Failure;

/// Enough for a p99 that means something.
const SAMPLES: usize = 2_000;
/// Number of hits of a search.
pub const HITS: usize = 10;

pub async fn run(chats: &[Chat], talk: &Talk) -> Result<Value, Failure> {
    let mut chance = Chance::new(9);
    // The first search of a chat reads its index from disk; the others find it in memory.
    let (mut first, mut later, mut naming_a_time) = (Samples::default(), Samples::default(), 0);
    for chat in chats {
        sample(chat, &talk.question(chat.number, &mut chance), &mut first).await?;
    }
    let (mut found, turns) = (0, chats.iter().cycle().take(SAMPLES));
    for chat in turns {
        let question = talk.question(chat.number, &mut chance);
        let time = when::read(&question, chat.end, &chat.engine.settings.zone);
        naming_a_time += usize::from(time.is_some());
        found += sample(chat, &question, &mut later).await?;
    }
    if found == 0 {
        return Err(Failure::failed("bench", "no search found anything; the figures would mean nothing"));
    }
    Ok(json!({
        "corpus": talk.name(),
        "chats": chats.len(),
        "messages": chats.iter().map(|chat| chat.messages).sum::<u64>(),
        "samples": later.len(),
        "naming_a_time": naming_a_time,
        "hits_per_search": found as f64 / later.len() as f64,
        "p50_ms": later.percentile(0.5),
        "p99_ms": later.percentile(0.99),
        "longest_first_ms": first.longest(),
    }))
}

pub async fn large(store: &Filled, talk: &Talk) -> Result<Value, Failure> {
    let asked = std::slice::from_ref(store.chat("asked")?);
    let mut figures = run(asked, talk).await?;
    if let Some(figures) = figures.as_object_mut() {
        figures.insert("store_messages".to_owned(), json!(store.messages()));
    }
    Ok(figures)
}

/// Times one search; how much it found.
async fn sample(chat: &Chat, question: &str, samples: &mut Samples) -> Result<usize, Failure> {
    let question = Question { text: question.to_owned(), limit: HITS, ..Question::default() };
    let began = Instant::now();
    let found = chat.engine.recall(&chat.id, question).await?;
    samples.push(began.elapsed());
    match found.degraded {
        Some(why) => Err(Failure::failed("bench", format!("a search went by words alone: {why}"))),
        None => Ok(found.hits.len()),
    }
}
