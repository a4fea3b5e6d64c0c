//! Drop-in proxies: a client that is pointed here by its base URL gets a memory. Its request goes to the provider with
//! what is remembered in it, and the answer comes back byte for byte.
//!
//! | file | does |
//! |---|---|
//! | [`request`] | what a client says, in the format of its API; where memory is put into it |
//! | [`memory`] | records the newest message, and finds what is remembered for it |
//! | [`upstream`] | sends the request to the provider, with the client's key or the one of the settings |
//! | [`reply`] | reads the words of an answer as it passes |
//! | [`relay`] | passes the answer on, and records it |

mod memory;
mod relay;
pub mod reply;
pub mod request;
mod upstream;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use serde_json::Value;
use throughline_models::Usage;

use super::error::ApiError;
use super::{Caller, Web};
use memory::{Notes, Reading};
use relay::Relayed;
pub use relay::record_broken_off;
use request::{Api, Asked};
use upstream::{Lent, Provider, Upstream};

/// The chat of requests that name none.
const DEFAULT_CHAT: &str = "api:chat:main";
/// Headers for this server alone.
const CHAT: &str = "x-throughline-chat";
const STORE: &str = "x-throughline-store";
const BUDGET: &str = "x-throughline-budget";
/// The response header with the id of the recorded message.
const MESSAGE: &str = "x-throughline-message";
/// How often a provider's library has sent the request before.
const RETRIES: &str = "x-stainless-retry-count";
/// Names the sub-agent of Claude Code that sends the request.
const SUB_AGENT: &str = "x-claude-code-agent-id";
/// Maximum bytes of a request. Anthropic takes 32 MB; images of several messages add up.
const LARGEST_REQUEST: usize = 64 << 20;
/// Maximum tokens that memory adds to a request, unless its header says otherwise.
const DEFAULT_BUDGET: u32 = 8_000;

/// Bytes of a request for each token that it is expected to cost.
const BYTES_PER_TOKEN: usize = 4;

/// The proxies of this process.
#[derive(Clone)]
pub struct Proxy {
    web: Web,
    notes: std::sync::Arc<Notes>,
    openai: Upstream,
    anthropic: Upstream,
}

/// The routes below `/openai` and `/anthropic`.
pub fn routes(web: Web) -> Router {
    let settings = &web.host.app.settings;
    let openai = Upstream::new(Provider::OpenAi, &settings.openai);
    let anthropic = Upstream::new(Provider::Anthropic, &settings.anthropic);
    let proxy = Proxy { notes: std::sync::Arc::default(), openai, anthropic, web };
    let converse = |api| {
        async move |State(proxy): State<Proxy>, caller: Caller, head: Head, body: Bytes| {
            proxy.converse(api, caller, head, body).await
        }
    };
    let pass = |provider, lent| {
        async move |State(proxy): State<Proxy>, head: Head, body: Bytes| {
            proxy.pass(provider, lent, head, body).await
        }
    };
    Router::new()
        .route("/openai/v1/chat/completions", post(converse(Api::ChatCompletions)))
        .route("/openai/v1/responses", post(converse(Api::Responses)))
        .route("/openai/v1/models", get(pass(Provider::OpenAi, Lent::Yes)))
        .route("/openai/v1/{*path}", any(pass(Provider::OpenAi, Lent::No)))
        // The claude command asks whether anyone is there before it begins.
        .route("/anthropic", get(async || StatusCode::OK))
        .route("/anthropic/v1/messages", post(converse(Api::Messages)))
        .route("/anthropic/v1/messages/count_tokens", post(pass(Provider::Anthropic, Lent::Yes)))
        .route("/anthropic/v1/models", get(pass(Provider::Anthropic, Lent::Yes)))
        .route("/anthropic/v1/{*path}", any(pass(Provider::Anthropic, Lent::No)))
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
        .with_state(proxy)
}

/// A request without its body.
struct Head {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
}

impl<S: Sync> axum::extract::FromRequestParts<S> for Head {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        _: &S,
    ) -> Result<Self, Self::Rejection> {
        let (method, uri, headers) = (parts.method.clone(), parts.uri.clone(), parts.headers.clone());
        Ok(Self { method, uri, headers })
    }
}

impl Head {
    fn text(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }
}

impl Proxy {
    fn upstream(&self, provider: Provider) -> &Upstream {
        match provider {
            Provider::OpenAi => &self.openai,
            Provider::Anthropic => &self.anthropic,
        }
    }

    /// Passes a request on as it is.
    async fn pass(&self, provider: Provider, lent: Lent, head: Head, body: Bytes) -> Response {
        match self.upstream(provider).send(&head, lent, body.into()).await {
            Ok(response) => relay::pass(response),
            Err(error) => refusal(provider, error),
        }
    }

    /// Passes on what a client says to a model, with memory, and records both sides.
    async fn converse(&self, api: Api, caller: Caller, head: Head, body: Bytes) -> Response {
        match self.passed(api, caller, &head, body).await {
            Ok(response) => response,
            Err(error) => refusal(api.provider(), error),
        }
    }

    async fn passed(&self, api: Api, caller: Caller, head: &Head, body: Bytes) -> Result<Response, ApiError> {
        let named = head.text(CHAT).or_else(|| caller.is_owner().then_some(DEFAULT_CHAT));
        let chat = caller.chat(named).await?;
        let mut json = serde_json::from_slice::<Value>(&body).unwrap_or_default();
        let reading = Reading {
            chat: &chat,
            may_store: may_store(head, &json)?,
            is_retry: head.text(RETRIES).is_some_and(|count| count != "0"),
            budget: budget(head)?,
        };
        let mut body: Vec<u8> = body.into();
        let mut noted = None;
        if let Some(asked) = Asked::read(api, &json).filter(|_| head.text(SUB_AGENT).is_none()) {
            let (message, added) = self.recall(&caller, &asked, reading).await?;
            noted = Some(message);
            if !added.is_nothing() {
                request::add(api, &mut json, &added);
                body = json.to_string().into_bytes();
            }
        }
        let model = json.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        let expected_tokens = u32::try_from(body.len() / BYTES_PER_TOKEN).unwrap_or(u32::MAX);
        let reply = caller.engine.ids.next();
        let mut relayed =
            Relayed { api, caller, chat, noted, model, expected_tokens, call: None, reply, shown: 0 };
        let upstream = self.upstream(api.provider());
        if upstream.lends_key(&head.headers) {
            let (engine, model) = (&self.web.host.engine, upstream.model(&relayed.model));
            relayed.call = Some(engine.begin_relayed_call(&relayed.chat, model, expected_tokens).await?);
        }
        match upstream.send(head, Lent::Yes, body).await {
            Ok(response) => Ok(self.relay(response, relayed).await),
            Err(error) => {
                self.end_call(relayed.call, Usage::default()).await;
                Err(error)
            }
        }
    }
}

/// Whether a request may be recorded: its header says so, or else OpenAI's own parameter.
fn may_store(head: &Head, body: &Value) -> Result<bool, ApiError> {
    match head.text(STORE) {
        Some("yes") => Ok(true),
        Some("no") => Ok(false),
        Some(_) => Err(ApiError::invalid("X-Throughline-Store: write yes or no")),
        None => Ok(body.get("store") != Some(&Value::Bool(false))),
    }
}

fn budget(head: &Head) -> Result<u32, ApiError> {
    let Some(budget) = head.text(BUDGET) else { return Ok(DEFAULT_BUDGET) };
    budget.parse().map_err(|_| ApiError::invalid("X-Throughline-Budget: write a number of tokens"))
}

/// An error of this server, in the shape of the provider's.
fn refusal(provider: Provider, error: ApiError) -> Response {
    let ApiError { status, code, message, .. } = error;
    let document = match provider {
        Provider::OpenAi => serde_json::json!({
            "error": { "message": message, "type": "throughline_error", "param": null, "code": code }
        }),
        Provider::Anthropic => serde_json::json!({
            "type": "error", "error": { "type": code, "message": message }
        }),
    };
    (status, axum::Json(document)).into_response()
}
