//! The profile.

use axum::Json;
use throughline_domain::lane::Lane;

use super::LaneParams;
use crate::api::ProfileDocument;
use crate::commands::lane_named;
use crate::http::Caller;
use crate::http::error::ApiError;
use crate::http::extract::Params;

/// The profile of a chat's people.
#[utoipa::path(
    get,
    path = "/v1/profile",
    operation_id = "get_profile",
    params(LaneParams),
    responses((status = 200, description = "The profile.", body = ProfileDocument))
)]
pub async fn profile(
    caller: Caller,
    Params(of): Params<LaneParams>,
) -> Result<Json<ProfileDocument>, ApiError> {
    let chat = caller.chat(of.chat.as_deref()).await?;
    let lane = lane_named(of.lane.as_deref(), &chat)?.unwrap_or(Lane::Root);
    Ok(Json(ProfileDocument::from(&caller.engine.overview(&chat, &lane).await?)))
}
