//! Extractors for handlers: the JSON body, the query parameters, the id in the path, and the idempotency key.
//! Rejections are `ApiError`s.

use std::time::Duration;

use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_store::credentials::Hash;
use throughline_store::requests::RequestKey;

use super::error::ApiError;
use super::{Caller, Web};

/// Maximum size of a JSON body in bytes: the longest message with every character escaped, and room for the rest.
const LONGEST_BODY: usize = 8 << 20;
/// Maximum length of an `Idempotency-Key`, in bytes.
const LONGEST_KEY: usize = 200;

/// A JSON body.
pub struct Body<T> {
    pub value: T,
    /// The hash of the body's bytes, which tells a repeated request from a different one with the same key.
    pub hash: Hash,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T>
where
    Web: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let kind =
            request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        // HTML forms of other sites cannot send this content type.
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(ApiError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "send JSON with the header `Content-Type: application/json`",
            ));
        }
        let time_limit = Web::from_ref(state).host.app.settings.http.request_seconds.get();
        let bytes = read(request, Duration::from_secs(time_limit.into())).await?;
        let value = serde_json::from_slice(&bytes).map_err(|error| match error.is_data() {
            true => ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_body", error.to_string()),
            false => ApiError::new(
                StatusCode::BAD_REQUEST,
                "invalid_json",
                format!("the body is not JSON: {error}"),
            ),
        })?;
        Ok(Self { value, hash: *blake3::hash(&bytes).as_bytes() })
    }
}

async fn read(request: Request, time_limit: Duration) -> Result<Vec<u8>, ApiError> {
    let body = Limited::new(request.into_body(), LONGEST_BODY).collect();
    match tokio::time::timeout(time_limit, body).await {
        Ok(Ok(body)) => Ok(body.to_bytes().into()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            format!("the body is larger than {LONGEST_BODY} bytes; nothing was changed"),
        )),
        Ok(Err(_)) => Err(ApiError::invalid("the body broke off; nothing was changed")),
        Err(_) => Err(ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            "timeout",
            format!("the body did not arrive within {} seconds; nothing was changed", time_limit.as_secs()),
        )),
    }
}

/// The query parameters.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Self::from_uri(&parts.uri)
    }
}

impl<T: DeserializeOwned> Params<T> {
    /// Parses the query parameters of a URI.
    pub fn from_uri(uri: &Uri) -> Result<Self, ApiError> {
        let read = Query::<T>::try_from_uri(uri);
        read.map(|Query(value)| Self(value)).map_err(|error| ApiError::invalid(error.body_text()))
    }
}

/// The id in a path.
pub struct Named(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        read.map(|Path(id)| Self(id)).map_err(|error| ApiError::invalid(error.body_text()))
    }
}

/// The idempotency key of a request, if it has one. Each caller has a separate set of keys.
pub fn request_key(headers: &HeaderMap, caller: &Caller, body: Hash) -> Result<Option<RequestKey>, ApiError> {
    let Some(given) = headers.get("idempotency-key") else { return Ok(None) };
    if given.is_empty() || given.len() > LONGEST_KEY {
        let message = format!("Idempotency-Key: takes 1 to {LONGEST_KEY} characters, such as a UUID");
        return Err(ApiError::invalid(message));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(caller.name.as_bytes()).update(&[0]).update(given.as_bytes());
    Ok(Some(RequestKey { key: *hasher.finalize().as_bytes(), body, at: SystemClock.now() }))
}
