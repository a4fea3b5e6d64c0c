//! The most memory that a process holds which opens a store and searches all of its chats.

use std::io::Write;
use std::process::Stdio;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::ports::FixedClock;
use throughline_engine::recall::Question;

use super::corpus::Chance;
use super::figures::{peak_memory, short};
use super::filled::Filled;
use super::import::throughline;
use super::search::HITS;
use super::talk::Talk;
use crate::output::{Failure, Output};
use crate::wire::App;

/// Number of questions in each chat.
const ROUNDS: usize = 20;

/// Has another process search: this one holds what it took to make the store.
pub fn run(store: &Filled, talk: &Talk) -> Result<Value, Failure> {
    let mut chance = Chance::new(11);
    let mut child = throughline(&store.home)?
        .args(["bench", "--answer", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    // Goes out of scope at the end of the questions, which tells the child that there are no more.
    if let Some(mut questions) = child.stdin.take() {
        for chat in (0..ROUNDS).flat_map(|_| &store.chats) {
            writeln!(questions, "{}", json!([chat.id, chat.end, talk.question(chat.number, &mut chance)]))?;
        }
    }
    let ended = child.wait_with_output()?;
    let told: Option<Value> = serde_json::from_slice(&ended.stdout).ok();
    let peak = told.as_ref().and_then(|told| told.get("peak_memory_mb"));
    let peak =
        peak.ok_or_else(|| Failure::failed("bench", format!("the search ended with {}", ended.status)))?;
    Ok(json!({
        "corpus": talk.name(),
        "chats": store.chats.len(),
        "messages": store.messages(),
        "searches": ROUNDS * store.chats.len(),
        "peak_memory_mb": peak,
    }))
}

/// The other process: searches for the questions on stdin, each with its chat and its moment.
pub async fn answer(app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    for line in std::io::stdin().lines() {
        let (chat, now, text): (ChatId, Timestamp, String) = serde_json::from_str(&line?)
            .map_err(|error| Failure::Usage(format!("--answer: no question: {error}")))?;
        let engine = Engine { clock: Arc::new(FixedClock(now)), ..engine.clone() };
        engine.recall(&chat, Question { text, limit: HITS, ..Question::default() }).await?;
    }
    let peak = peak_memory("self")
        .ok_or_else(|| Failure::failed("bench", "this system does not tell how much memory was held"))?;
    let peak = peak as f64 / 1e3;
    output.print(|| json!({ "peak_memory_mb": peak }), |_| format!("{} MB", short(peak)))
}
