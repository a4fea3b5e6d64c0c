//! Records, one durable transaction each, beside bare commits of the same disk.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_engine::Inbound;
use throughline_store::messages::Purpose;

use super::BenchHome;
use super::corpus::{Chance, Language};
use crate::output::Failure;

const ROUNDS: usize = 30;
const A_ROUND: usize = 100;

pub async fn run(home: &BenchHome) -> Result<Value, Failure> {
    let (language, mut chance) = (Language::new(), Chance::new(1));
    let chat: throughline_domain::chat::ChatId = "cli:chat:bench"
        .parse()
        .map_err(|error: throughline_domain::chat::MalformedChat| Failure::Usage(error.to_string()))?;
    let (mut recording, mut committing) = (Duration::ZERO, Duration::ZERO);
    // Turn about, so that a slow moment of the disk slows both.
    for _ in 0..ROUNDS {
        let texts: Vec<String> = (0..A_ROUND).map(|_| language.message(&mut chance)).collect();
        let began = Instant::now();
        for text in texts {
            home.engine
                .record_message(Inbound { text, ..Inbound::in_chat(chat.clone()) }, Purpose::Record)
                .await?;
        }
        recording += began.elapsed();
        let began = Instant::now();
        for _ in 0..A_ROUND {
            home.engine.store.bare_commit().await?;
        }
        committing += began.elapsed();
    }
    let count = (ROUNDS * A_ROUND) as f64;
    let (records, commits) = (count / recording.as_secs_f64(), count / committing.as_secs_f64());
    Ok(json!({
        "samples": ROUNDS * A_ROUND,
        "records_per_s": records,
        "bare_commits_per_s": commits,
        "share_of_bare_commits": records / commits,
    }))
}
