//! What stands for a routine's message in a window: two or three sentences of a local model, made once, when the message
//! is recorded. Where the model does not answer in time, the beginning of the message stands for it.

use throughline_domain::chat::ChatId;
use throughline_models::{Answer, Request, Work, whole_answer};

use crate::Engine;
use crate::work::Entry;

/// A message of at most so many characters stands for itself; of a longer one without a summary, so many are shown.
const SHOWN: usize = 300;
/// The most an answer may take, in tokens.
const MOST_TOKENS: u32 = 200;
/// A longer answer is no summary, in characters.
const LONGEST: usize = 1_000;
const INSTRUCTIONS: &str = include_str!("../prompts/routine.md");

impl Engine {
    /// What stands for the message of a routine.
    pub(crate) async fn routine_note(&self, chat: &ChatId, text: &str) -> String {
        if text.chars().nth(SHOWN).is_none() {
            return text.to_owned();
        }
        match self.condensed_by_model(chat, text).await {
            Some(note) => note,
            None => text.chars().take(SHOWN).collect::<String>() + "...",
        }
    }

    async fn condensed_by_model(&self, chat: &ChatId, text: &str) -> Option<String> {
        let model = self.routines.as_ref()?;
        let work = Work {
            instructions: INSTRUCTIONS.to_owned(),
            material: text.to_owned(),
            most_tokens: MOST_TOKENS,
        };
        let began = std::time::Instant::now();
        let answer = whole_answer(model.as_ref(), &Request::Work(work)).await;
        let entry = Entry { purpose: "routine", chat, turn: None, background: true, took: began.elapsed() };
        if let Err(error) = self.note(entry, model.name(), &answer).await {
            tracing::warn!(%error, "a call is missing in the ledger");
        }
        match answer {
            Ok(Answer { text, cut: None, .. }) => {
                let note = text.split_whitespace().collect::<Vec<_>>().join(" ");
                Some(note).filter(|note| !note.is_empty() && note.chars().count() <= LONGEST)
            }
            Ok(_) => None,
            Err(error) => {
                tracing::info!(%error, "the beginning of a routine's message stands for it");
                None
            }
        }
    }
}
