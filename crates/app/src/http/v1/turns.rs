//! Running and listing turns, and their receipts.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::turn::TurnId;
use throughline_engine::Inbound;
use throughline_engine::turn::{Channel, Outcome};
use throughline_store::messages::{Appended, Purpose, Reference};
use throughline_store::outbox::NewOutboxItem;
use tokio::sync::Notify;
use tokio::sync::mpsc::unbounded_channel;
use utoipa::IntoParams;

use super::outcome::{Report, Reporter, respond, wants_stream};
use super::page::{Page, Paged};
use crate::api::{NewTurn, ReceiptDocument, TurnDocument, TurnEntryDocument, TurnsDocument};
use crate::channels::{Draft, compose};
use crate::commands::{lane_named, message_named};
use crate::http::error::ApiError;
use crate::http::extract::{Body, Named, request_key};
use crate::http::{Caller, Web};

/// The client of a turn. If it disconnects, the turn continues and its reply is recorded.
struct Listener {
    reports: Reporter<TurnDocument>,
    /// Notified when the person stops the reply.
    stop: Arc<Notify>,
    /// Echoes the turn to the chat's channel, if that is connected.
    echo: Option<ChannelEcho>,
}

/// The lane of a connected channel that also gets the reply.
struct ChannelEcho {
    chat: ChatId,
    lane: Lane,
    /// The answered message, quoted in Markdown.
    quote: String,
}

#[async_trait]
impl Channel for Listener {
    async fn show(&self, words: &str) {
        let _ = self.reports.send(Report::event("delta", &json!({ "text": words })));
    }

    async fn stopped(&self) {
        self.stop.notified().await;
    }

    fn outbox_items(&self, text: &str, _: Option<&str>) -> Vec<NewOutboxItem> {
        let items = |ChannelEcho { chat, lane, quote }: &ChannelEcho| {
            compose(chat, lane, Draft::Reply(&format!("{quote}\n\n{text}")))
        };
        self.echo.as_ref().map(items).unwrap_or_default()
    }

    async fn deliver(&self, _: &Outcome) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}

/// Run a turn: record a message and answer it.
///
/// With `Accept: text/event-stream` the answer is a stream: events `delta` with `text`, then one event `done` with the whole
/// document, or `error`. A client that leaves early finds the reply among the messages of the chat. The command `/stop` ends
/// it early.
///
/// In a chat of a channel that is connected, such as Telegram, the reply is sent there too, below a quote of the message.
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
pub async fn run(
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
    let recorded = caller.engine.record(inbound, Purpose::Answer, request).await?.appended;
    let (reports, reported) = unbounded_channel();
    web.turns.spawn(run_to_end(web.clone(), caller, chat, recorded, new.agent, reports));
    let interrupted = "the program is ending; the message is recorded and waits";
    respond(reported, wants_stream(&headers), interrupted).await
}

/// Runs the turn to its end, even if the client disconnects.
async fn run_to_end(
    web: Web,
    caller: Caller,
    chat: ChatId,
    recorded: Appended,
    agent: Option<String>,
    reports: Reporter<TurnDocument>,
) {
    let lane = (chat.clone(), recorded.lane.clone());
    let echo = channel_echo(&web, &caller, &chat, &recorded).await;
    let listener = Listener { reports, stop: web.host.stops.begin(&lane), echo };
    let ended = caller.engine.answer_recorded(&chat, &recorded, agent, &listener).await;
    web.host.stops.end(&lane);
    if let Some(sender) = web.channels.sender(&chat) {
        sender.request(&chat);
    }
    web.host.jobs.notify_one();
    web.metrics.turn(ended.is_ok());
    let ended = ended.map(|outcome| TurnDocument::from(&outcome)).map_err(ApiError::from);
    let _ = listener.reports.send(Report::Ended(Box::new(ended)));
}

/// The echo to the chat's channel, if that is connected. It quotes the message as stored, without secrets.
async fn channel_echo(web: &Web, caller: &Caller, chat: &ChatId, recorded: &Appended) -> Option<ChannelEcho> {
    web.channels.sender(chat)?;
    let stored = caller.engine.store.chat(chat).find(Reference::Id(recorded.id)).await.ok().flatten()?;
    let quote = quote_markdown(&stored.message.text);
    Some(ChannelEcho { chat: chat.clone(), lane: recorded.lane.clone(), quote })
}

/// Quotes a text in Markdown, with its own marks escaped.
fn quote_markdown(text: &str) -> String {
    let escaped = |line: &str| -> String {
        let needs_escape = |c: char| c.is_ascii_punctuation();
        line.trim_start()
            .chars()
            .flat_map(|c| needs_escape(c).then_some('\\').into_iter().chain([c]))
            .collect()
    };
    text.lines().map(|line| format!("> {}", escaped(line))).collect::<Vec<_>>().join("\n")
}

/// The turns to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TurnFilter {
    /// Only this chat; otherwise all that the caller may touch.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    chat: Option<String>,
}

/// List turns, newest first.
#[utoipa::path(
    get,
    path = "/v1/turns",
    operation_id = "list_turns",
    params(TurnFilter, Page),
    responses((status = 200, description = "A page of turns.", body = TurnsDocument))
)]
pub async fn list(
    caller: Caller,
    Paged(filter, page): Paged<TurnFilter>,
) -> Result<Json<TurnsDocument>, ApiError> {
    let chat = caller.chat_filter(filter.chat.as_deref()).await?;
    let (before, limit) = page.position()?;
    let found = caller.engine.store.turns(chat.as_ref(), before, limit).await?;
    let next_cursor = page.next(&found, |turn| turn.id);
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
    Ok(Json(ReceiptDocument {
        turn: TurnEntryDocument::from(&found),
        receipt: found.receipt.map(Into::into),
    }))
}
