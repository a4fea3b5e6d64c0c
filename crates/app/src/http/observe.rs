//! Assigns each request an id, counts it, and logs its route and caller, but never its content.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;

use super::Web;

/// The header with a request's id.
const REQUEST_ID: &str = "x-request-id";
/// Maximum length of an id that a client chooses, in bytes.
const LONGEST_ID: usize = 64;

/// Counts and logs a request.
pub async fn observe(State(web): State<Web>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(&request).unwrap_or_else(|| web.host.engine.ids.next().to_string());
    let method = request.method().to_string();
    // The log gets the route instead of the path, because a path may contain private names.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("unknown".to_owned(), |path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    let (status, elapsed) = (response.status(), started.elapsed());
    web.metrics.request(&method, &route, status, elapsed);
    let caller = response.extensions().get::<Arc<str>>().map_or("unknown", AsRef::as_ref);
    let ms = elapsed.as_secs_f64() * 1e3;
    tracing::info!(request = id, method, route, status = status.as_u16(), ms, caller, "request");
    if let Ok(id) = HeaderValue::from_str(&id) {
        // A proxied response keeps the provider's id, which the provider's support asks for.
        response.headers_mut().entry(REQUEST_ID).or_insert(id);
    }
    response
}

/// The id that the client chose, if it is safe to log.
fn request_id(request: &Request) -> Option<String> {
    let given = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_safe = (1..=LONGEST_ID).contains(&given.len()) && given.bytes().all(is_plain);
    is_safe.then(|| given.to_owned())
}
