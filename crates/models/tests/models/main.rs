//! The models that answer, against recorded exchanges and against servers and programs that behave badly.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod attachments;
mod auto;
mod claude_cli;
mod fallback;
mod hosted;
mod server;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use throughline_domain::context::{ContextInputs, Current, Format, History, Preset, StoredMessage, assemble};
use throughline_domain::conversation::Thread;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_models::{Answer, ChatModel, Error, Limits, Request, Turn, Work};
use tokio::sync::mpsc::channel;

/// Short, so that a test of silence is over soon.
fn limits() -> Limits {
    Limits {
        first: Duration::from_millis(200),
        between: Duration::from_millis(100),
        whole: Duration::from_secs(5),
        largest: 64 << 10,
        reply_tokens: 200,
    }
}

fn work(instructions: &str, input: &str) -> Request {
    Request::Work(Work { instructions: instructions.to_owned(), input: input.to_owned(), most_tokens: 300 })
}

/// A turn of an assistant that is to be kind, after what the person and it said by turns.
fn turn(said: &[&str], message: &str) -> Request {
    let now: Timestamp = "2026-11-16T09:00:00Z".parse().unwrap();
    let place = |(n, text): (usize, &&str)| {
        let at = now - SignedDuration::from_mins((said.len() - n) as i64);
        let message = Message {
            id: MessageId(Default::default()),
            chat: "cli:chat:main".parse().unwrap(),
            lane: Lane::Root,
            role: if n % 2 == 0 { Role::User } else { Role::Assistant },
            text: (*text).to_owned(),
            channel: "cli".to_owned(),
            speaker: None,
            agent: None,
            occurred_at: at,
            recorded_at: at,
            external_ids: Vec::new(),
            reply_to: None,
            metadata: serde_json::Map::new(),
        };
        StoredMessage { message, seq: n as i64, ordinal: n as u64, opens: n == 0, tokens: 10 }
    };
    let input = ContextInputs {
        now,
        zone: TimeZone::UTC,
        person: None,
        policy: "Be kind.".into(),
        identity: Vec::new(),
        profile: None,
        history: History { messages: said.iter().enumerate().map(place).collect(), head: Vec::new() },
        summaries: Vec::new(),
        recalled: Vec::new(),
        match_is_certain: true,
        focus: Default::default(),
        quoted: None,
        last_reply: None,
        message: Some(Current { ids: Vec::new(), text: message.to_owned(), speaker: None }),
        notices: Vec::new(),
    };
    let plan = Preset::Standard.plan();
    let context = assemble(&input, &plan, Format::Messages, Thread::Continuation).unwrap();
    Request::Turn(Box::new(Turn {
        context: Arc::new(context),
        now,
        zone: TimeZone::UTC,
        attachments: Vec::new(),
        tools: None,
    }))
}

/// Asks, and gives the answer with the pieces that were sent on.
async fn ask(model: &dyn ChatModel, request: &Request) -> (Result<Answer, Error>, Vec<String>) {
    let (words, mut pieces) = channel(4096);
    let answer = model.answer(request, words).await;
    let mut sent = Vec::new();
    while let Ok(piece) = pieces.try_recv() {
        sent.push(piece);
    }
    (answer, sent)
}

/// What became of a question, in one line.
fn outcome(answer: &Result<Answer, Error>) -> String {
    match answer {
        Ok(Answer { text, cut: None, .. }) => format!("answered {text}"),
        Ok(Answer { text, cut: Some(why), .. }) => format!("cut {text}: {why}"),
        Err(error @ Error::Unavailable(_)) => format!("unavailable, {error}"),
        Err(error @ Error::Overloaded { .. }) => format!("overloaded, {error}"),
        Err(error @ Error::TooLong(_)) => format!("too long, {error}"),
        Err(error @ Error::Refused(_)) => format!("refused, {error}"),
        Err(error @ Error::Unreadable(_)) => format!("unreadable, {error}"),
    }
}

/// Returns true if an outcome begins and ends like this, given as `beginning…end`.
fn matches(outcome: &str, pattern: &str) -> bool {
    let (beginning, end) = pattern.split_once('…').unwrap_or((pattern, ""));
    outcome.starts_with(beginning) && outcome.ends_with(end)
}

#[test]
fn no_recorded_exchange_holds_a_key_or_an_address_of_a_person() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded");
    let mut files = 0;
    for file in std::fs::read_dir(recorded).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap().to_lowercase();
        for secret in ["sk-", "bearer", "x-api-key", "cookie", "/home/", "/root", "@gmail"] {
            assert!(!text.contains(secret), "{} holds {secret}", path.display());
        }
        files += 1;
    }
    assert!(files > 0);
}
