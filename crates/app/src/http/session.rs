//! Signing in to the dashboard: a one-time link becomes a session, which a cookie shows.

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

/// The path of a link to sign in.
pub const SIGN_IN: &str = "/sign-in";
/// The cookie of a session.
const SESSION: &str = "throughline_session";
/// Time in which a link can be opened.
pub const LINK_HOLDS: SignedDuration = SignedDuration::from_mins(10);
/// Time after which a browser signs in again.
const SESSION_HOLDS: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A new secret, and the hash that is stored of it.
pub fn secret() -> Result<(String, Hash), Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::failed("random", format!("the system gives no random numbers: {error}")))?;
    let secret = blake3::Hash::from_bytes(bytes).to_hex().to_string();
    let hash = hash_of(&secret);
    Ok((secret, hash))
}

/// The hash that is stored of a secret.
pub fn hash_of(secret: &str) -> Hash {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

/// Makes a code that signs the owner in once.
pub async fn make_code(engine: &Engine) -> Result<String, Failure> {
    let (code, hash) = secret()?;
    let now = SystemClock.now();
    let credential = Credential {
        name: String::new(),
        access: Access::Everything,
        created_at: now,
        expires_at: Some(after(now, LINK_HOLDS)),
    };
    engine.store.add_credential(CredentialKind::Code, hash, credential).await?;
    Ok(code)
}

/// The code of a link.
#[derive(Debug, Deserialize)]
pub struct Link {
    code: String,
}

/// Uses up a link, and signs the browser in.
pub async fn sign_in(
    State(web): State<Web>,
    headers: HeaderMap,
    Params(link): Params<Link>,
) -> Result<Response, ApiError> {
    let (secret, hash) = secret()?;
    let now = SystemClock.now();
    let until = after(now, SESSION_HOLDS);
    if web.host.engine.store.sign_in(hash_of(&link.code), hash, now, until).await?.is_none() {
        let message = "this link was used before or is too old; `throughline open` prints a new one";
        return Err(ApiError::forbidden(message));
    }
    let seconds = SESSION_HOLDS.as_secs();
    let secure = if is_behind_https(&web, &headers) { "; Secure" } else { "" };
    let cookie = format!("{SESSION}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    Ok((StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())]).into_response())
}

/// Ends the session that the cookie shows.
pub async fn sign_out(State(web): State<Web>, headers: HeaderMap) -> Result<Response, ApiError> {
    if let Some(secret) = shown(&headers) {
        web.host.engine.store.sign_out(hash_of(secret)).await?;
    }
    let cookie = format!("{SESSION}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response())
}

/// The session that the cookie shows, if it holds.
pub async fn current(web: &Web, headers: &HeaderMap) -> Result<Option<Credential>, ApiError> {
    let Some(secret) = shown(headers) else { return Ok(None) };
    let store = &web.host.engine.store;
    Ok(store.credential(CredentialKind::Session, hash_of(secret), SystemClock.now()).await?)
}

/// Whether a request shows a session.
pub fn is_shown(headers: &HeaderMap) -> bool {
    shown(headers).is_some()
}

fn shown(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|header| header.to_str().ok());
    let mut pairs =
        cookies.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find_map(|(name, value)| (name == SESSION).then_some(value))
}

/// Whether a proxy of the settings says that the browser came by https.
fn is_behind_https(web: &Web, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(HOST.as_str()).unwrap_or_default();
    let is_proxied = web.host.app.settings.http.hosts.iter().any(|own| host.starts_with(own.as_str()));
    is_proxied && text("x-forwarded-proto") == Some("https")
}

fn after(now: Timestamp, time: SignedDuration) -> Timestamp {
    now.saturating_add(time).unwrap_or(now)
}
