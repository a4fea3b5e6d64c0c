//! `/memory` and `/remember`.

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;

use super::Answer;
use crate::{Engine, Result};

/// A statement as it stands among others: with a capital, unless its first word is written in its own way.
fn as_sentence(fact: &str) -> String {
    let first = fact.split_whitespace().next().unwrap_or_default();
    let mut letters = fact.chars();
    match letters.next() {
        Some(letter) if first.chars().all(|c| c.is_lowercase() || matches!(c, '\'' | '’' | ',' | ':')) => {
            letter.to_uppercase().chain(letters).collect()
        }
        _ => fact.to_owned(),
    }
}

impl Engine {
    pub(super) async fn show_memory(&self, chat: &ChatId, lane: &Lane) -> Result<Answer> {
        Ok(Answer::Text(self.overview(chat, lane).await?.text()))
    }

    pub(super) async fn remember_line(&self, chat: &ChatId, fact: &str) -> Result<Answer> {
        if fact.is_empty() {
            return Ok(Answer::Text("Say what to remember: /remember I am allergic to peanuts".to_owned()));
        }
        Ok(Answer::Text(match self.remember(chat, &as_sentence(fact), None).await {
            Ok(remembered) => remembered.to_string(),
            Err(error) => error.to_string(),
        }))
    }
}
