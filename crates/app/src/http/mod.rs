//! The HTTP server. Every request passes the guard, which finds out who sends it; handlers reach the store only through
//! that [`Caller`].

mod caller;
mod guard;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router, middleware};
use serde_json::{Value, json};

use crate::channels::Host;
use crate::mcp;

pub use caller::Caller;

/// The routes, behind the guard. The service must know the address of its clients.
pub fn routes(host: Host) -> Router {
    // Around everything: a path that leads nowhere is told only to those who may ask.
    let guard = middleware::from_fn_with_state(host.clone(), guard::guard);
    Router::new().route("/health", get(health)).merge(mcp::routes(&host)).with_state(host).layer(guard)
}

/// Whether everything works: the store can be read.
async fn health(State(host): State<Host>) -> (StatusCode, Json<Value>) {
    match host.engine.store.outbox_figures().await {
        Ok(_) => (StatusCode::OK, Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))),
        Err(error) => {
            tracing::error!(%error, "the store cannot be read");
            let document = json!({ "status": "failing", "error": { "code": "unavailable", "message": "the store cannot be read" } });
            (StatusCode::SERVICE_UNAVAILABLE, Json(document))
        }
    }
}
