//! The HTTP server. Every request passes the guard, which finds out who sends it; handlers reach the store only through
//! that [`Caller`].

mod caller;
mod guard;
mod proxy;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router, middleware};
use serde_json::{Value, json};

use crate::channels::Host;
use crate::output::Failure;

pub use caller::Caller;

/// The routes, behind the guard. The service must know the address of its clients.
pub fn routes(host: Host) -> Router {
    // Around everything: a path that leads nowhere is told only to those who may ask.
    let guard = middleware::from_fn_with_state(host.clone(), guard::guard);
    let own = Router::new().route("/health", get(health)).with_state(host.clone());
    own.merge(proxy::routes(host)).layer(guard)
}

/// A failure as a client is told: status, code and sentence.
fn told(failure: Failure) -> (StatusCode, &'static str, String) {
    let (code, sentence) = match failure {
        Failure::Usage(sentence) => ("invalid_request", sentence),
        Failure::Failed { code, sentence } => (code, sentence),
        Failure::Reported => ("failed", "the request failed".to_owned()),
    };
    let status = match code {
        "invalid_request" | "invalid_message" | "not_kept" | "no_topic" | "too_long" => {
            StatusCode::BAD_REQUEST
        }
        "unauthorized" => StatusCode::UNAUTHORIZED,
        "forbidden" => StatusCode::FORBIDDEN,
        "not_found" => StatusCode::NOT_FOUND,
        "capped" => StatusCode::TOO_MANY_REQUESTS,
        "loop" => StatusCode::LOOP_DETECTED,
        "upstream" => StatusCode::BAD_GATEWAY,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, code, sentence)
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
