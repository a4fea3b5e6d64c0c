//! The choice of an embedder. `wire` builds it.

use std::fmt;

use serde_json::{Value as Json, json};

use super::named::read_name;
use super::{Given, Value};

/// The values of `embedder`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedderChoice {
    /// The one in the binary, which needs nothing else.
    BuiltIn,
    /// all-MiniLM-L6-v2 on this machine.
    MiniLm,
    /// A model behind an OpenAI-compatible API.
    OpenAi(String),
    /// A local model behind Ollama.
    Ollama(String),
    /// None: search by words only.
    None,
}

/// The accepted forms, for errors.
const FORMS: &str = "builtin, minilm, openai/NAME, ollama/NAME or none";

impl fmt::Display for EmbedderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("builtin"),
            Self::MiniLm => f.write_str("minilm"),
            Self::OpenAi(name) => write!(f, "openai/{name}"),
            Self::Ollama(name) => write!(f, "ollama/{name}"),
            Self::None => f.write_str("none"),
        }
    }
}

impl Value for EmbedderChoice {
    fn read(given: Given<'_>) -> Result<Self, String> {
        read_name(
            given.text()?,
            &[("builtin", Self::BuiltIn), ("minilm", Self::MiniLm), ("none", Self::None)],
            &[("openai", Self::OpenAi), ("ollama", Self::Ollama)],
            FORMS,
        )
    }

    fn shown(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^(builtin|minilm|none|(openai|ollama)/\S+)$"})
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::read_text;
    use super::*;

    #[test]
    fn b6_every_embedder_has_a_name_that_reads_back() {
        let cases = [
            ("builtin", EmbedderChoice::BuiltIn),
            ("minilm", EmbedderChoice::MiniLm),
            ("openai/text-embedding-3-small", EmbedderChoice::OpenAi("text-embedding-3-small".to_owned())),
            ("ollama/org/embed:latest", EmbedderChoice::Ollama("org/embed:latest".to_owned())),
            ("none", EmbedderChoice::None),
        ];
        for (text, embedder) in cases {
            assert_eq!(embedder.to_string(), text);
            assert_eq!(read_text(text), Ok(embedder));
        }
    }

    #[test]
    fn a_wrong_embedder_is_answered_with_the_forms_and_the_nearest() {
        let cases = [
            ("built-in", "; did you mean `builtin`?"),
            ("minilm6", "; did you mean `minilm`?"),
            ("ollama", "; did you mean `ollama/NAME`?"),
            ("olama/nomic", "; did you mean `ollama/nomic`?"),
            ("openai/", " or none"),
            ("openai/two words", " or none"),
            ("anthropic/claude", " or none"),
        ];
        for (text, ending) in cases {
            let why = read_text::<EmbedderChoice>(text).unwrap_err();
            assert!(why.contains(FORMS) && why.ends_with(ending), "{why}");
        }
    }
}
