//! Sends a request to the provider: the client's headers without those that are for this server, and the client's key, or
//! the one of the settings if it has none.

use std::sync::{Arc, OnceLock};

use axum::http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, ORIGIN,
    PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, REFERER, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VIA,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::{Client, Response};

use super::Head;
use crate::config::settings;
use crate::config::values::secret::Secret;
use crate::http::error::ApiError;

/// How this server names itself to the next one.
const NAME: &str = "throughline";
/// The header of Anthropic's keys.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Headers of one connection, and those that tell of this machine.
const NOT_PASSED_ON: [HeaderName; 14] = [
    ACCEPT_ENCODING,
    CONNECTION,
    CONTENT_LENGTH,
    COOKIE,
    EXPECT,
    HOST,
    ORIGIN,
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    REFERER,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Whose API it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    OpenAi,
    Anthropic,
}

/// Whether the key of the settings is lent to clients that have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lent {
    Yes,
    No,
}

/// A provider as the settings name it.
#[derive(Clone)]
pub struct Upstream {
    provider: Provider,
    address: String,
    key: Option<Secret>,
    /// Made for the first request: reading this machine's certificates takes a moment.
    client: Arc<OnceLock<Client>>,
}

impl Upstream {
    pub fn new(provider: Provider, settings: &settings::Provider) -> Self {
        let address = settings.base_url.expose().trim_end_matches('/').to_owned();
        Self { provider, address, key: settings.api_key.clone(), client: Arc::default() }
    }

    /// Sends a request, and gives the response once its head is there.
    pub async fn send(&self, head: &Head, lent: Lent, body: Vec<u8>) -> Result<Response, ApiError> {
        if head.text(VIA.as_str()).is_some_and(|via| via.contains(NAME)) {
            return Err(ApiError::new(
                StatusCode::LOOP_DETECTED,
                "loop",
                format!(
                    "the request was here before: {} is the address of this server itself",
                    self.setting()
                ),
            ));
        }
        let headers = self.headers(&head.headers, lent)?;
        let request = self.client()?.request(head.method.clone(), self.url(head)).headers(headers).body(body);
        request.send().await.map_err(|error| {
            tracing::warn!(error = %error.without_url(), "a proxied request failed");
            let setting = self.setting();
            failed(format!("the provider cannot be reached: check the network and {setting}"))
        })
    }

    /// Whether the key of the settings is used for a client's request.
    pub fn lends_key(&self, headers: &HeaderMap) -> bool {
        let has_key = |name| headers.get(name).is_some_and(|key| !is_no_key(key));
        self.key.is_some() && !has_key(&AUTHORIZATION) && !has_key(&API_KEY)
    }

    /// The name of a model in the ledger.
    pub fn model(&self, name: &str) -> String {
        match self.provider {
            Provider::OpenAi => format!("openai/{name}"),
            Provider::Anthropic => format!("anthropic/{name}"),
        }
    }

    /// Whether it is the provider's own server, which has its list prices.
    pub fn has_list_prices(&self) -> bool {
        self.address.starts_with("https://api.openai.com/") || self.address == "https://api.anthropic.com"
    }

    /// The name of the variable with the address.
    fn setting(&self) -> &'static str {
        match self.provider {
            Provider::OpenAi => "OPENAI_BASE_URL",
            Provider::Anthropic => "ANTHROPIC_BASE_URL",
        }
    }

    fn url(&self, head: &Head) -> String {
        // The address of OpenAI's API ends with the version, Anthropic's does not.
        let prefix = match self.provider {
            Provider::OpenAi => "/openai/v1",
            Provider::Anthropic => "/anthropic",
        };
        let path = head.uri.path_and_query().map_or("", |path| path.as_str());
        format!("{}{}", self.address, path.strip_prefix(prefix).unwrap_or_default())
    }

    fn client(&self) -> Result<&Client, ApiError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = throughline_models::http_client(&self.address).ok_or_else(|| {
            ApiError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "config",
                format!("{} is no address that can be asked", self.setting()),
            )
        })?;
        Ok(self.client.get_or_init(|| client))
    }

    fn headers(&self, from: &HeaderMap, lent: Lent) -> Result<HeaderMap, ApiError> {
        let is_ours = |name: &HeaderName| name.as_str().starts_with("x-throughline-");
        let mut headers = HeaderMap::new();
        for (name, value) in from.iter().filter(|(name, _)| !NOT_PASSED_ON.contains(name) && !is_ours(name)) {
            headers.append(name.clone(), value.clone());
        }
        // The words of the answer are read as they pass.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.append(VIA, HeaderValue::from_static("1.1 throughline"));
        for name in [&AUTHORIZATION, &API_KEY] {
            if headers.get(name).is_some_and(is_no_key) {
                headers.remove(name);
            }
        }
        if headers.contains_key(AUTHORIZATION) || headers.contains_key(&API_KEY) {
            return Ok(headers);
        }
        if lent == Lent::No {
            return Err(ApiError::new(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "the key of the settings is for conversations and lists of models only; send a key of your own",
            ));
        }
        if let Some(key) = &self.key {
            let (name, value) = match self.provider {
                Provider::OpenAi => (AUTHORIZATION, format!("Bearer {}", key.expose())),
                Provider::Anthropic => (API_KEY, key.expose().to_owned()),
            };
            let value = HeaderValue::from_str(&value);
            let mut value = value.map_err(|_| {
                ApiError::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "config",
                    "the key of the settings is no header",
                )
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

/// The provider did not answer, or not to the end.
pub fn failed(message: impl Into<String>) -> ApiError {
    ApiError::new(StatusCode::BAD_GATEWAY, "upstream", message)
}

/// Whether a client only says that it has no key: the libraries of both providers insist on one.
fn is_no_key(value: &HeaderValue) -> bool {
    let value = value.as_bytes();
    let key = value.strip_prefix(b"Bearer").unwrap_or(value).trim_ascii();
    key.is_empty() || key == NAME.as_bytes()
}
