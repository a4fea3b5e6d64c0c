//! Failures as HTTP answers: the right status and `{"error":{"code","message"}}`.

use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::output::Failure;

/// A failure as an HTTP answer.
#[derive(Debug)]
pub struct ApiError {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: String,
    /// Seconds after which the client may try again.
    pub retry_after: Option<u64>,
}

/// The body of every failure.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorDocument {
    /// The failure.
    pub error: ErrorBody,
}

/// A failure.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

impl ApiError {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None }
    }

    /// The request is malformed.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", message)
    }

    /// The thing does not exist, or the caller may not see it.
    pub fn not_found(kind: &str, id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("there is no {kind} {id:?}"))
    }

    /// The caller is known but lacks permission.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// The request carries no valid credential.
    pub fn unauthorized() -> Self {
        let message = "show an API token in the header `Authorization: Bearer TOKEN`; in a browser, open the link that `throughline open` prints";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    /// The body.
    pub fn document(&self) -> ErrorDocument {
        ErrorDocument { error: ErrorBody { code: self.code.to_owned(), message: self.message.clone() } }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if self.status.is_server_error() {
            tracing::error!(code = self.code, error = self.message, "request failed");
        }
        let mut response = (self.status, Json(self.document())).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        let (code, sentence) = match failure {
            // A sentence about a flag fits the field of the same name.
            Failure::Usage(sentence) => return Self::invalid(sentence.trim_start_matches("--")),
            Failure::Reported => ("failed", "the request failed".to_owned()),
            Failure::Failed { code, sentence } => (code, sentence),
        };
        let status = match code {
            "not_found" => StatusCode::NOT_FOUND,
            "forbidden" => StatusCode::FORBIDDEN,
            "conflict" | "not_undone" | "ambiguous_id" => StatusCode::CONFLICT,
            "invalid_message" | "too_long" | "not_kept" | "no_topic" | "unreadable_file" => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            "capped" => StatusCode::TOO_MANY_REQUESTS,
            "model" | "not_heard" | "embedder" | "unanswered" | "routine" | "refused" => {
                StatusCode::BAD_GATEWAY
            }
            "busy" | "lane_busy" | "unavailable" | "read_only" => StatusCode::SERVICE_UNAVAILABLE,
            "disk_full" => StatusCode::INSUFFICIENT_STORAGE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let retry_after = matches!(code, "busy" | "lane_busy").then_some(1);
        Self { retry_after, ..Self::new(status, code, sentence) }
    }
}

impl From<throughline_engine::Error> for ApiError {
    fn from(error: throughline_engine::Error) -> Self {
        Failure::from(error).into()
    }
}

impl From<throughline_store::Error> for ApiError {
    fn from(error: throughline_store::Error) -> Self {
        Failure::from(error).into()
    }
}
