//! `/mcp`: the server over streamable HTTP. The number of sessions is limited, and a session ends after a day without
//! a call. A session belongs to the caller who began it; the caller of each request determines what it may see.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use throughline_engine::access::Access;

use super::Server;
use super::connection::Connection;
use crate::channels::Host;
use crate::http::Caller;

/// The header that names a session.
const SESSION: &str = "mcp-session-id";
/// Maximum number of sessions; a new one ends the least recently used one.
const MAX_SESSIONS: usize = 64;
/// Time without a call after which a session ends.
const IDLE: Duration = Duration::from_secs(24 * 3600);

/// The route of the server, in a router of any state.
pub fn routes<S: Clone + Send + Sync + 'static>(host: &Host) -> Router<S> {
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(IDLE);
    let manager = Arc::new(manager);
    // The guard has checked the host and the origin.
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    let server = Server { connection: Connection::Http(Arc::new(host.clone())) };
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&manager), config);
    let sessions = Arc::new(Sessions { manager, used: Mutex::default() });
    Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(sessions, Sessions::check))
}

/// The sessions of all callers.
struct Sessions {
    manager: Arc<LocalSessionManager>,
    /// The sessions with their callers' access, the most recently used last.
    used: Mutex<VecDeque<(SessionId, Access)>>,
}

impl Sessions {
    /// Passes a request on if its session is the caller's, and registers a session that it begins.
    async fn check(State(this): State<Arc<Self>>, caller: Caller, request: Request, next: Next) -> Response {
        let named = session(request.headers());
        if let Some(named) = &named
            && !this.use_again(named, &caller.access)
        {
            // The response is the same as for an unknown session, and the client begins another.
            return (StatusCode::NOT_FOUND, "Not Found: Session not found").into_response();
        }
        let response = next.run(request).await;
        if named.is_none()
            && let Some(begun) = session(response.headers())
            && let Some(ended) = this.begin(begun, caller.access)
            && let Err(error) = this.manager.close_session(&ended).await
        {
            tracing::warn!(%error, "ending an MCP session failed");
        }
        response
    }

    /// Returns true if the session is this caller's; if so, it becomes the most recently used one.
    fn use_again(&self, session: &SessionId, access: &Access) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let at = used.iter().position(|(id, whose)| id == session && whose == access);
        let Some(again) = at.and_then(|at| used.remove(at)) else { return false };
        used.push_back(again);
        true
    }

    /// Registers a session, and returns the one that it displaces.
    fn begin(&self, session: SessionId, access: Access) -> Option<SessionId> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.push_back((session, access));
        if used.len() > MAX_SESSIONS { used.pop_front().map(|(id, _)| id) } else { None }
    }
}

fn session(headers: &HeaderMap) -> Option<SessionId> {
    headers.get(SESSION)?.to_str().ok().map(Into::into)
}
