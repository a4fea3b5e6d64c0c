//! An address that questions are posted to over HTTP.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::{Client, RequestBuilder, Response, Url};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Where questions go.
pub(crate) struct Endpoint {
    url: Url,
    /// Made for the first question: reading this machine's certificates takes a moment, and most commands ask nothing.
    client: OnceLock<Client>,
}

/// Why there is no endpoint.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Wrong {
    // The address itself may hold a password, so it is not repeated.
    #[error("cannot be read: write it like http://localhost:11434")]
    Address,
    #[error("cannot be reached safely: check this machine's certificates")]
    Certificates,
}

impl Endpoint {
    /// An address and the path below it.
    pub(crate) fn new(address: &str, path: &[&str]) -> Result<Self, Wrong> {
        let mut url = Url::parse(address.trim()).map_err(|_| Wrong::Address)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Wrong::Address);
        }
        url.path_segments_mut().map_err(|()| Wrong::Address)?.pop_if_empty().extend(path);
        if url.host_str().is_none_or(str::is_empty) {
            return Err(Wrong::Address);
        }
        Ok(Self { url, client: OnceLock::new() })
    }

    /// The host and, if it is unusual, the port, as people know it.
    pub(crate) fn name(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// A question to be filled in.
    pub(crate) fn post(&self) -> Result<RequestBuilder, Wrong> {
        Ok(self.client()?.post(self.url.clone()))
    }

    /// A question without a body.
    pub(crate) fn get(&self) -> Result<RequestBuilder, Wrong> {
        Ok(self.client()?.get(self.url.clone()))
    }

    fn client(&self) -> Result<&Client, Wrong> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = client(&self.url).ok_or(Wrong::Certificates)?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// How long the server asks to wait, if it says so in seconds.
pub(crate) fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    seconds.trim().parse().ok().map(Duration::from_secs)
}

/// A client for an address with the certificates that this machine trusts; `None` if there are none.
#[must_use]
pub fn http_client(address: &str) -> Option<Client> {
    client(&Url::parse(address.trim()).ok()?)
}

fn client(url: &Url) -> Option<Client> {
    let host = url.host_str()?;
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let local = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    let client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        // A redirect would turn the question into a GET; the address is to be corrected instead.
        .redirect(reqwest::redirect::Policy::none())
        .tls_backend_preconfigured(tls()?);
    // A proxy knows another machine by the name of this one.
    if local { client.no_proxy() } else { client }.build().ok()
}

/// Trusts this machine's certificates and the public authorities: a bare container has no list of its own.
fn tls() -> Option<ClientConfig> {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    Some(
        config
            .with_safe_default_protocol_versions()
            .ok()?
            .with_root_certificates(roots)
            .with_no_client_auth(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_end_with_a_slash_and_hold_a_query() {
        let cases = [
            ("https://api.openai.com/v1", "https://api.openai.com/v1/embeddings", "api.openai.com"),
            (" http://[::1]:8080/v1/ ", "http://[::1]:8080/v1/embeddings", "[::1]:8080"),
            ("https://u:secret@host/a?version=2", "https://u:secret@host/a/embeddings?version=2", "host"),
        ];
        for (address, url, name) in cases {
            let endpoint = Endpoint::new(address, &["embeddings"]).unwrap();
            assert_eq!((endpoint.url.as_str(), endpoint.name().as_str()), (url, name));
        }
    }
}
