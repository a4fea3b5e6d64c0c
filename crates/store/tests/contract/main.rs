//! What a store promises, told as stories on real databases.
//!
//! A story is an `async fn` that is given a fresh store; a property is a `fn` that makes a fresh store for each of its
//! cases. The list at the end of each file makes tests of them, one for each kind of database.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail at once"
)]

/// The kinds of databases, one line each.
macro_rules! stories {
    ($($story:ident),* $(; properties: $($property:ident),+)? $(,)?) => {
        stories_on!(sqlite, throughline_testkit::TestStore::fresh, [$($story),*], [$($($property),+)?]);
        #[cfg(feature = "encryption")]
        stories_on!(encrypted, throughline_testkit::TestStore::encrypted, [$($story),*], [$($($property),+)?]);
    };
}

/// Makes tests of stories and properties on one kind of database.
macro_rules! stories_on {
    ($database:ident, $fresh:path, [$($story:ident),*], [$($property:ident),*]) => {
        mod $database {
            $(
                #[tokio::test]
                async fn $story() {
                    super::$story($fresh().await).await;
                }
            )*
            $(
                #[test]
                fn $property() {
                    super::$property($fresh);
                }
            )*
        }
    };
}

mod arrivals;
mod attachments;
mod carried;
mod chats;
mod coverage;
mod credentials;
mod embedder;
mod encryption;
mod forget;
mod health;
mod isolation;
mod jobs;
mod ledger;
mod live;
mod memories;
mod messages;
mod outbox;
mod pairing;
mod pieces;
mod profiles;
mod routines;
mod search;
mod sqlite_file;
mod summaries;
mod turns;
mod uncertain;

use jiff::{SignedDuration, Timestamp};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Kind, Memory, MemoryId, Proof, Reach as MemoryReach, Status};
use throughline_domain::message::MessageId;
use throughline_store::Store;
use throughline_store::holder::Holder;
use throughline_store::jobs::JobKind;
use throughline_store::memories::Learned;
use throughline_store::messages::Reach;
use throughline_testkit::{MessageBuilder, message};
use uuid::Uuid;

fn chat(name: &str) -> ChatId {
    format!("cli:chat:{name}").parse().unwrap()
}

/// This many minutes after nine on 18 February 2026.
fn minute(minutes: i64) -> Timestamp {
    "2026-02-18T09:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_mins(minutes)
}

/// A message of a chat in the terminal.
fn said(name: &str, id: u128, minutes: i64) -> MessageBuilder {
    message(&chat(name)).id(id).at(minute(minutes))
}

fn message_id(id: u128) -> MessageId {
    MessageId(Uuid::from_u128(id))
}

/// A process that holds something for an hour.
fn holder(owner: &str) -> Holder {
    Holder { owner: owner.to_owned(), leased_to: minute(60) }
}

const FAR: Reach =
    Reach { tokens: 1_000_000, older: 1_000_000, messages: usize::MAX, longest: u32::MAX, head: 0 };

/// A memory that was learned in a chat of the terminal and may be seen only there.
fn memory(name: &str, id: u128, text: &str) -> Memory {
    Memory {
        id: MemoryId(Uuid::from_u128(id)),
        kind: Kind::Fact,
        text: text.to_owned(),
        category: "home".to_owned(),
        confidence: 0.75,
        extracted: true,
        status: Status::Active,
        chat: chat(name),
        reach: MemoryReach::Chat,
        speaker: Some("Ana".to_owned()),
        proofs: vec![Proof { message: message_id(1), span: 0..5 }],
        day: None,
        valid_from: minute(0),
        valid_to: None,
        superseded_by: None,
        used_at: None,
    }
}

/// A memory of a person, to be seen in each of their chats.
fn memory_of(person: &str, name: &str, id: u128, text: &str) -> Memory {
    Memory { reach: MemoryReach::Person(person.to_owned()), ..memory(name, id, text) }
}

/// Writes memories down in the chat they were learned in.
async fn learn(store: &Store, name: &str, memories: Vec<Memory>) {
    let learned = Learned { memories, at: minute(10), ..Learned::default() };
    store.chat(&chat(name)).learn(learned).await.unwrap();
}

/// The texts of the memories that may be seen in a chat.
async fn known(store: &Store, name: &str, person: Option<&str>) -> Vec<String> {
    let memories = store.chat(&chat(name)).memories(person).await.unwrap();
    memories.into_iter().map(|stored| stored.memory.text).collect()
}

/// The kinds of jobs that the store requests, most urgent first.
const KINDS: [JobKind; 5] =
    [JobKind::EMBED, JobKind::EXTRACT, JobKind::PROFILE, JobKind::ROUTINE_SUMMARY, JobKind::COMPACT];

/// Takes out every job that is due.
async fn finish_all_jobs(store: &Store) {
    while let Some(job) = store.claim_job(&KINDS, "tidy", minute(0), minute(1)).await.unwrap() {
        store.finish_job(&job, "tidy").await.unwrap();
    }
}

/// The checks of the store that found something.
async fn problems(store: &Store) -> Vec<String> {
    store.check().await.unwrap().into_iter().filter_map(|check| check.problem).collect()
}

/// Checks a property on values of a strategy, and shows the smallest value for which it does not hold.
fn holds<S: Strategy>(
    cases: u32,
    strategy: S,
    property: impl AsyncFn(S::Value) -> Result<(), TestCaseError>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    runner
        .run(&strategy, |value| runtime.block_on(property(value)))
        .unwrap_or_else(|error| panic!("{error}"));
}
