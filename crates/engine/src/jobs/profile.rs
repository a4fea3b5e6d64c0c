//! Writes the narrative of a profile, if a model is configured. The profile's lists are computed on read.

use throughline_domain::chat::ChatId;
use throughline_domain::memory::Status;
use throughline_models::Work;
use throughline_store::jobs::Job;
use throughline_text::redact::redact;
use throughline_text::tokens::estimate;

use super::{Outcome, Ran};
use crate::Engine;
use crate::work::{WorkError, is_temporary};

/// Minimum number of memories for a narrative.
const MIN_MEMORIES: usize = 3;
/// Maximum length of a narrative, in tokens.
const MAX_TOKENS: u32 = 220;
const INSTRUCTIONS: &str = include_str!("../../prompts/profile.md");

/// Writes the narrative of a chat's profile from its active memories.
pub(super) async fn run(engine: &Engine, job: &Job) -> Ran {
    let Ok(chat) = job.subject.parse::<ChatId>() else { return Ok(Outcome::Done) };
    let person = engine.settings.people.of(&chat);
    let in_chat = engine.store.chat(&chat).watching().await?;
    let known = in_chat.memories(person.as_deref()).await?;
    let statements: Vec<String> = known
        .iter()
        .filter(|stored| stored.memory.status == Status::Active)
        .map(|stored| format!("{}: {}", stored.memory.kind.as_str(), stored.memory.text))
        .collect();
    if statements.len() < MIN_MEMORIES {
        return Ok(Outcome::Done);
    }
    let input = serde_json::json!({ "statements": statements }).to_string();
    let work = Work { instructions: INSTRUCTIONS.to_owned(), input, most_tokens: MAX_TOKENS };
    match engine.work("profile", &chat, work).await {
        Ok(text) => {
            let text = redact(text.trim());
            if !text.is_empty() && estimate(&text) <= MAX_TOKENS * 2 {
                in_chat.keep_narrative(person.as_deref(), &text, engine.now()).await?;
            }
        }
        Err(WorkError::NoModel) => {}
        Err(error) if is_temporary(&error) => return Err(error.into()),
        Err(error) => tracing::warn!(%chat, %error, "profile narrative not written; showing the lists alone"),
    }
    Ok(Outcome::Done)
}
