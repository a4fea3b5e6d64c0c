//! Sends what is written down, chat by chat and in order. That a piece is about to leave is on disk before it leaves; one
//! that left without an answer is never sent again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_store::outbox::{OutboxItem, Sent};

use super::LOOK_AROUND;
use super::api::{Api, ApiError};
use super::pace::{Pace, pause};
use super::target::TelegramSend;
use super::update::chat_id;
use crate::commands::export_text;
use crate::tasks::KeyedTasks;
use crate::wire::App;

/// What could not be noted is tried again after so long.
const NOTE_AGAIN: Duration = Duration::from_secs(1);
/// How long a piece stays with the process that sends it: longer than the slowest request may take.
const LEASE: Duration = Duration::from_secs(300);

/// What sends.
pub struct Sender {
    pub api: Arc<Api>,
    pub engine: Engine,
    pub app: Arc<App>,
    pub pace: Pace,
    pub chats: KeyedTasks<ChatId>,
}

impl Sender {
    /// Sends what a chat has to be sent, from now on.
    pub fn ask(self: &Arc<Self>, chat: &ChatId) {
        let sender = Arc::clone(self);
        self.chats.ask(chat.clone(), move |chat| {
            let sender = Arc::clone(&sender);
            async move {
                if let Err(error) = sender.send_all(&chat).await {
                    tracing::warn!(%chat, %error, "what is to be sent waits");
                }
            }
        });
    }

    /// Sends whatever any chat has to be sent.
    pub async fn ask_all(self: &Arc<Self>) -> throughline_store::Result<()> {
        for (chat, due) in self.engine.store.unsent("telegram").await? {
            if due <= SystemClock.now() {
                self.ask(&chat);
            }
        }
        Ok(())
    }

    async fn send_all(self: &Arc<Self>, chat: &ChatId) -> throughline_store::Result<()> {
        loop {
            let mut wait = self.pace.step(chat, Instant::now());
            if wait.is_zero() {
                match self.send_next(chat).await? {
                    None => {
                        self.pace.take_back(chat);
                        return Ok(());
                    }
                    Some(Sent::Again { at, .. }) => {
                        wait = at.duration_since(SystemClock.now()).try_into().unwrap_or_default();
                    }
                    Some(_) => {}
                }
            }
            // Whoever looks around comes back to it: what sleeps here keeps the program from ending.
            if wait > LOOK_AROUND {
                return Ok(());
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// Sends what a chat has to be sent now; what does not go at once is left to whoever serves the home. Gives why the
    /// last piece was refused, if it was.
    pub async fn try_once(self: &Arc<Self>, chat: &ChatId) -> throughline_store::Result<Option<String>> {
        let mut refused = None;
        while let Some(sent) = self.send_next(chat).await? {
            refused = match sent {
                Sent::Again { at, .. } if at > SystemClock.now() => break,
                Sent::Refused(why) => Some(why),
                Sent::Again { .. } | Sent::Delivered(_) | Sent::Uncertain(_) => None,
            };
        }
        Ok(refused)
    }

    async fn send_next(self: &Arc<Self>, chat: &ChatId) -> throughline_store::Result<Option<Sent>> {
        let holder = self.engine.holder(LEASE);
        let Some(item) = self.engine.store.begin_send(chat, &holder, SystemClock.now()).await? else {
            return Ok(None);
        };
        let sent = self.send(&item).await;
        match &sent {
            Sent::Delivered(_) => {}
            Sent::Uncertain(why) => tracing::warn!(%chat, why, "nobody knows whether a message was seen"),
            Sent::Refused(why) => tracing::warn!(%chat, why, "a message was refused"),
            Sent::Again { problem, .. } => tracing::info!(%chat, problem, "a message is sent later"),
        }
        // That it was sent must not be lost: until it is noted, nothing else is sent there.
        while let Err(error) = self.engine.store.end_send(item.id, sent.clone()).await {
            tracing::error!(%chat, %error, "what became of a message could not be noted; trying again");
            tokio::time::sleep(NOTE_AGAIN).await;
        }
        Ok(Some(sent))
    }

    /// Sends one piece, and says what became of it.
    async fn send(self: &Arc<Self>, item: &OutboxItem) -> Sent {
        let Some(send) = TelegramSend::read(&item.body) else {
            return Sent::Refused("what was written down cannot be read".to_owned());
        };
        let (method, fields) = send.request(&item.chat);
        let answer = if send.export {
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

    async fn on_send_error(self: &Arc<Self>, item: &OutboxItem, send: TelegramSend, error: ApiError) -> Sent {
        let problem = error.to_string();
        match error {
            ApiError::TooMany(wait) => {
                self.pace.pause(&item.chat, wait, Instant::now());
                again(None, wait, problem)
            }
            ApiError::Unauthorized | ApiError::Conflict(_) | ApiError::NotDone(_) => {
                again(None, pause(item.attempts), problem)
            }
            // To change a message twice is to change it once.
            ApiError::Ambiguous(_) if send.edits.is_some() => again(None, pause(item.attempts), problem),
            ApiError::Ambiguous(_) => Sent::Uncertain(problem),
            ApiError::Moved(to) => self.follow(item, to, problem).await,
            ApiError::Refused(why) => self.refused(item, send, &why).await,
        }
    }

    /// The chat goes on under another number, and everything with it.
    async fn follow(self: &Arc<Self>, item: &OutboxItem, to: i64, problem: String) -> Sent {
        let Some(to) = chat_id(to) else { return Sent::Refused(problem) };
        if let Err(error) = self.engine.store.move_chat(&item.chat, &to).await {
            tracing::warn!(%error, "a chat could not be moved");
        }
        self.ask(&to);
        again(None, Duration::ZERO, problem)
    }

    async fn refused(&self, item: &OutboxItem, send: TelegramSend, why: &str) -> Sent {
        let holds = |words: &str| why.to_lowercase().contains(words);
        if let Some(message) = send.edits {
            if holds("message is not modified") {
                return Sent::Delivered(Some(message.to_string()));
            }
            if holds("not found") || holds("can't be edited") {
                tracing::info!(message, "a message that is gone is sent anew");
                return at_once(&TelegramSend { edits: None, ..send }, why);
            }
        }
        if holds("thread not found")
            && let Some(thread) = send.thread
        {
            let lane = Lane::Topic(thread.to_string());
            if let Err(error) = self.engine.store.chat(&item.chat).close_lane(&lane).await {
                tracing::warn!(%error, "a topic that is gone could not be closed");
            }
            return at_once(&TelegramSend { thread: None, ..send }, why);
        }
        if holds("can't parse entities") && !send.html.is_empty() {
            return at_once(&TelegramSend { html: String::new(), ..send }, why);
        }
        Sent::Refused(why.to_owned())
    }
}

fn at_once(send: &TelegramSend, why: &str) -> Sent {
    Sent::Again { body: Some(send.body()), at: SystemClock.now(), problem: why.to_owned() }
}

fn again(body: Option<String>, wait: Duration, problem: String) -> Sent {
    Sent::Again { body, at: later(SystemClock.now(), wait), problem }
}

fn later(now: Timestamp, wait: Duration) -> Timestamp {
    SignedDuration::try_from(wait).ok().and_then(|wait| now.checked_add(wait).ok()).unwrap_or(now)
}
