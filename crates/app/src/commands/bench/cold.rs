//! A cold `throughline context` on a home with 100,000 messages, beside `true`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::corpus::{self, Chance, Language};
use super::figures::Samples;
use super::import::throughline;
use crate::output::Failure;

const MESSAGES: u64 = 100_000;
const RUNS: usize = 1_000;

pub fn run(folder: &Path) -> Result<Value, Failure> {
    std::fs::create_dir_all(folder)?;
    let (file, home) = (folder.join("talk.jsonl"), folder.join("home"));
    corpus::write_lines(&file, &[("api:chat:cold".to_owned(), MESSAGES)], 3)?;
    finish(throughline(&home).arg("import").arg(&file))?;
    let (language, mut chance) = (Language::new(), Chance::new(4));
    let (mut cold, mut nothing) = (Samples::default(), Samples::default());
    for _ in 0..RUNS {
        let question = language.question(&mut chance);
        let began = Instant::now();
        finish(throughline(&home).args(["context", "--chat", "api:chat:cold", "-m", &question]))?;
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
