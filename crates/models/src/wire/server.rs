//! Sends requests to a model's server. Its errors name the server and its reason, and never contain a key, an answer
//! or a person's words.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::{RequestBuilder, Response, StatusCode};
use serde::Serialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::listen::{ConnectionLost, Source, StreamedAnswer};
use super::{Endpoint, EndpointError, overloaded, retry_after, server_message, text};
use crate::limits::Limits;
use crate::price;
use crate::{Answer, Error};

/// Maximum number of bytes read from a refusal.
const MAX_REFUSAL_BYTES: usize = 64 << 10;
/// Servers' phrases for a prompt that is too long.
const TOO_LONG: [&str; 7] = [
    "prompt is too long",
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "request_too_large",
    "too many tokens",
];
/// Servers' phrases for a prompt that violates their policy.
const POLICY_VIOLATION: [&str; 3] = ["content_filter", "content_policy", "content management policy"];
const UNPAID: [&str; 3] = ["credit balance", "insufficient_quota", "billing"];

/// The settings of a model's server.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// The server's address, such as `http://localhost:11434`.
    pub address: String,
    /// The model's name there.
    pub model: String,
    /// The key, if the server requires one.
    pub key: Option<String>,
    /// The limits of an answer.
    pub limits: Limits,
}

/// Omits the key, and the address, which may contain one.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("model", &self.model)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// The API of a kind of server.
pub(crate) struct Kind {
    /// The path below the address.
    pub(crate) path: &'static [&'static str],
    /// Advice if nothing answers there.
    pub(crate) start: &'static str,
    /// Where the key is configured.
    pub(crate) key: &'static str,
    /// Advice if the server lacks the model.
    pub(crate) missing: fn(&str) -> String,
}

/// A model's server.
pub(crate) struct Server {
    endpoint: Endpoint,
    kind: &'static Kind,
    headers: Vec<(&'static str, String)>,
    pub(crate) model: String,
    pub(crate) limits: Limits,
    /// True if the price list applies. Other servers have their own prices, or none.
    is_listed: bool,
    /// True once it or its model refused tools, while this process runs.
    refuses_tools: AtomicBool,
}

/// A response: an answer, or a refusal.
pub(crate) struct Reply {
    pub(crate) asked: Instant,
    came: Result<Response, Refusal>,
}

struct Refusal {
    status: StatusCode,
    retry_after: Option<Duration>,
    body: String,
}

impl Refusal {
    /// The server's reason, if it is readable. It may repeat a header with the key, which is removed.
    fn words(&self, headers: &[(&str, String)]) -> String {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        let paths = ["/error/message", "/message", "/error", "/detail"];
        let mut said = paths.iter().find_map(|path| text(&body, path)).unwrap_or_default().to_owned();
        for secret in headers.iter().filter_map(|(_, value)| value.split(' ').next_back()) {
            said = if secret.is_empty() { said } else { said.replace(secret, "…") };
        }
        server_message(&said)
    }
}

impl Reply {
    /// Returns true if the server objected to a part of the request by name.
    pub(crate) fn objects_to(&self, part: &str) -> bool {
        let refusal = self.came.as_ref().err();
        refusal.is_some_and(|refusal| refusal.status.is_client_error() && refusal.body.contains(part))
    }

    /// Returns true if the server or its model cannot use tools, or not as configured.
    pub(crate) fn objects_to_tools(&self) -> bool {
        let Err(refusal) = &self.came else { return false };
        let body = refusal.body.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
        match refusal.status.as_u16() {
            400 | 404 | 422 | 501 => says(&["tool"]) && !says(&TOO_LONG),
            500 => says(&["tool"]) && says(&["support", "require", "enable"]),
            _ => false,
        }
    }

    /// Returns true if the server may have refused because of the files: it objects to the request, or cannot read
    /// pictures.
    pub(crate) fn objects_to_files(&self) -> bool {
        let Err(refusal) = &self.came else { return false };
        let body = refusal.body.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| body.contains(word));
        match refusal.status.as_u16() {
            400 | 413 | 415 | 422 => !names(&UNPAID),
            500.. => names(&["image", "multimodal", "mmproj", "vision"]),
            _ => false,
        }
    }
}

impl Server {
    pub(crate) fn new(settings: Settings, kind: &'static Kind) -> Result<Self, Error> {
        let endpoint = Endpoint::new(&settings.address, kind.path).map_err(unusable)?;
        Ok(Self {
            endpoint,
            kind,
            headers: Vec::new(),
            model: settings.model,
            limits: settings.limits,
            is_listed: true,
            refuses_tools: AtomicBool::new(false),
        })
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The cost of reading and writing this many tokens by the price list.
    pub(crate) fn expected_cost(&self, read: u64, written: u64) -> Option<f64> {
        self.is_listed.then(|| price::list_cost(&self.model, read, written)).flatten()
    }

    /// The server with unknown prices.
    pub(crate) fn without_prices(self) -> Self {
        Self { is_listed: false, ..self }
    }

    /// Returns true unless tools were refused before.
    pub(crate) fn takes_tools(&self) -> bool {
        !self.refuses_tools.load(Ordering::Relaxed)
    }

    /// Remembers that tools were refused.
    pub(crate) fn remember_without_tools(&self) {
        self.refuses_tools.store(true, Ordering::Relaxed);
    }

    /// The host and port.
    pub(crate) fn host(&self) -> String {
        self.endpoint.name()
    }

    /// Sends a question.
    pub(crate) async fn ask(&self, question: &(impl Serialize + Sync)) -> Result<Reply, Error> {
        self.send(self.endpoint.post().map_err(unusable)?.json(question)).await
    }

    /// Reads a document from another endpoint of the server.
    pub(crate) async fn read(&self, endpoint: &Endpoint) -> Result<Value, Error> {
        self.document(endpoint.get().map_err(unusable)?).await
    }

    /// Requests a document from another endpoint of the server.
    pub(crate) async fn ask_for(&self, endpoint: &Endpoint, question: &Value) -> Result<Value, Error> {
        self.document(endpoint.post().map_err(unusable)?.json(question)).await
    }

    async fn document(&self, request: RequestBuilder) -> Result<Value, Error> {
        let reply = self.send(request).await?;
        let response = reply.came.map_err(|refusal| self.explain(&refusal))?;
        let until = reply.asked + self.limits.first.min(self.limits.whole);
        let body = timeout_at(until, beginning(response)).await.map_err(|_| self.late())?;
        serde_json::from_str(&body).map_err(|_| Error::Unreadable(format!("{} sent no JSON", self.host())))
    }

    async fn send(&self, mut request: RequestBuilder) -> Result<Reply, Error> {
        let asked = Instant::now();
        let until = asked + self.limits.first.min(self.limits.whole);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let response = timeout_at(until, request.send()).await.map_err(|_| self.late())?;
        let response = response.map_err(|error| self.unanswered(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(Reply { asked, came: Ok(response) });
        }
        let retry_after = retry_after(&response);
        // The status decides, even if the body of a refusal cannot be read.
        let body = timeout_at(until, beginning(response)).await.unwrap_or_default();
        Ok(Reply { asked, came: Err(Refusal { status, retry_after, body }) })
    }

    /// The response, unless it is a refusal.
    pub(super) fn accepted(&self, reply: Reply) -> Result<Response, Error> {
        reply.came.map_err(|refusal| self.explain(&refusal))
    }

    /// Converts a streamed answer; `name` is the model's display name.
    pub(super) fn finish(&self, heard: StreamedAnswer, name: &str) -> Result<Answer, Error> {
        let listed = if self.is_listed { self.model.as_str() } else { "" };
        heard.into_answer(name, listed, &self.host())
    }

    /// Classifies a refusal by what can be done about it.
    fn explain(&self, refusal: &Refusal) -> Error {
        let (name, model, code) = (self.endpoint.name(), &self.model, refusal.status.as_u16());
        let body = refusal.body.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| body.contains(phrase));
        match refusal.status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Error::Refused(format!(
                "{name} does not accept the key (HTTP {code}{}): check {}",
                refusal.words(&self.headers),
                self.kind.key
            )),
            StatusCode::NOT_FOUND => Error::Refused((self.kind.missing)(model)),
            StatusCode::PAYLOAD_TOO_LARGE => Error::TooLong(format!("{name} takes shorter ones")),
            _ if refusal.status.is_client_error() && says(&UNPAID) => {
                Error::Refused(format!("the account at {name} has no credit left: check its billing"))
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => self.busy(refusal),
            _ if refusal.status.is_client_error() && says(&TOO_LONG) => {
                Error::TooLong(format!("{model} at {name} takes shorter ones"))
            }
            _ if refusal.status.is_client_error() && says(&POLICY_VIOLATION) => {
                Error::Refused(format!("{name} does not want to answer this"))
            }
            _ if refusal.status.is_server_error() => self.busy(refusal),
            _ => Error::Refused(format!(
                "{name} does not accept the request (HTTP {code}{}): check the address and the model {model}",
                refusal.words(&self.headers)
            )),
        }
    }

    fn busy(&self, refusal: &Refusal) -> Error {
        let after = refusal.retry_after;
        let when = after.map_or_else(|| "later".to_owned(), |wait| format!("in {} s", wait.as_secs()));
        let (name, code) = (self.endpoint.name(), refusal.status.as_u16());
        let why = format!(
            "{name} cannot answer now (HTTP {code}{}): try again {when}",
            refusal.words(&self.headers)
        );
        Error::Overloaded { why, after }
    }

    fn late(&self) -> Error {
        Error::Unavailable(format!("{} did not answer in time: try again later", self.endpoint.name()))
    }

    fn unanswered(&self, error: &reqwest::Error) -> Error {
        let name = self.endpoint.name();
        if error.is_builder() {
            Error::Refused(format!(
                "the key for {name} has characters that no key has: check {}",
                self.kind.key
            ))
        } else if error.is_connect() {
            Error::Unavailable(format!("cannot connect to {name}: {}", self.kind.start))
        } else {
            overloaded(&format!("the connection to {name} broke off: try again later"))
        }
    }
}

/// The error of an unusable address.
pub(crate) fn unusable(wrong: EndpointError) -> Error {
    Error::Refused(format!("the address of the model's server {wrong}"))
}

async fn beginning(mut response: Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_REFUSAL_BYTES {
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

impl Source for Response {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, ConnectionLost> {
        Response::chunk(self).await.map(|chunk| chunk.map(Into::into)).map_err(|_| ConnectionLost)
    }
}
