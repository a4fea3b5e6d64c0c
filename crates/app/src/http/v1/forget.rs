//! Forgetting.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::{self, ForgetDocument, ForgetQuery, UndoneDocument};
use crate::http::error::ApiError;
use crate::http::extract::Body;
use crate::http::{Caller, Web};

/// What was forgotten, or brought back.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Answer {
    /// Forgotten, or what would be.
    Forgotten(ForgetDocument),
    /// Brought back.
    Undone(UndoneDocument),
}

/// Forget a topic, one memory or message, or a whole chat; or undo that within a day.
#[utoipa::path(
    post,
    path = "/v1/forget",
    operation_id = "forget",
    request_body = ForgetQuery,
    responses((status = 200, description = "What was forgotten, what would be, or what was brought back.", body = Answer))
)]
pub async fn forget(
    State(web): State<Web>,
    caller: Caller,
    Body { value: query, .. }: Body<ForgetQuery>,
) -> Result<Json<Answer>, ApiError> {
    let chat = caller.chat(query.chat.as_deref()).await?;
    let engine = &caller.engine;
    if let Some(receipt) = &query.undo {
        let receipt = engine.receipt_named(&chat, receipt).await?;
        let undone = engine.undo_forgetting(&chat, receipt).await?;
        web.host.jobs.notify_one();
        return Ok(Json(Answer::Undone(UndoneDocument::new(receipt, &undone))));
    }
    let target = query.target()?;
    if query.dry_run {
        let matches = engine.forget_preview(&chat, &target).await?;
        return Ok(Json(Answer::Forgotten(ForgetDocument::preview(&matches))));
    }
    let done = api::forget(&chat, &target, query.permanently, &web.host.app, engine).await?;
    web.host.jobs.notify_one();
    Ok(Json(Answer::Forgotten(ForgetDocument::of(done))))
}
