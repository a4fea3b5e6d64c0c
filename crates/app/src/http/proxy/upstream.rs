//! Sends a request to the provider, with the client's headers except those for this server, and with the client's key,
//! or the key in the settings if the client has none.

use std::sync::{Arc, OnceLock};

use axum::http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, ORIGIN,
    PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, REFERER, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VIA,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::{Client, Response};

use super::header;
use crate::config::settings;
use crate::config::values::secret::Secret;
use crate::http::error::ApiError;

/// This server's name in the `Via` header.
const NAME: &str = "throughline";
/// The header for Anthropic's keys.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Headers that concern one connection, and headers that reveal something about this machine.
const NOT_FORWARDED: [HeaderName; 14] = [
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

/// The provider of an API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    OpenAi,
    Anthropic,
}

/// Whether a client without a key may use the key in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsKey {
    Allowed,
    Refused,
}

/// A provider with its address and key.
#[derive(Clone)]
pub struct Upstream {
    provider: Provider,
    address: String,
    key: Option<Secret>,
    /// Created for the first request, because loading this machine's certificates takes time.
    client: Arc<OnceLock<Client>>,
}

impl Upstream {
    pub fn new(provider: Provider, settings: &settings::Provider) -> Self {
        let address = settings.base_url.expose().trim_end_matches('/').to_owned();
        Self { provider, address, key: settings.api_key.clone(), client: Arc::default() }
    }

    /// Sends a request, and returns the response once its headers have arrived.
    pub async fn send(
        &self,
        head: &Parts,
        settings_key: SettingsKey,
        body: Vec<u8>,
    ) -> Result<Response, ApiError> {
        if header(head, VIA.as_str()).is_some_and(|via| via.contains(NAME)) {
            return Err(ApiError::new(
                StatusCode::LOOP_DETECTED,
                "loop",
                format!(
                    "the request was here before: {} is the address of this server itself",
                    self.setting()
                ),
            ));
        }
        let headers = self.headers(&head.headers, settings_key)?;
        let request = self.client()?.request(head.method.clone(), self.url(head)).headers(headers).body(body);
        request.send().await.map_err(|error| {
            tracing::warn!(error = %error.without_url(), "proxied request failed");
            let setting = self.setting();
            failed(format!("the provider cannot be reached: check the network and {setting}"))
        })
    }

    /// Returns true if a client's request uses the key in the settings.
    pub fn uses_settings_key(&self, headers: &HeaderMap) -> bool {
        let has_key = |name| headers.get(name).is_some_and(|key| !is_placeholder(key));
        self.key.is_some() && !has_key(&AUTHORIZATION) && !has_key(&API_KEY)
    }

    /// The name of a model in the ledger.
    pub fn model(&self, name: &str) -> String {
        match self.provider {
            Provider::OpenAi => format!("openai/{name}"),
            Provider::Anthropic => format!("anthropic/{name}"),
        }
    }

    /// Returns true if this is the provider's own server, where its list prices apply.
    pub fn has_list_prices(&self) -> bool {
        self.address.starts_with("https://api.openai.com/") || self.address == "https://api.anthropic.com"
    }

    /// The environment variable that sets the address.
    fn setting(&self) -> &'static str {
        match self.provider {
            Provider::OpenAi => "OPENAI_BASE_URL",
            Provider::Anthropic => "ANTHROPIC_BASE_URL",
        }
    }

    fn url(&self, head: &Parts) -> String {
        // The base URL of OpenAI's API includes the version, Anthropic's does not.
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

    fn headers(&self, from: &HeaderMap, settings_key: SettingsKey) -> Result<HeaderMap, ApiError> {
        let is_ours = |name: &HeaderName| name.as_str().starts_with("x-throughline-");
        let mut headers = HeaderMap::new();
        for (name, value) in from.iter().filter(|(name, _)| !NOT_FORWARDED.contains(name) && !is_ours(name)) {
            headers.append(name.clone(), value.clone());
        }
        // The text of the response is read as it passes, so it must not be compressed.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.append(VIA, HeaderValue::from_static("1.1 throughline"));
        for name in [&AUTHORIZATION, &API_KEY] {
            if headers.get(name).is_some_and(is_placeholder) {
                headers.remove(name);
            }
        }
        if headers.contains_key(AUTHORIZATION) || headers.contains_key(&API_KEY) {
            return Ok(headers);
        }
        if settings_key == SettingsKey::Refused {
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

/// The provider did not respond, or its response broke off.
pub fn failed(message: impl Into<String>) -> ApiError {
    ApiError::new(StatusCode::BAD_GATEWAY, "upstream", message)
}

/// Returns true if a key is a placeholder, which clients without a key send because the providers' libraries require
/// one.
fn is_placeholder(value: &HeaderValue) -> bool {
    let value = value.as_bytes();
    let key = value.strip_prefix(b"Bearer").unwrap_or(value).trim_ascii();
    key.is_empty() || key == NAME.as_bytes()
}
