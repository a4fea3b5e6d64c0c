//! Summarizes a routine's message for windows in two or three sentences, once. Until then, or if the model fails,
//! windows show the beginning of the message.

use throughline_models::{Request, Work};
use throughline_store::jobs::Job;
use throughline_store::messages::Reference;
use throughline_text::redact::redact;
use throughline_text::shorten::one_line;

use super::{Outcome, Ran};
use crate::Engine;

/// Maximum length of an answer, in tokens.
const MAX_TOKENS: u32 = 200;
/// Maximum length of a summary, in characters; a longer answer is dropped.
const MAX_CHARS: usize = 1_000;
const INSTRUCTIONS: &str = include_str!("../../prompts/routine.md");

/// Summarizes one message, unless it has a summary.
pub(super) async fn run(engine: &Engine, job: &Job) -> Ran {
    let Some(model) = &engine.routines else { return Ok(Outcome::Done) };
    let Some((chat, id)) = engine.store.routine_to_summarize(&job.subject).await? else {
        return Ok(Outcome::Done);
    };
    let in_chat = engine.store.chat(&chat).watching().await?;
    let message = match in_chat.find(Reference::Id(id)).await? {
        Some(stored) if stored.message.lacks_routine_summary() => stored.message,
        _ => return Ok(Outcome::Done),
    };
    let work = Work { instructions: INSTRUCTIONS.to_owned(), input: message.text, most_tokens: MAX_TOKENS };
    match engine.ask_within_cap(model.as_ref(), "routine", &chat, &Request::Work(work)).await {
        Ok(text) => {
            let summary = one_line(&redact(&text));
            if !summary.is_empty() && summary.chars().count() <= MAX_CHARS {
                in_chat.keep_routine_summary(id, &summary).await?;
            }
        }
        Err(error) => {
            tracing::info!(%chat, %error, "routine summary not written; showing the first characters")
        }
    }
    Ok(Outcome::Done)
}
