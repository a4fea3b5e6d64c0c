//! An import of 100,000 messages by the binary itself, with the most memory it held.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::corpus;
use crate::output::Failure;

const MESSAGES: u64 = 100_000;

pub fn run(folder: &Path) -> Result<Value, Failure> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join("talk.jsonl");
    let chats: Vec<(String, u64)> = (0..10).map(|n| (format!("api:chat:{n}"), MESSAGES / 10)).collect();
    corpus::write_lines(&file, &chats, 2)?;
    let began = Instant::now();
    let mut child = throughline(&folder.join("home")).arg("import").arg(&file).spawn()?;
    let peak = watch(&mut child)?;
    let took = began.elapsed();
    Ok(json!({
        "messages": MESSAGES,
        "messages_per_s": MESSAGES as f64 / took.as_secs_f64(),
        "peak_memory_mb": peak as f64 / 1e3,
    }))
}

/// This program, in a home of its own.
pub fn throughline(home: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "throughline".into()));
    command.arg("--home").arg(home).stdout(Stdio::null()).stdin(Stdio::null());
    command
}

/// Waits for a child; the most memory it held, in kilobytes.
fn watch(child: &mut Child) -> Result<u64, Failure> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let told = std::fs::read_to_string(&status).unwrap_or_default();
        let high = told
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = peak.max(high.unwrap_or(0));
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(peak),
            Some(status) => return Err(Failure::failed("bench", format!("the import ended with {status}"))),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}
