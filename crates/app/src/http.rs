//! What answers over HTTP.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use throughline_engine::Engine;

/// What can be asked for.
pub fn routes(engine: Engine) -> Router {
    Router::new().route("/health", get(health)).with_state(engine)
}

/// Whether everything works: the store can be read.
async fn health(State(engine): State<Engine>) -> (axum::http::StatusCode, Json<Value>) {
    match engine.store.post_figures().await {
        Ok(_) => (
            axum::http::StatusCode::OK,
            Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })),
        ),
        Err(error) => {
            tracing::error!(%error, "the store cannot be read");
            let document = json!({ "status": "failing", "error": { "code": "unavailable", "message": "the store cannot be read" } });
            (axum::http::StatusCode::SERVICE_UNAVAILABLE, Json(document))
        }
    }
}
