//! The cost of models.

use axum::Json;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use throughline_domain::time;
use utoipa::IntoParams;

use crate::api::SpentDocument;
use crate::http::Caller;
use crate::http::error::ApiError;
use crate::http::extract::Params;

/// The calls to add up.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageParams {
    /// Only this chat; otherwise all that the caller may touch.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    chat: Option<String>,
    /// The number of days; 30 unless given.
    #[param(minimum = 1, maximum = 3660)]
    days: Option<u16>,
}

/// What models cost, day by day and by purpose and model.
#[utoipa::path(
    get,
    path = "/v1/usage",
    operation_id = "get_usage",
    params(UsageParams),
    responses((status = 200, description = "Tokens and cost.", body = SpentDocument))
)]
pub async fn usage(
    caller: Caller,
    Params(params): Params<UsageParams>,
) -> Result<Json<SpentDocument>, ApiError> {
    let engine = &caller.engine;
    let chat = caller.chat_filter(params.chat.as_deref()).await?;
    let (now, zone) = (engine.now(), &engine.settings.zone);
    let days = SignedDuration::from_hours(24 * i64::from(params.days.unwrap_or(30).clamp(1, 3660)));
    let since = now.saturating_sub(days).unwrap_or(Timestamp::MIN);
    let offset = zone.to_offset(now).seconds();
    let mut spent = engine.store.spent_by_day(since, offset).await?;
    spent.retain(|row| chat.is_none() || row.chat == chat);
    let first = time::day(since, zone).to_string();
    Ok(Json(SpentDocument::new(first, &spent, &engine.settings)))
}
