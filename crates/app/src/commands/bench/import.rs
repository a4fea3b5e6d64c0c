//! An import of 100,000 messages by the binary itself, with the most memory it held.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::figures::peak_memory;
use super::talk::Talk;
use crate::output::Failure;

const MESSAGES: u64 = 100_000;

pub fn run(folder: &Path) -> Result<Value, Failure> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join("talk.jsonl");
    let chats: Vec<(String, u64)> = (0..10).map(|n| (format!("api:chat:{n}"), MESSAGES / 10)).collect();
    Talk::made_up().write_lines(&file, &chats, 2)?;
    let began = Instant::now();
    let mut child = throughline(&folder.join("home"))?.arg("import").arg(&file).spawn()?;
    let peak = watch(&mut child)?;
    let took = began.elapsed();
    Ok(json!({
        "messages": MESSAGES,
        "messages_per_s": MESSAGES as f64 / took.as_secs_f64(),
        "peak_memory_mb": peak as f64 / 1e3,
    }))
}

/// This program, in a home of its own. It leaves background jobs to those who measure them.
pub fn throughline(home: &Path) -> Result<Command, Failure> {
    std::fs::create_dir_all(home)?;
    std::fs::write(home.join("config.toml"), "jobs.seconds_after_command = 0\n")?;
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "throughline".into()));
    command.arg("--home").arg(home).stdout(Stdio::null()).stdin(Stdio::null());
    Ok(command)
}

/// Waits for a child; the most memory it held, in kilobytes.
fn watch(child: &mut Child) -> Result<u64, Failure> {
    let process = child.id().to_string();
    let mut peak = 0;
    loop {
        peak = peak.max(peak_memory(&process).unwrap_or(0));
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(peak),
            Some(status) => return Err(Failure::failed("bench", format!("the import ended with {status}"))),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}
