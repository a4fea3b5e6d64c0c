//! Memories.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Kind, MemoryId, Status};
use throughline_engine::access::Access;
use throughline_engine::forget::What;
use throughline_engine::remember::Edit;
use utoipa::IntoParams;

use super::MemoryChat;
use super::page::{Page, Paged};
use crate::api::{
    self, ForgetDocument, MemoriesDocument, MemoryDocument, MemoryEdit, RememberQuery, RememberedDocument,
};
use crate::http::error::ApiError;
use crate::http::extract::{Body, Named, Params};
use crate::http::{Caller, Web};

/// The memories to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MemoryFilter {
    /// The chat, unless the token is bound to one.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    chat: Option<String>,
    /// Only this kind: fact, preference, goal, date or outcome.
    #[param(pattern = "^(fact|preference|goal|date|outcome)$")]
    kind: Option<String>,
    /// Whether to list those too that are no longer current.
    #[serde(default)]
    all: bool,
}

/// List the memories that may be seen in a chat, oldest first.
#[utoipa::path(
    get,
    path = "/v1/memories",
    operation_id = "list_memories",
    params(MemoryFilter, Page),
    responses((status = 200, description = "A page of memories.", body = MemoriesDocument))
)]
pub async fn list(
    caller: Caller,
    Paged(filter, page): Paged<MemoryFilter>,
) -> Result<Json<MemoriesDocument>, ApiError> {
    let chat = caller.chat(filter.chat.as_deref()).await?;
    let kind: Option<Kind> = parse_field("kind", filter.kind.as_deref())?;
    let (after, limit) = page.position::<MemoryId>()?;
    let known = caller.engine.memories(&chat).await?;
    let mut rest = known.iter().map(|stored| &stored.memory);
    if let Some(after) = after {
        // If the cursor's memory has been deleted, the remaining pages are empty.
        rest.by_ref().find(|memory| memory.id == after);
    }
    let found: Vec<_> = rest
        .filter(|memory| filter.all || matches!(memory.status, Status::Active | Status::Suggested))
        .filter(|memory| kind.is_none_or(|kind| memory.kind == kind))
        .take(limit)
        .collect();
    let next_cursor = page.next(&found, |memory| memory.id);
    Ok(Json(MemoriesDocument { next_cursor, ..MemoriesDocument::new(found) }))
}

/// Remember a statement.
#[utoipa::path(
    post,
    path = "/v1/memories",
    operation_id = "remember",
    request_body = RememberQuery,
    responses((status = 200, description = "What was remembered.", body = RememberedDocument))
)]
pub async fn remember(
    State(web): State<Web>,
    caller: Caller,
    Body { value: request, .. }: Body<RememberQuery>,
) -> Result<Json<RememberedDocument>, ApiError> {
    let chat = caller.chat(request.chat.as_deref()).await?;
    let kind = parse_field("kind", request.kind.as_deref())?;
    let remembered = caller.engine.remember(&chat, &request.text, kind).await?;
    web.host.jobs.notify_one();
    Ok(Json(RememberedDocument::from(&remembered)))
}

/// Show one memory with the words that prove it.
#[utoipa::path(
    get,
    path = "/v1/memories/{id}",
    operation_id = "get_memory",
    params(("id" = String, Path, description = "The memory."), MemoryChat),
    responses((status = 200, description = "The memory.", body = MemoriesDocument))
)]
pub async fn show(
    caller: Caller,
    Named(id): Named,
    Params(params): Params<MemoryChat>,
) -> Result<Json<MemoriesDocument>, ApiError> {
    let chat = chat_of(&id, &params, &caller).await?;
    let found = caller.engine.memory(&chat, &id).await?;
    let quotes = caller.engine.quotes(&chat, &found.memory).await?;
    let memories = vec![MemoryDocument::from(&found.memory).with_quotes(&quotes)];
    Ok(Json(MemoriesDocument { memories, next_cursor: None }))
}

/// Show what a memory replaced, and what replaced it, oldest first.
#[utoipa::path(
    get,
    path = "/v1/memories/{id}/history",
    operation_id = "get_memory_history",
    params(("id" = String, Path, description = "The memory."), MemoryChat),
    responses((status = 200, description = "The memories.", body = MemoriesDocument))
)]
pub async fn history(
    caller: Caller,
    Named(id): Named,
    Params(params): Params<MemoryChat>,
) -> Result<Json<MemoriesDocument>, ApiError> {
    let chat = chat_of(&id, &params, &caller).await?;
    let found = caller.engine.history(&chat, &id).await?;
    Ok(Json(MemoriesDocument::new(found.iter().map(|stored| &stored.memory))))
}

/// Change a memory; its history keeps the old version.
#[utoipa::path(
    patch,
    path = "/v1/memories/{id}",
    operation_id = "edit_memory",
    params(("id" = String, Path, description = "The memory."), MemoryChat),
    request_body = MemoryEdit,
    responses((status = 200, description = "The memory as it is now.", body = MemoriesDocument))
)]
pub async fn edit(
    State(web): State<Web>,
    caller: Caller,
    Named(id): Named,
    Params(params): Params<MemoryChat>,
    Body { value: request, .. }: Body<MemoryEdit>,
) -> Result<Json<MemoriesDocument>, ApiError> {
    let edit = Edit {
        kind: parse_field("kind", request.kind.as_deref())?,
        status: parse_field("status", request.status.as_deref())?,
        text: request.text,
    };
    if edit.text.is_none() && edit.kind.is_none() && edit.status.is_none() {
        return Err(ApiError::invalid("say what to change: text, kind or status"));
    }
    let chat = chat_of(&id, &params, &caller).await?;
    let memory = caller.engine.edit_memory(&chat, &id, edit).await?;
    web.host.jobs.notify_one();
    Ok(Json(MemoriesDocument::new([&memory])))
}

/// Forget a memory. It can be undone for a day.
#[utoipa::path(
    delete,
    path = "/v1/memories/{id}",
    operation_id = "forget_memory",
    params(("id" = String, Path, description = "The memory."), MemoryChat),
    responses((status = 200, description = "What was forgotten.", body = ForgetDocument))
)]
pub async fn forget(
    State(web): State<Web>,
    caller: Caller,
    Named(id): Named,
    Params(params): Params<MemoryChat>,
) -> Result<Json<ForgetDocument>, ApiError> {
    let chat = chat_of(&id, &params, &caller).await?;
    // Forgetting by id also accepts a message's id; this endpoint accepts only a memory's.
    let id = caller.engine.memory(&chat, &id).await?.memory.id.to_string();
    let done = api::forget(&chat, &What::Id(id), false, &web.host.app, &caller.engine).await?;
    web.host.jobs.notify_one();
    Ok(Json(ForgetDocument::of(done)))
}

/// The chat of a memory: the one that the request names, the caller's only chat, or the memory's own.
async fn chat_of(id: &str, params: &MemoryChat, caller: &Caller) -> Result<ChatId, ApiError> {
    if params.chat.is_some() || matches!(caller.access, Access::Chat(_)) {
        return Ok(caller.chat(params.chat.as_deref()).await?);
    }
    let unknown = || ApiError::not_found("memory", id);
    let memory: MemoryId = id.parse().map_err(|_| unknown())?;
    caller.engine.store.chat_of_memory(memory).await?.ok_or_else(unknown)
}

/// Parses an optional field such as a kind.
fn parse_field<T: std::str::FromStr<Err: std::fmt::Display>>(
    name: &str,
    given: Option<&str>,
) -> Result<Option<T>, ApiError> {
    given.map(str::parse).transpose().map_err(|error| ApiError::invalid(format!("{name}: {error}")))
}
