//! Assembles contexts in-process, search included: the same chat alone and in a store a hundred times larger, and a
//! large chat in a large store.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use throughline_domain::context::Current;
use throughline_domain::lane::Lane;
use throughline_engine::turn::gather::ContextRequest;

use super::corpus::Chance;
use super::figures::Samples;
use super::filled::{Chat, Filled};
use super::talk::Talk;
use crate::output::Failure;
use crate::wire::App;

/// Enough for a p99 that means something.
const SAMPLES: usize = 1_000;

pub async fn run(app: &App, folder: &Path, talk: &Talk, big: &Filled) -> Result<Value, Failure> {
    let (same, large) = (big.chat("same")?, big.chat("large")?);
    let small = Filled::make(app, folder, talk, &[(same.id.to_string(), same.messages)], 5).await?;
    let alone = small.chat("same")?;
    let mut chance = Chance::new(6);
    let (mut in_small, mut in_big, mut in_large) =
        (Samples::default(), Samples::default(), Samples::default());
    // Turn about, so that a slow moment slows all three.
    for _ in 0..SAMPLES {
        let question = talk.question(same.number, &mut chance);
        sample(alone, &question, &mut in_small).await?;
        sample(same, &question, &mut in_big).await?;
        sample(large, &talk.question(large.number, &mut chance), &mut in_large).await?;
    }
    Ok(json!({
        "corpus": talk.name(),
        "samples": in_small.len(),
        "same_chat_messages": same.messages,
        "alone_p50_ms": in_small.percentile(0.5),
        "in_100_times_the_store_p50_ms": in_big.percentile(0.5),
        "ratio_p50": in_big.percentile(0.5) / in_small.percentile(0.5),
        "ratio_p99": in_big.percentile(0.99) / in_small.percentile(0.99),
        "large_chat_messages": large.messages,
        "store_messages": big.messages(),
        "large_p50_ms": in_large.percentile(0.5),
        "large_p99_ms": in_large.percentile(0.99),
    }))
}

async fn sample(chat: &Chat, question: &str, samples: &mut Samples) -> Result<(), Failure> {
    let message = Some(Current { ids: Vec::new(), text: question.to_owned(), speaker: None });
    let request = ContextRequest { message, ..ContextRequest::new(chat.id.clone(), Lane::Root) };
    let began = Instant::now();
    let context = chat.engine.preview(request).await?;
    samples.push(began.elapsed());
    if context.said.is_empty() {
        return Err(Failure::failed("bench", "a context held no history; the figures would mean nothing"));
    }
    Ok(())
}
