//! Work that outlives its request. The client reads its events as a stream, or waits for the result.

use std::convert::Infallible;

use axum::Json;
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::http::error::ApiError;

/// Reports on work to its client.
pub type Reporter<D> = UnboundedSender<Report<D>>;

/// A report on work.
pub enum Report<D> {
    /// An event on the way.
    Event(Event),
    /// The result.
    Ended(Box<Result<D, ApiError>>),
}

impl<D> Report<D> {
    /// An event with a document.
    pub fn event(name: &str, document: &impl Serialize) -> Self {
        Self::Event(event(name, document))
    }
}

/// Returns true if the client asks for a stream of events.
pub fn wants_stream(headers: &HeaderMap) -> bool {
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accepts.contains("text/event-stream")
}

/// The response: a stream that ends with an event `done` or `error`, or the result. If the program ends first, the error
/// is `interrupted`.
pub async fn respond<D: Serialize + Send + 'static>(
    mut reports: UnboundedReceiver<Report<D>>,
    wants_stream: bool,
    interrupted: &str,
) -> Result<Response, ApiError> {
    if wants_stream {
        let events = stream::unfold(reports, async |mut reports| {
            let event = match reports.recv().await? {
                Report::Event(event) => event,
                Report::Ended(ended) => match *ended {
                    Ok(document) => event("done", &document),
                    Err(error) => event("error", &error.document()),
                },
            };
            Some((Ok::<_, Infallible>(event), reports))
        });
        return Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response());
    }
    while let Some(report) = reports.recv().await {
        if let Report::Ended(ended) = report {
            return Ok(Json((*ended)?).into_response());
        }
    }
    Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "ending", interrupted))
}

fn event(name: &str, document: &impl Serialize) -> Event {
    Event::default().event(name).json_data(document).unwrap_or_else(|_| Event::default().event("error"))
}
