//! The context of the next turn.

use std::time::Instant;

use axum::Json;
use axum::extract::State;

use crate::api::{ContextDocument, ContextQuery, context_document, prepare_context};
use crate::http::error::ApiError;
use crate::http::extract::Body;
use crate::http::{Caller, Web};

/// The exact context of the next turn, and why each piece is there.
#[utoipa::path(
    post,
    path = "/v1/context",
    operation_id = "get_context",
    request_body = ContextQuery,
    responses((status = 200, description = "The context.", body = ContextDocument))
)]
pub async fn context(
    State(web): State<Web>,
    caller: Caller,
    Body { value: query, .. }: Body<ContextQuery>,
) -> Result<Json<ContextDocument>, ApiError> {
    let chat = caller.chat(query.chat.as_deref()).await?;
    let began = Instant::now();
    let (lane, context) = prepare_context(&query, &chat, &web.host.app, &caller.engine).await?;
    web.metrics.recall(began.elapsed());
    Ok(Json(context_document(&chat, &lane, context, query.provider)))
}
