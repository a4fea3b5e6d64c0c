//! Passes a response on as it arrives, and records its text before the client sees the end. If the response or this
//! process breaks off, the part that the client saw is recorded.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderValue, Response as HttpResponse};
use axum::response::Response;
use futures_util::stream;
use serde_json::Map;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Role, Shortfall};
use throughline_engine::work::RelayedCall;
use throughline_engine::{Engine, Error, Inbound};
use throughline_models::Usage;
use throughline_models::price::{self, Tokens};
use throughline_store::messages::Purpose;
use throughline_store::relayed::RelayedReply;
use throughline_text::redact::redact;
use throughline_text::tokens::estimate;
use tokio::sync::mpsc::{self, error::SendError};
use tokio::time::Instant;
use uuid::Uuid;

use super::memory::ProxiedMessage;
use super::reply::{Events, Reply};
use super::request::Api;
use super::{Caller, MESSAGE, Proxy};

/// Maximum number of pieces that wait for a slow client.
const MAX_WAITING_PIECES: usize = 16;
/// Time between two writes of the text that the client sees. Text that arrives in between waits for the next write.
const BETWEEN_WRITES: Duration = Duration::from_millis(100);

/// A request whose response is passed on.
pub struct RelayedRequest {
    pub api: Api,
    pub caller: Caller,
    pub chat: ChatId,
    /// The person's newest message; `None` for a request of a program.
    pub proxied: Option<ProxiedMessage>,
    /// The entry in the ledger, if the call uses the key in the settings.
    pub call: Option<RelayedCall>,
    pub model: String,
    /// The estimated number of input tokens.
    pub expected_tokens: u32,
    /// The id of the reply.
    pub reply: Uuid,
    /// Bytes of the reply that were written to disk before the client saw them.
    pub shown: usize,
}

/// Passes a response on unchanged.
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
    /// Passes a response on, and records it.
    pub async fn relay(&self, response: reqwest::Response, relayed: RelayedRequest) -> Response {
        let kind = response.headers().get(CONTENT_TYPE);
        let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let message = relayed.proxied.as_ref().and_then(|proxied| proxied.message);
        let mut answer = match response.status().is_success() {
            false => {
                // A provider charges nothing for a request that it refuses.
                self.end_call(relayed.call, Usage::default()).await;
                pass(response)
            }
            true if is_stream => self.stream(response, relayed),
            true => self.whole(response, relayed).await,
        };
        if let Some(message) = message.and_then(|id| HeaderValue::from_str(&id.to_string()).ok()) {
            answer.headers_mut().insert(MESSAGE, message);
        }
        answer
    }

    async fn whole(&self, response: reqwest::Response, relayed: RelayedRequest) -> Response {
        let response: HttpResponse<reqwest::Body> = response.into();
        let (parts, body) = response.into_parts();
        match axum::body::to_bytes(Body::new(body), usize::MAX).await {
            Ok(bytes) => {
                let reply = Reply::read(relayed.api, &bytes);
                self.record(relayed, reply, None).await;
                with_body(HttpResponse::from_parts(parts, bytes), Body::from)
            }
            Err(error) => {
                tracing::warn!(%error, "response to a proxied request broke off");
                let error = super::upstream::failed("the provider's answer broke off; try again");
                super::error_response(relayed.api.provider(), error)
            }
        }
    }

    fn stream(&self, response: reqwest::Response, relayed: RelayedRequest) -> Response {
        let (pieces, passed) = mpsc::channel(MAX_WAITING_PIECES);
        let mut answer = HttpResponse::new(());
        *answer.status_mut() = response.status();
        *answer.headers_mut() = response.headers().clone();
        let proxy = self.clone();
        self.web.turns.spawn(async move { proxy.follow(response, relayed, &pieces).await });
        let body = stream::unfold(passed, async |mut passed| Some((passed.recv().await?, passed)));
        with_body(answer, |()| Body::from_stream(body))
    }

    /// Passes a stream on piece by piece, until it ends or the client disconnects.
    async fn follow(
        &self,
        mut response: reqwest::Response,
        relayed: RelayedRequest,
        pieces: &mpsc::Sender<Piece>,
    ) {
        let mut events = Events::new(relayed.api);
        let mut relayed = Some(relayed);
        // Pieces whose text is not on disk yet, and the time of the next write.
        let (mut held, mut next_write) = (Vec::new(), Instant::now());
        let shortfall = loop {
            let piece = tokio::select! {
                piece = response.chunk() => piece,
                () = pieces.closed() => break Some(Shortfall::Stopped),
                () = tokio::time::sleep_until(next_write), if !held.is_empty() => Ok(Some(Bytes::new())),
            };
            match piece {
                Ok(Some(piece)) => {
                    let is_over = events.push(&piece);
                    held.push(piece);
                    if is_over && let Some(relayed) = relayed.take() {
                        // The reply must be on disk before the client sees its end.
                        self.record(relayed, std::mem::take(&mut events.reply), None).await;
                    } else if let Some(relayed) = &mut relayed
                        && relayed.shown < events.reply.text.len()
                    {
                        if Instant::now() < next_write {
                            continue;
                        }
                        self.persist_shown(relayed, &events.reply.text).await;
                        next_write = Instant::now() + BETWEEN_WRITES;
                    }
                    if pass_on(&mut held, pieces).await.is_err() {
                        break Some(Shortfall::Stopped);
                    }
                }
                Ok(None) => break (!events.reply.is_complete).then_some(Shortfall::Cut),
                Err(error) => {
                    if let Some(relayed) = relayed.take() {
                        self.record(relayed, std::mem::take(&mut events.reply), Some(Shortfall::Cut)).await;
                    }
                    let _ = pass_on(&mut held, pieces).await;
                    let _ = pieces.send(Err(std::io::Error::other(error.without_url()))).await;
                    return;
                }
            }
        };
        if let Some(relayed) = relayed {
            self.record(relayed, events.reply, shortfall).await;
        }
        let _ = pass_on(&mut held, pieces).await;
    }

    /// Writes the text that the client is about to see to disk. If that fails, the client sees it nevertheless.
    async fn persist_shown(&self, relayed: &mut RelayedRequest, words: &str) {
        relayed.shown = words.len();
        if !relayed.proxied.as_ref().is_some_and(|proxied| proxied.may_store) {
            return;
        }
        let words = redact(words).into_owned();
        let reply = RelayedReply { id: relayed.reply, chat: relayed.chat.clone(), words };
        if let Err(error) = relayed.caller.engine.store.show_relayed(reply).await {
            tracing::warn!(%error, chat = %relayed.chat, "writing a proxied reply to disk failed; passing it on");
        }
    }

    /// Records a reply, unless it is empty or may not be recorded.
    async fn record(&self, relayed: RelayedRequest, reply: Reply, shortfall: Option<Shortfall>) {
        let usage = self.usage(&relayed, &reply);
        self.end_call(relayed.call, usage).await;
        let Some(proxied) = relayed.proxied else { return };
        if shortfall.is_none() {
            self.notes.answered(&proxied.key);
        }
        if !proxied.may_store || reply.text.trim().is_empty() {
            return;
        }
        let words = RelayedReply { id: relayed.reply, chat: relayed.chat.clone(), words: reply.text };
        if let Err(error) = record_reply(&relayed.caller.engine, words, shortfall).await {
            // The client gets the reply nevertheless: it has been paid for.
            tracing::error!(%error, chat = %relayed.chat, "recording a proxied reply failed");
        }
        self.web.host.jobs.notify_one();
    }

    /// The usage of a call, estimated if the provider does not report it.
    fn usage(&self, relayed: &RelayedRequest, reply: &Reply) -> Usage {
        let mut tokens = reply.tokens;
        if tokens == Tokens::default() {
            tokens.input = relayed.expected_tokens;
            tokens.output = estimate(&reply.text);
        }
        let has_prices = self.upstream(relayed.api.provider()).has_list_prices();
        let cost_usd = price::cost(&relayed.model, tokens).filter(|_| has_prices);
        Usage { input_tokens: tokens.read(), output_tokens: tokens.output, cost_usd }
    }

    /// Writes the usage of a call to the ledger.
    pub async fn end_call(&self, call: Option<RelayedCall>, usage: Usage) {
        let Some(call) = call else { return };
        if let Err(error) = self.web.host.engine.end_relayed_call(call, usage).await {
            tracing::warn!(%error, "ending a proxied call in the ledger failed; it counts by estimate");
        }
    }
}

/// Records the replies that broke off when an earlier process ended.
pub async fn record_broken_off(engine: &Engine) -> throughline_engine::Result<()> {
    for reply in engine.store.relayed().await? {
        record_reply(engine, reply, Some(Shortfall::Cut)).await?;
    }
    Ok(())
}

/// Records a reply, and deletes the copy that was kept while it was passed on. Repeating this records the reply once.
async fn record_reply(
    engine: &Engine,
    reply: RelayedReply,
    shortfall: Option<Shortfall>,
) -> throughline_engine::Result<()> {
    let mark = |shortfall: Shortfall| (Shortfall::KEY.to_owned(), <&str>::from(shortfall).into());
    let inbound = Inbound {
        role: Role::Assistant,
        text: reply.words,
        lane: Some(Lane::Root),
        external_ids: vec![format!("proxy:{}", reply.id)],
        metadata: shortfall.map(mark).into_iter().collect::<Map<_, _>>(),
        ..Inbound::in_chat(reply.chat)
    };
    match engine.record_message(inbound, Purpose::Record).await {
        // An unrecordable reply will not become recordable, so its copy is deleted too.
        Ok(_) | Err(Error::Unrecordable(_)) => Ok(engine.store.end_relayed(reply.id).await?),
        Err(error) => Err(error),
    }
}

/// Passes on the pieces that were held back.
async fn pass_on(held: &mut Vec<Bytes>, pieces: &mpsc::Sender<Piece>) -> Result<(), SendError<Piece>> {
    for piece in held.drain(..).filter(|piece| !piece.is_empty()) {
        pieces.send(Ok(piece)).await?;
    }
    Ok(())
}

type Piece = Result<Bytes, std::io::Error>;
