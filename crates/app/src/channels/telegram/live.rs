//! Live display on Telegram: typing indicators, replies in progress and confirmed buttons.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::turn::Channel;
use tokio::sync::Notify;

use super::api::Api;
use super::lane::thread_to_type;
use super::pace::Pace;
use super::stream::Stream;
use super::target::SendTarget;
use super::update::number;
use super::wire;
use crate::channels::lanes::Live;

/// Time between two typing indicators; Telegram shows each for five seconds.
const TYPING_EVERY: Duration = Duration::from_millis(4_500);
/// Maximum length of the text that confirms a pressed button, in characters.
const LONGEST_CONFIRMATION: usize = 200;

/// The live display of one bot's chats.
pub struct LiveChats {
    api: Arc<Api>,
    pace: Arc<Pace>,
    /// Whether the server supports drafts, which the first attempt shows.
    drafts: Arc<AtomicBool>,
    /// The chats with topics.
    forums: Mutex<HashSet<i64>>,
}

impl LiveChats {
    pub fn new(api: &Arc<Api>, pace: &Arc<Pace>) -> Self {
        let (api, pace) = (Arc::clone(api), Arc::clone(pace));
        Self { api, pace, drafts: Arc::new(AtomicBool::new(true)), forums: Mutex::default() }
    }

    /// Remembers whether a chat has topics.
    pub fn note_forum(&self, chat: &wire::Chat) {
        if chat.is_forum {
            self.forums.lock().unwrap_or_else(PoisonError::into_inner).insert(chat.id);
        }
    }

    fn is_forum(&self, chat: &ChatId) -> bool {
        let forums = self.forums.lock().unwrap_or_else(PoisonError::into_inner);
        number(chat).is_some_and(|number| forums.contains(&number))
    }
}

#[async_trait]
impl Live for LiveChats {
    fn reply(&self, chat: &ChatId, lane: &Lane, stop: Arc<Notify>) -> Box<dyn Channel> {
        let target = SendTarget::of(chat, lane);
        let (api, pace) = (Arc::clone(&self.api), Arc::clone(&self.pace));
        Box::new(Stream::new(api, pace, target, Arc::clone(&self.drafts), stop))
    }

    async fn show_typing(&self, chat: &ChatId, lane: &Lane) -> Option<Duration> {
        let mut fields = json!({ "chat_id": number(chat), "action": "typing" });
        let thread = thread_to_type(lane, self.is_forum(chat));
        if let (Some(thread), Some(map)) = (thread, fields.as_object_mut()) {
            map.insert("message_thread_id".to_owned(), json!(thread));
        }
        self.api.call("sendChatAction", &fields).await.ok().map(|_| TYPING_EVERY)
    }

    async fn confirm_press(&self, query: &str, text: &str) {
        let text: String = text.chars().take(LONGEST_CONFIRMATION).collect();
        let answer = json!({ "callback_query_id": query, "text": text });
        if let Err(error) = self.api.call("answerCallbackQuery", &answer).await {
            tracing::info!(%error, "confirming a pressed button failed; it stops spinning after a while");
        }
    }
}
