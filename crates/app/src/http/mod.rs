//! The HTTP server. Every request passes the guard, which identifies its [`Caller`]; handlers reach the store only
//! through that caller.

mod caller;
mod dashboard;
mod error;
mod etag;
mod extract;
mod guard;
mod limits;
mod listen;
pub mod mem0;
mod metrics;
mod observe;
mod openapi;
pub mod proxy;
pub mod session;
mod v1;

use std::sync::Arc;

use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde_json::{Value, json};
use tokio::sync::watch;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::channels::{Channels, Host};
use crate::mcp;
use crate::tasks::Tasks;

pub use caller::Caller;
use error::ApiError;
use limits::Limiter;
pub use listen::serve;
use metrics::Metrics;

/// The state that handlers share.
#[derive(Clone)]
pub struct Web {
    /// The parts of this process. Handlers use the engine of their caller.
    pub host: Host,
    /// The connected channels.
    pub channels: Channels,
    /// Running turns and imports. They finish even if their client disconnects or the program is asked to stop.
    pub turns: Tasks,
    limiter: Arc<Limiter>,
    metrics: Arc<Metrics>,
    openapi: Arc<OpenApi>,
    /// The sequence number of the newest message in any chat, for listeners that wait for more.
    newest: watch::Sender<i64>,
}

impl Web {
    /// Builds the shared state of a process.
    pub fn new(host: Host, channels: Channels) -> Self {
        let limiter = Arc::new(Limiter::new(host.app.settings.http.requests_per_minute));
        let openapi = Arc::new(openapi::with_failures(described().into_openapi()));
        let (turns, metrics) = (Tasks::default(), Arc::new(Metrics::new()));
        Self { host, channels, turns, limiter, metrics, openapi, newest: watch::Sender::new(0) }
    }

    /// Notifies listeners of new messages, until the future is dropped.
    pub fn watch_messages(&self) -> impl Future<Output = ()> + use<> {
        v1::watch_messages(self.host.engine.clone(), self.newest.clone())
    }
}

impl FromRef<Web> for Host {
    fn from_ref(web: &Web) -> Self {
        web.host.clone()
    }
}

/// The routes that `/openapi.json` lists.
fn described() -> OpenApiRouter<Web> {
    OpenApiRouter::with_openapi(openapi::without_paths()).merge(v1::routes())
}

/// All routes, behind the guard. The service must add the client's address (`ConnectInfo`) to each request.
fn routes(web: Web) -> Router {
    let (described, _) = described().split_for_parts();
    let all = described
        .route("/openapi.json", get(openapi::openapi))
        .layer(middleware::from_fn(etag::revalidate))
        .merge(mcp::routes(&web.host))
        .merge(dashboard::routes())
        .merge(mem0::routes())
        .route("/health", get(health))
        .route("/metrics", get(metrics::metrics))
        .route(session::SIGN_IN, get(session::sign_in))
        .route("/sign-out", post(session::sign_out))
        .fallback(async || ApiError::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this path"))
        .method_not_allowed_fallback(async || {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this path has other methods")
        });
    // The guard wraps the fallback too, so only known callers learn which paths exist.
    let guard = middleware::from_fn_with_state(web.clone(), guard::guard);
    let observe = middleware::from_fn_with_state(web.clone(), observe::observe);
    all.with_state(web.clone()).merge(proxy::routes(web)).layer(guard).layer(observe)
}

/// Reports whether the store can be read.
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
