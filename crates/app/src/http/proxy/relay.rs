//! Passes an answer on as it comes, and records its words: whole before the client sees the end, or what was passed on
//! if it breaks off.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderValue, Response as HttpResponse};
use axum::response::Response;
use hyper::body::Frame;
use serde_json::Map;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Role, Shortfall};
use throughline_engine::Inbound;
use throughline_store::messages::Purpose;
use tokio::sync::mpsc;

use super::memory::Noted;
use super::reply::{Events, Reply};
use super::request::Api;
use super::{Caller, MESSAGE, Proxy};

/// Pieces of an answer that may wait for a slow client.
const WAITING: usize = 16;

/// Passes an answer on as it is.
pub fn pass(response: reqwest::Response) -> Response {
    let response: HttpResponse<reqwest::Body> = response.into();
    with_body(response, Body::new)
}

fn with_body<B>(response: HttpResponse<B>, body: impl FnOnce(B) -> Body) -> Response {
    let mut response = response.map(body);
    for name in [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
        response.headers_mut().remove(name);
    }
    response
}

impl Proxy {
    /// Passes an answer on, and records it.
    pub async fn relay(
        &self,
        response: reqwest::Response,
        api: Api,
        caller: Caller,
        noted: Noted,
    ) -> Response {
        let is_stream = response
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let message = noted.message.and_then(|id| HeaderValue::from_str(&id.to_string()).ok());
        let mut answer = match response.status().is_success() {
            false => pass(response),
            true if is_stream => self.stream(response, api, caller, noted),
            true => self.whole(response, api, &caller, &noted).await,
        };
        if let Some(message) = message {
            answer.headers_mut().insert(MESSAGE, message);
        }
        answer
    }

    async fn whole(&self, response: reqwest::Response, api: Api, caller: &Caller, noted: &Noted) -> Response {
        let response: HttpResponse<reqwest::Body> = response.into();
        let (parts, body) = response.into_parts();
        match axum::body::to_bytes(Body::new(body), usize::MAX).await {
            Ok(bytes) => {
                self.record(caller, noted, Reply::read(api, &bytes), None).await;
                with_body(HttpResponse::from_parts(parts, bytes), Body::from)
            }
            Err(error) => {
                tracing::warn!(%error, "the answer to a proxied request broke off");
                let failure =
                    crate::output::Failure::failed("upstream", "the provider's answer broke off; try again");
                super::refusal(api.provider(), failure)
            }
        }
    }

    fn stream(&self, response: reqwest::Response, api: Api, caller: Caller, noted: Noted) -> Response {
        let (pieces, passed) = mpsc::channel(WAITING);
        let mut parts: HttpResponse<reqwest::Body> = HttpResponse::default();
        *parts.status_mut() = response.status();
        *parts.headers_mut() = response.headers().clone();
        let proxy = self.clone();
        self.host.tasks.spawn(async move { proxy.follow(response, api, &caller, &noted, &pieces).await });
        with_body(parts, |_| Body::new(Passed(passed)))
    }

    /// Passes a stream on piece by piece, until it ends or the client goes.
    async fn follow(
        &self,
        mut response: reqwest::Response,
        api: Api,
        caller: &Caller,
        noted: &Noted,
        pieces: &mpsc::Sender<Result<Bytes, std::io::Error>>,
    ) {
        let mut events = Some(Events::new(api));
        loop {
            let piece = tokio::select! {
                piece = response.chunk() => piece,
                () = pieces.closed() => break,
            };
            let Ok(Some(piece)) = piece else {
                if let Some(events) = events.take() {
                    let shortfall = (!events.reply.is_complete).then_some(Shortfall::Cut);
                    self.record(caller, noted, events.reply, shortfall).await;
                }
                if let Err(error) = piece {
                    let _ = pieces.send(Err(std::io::Error::other(error.without_url()))).await;
                }
                return;
            };
            if let Some(ended) = events.take_if(|events| events.push(&piece)) {
                // On disk before the client knows that it is complete.
                self.record(caller, noted, ended.reply, None).await;
            }
            if pieces.send(Ok(piece)).await.is_err() {
                break;
            }
        }
        if let Some(events) = events {
            self.record(caller, noted, events.reply, Some(Shortfall::Stopped)).await;
        }
    }

    /// Records what an answer says, if it says something and may be recorded.
    async fn record(&self, caller: &Caller, noted: &Noted, reply: Reply, shortfall: Option<Shortfall>) {
        if shortfall.is_none() {
            self.notes.answered(&noted.key);
        }
        if noted.may_store && !reply.text.trim().is_empty() {
            let mark = |it: Shortfall| (Shortfall::KEY.to_owned(), <&str>::from(it).into());
            let inbound = Inbound {
                role: Role::Assistant,
                text: reply.text,
                lane: Some(Lane::Root),
                metadata: shortfall.map(mark).into_iter().collect::<Map<_, _>>(),
                ..Inbound::in_chat(noted.chat.clone())
            };
            if let Err(error) = caller.engine.hear(inbound, Purpose::Record).await {
                // The client is shown it all the same: it has been paid for.
                tracing::error!(%error, chat = %noted.chat, "recording a proxied reply failed");
            }
            self.host.jobs.notify_one();
        }
    }
}

/// The body of an answer that is passed on.
struct Passed(mpsc::Receiver<Result<Bytes, std::io::Error>>);

impl hyper::body::Body for Passed {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
