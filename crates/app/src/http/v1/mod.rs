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
mod outcome;
mod page;
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
        .routes(routes!(turns::list, turns::run))
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

/// A chat.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChatParams {
    /// The chat, unless the token is bound to one.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
}

/// A lane of a chat.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LaneParams {
    /// The chat, unless the token is bound to one.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
    /// root, topic:N or reply:ID; root unless given, or every lane where conversations are listed.
    #[param(pattern = r"^(root|topic:|reply:)[^\s]*$")]
    pub lane: Option<String>,
}

/// The chat of a memory, which is optional because the memory's id determines it.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MemoryChat {
    /// The chat; found by the id unless given.
    #[param(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    pub chat: Option<String>,
}
