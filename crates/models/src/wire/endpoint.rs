//! An HTTP address for requests.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::{Client, RequestBuilder, Response, Url};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// An HTTP endpoint.
pub(crate) struct Endpoint {
    url: Url,
    /// Created for the first request: loading the system's certificates takes a moment, and most commands send
    /// nothing.
    client: OnceLock<Client>,
}

/// Why an endpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EndpointError {
    // The address may contain a password, so it is not repeated.
    #[error("cannot be read: write it like http://localhost:11434")]
    Address,
    #[error("cannot be reached safely: check this machine's certificates")]
    Certificates,
}

impl Endpoint {
    /// An endpoint at an address and a path below it.
    pub(crate) fn new(address: &str, path: &[&str]) -> Result<Self, EndpointError> {
        let mut url = Url::parse(address.trim()).map_err(|_| EndpointError::Address)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EndpointError::Address);
        }
        url.path_segments_mut().map_err(|()| EndpointError::Address)?.pop_if_empty().extend(path);
        if url.host_str().is_none_or(str::is_empty) {
            return Err(EndpointError::Address);
        }
        Ok(Self { url, client: OnceLock::new() })
    }

    /// The host and, if unusual, the port.
    pub(crate) fn name(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// A POST request.
    pub(crate) fn post(&self) -> Result<RequestBuilder, EndpointError> {
        Ok(self.client()?.post(self.url.clone()))
    }

    /// A GET request.
    pub(crate) fn get(&self) -> Result<RequestBuilder, EndpointError> {
        Ok(self.client()?.get(self.url.clone()))
    }

    fn client(&self) -> Result<&Client, EndpointError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = client(&self.url).ok_or(EndpointError::Certificates)?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// The delay that the server asks for, if given in seconds.
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
        // A redirect would turn the POST into a GET; the address must be corrected instead.
        .redirect(reqwest::redirect::Policy::none())
        .tls_backend_preconfigured(tls()?);
    // For a proxy, `localhost` would be another machine.
    if local { client.no_proxy() } else { client }.build().ok()
}

/// Trusts the system's certificates and the public authorities, since a bare container has no list.
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
