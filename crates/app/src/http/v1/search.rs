//! Search.

use std::time::Instant;

use axum::Json;
use axum::extract::State;
use throughline_domain::chat::ChatId;
use throughline_engine::recall::Question;
use throughline_engine::search::HitKind;

use crate::api::{SearchDocument, SearchQuery};
use crate::commands::{lane_named, moment_named};
use crate::http::error::ApiError;
use crate::http::extract::Body;
use crate::http::{Caller, Web};

/// Search the messages, memories and summaries of a chat, or of all chats of the caller's person.
#[utoipa::path(
    post,
    path = "/v1/search",
    operation_id = "search",
    request_body = SearchQuery,
    responses((status = 200, description = "The hits, best first.", body = SearchDocument))
)]
pub async fn search(
    State(web): State<Web>,
    caller: Caller,
    Body { value: query, .. }: Body<SearchQuery>,
) -> Result<Json<SearchDocument>, ApiError> {
    let chats = chats(&query, &caller).await?;
    let app = &web.host.app;
    let lane = match chats.as_slice() {
        [chat] => lane_named(query.lane.as_deref(), chat)?,
        _ => None,
    };
    let question = Question {
        text: query.query.clone(),
        lane,
        since: moment_named(query.since.as_deref(), "since", app)?,
        until: moment_named(query.until.as_deref(), "until", app)?,
        limit: usize::from(query.limit.unwrap_or(10).clamp(1, 1000)),
        ..Question::default()
    };
    let kind = match query.kind.as_deref() {
        None => None,
        Some("message") => Some(HitKind::Message),
        Some("memory") => Some(HitKind::Memory),
        Some("summary") => Some(HitKind::Summary),
        Some(other) => {
            return Err(ApiError::invalid(format!("kind: {other:?} is none of message, memory and summary")));
        }
    };
    let started = Instant::now();
    let found = caller.engine.search(&chats, kind, &question).await?;
    let elapsed = started.elapsed();
    web.metrics.recall(elapsed);
    Ok(Json(SearchDocument::new(&query.query, &found, elapsed)))
}

/// The chats to search: one, or all chats of the caller's person.
async fn chats(query: &SearchQuery, caller: &Caller) -> Result<Vec<ChatId>, ApiError> {
    if !query.all {
        return Ok(vec![caller.chat(query.chat.as_deref()).await?]);
    }
    if query.chat.is_some() || query.lane.is_some() {
        return Err(ApiError::invalid("all: goes without chat and lane"));
    }
    match caller.is_owner() {
        true => Ok(caller.engine.chats_of_owner().await?),
        false => Ok(caller.engine.store.chats().await?.into_iter().map(|count| count.chat).collect()),
    }
}
