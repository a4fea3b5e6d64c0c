//! Assembles contexts in-process, search included: the same chat alone and in a store a hundred times larger, and a
//! large chat in a large store.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use throughline_domain::chat::{ChatId, MalformedChat};
use throughline_domain::context::Current;
use throughline_domain::lane::Lane;
use throughline_engine::turn::gather::Wish;

use super::Bed;
use super::corpus::{self, Chance, Language};
use super::figures::Samples;
use super::import::throughline;
use crate::output::Failure;
use crate::wire::Place;

/// Enough for a p99 that means something.
const SAMPLES: usize = 1_000;

pub async fn run(place: &Place, folder: &Path, messages: u64) -> Result<Value, Failure> {
    let chat = |name: &str| {
        format!("api:chat:{name}").parse().map_err(|error: MalformedChat| Failure::Usage(error.to_string()))
    };
    let (same, large): (ChatId, ChatId) = (chat("same")?, chat("large")?);
    let alone = messages / 100;
    let one = [(same.to_string(), alone)];
    let rest = (messages - alone - messages / 10) / 50;
    let mut many = vec![(same.to_string(), alone), (large.to_string(), messages / 10)];
    many.extend((0..50).map(|n| (format!("api:chat:other-{n}"), rest)));
    let small = bed(place, &folder.join("small"), &one, 5).await?;
    let big = bed(place, &folder.join("big"), &many, 5).await?;
    let (language, mut chance) = (Language::new(), Chance::new(6));
    let (mut in_small, mut in_big, mut in_large) =
        (Samples::default(), Samples::default(), Samples::default());
    // Turn about, so that a slow moment slows all three.
    for _ in 0..SAMPLES {
        let question = language.question(&mut chance);
        sample(&small, &same, &question, &mut in_small).await?;
        sample(&big, &same, &question, &mut in_big).await?;
        sample(&big, &large, &question, &mut in_large).await?;
    }
    Ok(json!({
        "samples": in_small.len(),
        "same_chat_messages": alone,
        "alone_p50_ms": in_small.percentile(0.5),
        "in_100_times_the_store_p50_ms": in_big.percentile(0.5),
        "ratio_p50": in_big.percentile(0.5) / in_small.percentile(0.5),
        "ratio_p99": in_big.percentile(0.99) / in_small.percentile(0.99),
        "large_chat_messages": messages / 10,
        "store_messages": messages,
        "large_p50_ms": in_large.percentile(0.5),
        "large_p99_ms": in_large.percentile(0.99),
    }))
}

async fn bed(place: &Place, folder: &Path, chats: &[(String, u64)], seed: u64) -> Result<Bed, Failure> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join("talk.jsonl");
    corpus::write_lines(&file, chats, seed)?;
    let status = throughline(folder).arg("import").arg(&file).status()?;
    if !status.success() {
        return Err(Failure::failed("bench", format!("the import ended with {status}")));
    }
    std::fs::remove_file(&file)?;
    Bed::make(place, folder).await
}

async fn sample(bed: &Bed, chat: &ChatId, question: &str, samples: &mut Samples) -> Result<(), Failure> {
    let message = Some(Current { ids: Vec::new(), text: question.to_owned(), speaker: None });
    let wish = Wish { message, ..Wish::new(chat.clone(), Lane::Root) };
    let began = Instant::now();
    let context = bed.engine.preview(wish).await?;
    samples.push(began.elapsed());
    if context.said.is_empty() {
        return Err(Failure::failed("bench", "a context held no history; the figures would mean nothing"));
    }
    Ok(())
}
