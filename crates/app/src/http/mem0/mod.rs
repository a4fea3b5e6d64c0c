//! mem0's API below `/mem0`, so that mem0's clients work with this server as their base URL. Paths end with a slash,
//! as those clients write them.
//!
//! [`entity`] maps users, agents, apps and runs to chats; [`memories`] has the handlers.

mod entity;
pub mod memories;

use axum::Router;
use axum::routing::{delete, get, post};

use super::Web;

/// The routes below `/mem0`.
pub fn routes() -> Router<Web> {
    Router::new()
        .route("/mem0/v1/ping/", get(memories::ping))
        .route("/mem0/v3/memories/add/", post(memories::add))
        .route("/mem0/v3/memories/", post(memories::get_all))
        .route("/mem0/v3/memories/search/", post(memories::search))
        .route("/mem0/v1/memories/", delete(memories::delete_all))
        .route("/mem0/v1/memories/{id}/", get(memories::get).put(memories::update).delete(memories::delete))
        .route("/mem0/v1/memories/{id}/history/", get(memories::history))
        .route("/mem0/v1/entities/", get(memories::entities))
        .route("/mem0/v2/entities/{kind}/{name}/", delete(memories::delete_entity))
}
