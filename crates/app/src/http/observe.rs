//! Gives each request an id, counts it, and writes it to the log: what was asked by whom, never what was said.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;

use super::Web;

/// The header of a request's id.
const REQUEST_ID: &str = "x-request-id";
/// Maximum length of an id that a client chooses.
const LONGEST_ID: usize = 64;

/// Counts and logs a request.
pub async fn observe(State(web): State<Web>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = request_id(&request).unwrap_or_else(|| web.host.engine.ids.next().to_string());
    let method = request.method().to_string();
    // The route, not the path: a path may name what is private.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("unknown".to_owned(), |path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    let (status, took) = (response.status(), began.elapsed());
    web.metrics.request(&method, &route, status, took);
    let caller = response.extensions().get::<Arc<str>>().map_or("unknown", AsRef::as_ref);
    let ms = took.as_secs_f64() * 1e3;
    tracing::info!(request = id, method, route, status = status.as_u16(), ms, caller, "request");
    if let Ok(id) = HeaderValue::from_str(&id) {
        // A provider's own id is what its support asks for.
        response.headers_mut().entry(REQUEST_ID).or_insert(id);
    }
    response
}

/// The id that the client chose, if it is safe to write down.
fn request_id(request: &Request) -> Option<String> {
    let given = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_safe = (1..=LONGEST_ID).contains(&given.len()) && given.bytes().all(is_plain);
    is_safe.then(|| given.to_owned())
}
