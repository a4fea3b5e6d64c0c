//! What a store promises, on real databases.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail at once")]

mod arrivals;
mod embedder;
mod isolation;
mod jobs;
mod messages;
mod migrations;
mod outgoing;
mod routines;
mod search;
mod summaries;
mod turns;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::message::Message;
use throughline_store::holder::Holder;
use throughline_store::messages::{Append, Origin, Purpose, Reach};

fn chat(name: &str) -> ChatId {
    format!("cli:chat:{name}").parse().unwrap()
}

/// So many minutes after nine on 18 February 2026.
fn minute(minutes: i64) -> Timestamp {
    "2026-02-18T09:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_mins(minutes)
}

/// A process that holds something for an hour.
fn holder(owner: &str) -> Holder {
    Holder { owner: owner.to_owned(), leased_to: minute(60) }
}

fn record(message: Message) -> Append {
    Append { message, purpose: Purpose::Record, origin: Origin::Heard, person: None }
}

const FAR: Reach = Reach { tokens: 1_000_000, messages: usize::MAX, longest: u32::MAX, head: 0, since: None };
