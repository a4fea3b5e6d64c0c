//! `POST /v1/context` over loopback: `serve` itself with a large chat, asked at a steady pace.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use futures_util::future::try_join_all;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::corpus::Chance;
use super::figures::{Samples, peak_memory};
use super::filled::Filled;
use super::import::throughline;
use super::talk::Talk;
use crate::output::Failure;
use crate::wire::App;

/// Requests in a second.
const PACE: u32 = 200;
/// Enough for a p99 that means something.
const SAMPLES: u32 = 2_000;
/// Requests before the first that counts: connections are made, and the chat's index is read.
const WARM_UP: u32 = 200;
/// Connections.
const CONNECTIONS: u32 = 16;

pub async fn run(app: &App, folder: &Path, talk: &Talk, messages: u64) -> Result<Value, Failure> {
    let filled = Filled::make(app, folder, talk, &[("api:chat:asked".to_owned(), messages)], 9).await?;
    let chat = filled.chat("asked")?;
    let server = Server::start(folder, &chat.end.to_string())?;
    let mut chance = Chance::new(11);
    let ask = |chance: &mut Chance| {
        json!({ "chat": chat.id, "message": talk.question(chat.number, chance) }).to_string()
    };
    let bodies: Vec<String> = (0..WARM_UP + SAMPLES).map(|_| ask(&mut chance)).collect();
    let (warm_up, counted) = bodies.split_at(WARM_UP as usize);
    server.ask(warm_up).await?;
    let samples = server.ask(counted).await?;
    Ok(json!({
        "corpus": talk.name(),
        "messages": messages,
        "requests_per_s": PACE,
        "samples": samples.len(),
        "p50_ms": samples.percentile(0.5),
        "p99_ms": samples.percentile(0.99),
        "longest_ms": samples.longest(),
        "peak_memory_mb": peak_memory(&server.child.id().to_string()).map(|kilobytes| kilobytes / 1024),
    }))
}

/// The program that is asked. It ends with this.
struct Server {
    child: Child,
    url: String,
    client: Client,
}

impl Server {
    fn start(home: &Path, now: &str) -> Result<Self, Failure> {
        let mut command = throughline(home)?;
        command.args(["--json", "--now", now, "serve", "--model", "offline", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = &mut child.stdout {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let started: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = started.get("listening").and_then(Value::as_str).unwrap_or_default();
        let client = throughline_models::http_client(url)
            .ok_or_else(|| Failure::failed("bench", "the server did not start; the log says why"))?;
        Ok(Self { child, url: format!("{url}/v1/context"), client })
    }

    /// Asks at a steady pace. A time counts from when a request was due, so that a slow answer slows those behind it.
    async fn ask(&self, bodies: &[String]) -> Result<Samples, Failure> {
        let began = Instant::now() + Duration::from_millis(50);
        let connections = (0..CONNECTIONS as usize).map(async |first| {
            let mut took = Vec::new();
            for (number, body) in bodies.iter().enumerate().skip(first).step_by(CONNECTIONS as usize) {
                let due = began + Duration::from_secs(1) * u32::try_from(number).unwrap_or(0) / PACE;
                sleep_until(due).await;
                self.ask_once(body).await?;
                took.push(due.elapsed());
            }
            Ok::<_, Failure>(took)
        });
        let mut samples = Samples::default();
        try_join_all(connections).await?.into_iter().flatten().for_each(|took| samples.push(took));
        Ok(samples)
    }

    async fn ask_once(&self, body: &str) -> Result<(), Failure> {
        let failed = |error: reqwest::Error| Failure::failed("bench", error.to_string());
        let request =
            self.client.post(&self.url).header("content-type", "application/json").body(body.to_owned());
        let answer = request.send().await.map_err(failed)?.error_for_status().map_err(failed)?;
        answer.bytes().await.map_err(failed)?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
