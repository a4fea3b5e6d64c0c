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
mod reply;
mod request;
mod upstream;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use serde_json::Value;
use throughline_engine::access::Access;

use super::Caller;
use crate::channels::Host;
use crate::output::Failure;
use memory::{Notes, Reading};
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

/// The proxies of this process.
#[derive(Clone)]
pub struct Proxy {
    host: Host,
    notes: std::sync::Arc<Notes>,
    openai: Upstream,
    anthropic: Upstream,
}

/// The routes below `/openai` and `/anthropic`.
pub fn routes(host: Host) -> Router {
    let settings = &host.app.settings;
    let openai = Upstream::new(Provider::OpenAi, &settings.openai);
    let anthropic = Upstream::new(Provider::Anthropic, &settings.anthropic);
    let proxy = Proxy { notes: std::sync::Arc::default(), openai, anthropic, host };
    Router::new()
        .route("/openai/v1/chat/completions", post(chat_completions))
        .route("/openai/v1/responses", post(responses))
        .route("/openai/v1/models", get(openai_lent))
        .route("/openai/v1/{*path}", any(openai_own))
        // The claude command asks whether anyone is there before it begins.
        .route("/anthropic", get(async || StatusCode::OK))
        .route("/anthropic/v1/messages", post(messages))
        .route("/anthropic/v1/messages/count_tokens", post(anthropic_lent))
        .route("/anthropic/v1/models", get(anthropic_lent))
        .route("/anthropic/v1/{*path}", any(anthropic_own))
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
        .with_state(proxy)
}

async fn chat_completions(proxy: State<Proxy>, caller: Caller, head: Head, body: Bytes) -> Response {
    proxy.0.converse(Api::ChatCompletions, caller, head, body).await
}

async fn responses(proxy: State<Proxy>, caller: Caller, head: Head, body: Bytes) -> Response {
    proxy.0.converse(Api::Responses, caller, head, body).await
}

async fn messages(proxy: State<Proxy>, caller: Caller, head: Head, body: Bytes) -> Response {
    proxy.0.converse(Api::Messages, caller, head, body).await
}

async fn openai_lent(State(proxy): State<Proxy>, head: Head, body: Bytes) -> Response {
    proxy.pass(Provider::OpenAi, Lent::Yes, head, body).await
}

async fn openai_own(State(proxy): State<Proxy>, head: Head, body: Bytes) -> Response {
    proxy.pass(Provider::OpenAi, Lent::No, head, body).await
}

async fn anthropic_lent(State(proxy): State<Proxy>, head: Head, body: Bytes) -> Response {
    proxy.pass(Provider::Anthropic, Lent::Yes, head, body).await
}

async fn anthropic_own(State(proxy): State<Proxy>, head: Head, body: Bytes) -> Response {
    proxy.pass(Provider::Anthropic, Lent::No, head, body).await
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
            Err(failure) => refusal(provider, failure),
        }
    }

    /// Passes on what a client says to a model, with memory, and records both sides.
    async fn converse(&self, api: Api, caller: Caller, head: Head, body: Bytes) -> Response {
        let provider = api.provider();
        let (asked, body) = match self.remember(api, &caller, &head, body).await {
            Ok(prepared) => prepared,
            Err(failure) => return refusal(provider, failure),
        };
        let upstream = self.upstream(provider);
        match upstream.send(&head, Lent::Yes, body).await {
            Ok(response) => match asked {
                Some(asked) => self.relay(response, api, caller, asked).await,
                None => relay::pass(response),
            },
            Err(failure) => refusal(provider, failure),
        }
    }

    /// The request with memory in it, and what is to be recorded of its answer. A request that no person speaks in is left
    /// as it is.
    async fn remember(
        &self,
        api: Api,
        caller: &Caller,
        head: &Head,
        body: Bytes,
    ) -> Result<(Option<memory::Noted>, Vec<u8>), Failure> {
        let named = head.text(CHAT);
        let chat =
            caller.chat(named.or_else(|| (caller.access == Access::Everything).then_some(DEFAULT_CHAT)))?;
        let Ok(mut json) = serde_json::from_slice::<Value>(&body) else { return Ok((None, body.into())) };
        let asked = match Asked::read(api, &json) {
            Some(asked) if head.text(SUB_AGENT).is_none() => asked,
            _ => return Ok((None, body.into())),
        };
        let reading = Reading {
            chat,
            may_store: may_store(head, &json)?,
            is_retry: head.text(RETRIES).is_some_and(|count| count != "0"),
            budget: budget(head)?,
        };
        let (noted, added) = self.recall(caller, &asked, reading).await?;
        if added.is_nothing() {
            return Ok((Some(noted), body.into()));
        }
        request::add(api, &mut json, &added);
        Ok((Some(noted), json.to_string().into_bytes()))
    }
}

/// Whether a request may be recorded: its header says so, or else OpenAI's own parameter.
fn may_store(head: &Head, body: &Value) -> Result<bool, Failure> {
    match head.text(STORE) {
        Some("yes") => Ok(true),
        Some("no") => Ok(false),
        Some(_) => Err(Failure::Usage("X-Throughline-Store: write yes or no".to_owned())),
        None => Ok(body.get("store") != Some(&Value::Bool(false))),
    }
}

fn budget(head: &Head) -> Result<u32, Failure> {
    let Some(budget) = head.text(BUDGET) else { return Ok(DEFAULT_BUDGET) };
    budget.parse().map_err(|_| Failure::Usage("X-Throughline-Budget: write a number of tokens".to_owned()))
}

/// An error of this server, in the shape of the provider's.
fn refusal(provider: Provider, failure: Failure) -> Response {
    let (status, code, message) = super::told(failure);
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
