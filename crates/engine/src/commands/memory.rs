//! `/memory` and `/remember`.

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;

use super::Answer;
use crate::{Engine, Result};

impl Engine {
    pub(super) async fn show_memory(&self, chat: &ChatId, lane: &Lane) -> Result<Answer> {
        Ok(Answer::Text(self.overview(chat, lane).await?.text()))
    }

    pub(super) async fn remember_line(&self, chat: &ChatId, fact: &str) -> Result<Answer> {
        if fact.is_empty() {
            return Ok(Answer::Text("Say what to remember: /remember I am allergic to peanuts".to_owned()));
        }
        Ok(Answer::Text(match self.remember(chat, fact, None).await {
            Ok(remembered) => remembered.to_string(),
            Err(error) => error.to_string(),
        }))
    }
}
