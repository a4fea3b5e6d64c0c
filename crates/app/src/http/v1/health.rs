//! Status figures and health checks, for the owner.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::commands::{Finding, checks, status_document};
use crate::http::error::ApiError;
use crate::http::extract::Params;
use crate::http::{Caller, Web};

const OWNER_ONLY: &str = "only the owner sees what concerns the whole program";

/// What was looked at.
#[derive(Debug, Serialize, ToSchema)]
pub struct DoctorDocument {
    /// Whether nothing is broken.
    ok: bool,
    /// The checks.
    checks: Vec<CheckDocument>,
}

/// One check.
#[derive(Debug, Serialize, ToSchema)]
struct CheckDocument {
    /// What was looked at.
    check: String,
    /// ok, note or broken.
    state: String,
    /// A sentence about it.
    message: String,
}

/// Which checks run.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DoctorParams {
    /// Whether the model is asked for one word, which may cost something.
    #[serde(default)]
    model: bool,
}

/// The figures of the home, as `throughline status --json` prints them.
#[utoipa::path(
    get,
    path = "/v1/status",
    operation_id = "get_status",
    responses((status = 200, description = "The figures.", body = Object))
)]
pub async fn status(State(web): State<Web>, caller: Caller) -> Result<Json<Value>, ApiError> {
    caller.require_owner(OWNER_ONLY)?;
    let report = caller.engine.status_report().await?;
    Ok(Json(status_document(&web.host.app, &caller.engine, &report)))
}

/// Look for problems, as `throughline doctor` does. Nothing is repaired.
#[utoipa::path(
    get,
    path = "/v1/doctor",
    operation_id = "run_doctor",
    params(DoctorParams),
    responses((status = 200, description = "What was found.", body = DoctorDocument))
)]
pub async fn doctor(
    State(web): State<Web>,
    caller: Caller,
    Params(params): Params<DoctorParams>,
) -> Result<Json<DoctorDocument>, ApiError> {
    caller.require_owner(OWNER_ONLY)?;
    let found = checks(&web.host.app, params.model).await;
    let checks: Vec<CheckDocument> = found.iter().map(CheckDocument::from).collect();
    Ok(Json(DoctorDocument { ok: checks.iter().all(|check| check.state != "broken"), checks }))
}

impl From<&Finding> for CheckDocument {
    fn from(finding: &Finding) -> Self {
        let (check, state, message) = finding.parts();
        Self { check: check.to_owned(), state: state.to_owned(), message: message.to_owned() }
    }
}
