//! Makes the summary that stands for a routine's message in a window: two or three sentences of a local model, made once.
//! If the model does not answer in time, the beginning of the message goes on standing for it.

use throughline_models::{Request, Work};
use throughline_store::messages::Reference;
use throughline_text::redact::redact;

use super::{Failed, Outcome};
use crate::Engine;

/// The most an answer may take, in tokens.
const MOST_TOKENS: u32 = 200;
/// A longer answer is no summary, in characters.
const LONGEST: usize = 1_000;
const INSTRUCTIONS: &str = include_str!("../../prompts/routine.md");

impl Engine {
    /// Makes the summary of one message, if it has none yet.
    pub(super) async fn summarize_routine(&self, subject: &str) -> std::result::Result<Outcome, Failed> {
        let Some(model) = &self.routines else { return Ok(Outcome::Done) };
        let Some((chat, id)) = self.store.routine_to_summarize(subject).await? else {
            return Ok(Outcome::Done);
        };
        let in_chat = self.store.chat(&chat).watching().await?;
        let message = match in_chat.find(Reference::Id(id)).await? {
            Some(stored) if stored.message.lacks_routine_summary() => stored.message,
            _ => return Ok(Outcome::Done),
        };
        let work =
            Work { instructions: INSTRUCTIONS.to_owned(), input: message.text, most_tokens: MOST_TOKENS };
        match self.ask_within_cap(model.as_ref(), "routine", &chat, &Request::Work(work)).await {
            Ok(text) => {
                let summary = redact(&text).split_whitespace().collect::<Vec<_>>().join(" ");
                if !summary.is_empty() && summary.chars().count() <= LONGEST {
                    in_chat.keep_routine_summary(id, &summary).await?;
                }
            }
            Err(error) => tracing::info!(%error, "routine summary not made; its first characters are shown"),
        }
        Ok(Outcome::Done)
    }
}
