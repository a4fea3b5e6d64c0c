//! New messages of a chat, as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use throughline_domain::context::StoredMessage;
use throughline_domain::message::MessageId;
use throughline_engine::Engine;
use throughline_store::InChat;
use throughline_store::messages::Reference;
use tokio::sync::watch;

use super::ChatParams;
use crate::api::MessageDocument;
use crate::http::error::ApiError;
use crate::http::extract::Params;
use crate::http::{Caller, Web};

/// Time between two checks for new messages, which other processes may write too.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// Maximum number of messages read at once.
const BATCH: usize = 100;

/// A client that listens to a chat.
struct Listener {
    chat: InChat,
    /// The sequence number of the newest message that was read.
    seq: i64,
    waiting: VecDeque<StoredMessage>,
    newest: watch::Receiver<i64>,
}

/// The new messages of a chat, as server-sent events `message`.
///
/// With `Last-Event-ID`, the messages after that one come first.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "listen",
    params(ChatParams, ("Last-Event-ID" = Option<String>, Header, description = "The last message that was received.")),
    responses((status = 200, description = "A stream of messages.", content_type = "text/event-stream", body = String))
)]
pub async fn events(
    State(web): State<Web>,
    caller: Caller,
    headers: HeaderMap,
    Params(params): Params<ChatParams>,
) -> Result<Response, ApiError> {
    let chat = caller.engine.store.chat(&caller.chat(params.chat.as_deref()).await?);
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let seq = match last {
        Some(last) => seq_of(&chat, last).await?,
        None => caller.engine.store.newest_seq().await?,
    };
    let listener = Listener { chat, seq, waiting: VecDeque::new(), newest: web.newest.subscribe() };
    let events = stream::unfold(listener, async |mut listener| {
        let message = listener.next().await?;
        let event = Event::default().event("message").id(message.message.id.to_string());
        let event = event.json_data(MessageDocument::from(&message)).unwrap_or_default();
        Some((Ok::<_, Infallible>(event), listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

async fn seq_of(chat: &InChat, last: MessageId) -> Result<i64, ApiError> {
    let found = chat.find(Reference::Id(last)).await?;
    found.map(|stored| stored.seq).ok_or_else(|| ApiError::not_found("message", &last.to_string()))
}

impl Listener {
    /// The next message; `None` ends the stream, and the client connects again.
    async fn next(&mut self) -> Option<StoredMessage> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Some(message);
            }
            self.newest.wait_for(|newest| *newest > self.seq).await.ok()?;
            let newest = *self.newest.borrow_and_update();
            let found = self.chat.recorded_after(self.seq, BATCH).await.ok()?;
            // If nothing is new in this chat, the newest message belongs to another chat and need not be read again.
            self.seq = found.last().map_or(newest, |stored| stored.seq);
            self.waiting.extend(found);
        }
    }
}

/// Publishes the number of the newest message while clients listen.
pub async fn watch(engine: Engine, newest: watch::Sender<i64>) {
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        if newest.receiver_count() == 0 {
            continue;
        }
        match engine.store.newest_seq().await {
            Ok(seq) => _ = newest.send_if_modified(|known| std::mem::replace(known, seq) != seq),
            Err(error) => tracing::warn!(%error, "polling for new messages failed; retrying"),
        }
    }
}
