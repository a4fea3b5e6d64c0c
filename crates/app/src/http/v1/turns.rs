//! Turns: run, listed, and explained by their receipts.

use std::convert::Infallible;

use async_trait::async_trait;
use axum::Json;
use axum::extract::State;
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::json;
use throughline_domain::turn::TurnId;
use throughline_engine::Inbound;
use throughline_engine::turn::{Channel, Outcome};
use throughline_store::messages::{Appended, Purpose};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use utoipa::IntoParams;

use super::{cursor, next_cursor, page_size};
use crate::api::{NewTurn, ReceiptDocument, TurnDocument, TurnEntryDocument, TurnsDocument};
use crate::commands::{lane_named, message_named};
use crate::http::error::ApiError;
use crate::http::extract::{Body, Named, Params, request_key};
use crate::http::{Caller, Web};

/// What happens in a turn.
enum TurnEvent {
    /// The next words of the reply.
    Words(String),
    /// The end.
    Ended(Box<Result<TurnDocument, ApiError>>),
}

/// A client that listens. It may leave; the turn continues and its reply is recorded.
struct Listener(UnboundedSender<TurnEvent>);

#[async_trait]
impl Channel for Listener {
    async fn show(&self, words: &str) {
        let _ = self.0.send(TurnEvent::Words(words.to_owned()));
    }

    async fn deliver(&self, _: &Outcome) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}

/// Run a turn: record a message and answer it.
///
/// With `Accept: text/event-stream` the answer is a stream: events `delta` with `text`, then one event `done` with the whole
/// document, or `error`. A client that leaves early finds the reply among the messages of the chat.
#[utoipa::path(
    post,
    path = "/v1/turns",
    operation_id = "run_turn",
    params(("Idempotency-Key" = Option<String>, Header, description = "A name for this request, such as a UUID.")),
    request_body = NewTurn,
    responses((status = 200, description = "The reply.", content(
        (TurnDocument = "application/json"),
        (String = "text/event-stream"),
    )))
)]
pub async fn take(
    State(web): State<Web>,
    caller: Caller,
    headers: HeaderMap,
    Body { value: new, hash }: Body<NewTurn>,
) -> Result<Response, ApiError> {
    let chat = caller.chat(new.chat.as_deref()).await?;
    let request = request_key(&headers, &caller, hash)?;
    let inbound = Inbound {
        lane: lane_named(new.lane.as_deref(), &chat)?,
        text: new.message,
        speaker: new.speaker,
        agent: new.agent.clone(),
        reply_to: message_named(new.reply_to.as_deref(), &chat, &caller.engine).await?,
        ..Inbound::in_chat(chat)
    };
    let chat = inbound.chat.clone();
    let heard = caller.engine.record(inbound, Purpose::Answer, request).await?.appended;
    let (events, listening) = unbounded_channel();
    web.turns.spawn(run(web.clone(), caller, chat, heard, new.agent, events));
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if accepts.contains("text/event-stream") {
        return Ok(streamed(listening).into_response());
    }
    Ok(Json(whole(listening).await?).into_response())
}

/// Runs the turn to its end, whether or not anybody listens.
async fn run(
    web: Web,
    caller: Caller,
    chat: throughline_domain::chat::ChatId,
    heard: Appended,
    agent: Option<String>,
    events: UnboundedSender<TurnEvent>,
) {
    let listener = Listener(events);
    let ended = caller.engine.answer_heard(&chat, &heard, agent, &listener).await;
    web.host.jobs.notify_one();
    web.metrics.turn(ended.is_ok());
    let ended = ended.map(|outcome| TurnDocument::from(&outcome)).map_err(ApiError::from);
    let _ = listener.0.send(TurnEvent::Ended(Box::new(ended)));
}

async fn whole(mut listening: UnboundedReceiver<TurnEvent>) -> Result<TurnDocument, ApiError> {
    while let Some(event) = listening.recv().await {
        if let TurnEvent::Ended(ended) = event {
            return *ended;
        }
    }
    let message = "the program is ending; the message is recorded and waits";
    Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "ending", message))
}

fn streamed(listening: UnboundedReceiver<TurnEvent>) -> impl IntoResponse {
    let events = stream::unfold(listening, async |mut listening| {
        let event = match listening.recv().await? {
            TurnEvent::Words(text) => named("delta", &json!({ "text": text })),
            TurnEvent::Ended(ended) => match *ended {
                Ok(document) => named("done", &document),
                Err(error) => named("error", &error.document()),
            },
        };
        Some((Ok::<_, Infallible>(event), listening))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

fn named(name: &str, document: &impl Serialize) -> Event {
    Event::default().event(name).json_data(document).unwrap_or_else(|_| Event::default().event("error"))
}

/// Which turns are listed.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// Only this chat; otherwise all that the caller may touch.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    chat: Option<String>,
    /// The `next_cursor` of an earlier answer.
    cursor: Option<String>,
    /// Maximum number of turns; 50 unless given.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

/// List turns, newest first.
#[utoipa::path(
    get,
    path = "/v1/turns",
    operation_id = "list_turns",
    params(Wanted),
    responses((status = 200, description = "A page of turns.", body = TurnsDocument))
)]
pub async fn list(caller: Caller, Params(wanted): Params<Wanted>) -> Result<Json<TurnsDocument>, ApiError> {
    let chat = match &wanted.chat {
        Some(chat) => Some(caller.chat(Some(chat)).await?),
        None => None,
    };
    let (before, limit) = (cursor(wanted.cursor.as_deref())?, page_size(wanted.limit));
    let found = caller.engine.store.turns(chat.as_ref(), before, limit).await?;
    let next_cursor = next_cursor(found.last().map(|turn| turn.id), found.len(), limit);
    Ok(Json(TurnsDocument { turns: found.iter().map(TurnEntryDocument::from).collect(), next_cursor }))
}

/// What went into a turn and why.
#[utoipa::path(
    get,
    path = "/v1/turns/{id}/receipt",
    operation_id = "get_receipt",
    params(("id" = String, Path, description = "The turn.")),
    responses((status = 200, description = "The turn and its receipt.", body = ReceiptDocument))
)]
pub async fn receipt(caller: Caller, Named(id): Named) -> Result<Json<ReceiptDocument>, ApiError> {
    let unknown = || ApiError::not_found("turn", &id);
    let turn: TurnId = id.parse().map_err(|_| unknown())?;
    let found = caller.engine.store.turn(turn).await?.ok_or_else(unknown)?;
    Ok(Json(ReceiptDocument { turn: TurnEntryDocument::from(&found), receipt: found.receipt }))
}
