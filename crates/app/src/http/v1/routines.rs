//! Routines with their next and past runs, and running one at once.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use throughline_domain::chat::ChatId;
use utoipa::{IntoParams, ToSchema};

use super::page::page_size;
use crate::api::{RoutineDocument, RunDocument};
use crate::commands::run_routine;
use crate::http::error::ApiError;
use crate::http::extract::{Named, Params};
use crate::http::{Caller, Web};

/// The routines.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoutinesDocument {
    /// The routines, by name.
    routines: Vec<RoutineDocument>,
}

/// Runs of routines.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunsDocument {
    /// The runs, the newest first.
    runs: Vec<RunDocument>,
}

/// The runs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RunFilter {
    /// Only this routine.
    name: Option<String>,
    /// Maximum number of runs; 50 unless given.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

/// List the routines that write to chats that the caller may touch, each with its next run.
#[utoipa::path(
    get,
    path = "/v1/routines",
    operation_id = "list_routines",
    responses((status = 200, description = "The routines.", body = RoutinesDocument))
)]
pub async fn list(State(web): State<Web>, caller: Caller) -> Result<Json<RoutinesDocument>, ApiError> {
    let (app, now) = (&web.host.app, caller.engine.now());
    let visible = app
        .settings
        .routines
        .iter()
        .filter(|(_, routine)| caller.engine.store.may_touch(&app.chat_of(routine)));
    let routines = visible.map(|(name, routine)| RoutineDocument::new(name, routine, app, now)).collect();
    Ok(Json(RoutinesDocument { routines }))
}

/// List runs of routines that write to chats that the caller may touch, the newest first.
#[utoipa::path(
    get,
    path = "/v1/routines/runs",
    operation_id = "list_runs",
    params(RunFilter),
    responses((status = 200, description = "The runs.", body = RunsDocument))
)]
pub async fn runs(
    State(web): State<Web>,
    caller: Caller,
    Params(filter): Params<RunFilter>,
) -> Result<Json<RunsDocument>, ApiError> {
    let found = caller.engine.store.runs(filter.name.as_deref(), page_size(filter.limit)).await?;
    let runs = found.iter().map(|run| RunDocument::new(run, &web.host.app));
    let is_visible = |run: &RunDocument| match run.chat.as_deref().map(str::parse::<ChatId>) {
        Some(Ok(chat)) => caller.engine.store.may_touch(&chat),
        // The settings no longer contain this routine, so its chat is unknown.
        _ => caller.is_owner(),
    };
    Ok(Json(RunsDocument { runs: runs.filter(is_visible).collect() }))
}

/// Run a routine at once, and send what it says. Only the owner may: a routine can run a program.
#[utoipa::path(
    post,
    path = "/v1/routines/{name}/run",
    operation_id = "run_routine",
    params(("name" = String, Path, description = "The routine.")),
    responses((status = 200, description = "The run, and the words that it sent.", body = RunDocument))
)]
pub async fn run(
    State(web): State<Web>,
    caller: Caller,
    Named(name): Named,
) -> Result<Json<RunDocument>, ApiError> {
    caller.require_owner("only the owner runs a routine")?;
    let (run, text) = run_routine(&name, &web.host.app, &caller.engine).await?;
    web.host.jobs.notify_one();
    Ok(Json(RunDocument::with_text(&run, &web.host.app, text)))
}
