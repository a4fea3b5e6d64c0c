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
    Body { value: asked, .. }: Body<SearchQuery>,
) -> Result<Json<SearchDocument>, ApiError> {
    let chats = chats(&asked, &caller).await?;
    let app = &web.host.app;
    let lane = match chats.as_slice() {
        [chat] => lane_named(asked.lane.as_deref(), chat)?,
        _ => None,
    };
    let question = Question {
        text: asked.query.clone(),
        lane,
        since: moment_named(asked.since.as_deref(), "since", app)?,
        until: moment_named(asked.until.as_deref(), "until", app)?,
        limit: usize::from(asked.limit.unwrap_or(10).clamp(1, 1000)),
        ..Question::default()
    };
    let kind = match asked.kind.as_deref() {
        None => None,
        Some("message") => Some(HitKind::Message),
        Some("memory") => Some(HitKind::Memory),
        Some("summary") => Some(HitKind::Summary),
        Some(other) => {
            return Err(ApiError::invalid(format!("kind: {other:?} is none of message, memory and summary")));
        }
    };
    let began = Instant::now();
    let found = caller.engine.search(&chats, kind, &question).await?;
    let took = began.elapsed();
    web.metrics.recall(took);
    Ok(Json(SearchDocument::new(&asked.query, &found, took)))
}

/// The chats to search: one, or all of the caller's person.
async fn chats(asked: &SearchQuery, caller: &Caller) -> Result<Vec<ChatId>, ApiError> {
    if !asked.all {
        return Ok(vec![caller.chat(asked.chat.as_deref()).await?]);
    }
    if asked.chat.is_some() || asked.lane.is_some() {
        return Err(ApiError::invalid("all: goes without chat and lane"));
    }
    match caller.is_owner() {
        true => Ok(caller.engine.chats_of_owner().await?),
        false => Ok(caller.engine.store.chats().await?.into_iter().map(|count| count.chat).collect()),
    }
}
