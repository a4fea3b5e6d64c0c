//! Chats.

use axum::Json;

use crate::api::ChatsDocument;
use crate::http::Caller;
use crate::http::error::ApiError;

/// List the chats that the caller may touch, the most recent first.
#[utoipa::path(
    get,
    path = "/v1/chats",
    operation_id = "list_chats",
    responses((status = 200, description = "The chats.", body = ChatsDocument))
)]
pub async fn chats(caller: Caller) -> Result<Json<ChatsDocument>, ApiError> {
    let chats = caller.engine.store.chats().await?;
    Ok(Json(ChatsDocument::new(&chats, &caller.engine.settings.people)))
}
