//! Revalidation of JSON documents: every `GET` response gets an `ETag`, and a client that sends it back gets 304
//! without a body.

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::response::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::error::ApiError;

/// Maximum size of a document that gets an `ETag`, in bytes.
const LARGEST: usize = 4 << 20;

/// Adds an `ETag` to documents, and answers 304 if the client has the current version.
pub async fn revalidate(request: Request, next: Next) -> Response {
    let is_get = request.method() == Method::GET;
    let known: Vec<HeaderValue> = request.headers().get_all(IF_NONE_MATCH).iter().cloned().collect();
    let response = next.run(request).await;
    if !is_get || !is_document(&response) {
        return response;
    }
    let (parts, body) = response.into_parts();
    match to_bytes(body, LARGEST).await {
        Ok(document) => with_etag(parts, document, &known),
        Err(error) => {
            let message = format!("the answer could not be written: {error}");
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message).into_response()
        }
    }
}

/// Returns true if `If-None-Match` contains an `ETag`.
pub fn matches<'a>(known: impl IntoIterator<Item = &'a HeaderValue>, etag: &str) -> bool {
    let names = known.into_iter().filter_map(|value| value.to_str().ok()).flat_map(|names| names.split(','));
    names.map(str::trim).any(|name| name == "*" || name.trim_start_matches("W/") == etag)
}

/// Returns true if a response is JSON that is completely in memory; a stream is not.
fn is_document(response: &Response) -> bool {
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let size = response.body().size_hint().exact();
    response.status() == StatusCode::OK && is_json && size.is_some_and(|size| size <= LARGEST as u64)
}

fn with_etag(mut parts: Parts, document: Bytes, known: &[HeaderValue]) -> Response {
    let etag = format!("\"{}\"", blake3::hash(&document).to_hex());
    let is_known = matches(known, &etag);
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        parts.headers.insert(ETAG, etag);
        // The document is private to the caller and may change at any time.
        parts.headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    if !is_known {
        return Response::from_parts(parts, Body::from(document));
    }
    parts.status = StatusCode::NOT_MODIFIED;
    parts.headers.remove(CONTENT_TYPE);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_name_several_documents_in_several_headers() {
        let given = |values: &[&'static str]| {
            let values: Vec<_> = values.iter().map(|value| HeaderValue::from_static(value)).collect();
            matches(&values, "\"a\"")
        };
        assert!(
            given(&["\"a\""]) && given(&["\"b\", W/\"a\""]) && given(&["\"b\"", "\"a\""]) && given(&["*"])
        );
        assert!(!given(&[]) && !given(&["\"b\""]) && !given(&["a"]) && !given(&["\"a"]));
    }
}
