//! A cold `throughline context` on a home with 100,000 messages, beside `true`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::corpus::{Chance, Language};
use super::figures::Samples;
use super::filled::Filled;
use super::import::throughline;
use super::talk::Talk;
use crate::output::Failure;
use crate::wire::App;

const MESSAGES: u64 = 100_000;
const RUNS: usize = 1_000;

pub async fn run(app: &App, folder: &Path) -> Result<Value, Failure> {
    let chats = [("api:chat:cold".to_owned(), MESSAGES)];
    let home = Filled::make(app, folder, &Talk::made_up(), &chats, 3).await?.home;
    let (language, mut chance) = (Language::new(), Chance::new(4));
    let (mut cold, mut nothing) = (Samples::default(), Samples::default());
    for _ in 0..RUNS {
        let question = language.question(&mut chance);
        let began = Instant::now();
        finish(throughline(&home)?.args(["context", "--chat", "api:chat:cold", "-m", &question]))?;
        cold.push(began.elapsed());
        let began = Instant::now();
        finish(Command::new("true").stdout(Stdio::null()))?;
        nothing.push(began.elapsed());
    }
    Ok(json!({
        "messages": MESSAGES,
        "samples": cold.len(),
        "p50_ms": cold.percentile(0.5),
        "p99_ms": cold.percentile(0.99),
        "true_p50_ms": nothing.percentile(0.5),
    }))
}

fn finish(command: &mut Command) -> Result<(), Failure> {
    let status = command.status()?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::failed("bench", format!("{command:?} ended with {status}")))
    }
}
