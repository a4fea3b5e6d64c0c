//! Conversations.

use axum::Json;
use serde::Deserialize;
use throughline_domain::message::MessageId;
use utoipa::IntoParams;

use super::{PageOfLane, cursor, next_cursor, page_size};
use crate::api::{ConversationPage, ConversationsDocument};
use crate::commands::lane_named;
use crate::http::Caller;
use crate::http::error::ApiError;
use crate::http::extract::{Named, Params};

/// A page of a conversation.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageOfConversation {
    /// The `next_cursor` of an earlier answer.
    cursor: Option<String>,
    /// Maximum number of messages; 50 unless given.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

/// List the conversations of a chat, newest first.
#[utoipa::path(
    get,
    path = "/v1/conversations",
    operation_id = "list_conversations",
    params(PageOfLane),
    responses((status = 200, description = "A page of conversations.", body = ConversationsDocument))
)]
pub async fn list(
    caller: Caller,
    Params(asked): Params<PageOfLane>,
) -> Result<Json<ConversationsDocument>, ApiError> {
    let chat = caller.chat(asked.chat.as_deref()).await?;
    let lane = lane_named(asked.lane.as_deref(), &chat)?;
    let (before, limit) = (cursor(asked.cursor.as_deref())?, page_size(asked.limit));
    let found = caller.engine.store.chat(&chat).conversations_before(lane.as_ref(), before, limit).await?;
    let next_cursor = next_cursor(found.last().map(|one| one.id), found.len(), limit);
    Ok(Json(ConversationsDocument { next_cursor, ..ConversationsDocument::new(&chat, &found) }))
}

/// Show the messages of a conversation, oldest first.
#[utoipa::path(
    get,
    path = "/v1/conversations/{id}",
    operation_id = "get_conversation",
    params(("id" = String, Path, description = "Any message of the conversation."), PageOfConversation),
    responses((status = 200, description = "A page of its messages.", body = ConversationPage))
)]
pub async fn show(
    caller: Caller,
    Named(id): Named,
    Params(asked): Params<PageOfConversation>,
) -> Result<Json<ConversationPage>, ApiError> {
    let unknown = || ApiError::not_found("conversation", &id);
    let message: MessageId = id.parse().map_err(|_| unknown())?;
    let store = &caller.engine.store;
    let chat = store.chats_of(vec![message]).await?.pop().ok_or_else(unknown)?;
    let (after, limit) = (cursor(asked.cursor.as_deref())?, page_size(asked.limit));
    let (first, found) = store.chat(&chat).conversation_page(message, after, limit).await?;
    let next_cursor = next_cursor(found.last().map(|stored| stored.message.id), found.len(), limit);
    Ok(Json(ConversationPage { next_cursor, ..ConversationPage::new(&chat, Some(first), &found) }))
}
