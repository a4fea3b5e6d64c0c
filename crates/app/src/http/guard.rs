//! The guard before every request. It requires the token if one is set, and says who the caller is.

use std::net::{IpAddr, SocketAddr};

use axum::Json;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use throughline_engine::access::Access;

use super::Caller;
use crate::channels::Host;
use crate::config::values::secret::Secret;

/// The headers that a token is looked for in. Clients of a proxy need the usual ones for their provider's key.
const WHERE: [HeaderName; 3] =
    [HeaderName::from_static("x-throughline-token"), AUTHORIZATION, HeaderName::from_static("x-api-key")];

/// Lets a request pass if its caller is known, and puts them into it.
pub async fn guard(
    State(host): State<Host>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let token = host.app.settings.api_token.as_ref();
    let shown = WHERE.into_iter().find(|name| {
        let shown = request.headers().get(name).map(|header| token_in(header.as_bytes()));
        is_allowed(token, client.ip(), request.uri().path(), shown)
    });
    if let Some(name) = shown {
        if token.is_some() {
            // A proxy passes headers on, and this one is for us alone.
            request.headers_mut().remove(name);
        }
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
fn is_allowed(token: Option<&Secret>, client: IpAddr, path: &str, shown: Option<&[u8]>) -> bool {
    let Some(token) = token else { return true };
    if path == "/health" && client.to_canonical().is_loopback() {
        return true;
    }
    shown.is_some_and(|shown| {
        // Hashes are compared in constant time, whatever the lengths of what was hashed.
        blake3::hash(shown) == blake3::hash(token.expose().as_bytes())
    })
}

/// The token in a header. mem0's clients name the scheme `Token`.
fn token_in(header: &[u8]) -> &[u8] {
    let after = |scheme: &[u8]| {
        let (begin, token) = header.split_at_checked(scheme.len())?;
        begin.eq_ignore_ascii_case(scheme).then(|| token.trim_ascii())
    };
    after(b"Bearer ").or_else(|| after(b"Token ")).unwrap_or(header)
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
                (Some("Token t0ken"), true),
                (Some("t0ken"), true),
            ] {
                let shown = header.map(|header| token_in(header.as_bytes()));
                for (path, is_open) in [("/health", is_here), ("/v1/search", false), ("/health/", false)] {
                    let allowed = is_allowed(Some(&token), client, path, shown);
                    assert_eq!(allowed, is_right || is_open, "{client} {path} {header:?}");
                    assert!(is_allowed(None, client, path, shown), "no token is set");
                }
            }
        }
    }
}
