//! Writes the portrait of a person from what is known, where there is a model for it. Without one the profile is the
//! lists alone, which are made anew each time they are read.

use throughline_domain::chat::ChatId;
use throughline_domain::memory::Status;
use throughline_models::Work;
use throughline_text::tokens::estimate;

use super::{Failed, Outcome};
use crate::Engine;
use crate::work::{NotDone, may_pass};

/// Fewer statements need no portrait.
const FEWEST: usize = 3;
/// What a portrait may cost, in tokens.
const MOST_TOKENS: u32 = 220;
const INSTRUCTIONS: &str = include_str!("../../prompts/profile.md");

impl Engine {
    /// Writes the portrait anew.
    pub(super) async fn write_profile(&self, chat: &str) -> std::result::Result<Outcome, Failed> {
        let Ok(chat) = chat.parse::<ChatId>() else { return Ok(Outcome::Done) };
        let person = self.settings.people.of(&chat);
        let in_chat = self.store.chat(&chat).watching().await?;
        let known = in_chat.memories(person.as_deref()).await?;
        let statements: Vec<String> = known
            .iter()
            .filter(|kept| kept.memory.status == Status::Active)
            .map(|kept| format!("{}: {}", kept.memory.kind.as_str(), kept.memory.text))
            .collect();
        if statements.len() < FEWEST {
            return Ok(Outcome::Done);
        }
        let input = serde_json::json!({ "statements": statements }).to_string();
        let work = Work { instructions: INSTRUCTIONS.to_owned(), input, most_tokens: MOST_TOKENS };
        match self.work("profile", &chat, work).await {
            Ok(text) => {
                let text = throughline_text::redact::redact(text.trim()).into_owned();
                if !text.is_empty() && estimate(&text) <= MOST_TOKENS * 2 {
                    in_chat.keep_narrative(person.as_deref(), &text, self.now()).await?;
                }
                Ok(Outcome::Done)
            }
            Err(NotDone::NoModel) => Ok(Outcome::Done),
            Err(error) if may_pass(&error) => Err(error.into()),
            Err(error) => {
                tracing::warn!(%error, "the profile goes without a portrait");
                Ok(Outcome::Done)
            }
        }
    }
}
