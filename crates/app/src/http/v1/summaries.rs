//! Summaries.

use axum::Json;
use throughline_domain::lane::Lane;

use super::LaneParams;
use crate::api::SummariesDocument;
use crate::commands::lane_named;
use crate::http::Caller;
use crate::http::error::ApiError;
use crate::http::extract::Params;

/// The summaries of a chat, and what has none yet.
#[utoipa::path(
    get,
    path = "/v1/summaries",
    operation_id = "list_summaries",
    params(LaneParams),
    responses((status = 200, description = "The summaries.", body = SummariesDocument))
)]
pub async fn summaries(
    caller: Caller,
    Params(params): Params<LaneParams>,
) -> Result<Json<SummariesDocument>, ApiError> {
    let chat = caller.chat(params.chat.as_deref()).await?;
    let lane = lane_named(params.lane.as_deref(), &chat)?.unwrap_or(Lane::Root);
    Ok(Json(SummariesDocument::new(&caller.engine.summaries(&chat, &lane).await?, &chat)))
}
