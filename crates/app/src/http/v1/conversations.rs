//! Conversations.

use axum::Json;
use throughline_domain::message::MessageId;

use super::LaneParams;
use super::page::{Page, Paged};
use crate::api::{ConversationPage, ConversationsDocument};
use crate::commands::lane_named;
use crate::http::Caller;
use crate::http::error::ApiError;
use crate::http::extract::{Named, Params};

/// List the conversations of a chat, newest first.
#[utoipa::path(
    get,
    path = "/v1/conversations",
    operation_id = "list_conversations",
    params(LaneParams, Page),
    responses((status = 200, description = "A page of conversations.", body = ConversationsDocument))
)]
pub async fn list(
    caller: Caller,
    Paged(params, page): Paged<LaneParams>,
) -> Result<Json<ConversationsDocument>, ApiError> {
    let chat = caller.chat(params.chat.as_deref()).await?;
    let lane = lane_named(params.lane.as_deref(), &chat)?;
    let (before, limit) = page.position()?;
    let found = caller.engine.store.chat(&chat).conversations_before(lane.as_ref(), before, limit).await?;
    let next_cursor = page.next(&found, |conversation| conversation.id);
    Ok(Json(ConversationsDocument { next_cursor, ..ConversationsDocument::new(&chat, &found) }))
}

/// Show the messages of a conversation, oldest first.
#[utoipa::path(
    get,
    path = "/v1/conversations/{id}",
    operation_id = "get_conversation",
    params(("id" = String, Path, description = "Any message of the conversation."), Page),
    responses((status = 200, description = "A page of its messages.", body = ConversationPage))
)]
pub async fn show(
    caller: Caller,
    Named(id): Named,
    Params(page): Params<Page>,
) -> Result<Json<ConversationPage>, ApiError> {
    let unknown = || ApiError::not_found("conversation", &id);
    let message: MessageId = id.parse().map_err(|_| unknown())?;
    let store = &caller.engine.store;
    let chat = store.chats_of(vec![message]).await?.pop().ok_or_else(unknown)?;
    let (after, limit) = page.position()?;
    let (first, found) = store.chat(&chat).conversation_page(message, after, limit).await?;
    let next_cursor = page.next(&found, |stored| stored.message.id);
    Ok(Json(ConversationPage { next_cursor, ..ConversationPage::new(&chat, Some(first), &found) }))
}
