//! Signing in to the dashboard: a one-time link starts a session, whose secret is in a cookie.

use axum::extract::State;
use axum::http::header::{COOKIE, HOST, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use throughline_engine::Engine;
use throughline_engine::access::Access;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_store::credentials::{Credential, CredentialKind, Hash};

use super::Web;
use super::error::ApiError;
use super::extract::Params;
use crate::output::Failure;

/// The path of a sign-in link.
pub const SIGN_IN: &str = "/sign-in";
/// The name of the session cookie.
const SESSION_COOKIE: &str = "throughline_session";
/// Lifetime of a sign-in link.
pub const LINK_LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// Lifetime of a session.
const SESSION_LIFETIME: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Creates a secret, and the hash under which it is stored.
pub fn new_secret() -> Result<(String, Hash), Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::failed("random", format!("the system gives no random numbers: {error}")))?;
    let secret = blake3::Hash::from_bytes(bytes).to_hex().to_string();
    let hash = hash_secret(&secret);
    Ok((secret, hash))
}

/// The hash under which a secret is stored.
pub fn hash_secret(secret: &str) -> Hash {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

/// Creates a one-time code that signs the owner in.
pub async fn create_code(engine: &Engine) -> Result<String, Failure> {
    let (code, hash) = new_secret()?;
    let now = SystemClock.now();
    let credential = Credential {
        name: String::new(),
        access: Access::Everything,
        created_at: now,
        expires_at: Some(after(now, LINK_LIFETIME)),
    };
    engine.store.add_credential(CredentialKind::Code, hash, credential).await?;
    Ok(code)
}

/// The parameters of a sign-in link.
#[derive(Debug, Deserialize)]
pub struct Link {
    code: String,
}

/// Redeems a sign-in link and sets the session cookie.
pub async fn sign_in(
    State(web): State<Web>,
    headers: HeaderMap,
    Params(link): Params<Link>,
) -> Result<Response, ApiError> {
    let (secret, hash) = new_secret()?;
    let now = SystemClock.now();
    let until = after(now, SESSION_LIFETIME);
    if web.host.engine.store.sign_in(hash_secret(&link.code), hash, now, until).await?.is_none() {
        let message = "this link was used before or is too old; `throughline open` prints a new one";
        return Err(ApiError::forbidden(message));
    }
    let seconds = SESSION_LIFETIME.as_secs();
    let secure = if is_behind_https(&web, &headers) { "; Secure" } else { "" };
    let cookie =
        format!("{SESSION_COOKIE}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    Ok((StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())]).into_response())
}

/// Ends the session of the cookie.
pub async fn sign_out(State(web): State<Web>, headers: HeaderMap) -> Result<Response, ApiError> {
    if let Some(secret) = session_cookie(&headers) {
        web.host.engine.store.sign_out(hash_secret(secret)).await?;
    }
    let cookie = format!("{SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response())
}

/// The session of the cookie, if it is valid.
pub async fn current(web: &Web, headers: &HeaderMap) -> Result<Option<Credential>, ApiError> {
    let Some(secret) = session_cookie(headers) else { return Ok(None) };
    let store = &web.host.engine.store;
    Ok(store.credential(CredentialKind::Session, hash_secret(secret), SystemClock.now()).await?)
}

/// Returns true if a request carries a session cookie.
pub fn has_cookie(headers: &HeaderMap) -> bool {
    session_cookie(headers).is_some()
}

fn session_cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|header| header.to_str().ok());
    let mut pairs =
        cookies.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find_map(|(name, value)| (name == SESSION_COOKIE).then_some(value))
}

/// Returns true if a reverse proxy, which the settings name as a host, received the request over HTTPS.
fn is_behind_https(web: &Web, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(HOST.as_str()).unwrap_or_default();
    let is_proxied = web.host.app.settings.http.hosts.iter().any(|own| host.starts_with(own.as_str()));
    is_proxied && text("x-forwarded-proto") == Some("https")
}

fn after(now: Timestamp, time: SignedDuration) -> Timestamp {
    now.saturating_add(time).unwrap_or(now)
}
