//! Recording and listing messages.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Deserialize;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_store::messages::Purpose;
use tokio::time::Instant;
use utoipa::{IntoParams, ToSchema};

use super::LaneParams;
use super::page::{Page, Paged};
use crate::api::{MessageDocument, MessagesPage, NewMessage, RecordDocument};
use crate::commands::lane_named;
use crate::http::error::ApiError;
use crate::http::extract::{Body, Params, request_key};
use crate::http::{Caller, Web};

/// Maximum time to wait until a message is indexed.
const INDEX_TIMEOUT: Duration = Duration::from_secs(30);
/// Time between two checks of the index.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// RecordParams to respond.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RecordParams {
    /// `indexed` answers once the message can be found by meaning too, or after 30 seconds.
    #[param(inline)]
    wait: Option<Wait>,
}

/// The event to wait for before responding.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Wait {
    Indexed,
}

/// Record a message.
///
/// Its words can be found when this answers. A request with an `Idempotency-Key` that comes again within a week gets the
/// answer of the first time.
#[utoipa::path(
    post,
    path = "/v1/messages",
    operation_id = "record_message",
    params(RecordParams, ("Idempotency-Key" = Option<String>, Header, description = "A name for this request, such as a UUID.")),
    request_body = NewMessage,
    responses((status = 200, description = "The recorded message.", body = RecordDocument))
)]
pub async fn record(
    State(web): State<Web>,
    caller: Caller,
    Params(params): Params<RecordParams>,
    headers: HeaderMap,
    Body { value: new, hash }: Body<NewMessage>,
) -> Result<Json<RecordDocument>, ApiError> {
    let chat = caller.chat(new.chat.as_deref()).await?;
    let request = request_key(&headers, &caller, hash)?;
    let (inbound, role) = new.inbound(&chat, &web.host.app, &caller.engine).await?;
    let recorded = caller.engine.record(inbound, Purpose::Record, request).await?;
    web.host.jobs.notify_one();
    let mut document = RecordDocument::new(&chat, role, &recorded);
    if let Some(Wait::Indexed) = params.wait {
        document.indexed = Some(wait_until_indexed(&chat, &caller.engine).await?);
    }
    Ok(Json(document))
}

/// Waits until every message of a chat has its vector; `false` after the time limit.
async fn wait_until_indexed(chat: &ChatId, engine: &Engine) -> Result<bool, ApiError> {
    let Some(embedder) = &engine.embedder else { return Ok(true) };
    let (in_chat, deadline) = (engine.store.chat(chat), Instant::now() + INDEX_TIMEOUT);
    while in_chat.lacks_vectors(embedder.id()).await? {
        if Instant::now() >= deadline {
            return Ok(false);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(true)
}

/// List the messages of a lane, newest first.
#[utoipa::path(
    get,
    path = "/v1/messages",
    operation_id = "list_messages",
    params(LaneParams, Page),
    responses((status = 200, description = "A page of messages.", body = MessagesPage))
)]
pub async fn list(
    caller: Caller,
    Paged(params, page): Paged<LaneParams>,
) -> Result<Json<MessagesPage>, ApiError> {
    let chat = caller.chat(params.chat.as_deref()).await?;
    let lane = lane_named(params.lane.as_deref(), &chat)?.unwrap_or(Lane::Root);
    let (before, limit) = page.position()?;
    let found = caller.engine.store.chat(&chat).preceding(&lane, before, limit).await?;
    Ok(Json(MessagesPage {
        chat: chat.to_string(),
        lane: lane.key(&chat),
        next_cursor: page.next(&found, |stored| stored.message.id),
        messages: found.iter().map(MessageDocument::from).collect(),
    }))
}
