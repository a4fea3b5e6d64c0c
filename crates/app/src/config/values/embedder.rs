//! The choice of an embedder. `wire` builds it.

use super::named::{Form, Named};

/// The values of `embedder`.
#[derive(Debug, Clone, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum EmbedderChoice {
    /// The one in the binary, which needs no setup.
    BuiltIn,
    /// all-MiniLM-L6-v2 on this machine.
    MiniLm,
    /// A model behind an OpenAI-compatible API.
    #[strum(to_string = "openai/{0}")]
    OpenAi(String),
    /// A local model behind Ollama.
    #[strum(to_string = "ollama/{0}")]
    Ollama(String),
    /// None: search by words only.
    None,
}

impl Named for EmbedderChoice {
    const FORMS: &'static [Form<Self>] = &[
        Form::Word("builtin", Self::BuiltIn),
        Form::Word("minilm", Self::MiniLm),
        Form::Provider("openai", Self::OpenAi),
        Form::Provider("ollama", Self::Ollama),
        Form::Word("none", Self::None),
    ];
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
            let forms = "; write builtin, minilm, openai/NAME, ollama/NAME or none";
            assert!(why.contains(forms) && why.ends_with(ending), "{why}");
        }
    }
}
