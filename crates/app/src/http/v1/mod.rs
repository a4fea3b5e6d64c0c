//! The API, one file for each resource.

mod chats;
mod commands;
mod context;
mod conversations;
mod events;
mod forget;
mod health;
mod import;
mod lanes;
mod memories;
mod messages;
mod profile;
mod routines;
mod search;
mod summaries;
mod turns;
mod usage;

use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Web;
pub use events::watch as watch_messages;

/// The routes of the API.
pub fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(messages::list, messages::record))
        .routes(routes!(context::context))
        .routes(routes!(search::search))
        .routes(routes!(memories::list, memories::remember))
        .routes(routes!(memories::show, memories::edit, memories::forget))
        .routes(routes!(memories::history))
        .routes(routes!(forget::forget))
        .routes(routes!(profile::profile))
        .routes(routes!(summaries::summaries))
        .routes(routes!(conversations::list))
        .routes(routes!(conversations::show))
        .routes(routes!(chats::chats))
        .routes(routes!(turns::list, turns::take))
        .routes(routes!(turns::receipt))
        .routes(routes!(usage::usage))
        .routes(routes!(events::events))
        .routes(routes!(commands::run))
        .routes(routes!(lanes::list))
        .routes(routes!(lanes::messages))
        .routes(routes!(routines::list))
        .routes(routes!(routines::runs))
        .routes(routes!(routines::run))
        .routes(routes!(import::import))
        .routes(routes!(health::status))
        .routes(routes!(health::doctor))
}

/// The lane of a chat.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OfLane {
    /// The chat, unless the token is bound to one.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// root, topic:N or reply:ID; root unless given.
    #[param(pattern = r"^(root|topic:|reply:)[^\s]*$")]
    pub lane: Option<String>,
}

/// The chat of something that has an id of its own.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OfChat {
    /// The chat; found by the id unless given.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
}

/// A page of what a lane has.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageOfLane {
    /// The chat, unless the token is bound to one.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// root, topic:N or reply:ID.
    #[param(pattern = r"^(root|topic:|reply:)[^\s]*$")]
    pub lane: Option<String>,
    /// The `next_cursor` of an earlier answer.
    pub cursor: Option<String>,
    /// Maximum number of entries; 50 unless given.
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<u16>,
}

/// The number of entries of a page: 50 unless given, and at most 1000.
fn page_size(limit: Option<u16>) -> usize {
    usize::from(limit.unwrap_or(50).clamp(1, 1000))
}

/// Reads the cursor of a page, which is an id.
fn cursor<T: std::str::FromStr>(given: Option<&str>) -> Result<Option<T>, super::ApiError> {
    let unknown =
        |_| super::ApiError::invalid("cursor: take it as it is from `next_cursor` of an earlier answer");
    given.map(str::parse).transpose().map_err(unknown)
}

/// The cursor of the next page: the id of the last entry, if the page is full.
fn next_cursor<T: std::fmt::Display>(last: Option<T>, count: usize, limit: usize) -> Option<String> {
    last.filter(|_| count == limit).map(|id| id.to_string())
}
