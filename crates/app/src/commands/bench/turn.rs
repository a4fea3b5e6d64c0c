//! Whole turns in ten chats turn about, each with its memories: everything but the model, from what was heard to the
//! noted delivery, with every commit on disk.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use throughline_engine::Inbound;
use throughline_engine::turn::{Channel, Outcome};

use super::corpus::Chance;
use super::figures::Samples;
use super::filled::Chat;
use super::talk::Talk;
use crate::output::Failure;

/// Enough for a p99 that means something.
const SAMPLES: usize = 1_000;
/// Statements about the person of each chat.
const MEMORIES: usize = 100;
/// Number of turns between two runs of background work, which is not timed.
const BETWEEN: usize = 50;
const LONGEST_WAIT: Duration = Duration::from_secs(600);

pub async fn run(chats: &[Chat], talk: &Talk) -> Result<Value, Failure> {
    let mut chance = Chance::new(10);
    for chat in chats {
        for number in 0..MEMORIES {
            let statement = format!("My locker number {number} is beside bench {}", 1_000 + number * 7);
            chat.engine.remember(&chat.id, &statement, None).await?;
        }
        chat.engine.run_jobs(Instant::now() + LONGEST_WAIT).await?;
        // The first search of a chat reads what the others find read.
        turn(chat, &talk.question(chat.number, &mut chance)).await?;
    }
    let (mut samples, mut gathering) = (Samples::default(), Samples::default());
    for (number, chat) in chats.iter().cycle().take(SAMPLES).enumerate() {
        let (own, before) = turn(chat, &talk.question(chat.number, &mut chance)).await?;
        samples.push(own);
        gathering.push(before);
        if number % BETWEEN == BETWEEN - 1 {
            chat.engine.run_jobs(Instant::now() + LONGEST_WAIT).await?;
        }
    }
    Ok(json!({
        "messages": chats.iter().map(|chat| chat.messages).sum::<u64>(),
        "memories": chats.len() * MEMORIES,
        "samples": samples.len(),
        "p50_ms": samples.percentile(0.5),
        "p99_ms": samples.percentile(0.99),
        "before_model_p50_ms": gathering.percentile(0.5),
        "before_model_p99_ms": gathering.percentile(0.99),
    }))
}

/// Takes a turn and gives what it took but for the model, and what of that came before the model.
async fn turn(chat: &Chat, text: &str) -> Result<(Duration, Duration), Failure> {
    let heard = Inbound { text: text.to_owned(), ..Inbound::in_chat(chat.id.clone()) };
    let began = Instant::now();
    let outcome = chat.engine.take_turn(heard, &Nobody).await?;
    let model = Duration::from_secs_f64(outcome.receipt.model_ms / 1e3);
    if !outcome.receipt.degraded.is_empty() {
        return Err(Failure::failed(
            "bench",
            format!("a turn went with less: {:?}", outcome.receipt.degraded),
        ));
    }
    let before = Duration::from_secs_f64(outcome.receipt.own_ms / 1e3);
    Ok((began.elapsed().saturating_sub(model), before))
}

/// A channel that shows nothing, at once.
struct Nobody;

#[async_trait]
impl Channel for Nobody {
    async fn show(&self, _: &str) {}

    async fn deliver(&self, _: &Outcome) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}
