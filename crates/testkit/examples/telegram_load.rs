//! Measures the Telegram gateway under load: fifty chats, twenty messages a second in all, two thousand of them, through the Bot
//! API's double with the built-in model.
//!
//! `cargo run --release -p throughline-testkit --example telegram_load -- target/release/throughline`
//!
//! Prints one JSON document: the time from a message to its reply at Telegram, and the memory of the program at rest and
//! after the load.

#![expect(clippy::print_stdout, reason = "the figures are this program's result")]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "what cannot be measured must say so at once"
)]

use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_testkit::bot_api::BotApi;

const CHATS: i64 = 50;
const A_SECOND: u32 = 20;
const SECONDS: u32 = 100;
const FIRST: i64 = 1_000;

fn main() {
    let binary = std::env::args().nth(1).expect("the binary to measure, such as target/release/throughline");
    let folder = tempfile::tempdir().expect("a folder");
    let api = BotApi::start();
    let people: Vec<String> = (FIRST..FIRST + CHATS).map(|id| id.to_string()).collect();
    for id in FIRST..FIRST + CHATS {
        api.person(id, "Somebody");
    }
    let mut program = Command::new(binary)
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env_clear()
        .env("HOME", folder.path())
        .env("THROUGHLINE_HOME", folder.path().join("home"))
        .env("THROUGHLINE_MODEL", "offline")
        .env("TELEGRAM_API_URL", api.url())
        .env("TELEGRAM_BOT_TOKEN", api.token())
        .env("TELEGRAM_ALLOWED_USERS", people.join(","))
        // The pause before a turn is no part of what is measured.
        .env("TELEGRAM_PAUSE_MS", "0")
        .stdout(Stdio::null())
        .spawn()
        .expect("the program");
    api.wait(Duration::from_secs(20), |api| api.is_polled().then_some(()));
    let (_keep, bell) = channel::<()>();
    // At rest once what a start takes is over.
    let _ = bell.recv_timeout(Duration::from_secs(2));
    let idle = megabytes(&program);

    let mut said: HashMap<i64, Vec<Instant>> = HashMap::new();
    let start = Instant::now();
    for number in 0..A_SECOND * SECONDS {
        let due = start + Duration::from_secs(1) * number / A_SECOND;
        let _ = bell.recv_timeout(due.saturating_duration_since(Instant::now()));
        let person = FIRST + i64::from(number) % CHATS;
        said.entry(person).or_default().push(Instant::now());
        api.says(person, person, &words(number));
    }
    let whole = (A_SECOND * SECONDS) as usize;
    api.wait(Duration::from_secs(60), |api| (api.calls_of("sendMessage").len() >= whole).then_some(()));
    let loaded = megabytes(&program);
    let _ = program.kill();
    let _ = program.wait();

    let mut replied: HashMap<i64, Vec<Instant>> = HashMap::new();
    for call in api.calls_of("sendMessage") {
        let chat = call.params["chat_id"].as_i64().expect("a chat");
        replied.entry(chat).or_default().push(call.at);
    }
    let mut took: Vec<f64> = said
        .iter()
        .flat_map(|(chat, said)| said.iter().zip(&replied[chat]))
        .map(|(said, replied)| replied.duration_since(*said).as_secs_f64() * 1e3)
        .collect();
    took.sort_by(f64::total_cmp);
    let share = |part: f64| took[((took.len() - 1) as f64 * part) as usize];
    let report: Value = json!({
        "chats": CHATS,
        "messages": took.len(),
        "messages_per_second": A_SECOND,
        "reply_ms": { "p50": share(0.5), "p90": share(0.9), "p99": share(0.99), "worst": share(1.0) },
        "memory_mb": { "idle": idle, "after": loaded },
    });
    println!("{report:#}");
}

/// What people tell and ask.
fn words(number: u32) -> String {
    match number % 4 {
        0 => format!("I paid {number} euros for the train to Porto, seat {}.", number % 80),
        1 => format!("My neighbour at number {} keeps the spare key.", number % 90),
        2 => format!("The meeting about project {} moved to Thursday at {}.", number % 37, number % 12),
        _ => "Who keeps the spare key, and what did the train cost?".to_owned(),
    }
}

/// What a program holds in memory.
fn megabytes(program: &Child) -> f64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", program.id())).expect("the program's status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its size");
    let kilobytes =
        line.split_whitespace().nth(1).and_then(|text| text.parse::<f64>().ok()).expect("a number");
    kilobytes / 1e3
}
