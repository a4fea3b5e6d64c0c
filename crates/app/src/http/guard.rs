//! The guard before every request. It requires the token if one is set, and says who the caller is.

use std::net::{IpAddr, SocketAddr};

use axum::Json;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use throughline_engine::access::Access;

use super::Caller;
use crate::channels::Host;
use crate::config::values::secret::Secret;

/// Lets a request pass if its caller is known, and puts them into it.
pub async fn guard(
    State(host): State<Host>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let authorization = request.headers().get(AUTHORIZATION).map(|header| header.as_bytes());
    let token = host.app.settings.api_token.as_ref();
    if is_allowed(token, client.ip(), request.uri().path(), authorization) {
        request.extensions_mut().insert(Caller::new(&host.engine, Access::Everything));
        return next.run(request).await;
    }
    let document = json!({ "error": {
        "code": "unauthorized",
        "message": "show the API token in the header `Authorization: Bearer TOKEN`",
    } });
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], Json(document)).into_response()
}

/// Whether a request may pass. Programs on this machine may always ask for the health.
fn is_allowed(token: Option<&Secret>, client: IpAddr, path: &str, authorization: Option<&[u8]>) -> bool {
    let Some(token) = token else { return true };
    if path == "/health" && client.to_canonical().is_loopback() {
        return true;
    }
    authorization.and_then(bearer).is_some_and(|shown| {
        // Hashes are compared in constant time, whatever the lengths of what was hashed.
        blake3::hash(shown) == blake3::hash(token.expose().as_bytes())
    })
}

/// The token in an `Authorization` header.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = header.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::values::testing::read_text;

    #[test]
    fn a_token_that_is_set_must_be_shown_but_for_the_health_on_this_machine() {
        let token: Secret = read_text("t0ken").unwrap();
        let (here, elsewhere) = (["127.0.0.1", "::1", "::ffff:127.0.0.1"], ["192.0.2.7", "2001:db8::7"]);
        for client in here.into_iter().chain(elsewhere) {
            let client: IpAddr = client.parse().unwrap();
            let is_here = client.to_canonical().is_loopback();
            for (header, is_right) in [
                (None, false),
                (Some("Bearer t0ken"), true),
                (Some("bearer t0ken"), true),
                (Some("Bearer t0ken2"), false),
                (Some("Bearer t0ke"), false),
                (Some("Bearer "), false),
                (Some("Bearer"), false),
                (Some("Basic t0ken"), false),
                (Some("t0ken"), false),
            ] {
                let shown = header.map(str::as_bytes);
                for (path, is_open) in [("/health", is_here), ("/v1/search", false), ("/health/", false)] {
                    let allowed = is_allowed(Some(&token), client, path, shown);
                    assert_eq!(allowed, is_right || is_open, "{client} {path} {header:?}");
                    assert!(is_allowed(None, client, path, shown), "no token is set");
                }
            }
        }
    }
}
