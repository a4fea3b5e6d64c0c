//! Embeddings over OpenAI's API, which many hosted and local servers offer.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::json;
use throughline_text::tokens;

use super::http::{Server, batches, sendable};
use super::{Embedder, Error};

const MAX_TEXTS: usize = 256;
const MAX_CHARACTERS: usize = 200_000;
/// Maximum length of a text, in tokens: OpenAI refuses a whole batch if one text exceeds 8,192.
const MAX_TEXT_TOKENS: u32 = 8_000;

/// A model behind `/embeddings`.
pub struct OpenAi {
    server: Server,
    model: String,
    id: String,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

impl OpenAi {
    /// A model of a server, such as `text-embedding-3-small` of `https://api.openai.com/v1`. A local server may need
    /// no key.
    pub fn new(base: &str, model: &str, key: Option<&str>) -> Result<Self, Error> {
        let server =
            Server::new(base, &["embeddings"], "check the address and the network, or try again later")?;
        Ok(Self { server: server.with_key(key), model: model.to_owned(), id: format!("openai/{model}") })
    }

    /// Sets a time-out other than two minutes.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.server = self.server.with_timeout(timeout);
        self
    }

    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let input: Vec<&str> =
            texts.iter().map(|text| sendable(tokens::head(text, MAX_TEXT_TOKENS))).collect();
        let reply = self.server.ask(&json!({ "model": self.model, "input": input })).await?;
        if !reply.status.is_success() {
            return Err(Error::Refused(self.refusal(reply.status)));
        }
        let mut items = self.server.parse::<Answer>(&reply.body)?.data;
        items.sort_by_key(|item| item.index);
        if !items.iter().map(|item| item.index).eq(0..texts.len()) {
            return Err(self.server.unreadable("has not one vector for each text"));
        }
        Ok(items.into_iter().map(|item| item.embedding).collect())
    }

    fn refusal(&self, status: StatusCode) -> String {
        let (name, model) = (self.server.name(), &self.model);
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                format!(
                    "{name} does not accept the key (HTTP {}): set a key that may use {model}",
                    status.as_u16()
                )
            }
            StatusCode::NOT_FOUND => format!(
                "{name} has no embedding model {model} at this address: correct the model's name or the address"
            ),
            _ => format!(
                "{name} does not accept the request (HTTP {}): check that {model} is an embedding model",
                status.as_u16()
            ),
        }
    }
}

#[async_trait]
impl Embedder for OpenAi {
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

/// Omits the key and the address, which may contain one.
impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::loopback::{Asked, Behavior, Loopback, ok};
    use super::*;

    const KEY: &str = "sk-very-secret";

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    async fn embed(
        texts: &[String],
        behaviors: Vec<Behavior>,
    ) -> (Result<Vec<Vec<f32>>, Error>, Vec<Asked>, String) {
        let server = Loopback::start().await;
        let name = server.address().to_string();
        let embedder = OpenAi::new(&format!("http://{name}/v1"), "small", Some(KEY)).unwrap();
        let (vectors, asked) = server.serve(embedder.embed(texts), behaviors).await;
        (vectors, asked, name)
    }

    /// The error when the server behaves like this for two texts.
    async fn error(behavior: Behavior) -> (Error, String) {
        let (vectors, _, name) = embed(&texts(&["one", "two"]), vec![behavior]).await;
        (vectors.unwrap_err(), name)
    }

    #[tokio::test]
    async fn vectors_come_in_the_order_of_the_texts_and_with_length_1() {
        let body = r#"{"object": "list", "model": "small", "usage": {"total_tokens": 4}, "data": [
            {"object": "embedding", "index": 1, "embedding": [0, -2.0]},
            {"object": "embedding", "index": 0, "embedding": [3e0, 4.0]}]}"#;
        let (vectors, asked, _) = embed(&texts(&["one", ""]), vec![ok(body)]).await;
        assert_eq!(vectors.unwrap(), [[0.6, 0.8], [0.0, -1.0]]);
        assert!(asked[0].head.starts_with("POST /v1/embeddings HTTP/1.1\r\n"), "{}", asked[0].head);
        assert!(asked[0].head.contains("\r\nauthorization: Bearer sk-very-secret\r\n"), "{}", asked[0].head);
        assert_eq!(asked[0].body, json!({ "model": "small", "input": ["one", " "] }));
    }

    #[tokio::test]
    async fn a_server_without_keys_is_asked_without_one() {
        let server = Loopback::start().await;
        let embedder = OpenAi::new(&format!("http://{}", server.address()), "small", Some(" ")).unwrap();
        let body = r#"{"data": [{"index": 0, "embedding": [1]}]}"#;
        let (vectors, asked) = server.serve(embedder.embed(&texts(&["one"])), [ok(body)]).await;
        assert_eq!((vectors.unwrap(), embedder.id()), (vec![vec![1.0]], "openai/small"));
        assert!(!asked[0].head.contains("authorization"), "{}", asked[0].head);
    }

    #[tokio::test]
    async fn many_texts_go_in_several_requests_and_a_long_one_is_cut() {
        let mut many = vec!["short".to_owned(); 257];
        many.push("a long story ".repeat(20_000));
        let one_each = |count: usize| {
            let data = (0..count).map(|index| json!({ "index": index, "embedding": [1, index] }));
            ok(json!({ "data": data.collect::<Vec<_>>() }).to_string())
        };
        let (vectors, asked, _) = embed(&many, vec![one_each(256), one_each(1), one_each(1)]).await;
        assert_eq!(vectors.unwrap().len(), 258);
        let inputs: Vec<_> = asked.iter().map(|asked| asked.body["input"].as_array().unwrap()).collect();
        assert_eq!(inputs.iter().map(|input| input.len()).collect::<Vec<_>>(), [256, 1, 1]);
        let sent = inputs[2][0].as_str().unwrap();
        assert!(sent.len() > 10_000 && tokens::estimate(sent) <= MAX_TEXT_TOKENS, "{}", sent.len());
    }

    #[tokio::test]
    async fn a_busy_server_is_left_alone_as_long_as_it_asks() {
        let cases = [
            ("429 Too Many Requests", "retry-after: 20\r\n", Some(20), "(HTTP 429): try again in 20 s"),
            (
                "429 Too Many Requests",
                "retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n",
                None,
                "(HTTP 429): try again later",
            ),
            ("500 Internal Server Error", "", None, "(HTTP 500): try again later"),
            ("503 Service Unavailable", "retry-after: 1\r\n", Some(1), "(HTTP 503): try again in 1 s"),
        ];
        for (status, headers, seconds, said) in cases {
            let (error, name) = error(Behavior::Answer(status, headers, String::new())).await;
            let message = format!("{name} cannot answer now {said}");
            assert_eq!(error, Error::Unavailable { message, retry_after: seconds.map(Duration::from_secs) });
        }
    }

    #[tokio::test]
    async fn a_wrong_key_or_model_is_refused_and_the_key_is_not_repeated() {
        let body = format!(r#"{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}"#);
        let cases = [
            ("401 Unauthorized", " does not accept the key (HTTP 401): set a key that may use small"),
            ("403 Forbidden", " does not accept the key (HTTP 403): set a key that may use small"),
            (
                "404 Not Found",
                " has no embedding model small at this address: correct the model's name or the address",
            ),
            (
                "400 Bad Request",
                " does not accept the request (HTTP 400): check that small is an embedding model",
            ),
            ("301 Moved", " does not accept the request (HTTP 301): check that small is an embedding model"),
        ];
        for (status, said) in cases {
            let (error, name) = error(Behavior::Answer(status, "location: /\r\n", body.clone())).await;
            assert_eq!(error, Error::Refused(format!("{name}{said}")));
        }
    }

    #[tokio::test]
    async fn an_answer_of_no_use_is_told_as_such() {
        let item = |index: u32, embedding: &str| format!(r#"{{"index": {index}, "embedding": {embedding}}}"#);
        let both = |one: String, two: String| format!(r#"{{"data": [{one}, {two}]}}"#);
        let cases = [
            ("<html>hello</html>".to_owned(), "is not a list of vectors"),
            (r#"{"data": [{"index": 0, "embed"#.to_owned(), "is not a list of vectors"),
            (both(item(0, "[1]"), item(1, "[null]")), "is not a list of vectors"),
            (both(item(0, "[1]"), item(1, "[1e999]")), "is not a list of vectors"),
            (format!(r#"{{"data": [{}]}}"#, item(0, "[1]")), "has not one vector for each text"),
            (both(item(0, "[1]"), item(0, "[1]")), "has not one vector for each text"),
            (both(item(0, "[1]"), item(2, "[1]")), "has not one vector for each text"),
            (both(item(0, "[1]"), item(1, "[1, 2]")), "has vectors of different dimensions"),
            (both(item(0, "[1]"), item(1, "[0]")), "has a vector without a direction"),
            (both(item(0, "[]"), item(1, "[]")), "has a vector without a direction"),
            (both(item(0, "[1]"), item(1, "[1e39]")), "has a vector without a direction"),
        ];
        for (body, said) in cases {
            let (error, name) = error(ok(body.clone())).await;
            let message =
                format!("the answer of {name} {said}: check that the address is that of an embedding server");
            assert_eq!(error, Error::Unreadable(message), "{body}");
        }
    }

    #[tokio::test]
    async fn a_broken_connection_is_worth_another_try() {
        for behavior in [Behavior::Close, Behavior::CutShort] {
            let (error, name) = error(behavior).await;
            let message = format!("the connection to {name} broke off: try again later");
            assert_eq!(error, Error::Unavailable { message, retry_after: None });
        }
    }

    #[tokio::test]
    async fn a_server_that_never_answers_is_given_up() {
        let server = Loopback::start().await;
        let name = server.address();
        let embedder = OpenAi::new(&format!("http://{name}"), "small", None).unwrap();
        let embedder = embedder.with_timeout(Duration::from_millis(50));
        let (vectors, _) = server.serve(embedder.embed(&texts(&["one"])), [Behavior::Silence]).await;
        let message = format!("{name} did not answer within 50ms: try again later");
        assert_eq!(vectors, Err(Error::Unavailable { message, retry_after: None }));
    }

    #[tokio::test]
    async fn a_key_that_cannot_be_sent_is_refused_and_no_key_is_ever_shown() {
        let embedder =
            OpenAi::new("http://user:sk-very-secret@localhost:1", "small", Some("sk-very\n-secret")).unwrap();
        let error = embedder.embed(&texts(&["one"])).await.unwrap_err();
        let message = "the key for localhost:1 has characters that no key has: copy it again";
        assert_eq!(error, Error::Refused(message.to_owned()));
        assert_eq!(format!("{embedder:?}"), r#"OpenAi { id: "openai/small", .. }"#);
    }

    #[tokio::test]
    async fn no_texts_ask_nobody() {
        let embedder = OpenAi::new("http://localhost:1", "small", None).unwrap();
        assert_eq!(embedder.embed(&[]).await, Ok(vec![]));
    }
}
