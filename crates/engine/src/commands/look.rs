//! Commands that show what is stored: `/search`, `/why`, `/context`, `/conversations`, `/routines`.

use throughline_domain::chat::ChatId;
use throughline_domain::context::Current;
use throughline_domain::lane::Lane;
use throughline_text::redact::redact;

use super::Answer;
use crate::recall::Question;
use crate::search::HitKind;
use crate::turn::gather::ContextRequest;
use crate::{Engine, Result};

/// Maximum number of hits shown by `/search`.
const MAX_HITS: usize = 5;
/// Maximum number of conversations shown by `/conversations`.
const MAX_CONVERSATIONS: usize = 20;

impl Engine {
    pub(super) async fn search_line(&self, chat: &ChatId, words: &str) -> Result<Answer> {
        if words.is_empty() {
            return Ok(Answer::Text("Say what to look for: /search spare key".to_owned()));
        }
        let question = Question { text: words.to_owned(), limit: MAX_HITS, ..Question::default() };
        Ok(Answer::Found(self.search(std::slice::from_ref(chat), Some(HitKind::Message), &question).await?))
    }

    pub(super) async fn explain_last_reply(&self, chat: &ChatId, lane: &Lane) -> Result<Answer> {
        let last = self.store.chat(chat).last_turn(lane).await?;
        Ok(match last.and_then(|turn| turn.receipt) {
            Some(mut receipt) => {
                // The error text may contain the owner's hosts and file names.
                if !self.settings.people.is_owners(chat) {
                    receipt.degraded.clear();
                }
                Answer::Receipt(Box::new(receipt))
            }
            None => Answer::Text("Nothing was answered here yet.".to_owned()),
        })
    }

    pub(super) async fn show_context(&self, chat: &ChatId, lane: &Lane, text: &str) -> Result<Answer> {
        let message = (!text.is_empty()).then(|| Current {
            ids: Vec::new(),
            text: redact(text).into_owned(),
            speaker: None,
        });
        let request = ContextRequest { message, ..ContextRequest::new(chat.clone(), lane.clone()) };
        Ok(Answer::Text(self.preview(request).await?.text()))
    }

    pub(super) async fn list_conversations(&self, chat: &ChatId) -> Result<Answer> {
        Ok(Answer::Conversations(self.store.chat(chat).conversations(None, MAX_CONVERSATIONS).await?))
    }

    pub(super) async fn show_routines(&self, chat: &ChatId, lane: &Lane) -> Result<Answer> {
        let mut today = self.summaries(chat, lane).await?;
        today.summaries.clear();
        today.ongoing = 0;
        today.recent.clear();
        Ok(Answer::Routines { all: self.settings.people.is_owners(chat), today })
    }
}
