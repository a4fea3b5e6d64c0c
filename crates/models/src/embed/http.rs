//! Sends requests to an embedding server. Its errors name the server, and never contain a key, an answer or a
//! person's words.

use std::time::Duration;

use reqwest::{Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Error, normalized};
use crate::wire::{Endpoint, EndpointError, retry_after};

/// Time-out of a request; the first one may wait for a local server to load its model.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum size of an answer, in bytes: 256 vectors of 4,096 numbers, twice over.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// An embedding server.
pub(super) struct Server {
    endpoint: Endpoint,
    key: Option<String>,
    timeout: Duration,
    /// Advice if nothing answers there.
    remedy: &'static str,
}

/// A reply of a server that was neither busy nor broken.
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

impl Server {
    /// A server at an address and a path below it.
    pub(super) fn new(address: &str, path: &[&str], remedy: &'static str) -> Result<Self, Error> {
        let endpoint = Endpoint::new(address, path).map_err(unusable)?;
        Ok(Self { endpoint, key: None, timeout: TIMEOUT, remedy })
    }

    pub(super) fn with_key(mut self, key: Option<&str>) -> Self {
        self.key = key.map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned);
        self
    }

    pub(super) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The host and, if unusual, the port.
    pub(super) fn name(&self) -> String {
        self.endpoint.name()
    }

    /// Sends a request. A busy or broken server is an error, everything else a reply.
    pub(super) async fn ask(&self, question: &(impl Serialize + Sync)) -> Result<Reply, Error> {
        let mut request = self.endpoint.post().map_err(unusable)?.timeout(self.timeout).json(question);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let response = request.send().await.map_err(|error| self.unanswered(&error))?;
        let status = response.status();
        let passing = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        if passing && status != StatusCode::NOT_IMPLEMENTED {
            let retry_after = retry_after(&response);
            let when =
                retry_after.map_or_else(|| "later".to_owned(), |wait| format!("in {} s", wait.as_secs()));
            let message =
                format!("{} cannot answer now (HTTP {}): try again {when}", self.name(), status.as_u16());
            return Err(Error::Unavailable { message, retry_after });
        }
        let body = self.read(response).await?;
        Ok(Reply { status, body })
    }

    /// Reads the JSON of an answer.
    pub(super) fn parse<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, Error> {
        serde_json::from_slice(body).map_err(|_| self.unreadable("is not a list of vectors"))
    }

    /// The error of an unusable answer.
    pub(super) fn unreadable(&self, what: &str) -> Error {
        Error::Unreadable(format!(
            "the answer of {} {what}: check that the address is that of an embedding server",
            self.name()
        ))
    }

    /// Normalizes vectors, if all have a direction and the same dimension.
    pub(super) fn unit_vectors(&self, vectors: Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, Error> {
        let dimension = vectors.first().map_or(0, Vec::len);
        if vectors.iter().any(|vector| vector.len() != dimension) {
            return Err(self.unreadable("has vectors of different dimensions"));
        }
        let vectors: Option<_> = vectors.into_iter().map(normalized).collect();
        vectors.ok_or_else(|| self.unreadable("has a vector without a direction"))
    }

    async fn read(&self, mut response: Response) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unanswered(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_ANSWER_BYTES {
                return Err(self.unreadable("is far too long"));
            }
        }
        Ok(body)
    }

    fn unanswered(&self, error: &reqwest::Error) -> Error {
        let name = self.name();
        if error.is_builder() {
            return Error::Refused(format!(
                "the key for {name} has characters that no key has: copy it again"
            ));
        }
        let message = if error.is_connect() {
            format!("cannot connect to {name}: {}", self.remedy)
        } else if error.is_timeout() {
            format!("{name} did not answer within {:?}: try again later", self.timeout)
        } else {
            format!("the connection to {name} broke off: try again later")
        };
        Error::Unavailable { message, retry_after: None }
    }
}

fn unusable(wrong: EndpointError) -> Error {
    Error::Refused(format!("the address of the embedding server {wrong}"))
}

/// Splits texts in order into as few batches as the limits allow. A text over the limit forms its own batch.
pub(super) fn batches(texts: &[String], most_texts: usize, most_characters: usize) -> Vec<&[String]> {
    let mut batches = Vec::new();
    let mut rest = texts;
    while !rest.is_empty() {
        let mut characters = 0;
        let fits = rest.iter().take(most_texts).take_while(|text| {
            characters += text.chars().count();
            characters <= most_characters
        });
        let (batch, after) = rest.split_at_checked(fits.count().max(1)).unwrap_or((rest, &[]));
        batches.push(batch);
        rest = after;
    }
    batches
}

/// The text to send; servers refuse an empty one.
pub(super) fn sendable(text: &str) -> &str {
    if text.is_empty() { " " } else { text }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn batches_hold_every_text_once_and_keep_the_limits(
            texts in prop::collection::vec("[aé日]{0,12}", 0..60),
            most_texts in 1usize..10,
            most_characters in 1usize..40,
        ) {
            let batches = batches(&texts, most_texts, most_characters);
            prop_assert_eq!(&batches.concat(), &texts);
            let size = |batch: &[String]| batch.iter().map(|text| text.chars().count()).sum::<usize>();
            for batch in &batches {
                prop_assert!((1..=most_texts).contains(&batch.len()));
                prop_assert!(batch.len() == 1 || size(batch) <= most_characters);
            }
            for pair in batches.windows(2) {
                let next = [pair[0], &pair[1][..1]].concat();
                prop_assert!(next.len() > most_texts || size(&next) > most_characters, "room was left");
            }
        }
    }

    #[test]
    fn what_is_not_an_address_is_refused_without_repeating_it() {
        for address in ["", "localhost:11434", "ftp://secret@host", "mailto:secret@host", "http://secret:@"] {
            let Some(Error::Refused(message)) = Server::new(address, &[], "").err() else {
                panic!("{address}")
            };
            assert!(message.contains("http://localhost:11434") && !message.contains("secret"), "{message}");
        }
    }
}
