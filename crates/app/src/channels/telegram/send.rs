//! Sends an outbox item through the Bot API, and decides what happens after an error.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::SignedDuration;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_store::outbox::{OutboxItem, Sent};

use super::api::{Api, ApiError};
use super::pace::{Pace, pause};
use super::target::TelegramSend;
use super::update::chat_id;
use crate::channels::outbox::Outbound;
use crate::commands::export_text;
use crate::wire::App;

/// Sends items through one bot.
pub struct BotOutbound {
    pub api: Arc<Api>,
    pub engine: Engine,
    pub app: Arc<App>,
    pub pace: Arc<Pace>,
}

#[async_trait]
impl Outbound for BotOutbound {
    fn acquire_slot(&self, chat: &ChatId, now: Instant) -> Duration {
        self.pace.acquire(chat, now)
    }

    fn release_slot(&self, chat: &ChatId) {
        self.pace.release(chat);
    }

    async fn send(&self, item: &OutboxItem) -> Sent {
        let Some(send) = TelegramSend::read(&item.body) else {
            return Sent::Refused("the outbox item cannot be read".to_owned());
        };
        let (method, fields) = send.request(&item.chat);
        let answer = if let Some(text) = &send.file {
            self.api.send_document(&fields, "all.txt", text.clone()).await
        } else if send.export {
            match export_text(&item.chat, &self.app, &self.engine).await {
                Ok(text) => self.api.send_document(&fields, "chat.md", text).await,
                Err(_) => return Sent::Refused("the chat could not be exported".to_owned()),
            }
        } else {
            self.api.call(method, &fields).await
        };
        match answer {
            Ok(result) => {
                let id = send.edits.or_else(|| result.get("message_id").and_then(Value::as_i64));
                Sent::Delivered(id.map(|id| id.to_string()))
            }
            Err(error) => self.on_send_error(item, send, error).await,
        }
    }
}

impl BotOutbound {
    async fn on_send_error(&self, item: &OutboxItem, send: TelegramSend, error: ApiError) -> Sent {
        let problem = error.to_string();
        match error {
            ApiError::TooMany(wait) => {
                self.pace.pause(&item.chat, wait, Instant::now());
                again(wait, problem)
            }
            ApiError::Unauthorized | ApiError::Conflict(_) | ApiError::NotDone(_) => {
                again(pause(item.attempts), problem)
            }
            // Editing a message is idempotent.
            ApiError::Ambiguous(_) if send.edits.is_some() => again(pause(item.attempts), problem),
            ApiError::Ambiguous(_) => Sent::Uncertain(problem),
            ApiError::Moved(to) => self.follow(item, to, problem).await,
            ApiError::Refused(why) => self.refused(item, send, &why).await,
        }
    }

    /// Moves the chat and its waiting items to the chat's new id.
    async fn follow(&self, item: &OutboxItem, to: i64, problem: String) -> Sent {
        let Some(to) = chat_id(to) else { return Sent::Refused(problem) };
        if let Err(error) = self.engine.store.move_chat(&item.chat, &to).await {
            tracing::warn!(%error, "moving a chat to its new number failed; retrying with the next item");
        }
        again(Duration::ZERO, problem)
    }

    async fn refused(&self, item: &OutboxItem, send: TelegramSend, why: &str) -> Sent {
        let holds = |words: &str| why.to_lowercase().contains(words);
        if let Some(message) = send.edits {
            if holds("message is not modified") {
                return Sent::Delivered(Some(message.to_string()));
            }
            if holds("not found") || holds("can't be edited") {
                tracing::info!(message, "message to edit is gone; sending a new one");
                return retry_now(&TelegramSend { edits: None, ..send }, why);
            }
        }
        if holds("thread not found")
            && let Some(thread) = send.thread
        {
            let lane = Lane::Topic(thread.to_string());
            if let Err(error) = self.engine.store.chat(&item.chat).close_lane(&lane).await {
                tracing::warn!(%error, "closing a deleted topic failed; sending to the root");
            }
            return retry_now(&TelegramSend { thread: None, ..send }, why);
        }
        if holds("can't parse entities") && !send.html.is_empty() {
            return retry_now(&TelegramSend { html: String::new(), ..send }, why);
        }
        Sent::Refused(why.to_owned())
    }
}

/// Retries at once in another form.
fn retry_now(send: &TelegramSend, why: &str) -> Sent {
    Sent::Again { body: Some(send.body()), at: SystemClock.now(), problem: why.to_owned() }
}

fn again(wait: Duration, problem: String) -> Sent {
    let (now, wait) = (SystemClock.now(), SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX));
    Sent::Again { body: None, at: now.saturating_add(wait).unwrap_or(now), problem }
}
