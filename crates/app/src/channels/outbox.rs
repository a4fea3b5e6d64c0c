//! Sends the items of the outbox, chat by chat and in order. An item is marked as being sent before the request
//! starts; an item whose request got no response is never sent again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_store::outbox::{OutboxItem, Sent};

use super::lanes::POLL_EVERY;
use crate::tasks::{KeyedTasks, Tasks};

/// Back-off when the result of a send cannot be written to disk.
const RESULT_RETRY_AFTER: Duration = Duration::from_secs(1);
/// Time for which an item belongs to the process that sends it; longer than the slowest request.
const LEASE: Duration = Duration::from_secs(300);

/// A channel's way to send one item, and its rate limit.
#[async_trait]
pub trait Outbound: Send + Sync {
    /// The wait before the next item to a chat may be sent. Zero means that the item may be sent now, and counts it as
    /// sent.
    fn acquire_slot(&self, chat: &ChatId, now: Instant) -> Duration;

    /// Uncounts an item, because there was nothing to send.
    fn release_slot(&self, chat: &ChatId);

    /// Sends one item.
    async fn send(&self, item: &OutboxItem) -> Sent;
}

/// Sends the outbox of one channel.
pub struct Sender {
    kind: ChannelKind,
    engine: Engine,
    outbound: Box<dyn Outbound>,
    chats: KeyedTasks<ChatId>,
}

impl Sender {
    /// Creates the sender of a channel.
    pub fn new(kind: ChannelKind, engine: &Engine, outbound: Box<dyn Outbound>, tasks: &Tasks) -> Self {
        Self { kind, engine: engine.clone(), outbound, chats: KeyedTasks::new(tasks) }
    }

    /// Requests sending the items of a chat.
    pub fn request(self: &Arc<Self>, chat: &ChatId) {
        let sender = Arc::clone(self);
        self.chats.request(chat.clone(), move |chat| {
            let sender = Arc::clone(&sender);
            async move {
                if let Err(error) = sender.send_all(&chat).await {
                    tracing::warn!(%chat, %error, "outbox: reading items failed; retrying in 1 s");
                }
            }
        });
    }

    /// Requests sending the items of all chats.
    pub async fn request_all(self: &Arc<Self>) -> throughline_store::Result<()> {
        for (chat, due) in self.engine.store.unsent(self.kind.name()).await? {
            if due <= SystemClock.now() {
                self.request(&chat);
            }
        }
        Ok(())
    }

    async fn send_all(&self, chat: &ChatId) -> throughline_store::Result<()> {
        loop {
            let mut wait = self.outbound.acquire_slot(chat, Instant::now());
            if wait.is_zero() {
                match self.send_next(chat).await? {
                    None => {
                        self.outbound.release_slot(chat);
                        return Ok(());
                    }
                    Some(Sent::Again { at, .. }) => {
                        wait = at.duration_since(SystemClock.now()).try_into().unwrap_or_default();
                    }
                    Some(_) => {}
                }
            }
            // The next poll returns to this chat; a longer sleep here would delay the end of the program.
            if wait > POLL_EVERY {
                return Ok(());
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// Sends the items of a chat that can be sent now; the others wait for the process that serves the home. Returns
    /// the reason if the last item was refused.
    pub async fn try_once(&self, chat: &ChatId) -> throughline_store::Result<Option<String>> {
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

    async fn send_next(&self, chat: &ChatId) -> throughline_store::Result<Option<Sent>> {
        let holder = self.engine.holder(LEASE);
        let Some(item) = self.engine.store.begin_send(chat, &holder, SystemClock.now()).await? else {
            return Ok(None);
        };
        let sent = self.outbound.send(&item).await;
        let id = item.id;
        match &sent {
            Sent::Delivered(_) => {}
            Sent::Uncertain(why) => {
                tracing::warn!(%chat, why, "outbox: item {id} uncertain; not sending it again");
            }
            Sent::Refused(why) => tracing::warn!(%chat, why, "outbox: item {id} refused; giving it up"),
            Sent::Again { problem, .. } => {
                tracing::info!(%chat, problem, "outbox: item {id} not sent; retrying later");
            }
        }
        // Nothing else is sent to this chat until the result is on disk.
        while let Err(error) = self.engine.store.end_send(id, sent.clone(), SystemClock.now()).await {
            tracing::error!(%chat, %error, "outbox: writing the result of item {id} failed; retrying in 1 s");
            tokio::time::sleep(RESULT_RETRY_AFTER).await;
        }
        Ok(Some(sent))
    }
}
