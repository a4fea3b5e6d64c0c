//! Transcribes speech with a server that offers OpenAI's `audio/transcriptions`.

use std::fmt;
use std::time::Duration;

use reqwest::multipart::{Form, Part};
use serde_json::Value;
use tokio::time::timeout;

use crate::Error;
use crate::wire::{Endpoint, server_message, text, unusable};

/// Maximum length of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A server that transcribes.
pub struct TranscriptionServer {
    endpoint: Endpoint,
    key: Option<String>,
    model: String,
}

/// Omits the key, and the address, which may contain one.
impl fmt::Debug for TranscriptionServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TranscriptionServer").field("model", &self.model).finish_non_exhaustive()
    }
}

impl TranscriptionServer {
    /// A server at a complete address, such as `http://localhost:8000/v1/audio/transcriptions`.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn new(address: &str, key: Option<&str>, model: &str) -> Result<Self, Error> {
        let endpoint = Endpoint::new(address, &[]).map_err(unusable)?;
        Ok(Self { endpoint, key: key.map(str::to_owned), model: model.to_owned() })
    }

    /// Transcribes a recording.
    ///
    /// # Errors
    /// If the server does not answer in time, refuses, or its answer cannot be parsed.
    pub async fn transcribe(&self, name: &str, bytes: Vec<u8>, limit: Duration) -> Result<String, Error> {
        let host = self.endpoint.name();
        let file = Part::bytes(bytes).file_name(name.to_owned());
        let form = Form::new().part("file", file).text("model", self.model.clone());
        let mut request = self.endpoint.post().map_err(unusable)?.multipart(form);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let asked = async {
            let mut response = request.send().await.map_err(|_| {
                Error::Unavailable(format!("cannot connect to {host}: check transcription.url"))
            })?;
            let status = response.status();
            let mut body = Vec::new();
            while let Ok(Some(chunk)) = response.chunk().await {
                body.extend_from_slice(&chunk);
                if body.len() > MAX_ANSWER_BYTES {
                    break;
                }
            }
            let body = String::from_utf8_lossy(&body).into_owned();
            let document: Value = serde_json::from_str(&body).unwrap_or_default();
            if !status.is_success() {
                let said = server_message(text(&document, "/error/message").unwrap_or_default());
                return Err(Error::Refused(format!(
                    "{host} does not transcribe it (HTTP {}{said})",
                    status.as_u16()
                )));
            }
            // Some servers answer with plain text.
            let words = text(&document, "/text").map(str::to_owned);
            Ok(words.unwrap_or_else(|| if document.is_null() { body } else { String::new() }))
        };
        timeout(limit, asked)
            .await
            .map_err(|_| Error::Unavailable(format!("{host} did not answer in time")))?
    }
}
