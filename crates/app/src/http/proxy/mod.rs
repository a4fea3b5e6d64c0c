//! Drop-in proxies for OpenAI and Anthropic: a client that uses this server as its base URL gets a memory. The proxy
//! adds memories to the client's request, sends it to the provider, and returns the response byte for byte.
//!
//! | file | does |
//! |---|---|
//! | [`request`] | reads the messages of a request in each API's format, and inserts memory |
//! | [`memory`] | records the newest message, and recalls memories for it |
//! | [`upstream`] | sends the request to the provider, with the client's key or the key in the settings |
//! | [`reply`] | reads the text of a response |
//! | [`relay`] | passes the response on, and records it |

mod memory;
mod relay;
pub mod reply;
pub mod request;
mod upstream;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use serde_json::Value;
use throughline_models::Usage;

use super::error::ApiError;
use super::{Caller, Web};
use memory::{Notes, RequestOptions};
use relay::RelayedRequest;
pub use relay::record_broken_off;
use request::{Api, ClientRequest};
use upstream::{Provider, SettingsKey, Upstream};

/// The chat of requests that name none.
const DEFAULT_CHAT: &str = "api:chat:main";
/// Request headers that are not passed on.
const CHAT: &str = "x-throughline-chat";
const STORE: &str = "x-throughline-store";
const BUDGET: &str = "x-throughline-budget";
/// The response header with the id of the recorded message.
const MESSAGE: &str = "x-throughline-message";
/// The header in which a provider's library counts its retries.
const RETRIES: &str = "x-stainless-retry-count";
/// The header that names the sub-agent of Claude Code that sends the request.
const SUB_AGENT: &str = "x-claude-code-agent-id";
/// Maximum size of a request in bytes. Anthropic accepts 32 MB.
const LARGEST_REQUEST: usize = 64 << 20;
/// Maximum number of tokens that memory adds to a request, unless its header says otherwise.
const DEFAULT_BUDGET: u32 = 8_000;

/// Bytes per token, for estimating the cost of a request.
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
        async move |State(proxy): State<Proxy>, caller: Caller, head: Parts, body: Bytes| {
            proxy.converse(api, caller, head, body).await
        }
    };
    let pass = |provider, settings_key| {
        async move |State(proxy): State<Proxy>, head: Parts, body: Bytes| {
            proxy.pass(provider, settings_key, head, body).await
        }
    };
    Router::new()
        .route("/openai/v1/chat/completions", post(converse(Api::ChatCompletions)))
        .route("/openai/v1/responses", post(converse(Api::Responses)))
        .route("/openai/v1/models", get(pass(Provider::OpenAi, SettingsKey::Allowed)))
        .route("/openai/v1/{*path}", any(pass(Provider::OpenAi, SettingsKey::Refused)))
        // The claude command checks that the server is reachable before it starts.
        .route("/anthropic", get(async || StatusCode::OK))
        .route("/anthropic/v1/messages", post(converse(Api::Messages)))
        .route("/anthropic/v1/messages/count_tokens", post(pass(Provider::Anthropic, SettingsKey::Allowed)))
        .route("/anthropic/v1/models", get(pass(Provider::Anthropic, SettingsKey::Allowed)))
        .route("/anthropic/v1/{*path}", any(pass(Provider::Anthropic, SettingsKey::Refused)))
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
        .with_state(proxy)
}

/// The value of a header, if it is text.
fn header<'a>(head: &'a Parts, name: &str) -> Option<&'a str> {
    head.headers.get(name)?.to_str().ok().map(str::trim)
}

impl Proxy {
    fn upstream(&self, provider: Provider) -> &Upstream {
        match provider {
            Provider::OpenAi => &self.openai,
            Provider::Anthropic => &self.anthropic,
        }
    }

    /// Passes a request on unchanged.
    async fn pass(
        &self,
        provider: Provider,
        settings_key: SettingsKey,
        head: Parts,
        body: Bytes,
    ) -> Response {
        match self.upstream(provider).send(&head, settings_key, body.into()).await {
            Ok(response) => relay::pass(response),
            Err(error) => error_response(provider, error),
        }
    }

    /// Passes a conversation on with memory, and records both sides.
    async fn converse(&self, api: Api, caller: Caller, head: Parts, body: Bytes) -> Response {
        match self.try_converse(api, caller, &head, body).await {
            Ok(response) => response,
            Err(error) => error_response(api.provider(), error),
        }
    }

    async fn try_converse(
        &self,
        api: Api,
        caller: Caller,
        head: &Parts,
        body: Bytes,
    ) -> Result<Response, ApiError> {
        let named = header(head, CHAT).or_else(|| caller.is_owner().then_some(DEFAULT_CHAT));
        let chat = caller.chat(named).await?;
        let mut json = serde_json::from_slice::<Value>(&body).unwrap_or_default();
        let options = RequestOptions {
            chat: &chat,
            may_store: may_store(head, &json)?,
            is_retry: header(head, RETRIES).is_some_and(|count| count != "0"),
            budget: budget(head)?,
        };
        let mut body: Vec<u8> = body.into();
        let mut proxied = None;
        if let Some(client) = ClientRequest::read(api, &json).filter(|_| header(head, SUB_AGENT).is_none()) {
            let (message, additions) = self.recall(&caller, &client, options).await?;
            proxied = Some(message);
            if !additions.is_empty() {
                request::add(api, &mut json, &additions);
                body = json.to_string().into_bytes();
            }
        }
        let model = json.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        let expected_tokens = u32::try_from(body.len() / BYTES_PER_TOKEN).unwrap_or(u32::MAX);
        let reply = caller.engine.ids.next();
        let mut relayed = RelayedRequest {
            api,
            caller,
            chat,
            proxied,
            model,
            expected_tokens,
            call: None,
            reply,
            shown: 0,
        };
        let upstream = self.upstream(api.provider());
        if upstream.uses_settings_key(&head.headers) {
            let (engine, model) = (&self.web.host.engine, upstream.model(&relayed.model));
            relayed.call = Some(engine.begin_relayed_call(&relayed.chat, model, expected_tokens).await?);
        }
        match upstream.send(head, SettingsKey::Allowed, body).await {
            Ok(response) => Ok(self.relay(response, relayed).await),
            Err(error) => {
                self.end_call(relayed.call, Usage::default()).await;
                Err(error)
            }
        }
    }
}

/// Whether a request may be recorded, by its header or else by OpenAI's parameter `store`.
fn may_store(head: &Parts, body: &Value) -> Result<bool, ApiError> {
    match header(head, STORE) {
        Some("yes") => Ok(true),
        Some("no") => Ok(false),
        Some(_) => Err(ApiError::invalid("X-Throughline-Store: write yes or no")),
        None => Ok(body.get("store") != Some(&Value::Bool(false))),
    }
}

fn budget(head: &Parts) -> Result<u32, ApiError> {
    let Some(budget) = header(head, BUDGET) else { return Ok(DEFAULT_BUDGET) };
    budget.parse().map_err(|_| ApiError::invalid("X-Throughline-Budget: write a number of tokens"))
}

/// An error of this server, in the provider's format.
fn error_response(provider: Provider, error: ApiError) -> Response {
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
