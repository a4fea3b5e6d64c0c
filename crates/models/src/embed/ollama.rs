//! Embeddings from Ollama, which runs models locally.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::http::{Reply, Server, batches, sendable};
use super::{Embedder, Error};

/// Maximum number of texts per request: Ollama embeds them one by one, and a slow machine must answer in time.
const MAX_TEXTS: usize = 32;
const MAX_CHARACTERS: usize = 100_000;

/// A model of an Ollama server.
pub struct Ollama {
    server: Server,
    model: String,
    id: String,
}

#[derive(Deserialize)]
struct Answer {
    embeddings: Vec<Vec<f32>>,
}

impl Ollama {
    /// A model such as `nomic-embed-text` of a server such as `http://localhost:11434`.
    pub fn new(url: &str, model: &str) -> Result<Self, Error> {
        let remedy = "Ollama is not running there, so start it with `ollama serve` or correct the address";
        let server = Server::new(url, &["api", "embed"], remedy)?;
        Ok(Self { server, model: model.to_owned(), id: format!("ollama/{model}") })
    }

    /// Sets a time-out other than two minutes.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.server = self.server.with_timeout(timeout);
        self
    }

    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let input: Vec<&str> = texts.iter().map(|text| sendable(text)).collect();
        let reply = self.server.ask(&json!({ "model": self.model, "input": input })).await?;
        if !reply.status.is_success() {
            return Err(self.refusal(&reply));
        }
        let vectors = self.server.parse::<Answer>(&reply.body)?.embeddings;
        if vectors.len() != texts.len() {
            return Err(self.server.unreadable("has not one vector for each text"));
        }
        Ok(vectors)
    }

    fn refusal(&self, reply: &Reply) -> Error {
        let (name, model) = (self.server.name(), &self.model);
        // Ollama reports a missing model in JSON, and a missing path in plain text.
        let explained = serde_json::from_slice::<serde_json::Value>(&reply.body).is_ok();
        match reply.status {
            StatusCode::NOT_FOUND if explained => Error::Missing(format!(
                "Ollama at {name} does not have {model}: run `ollama pull {model}` there"
            )),
            StatusCode::NOT_FOUND => Error::Refused(format!(
                "the server at {name} is not an Ollama that can embed: update Ollama or correct the address"
            )),
            status => Error::Refused(format!(
                "Ollama at {name} does not accept the request (HTTP {}): check that {model} is an embedding model",
                status.as_u16()
            )),
        }
    }
}

#[async_trait]
impl Embedder for Ollama {
    fn id(&self) -> &str {
        &self.id
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in batches(texts, MAX_TEXTS, MAX_CHARACTERS) {
            vectors.extend(self.ask(batch).await?);
        }
        self.server.unit_vectors(vectors)
    }
}

/// Omits the address, which may contain a password.
impl fmt::Debug for Ollama {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ollama").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::loopback::{Asked, Behavior, Loopback, ok};
    use super::*;

    async fn embed(behavior: Behavior) -> (Result<Vec<Vec<f32>>, Error>, Vec<Asked>, String) {
        let server = Loopback::start().await;
        let name = server.address().to_string();
        let embedder = Ollama::new(&format!("http://{name}/"), "nomic-embed-text").unwrap();
        let texts = ["one".to_owned(), "two".to_owned()];
        let (vectors, asked) = server.serve(embedder.embed(&texts), [behavior]).await;
        (vectors, asked, name)
    }

    #[tokio::test]
    async fn vectors_come_with_length_1() {
        let body =
            r#"{"model": "nomic-embed-text", "embeddings": [[3, 4], [0, 0.5]], "total_duration": 14143917}"#;
        let (vectors, asked, _) = embed(ok(body)).await;
        assert_eq!(vectors.unwrap(), [[0.6, 0.8], [0.0, 1.0]]);
        assert!(asked[0].head.starts_with("POST /api/embed HTTP/1.1\r\n"), "{}", asked[0].head);
        assert_eq!(asked[0].body, json!({ "model": "nomic-embed-text", "input": ["one", "two"] }));
    }

    #[tokio::test]
    async fn a_model_that_is_not_there_is_to_be_pulled() {
        let body = r#"{"error": "model \"nomic-embed-text\" not found, try pulling it first"}"#;
        let (vectors, _, name) = embed(Behavior::Answer("404 Not Found", "", body.to_owned())).await;
        let message = format!(
            "Ollama at {name} does not have nomic-embed-text: run `ollama pull nomic-embed-text` there"
        );
        assert_eq!(vectors, Err(Error::Missing(message)));
    }

    #[tokio::test]
    async fn other_refusals_say_what_to_correct() {
        let cases = [
            (
                Behavior::Answer("404 Not Found", "", "404 page not found".to_owned()),
                "the server at NAME is not an Ollama that can embed: update Ollama or correct the address",
            ),
            (
                Behavior::Answer("501 Not Implemented", "", r#"{"error": "no embeddings"}"#.to_owned()),
                "Ollama at NAME does not accept the request (HTTP 501): check that nomic-embed-text is an embedding model",
            ),
        ];
        for (behavior, said) in cases {
            let (vectors, _, name) = embed(behavior).await;
            assert_eq!(vectors, Err(Error::Refused(said.replace("NAME", &name))));
        }
    }

    #[tokio::test]
    async fn an_answer_with_too_few_vectors_is_told_as_such() {
        let (vectors, _, name) = embed(ok(r#"{"embeddings": [[1]]}"#)).await;
        let message = format!(
            "the answer of {name} has not one vector for each text: check that the address is that of an embedding server"
        );
        assert_eq!(vectors, Err(Error::Unreadable(message)));
    }

    #[tokio::test]
    async fn a_closed_port_means_that_ollama_is_not_running() {
        let server = Loopback::start().await;
        let name = server.address();
        drop(server);
        let embedder = Ollama::new(&format!("http://{name}"), "nomic-embed-text").unwrap();
        let message = format!(
            "cannot connect to {name}: Ollama is not running there, so start it with `ollama serve` or correct the address"
        );
        assert_eq!(
            embedder.embed(&["one".to_owned()]).await,
            Err(Error::Unavailable { message, retry_after: None })
        );
    }
}
