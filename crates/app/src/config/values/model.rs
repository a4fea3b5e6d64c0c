//! The choice of a model. `wire` builds it.

use std::fmt;

use serde_json::{Value as Json, json};

use super::named::read_name;
use super::{Given, Value};

/// The values of `model` and `small_model`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// The best model found on this machine.
    Auto,
    /// The `claude` command.
    ClaudeCli,
    /// A model behind Anthropic's API.
    Anthropic(String),
    /// A model behind an OpenAI-compatible API.
    OpenAi(String),
    /// A local model behind Ollama.
    Ollama(String),
    /// The built-in one, which needs nothing.
    Offline,
}

/// The accepted forms, for errors.
const FORMS: &str = "auto, claude-cli, anthropic/NAME, openai/NAME, ollama/NAME or offline";

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::ClaudeCli => f.write_str("claude-cli"),
            Self::Anthropic(name) => write!(f, "anthropic/{name}"),
            Self::OpenAi(name) => write!(f, "openai/{name}"),
            Self::Ollama(name) => write!(f, "ollama/{name}"),
            Self::Offline => f.write_str("offline"),
        }
    }
}

impl Value for ModelChoice {
    fn read(given: Given<'_>) -> Result<Self, String> {
        read_name(
            given.text()?,
            &[("auto", Self::Auto), ("claude-cli", Self::ClaudeCli), ("offline", Self::Offline)],
            &[("anthropic", Self::Anthropic), ("openai", Self::OpenAi), ("ollama", Self::Ollama)],
            FORMS,
        )
    }

    fn shown(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^(auto|claude-cli|offline|(anthropic|openai|ollama)/\S+)$"})
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::read_text;
    use super::*;

    #[test]
    fn g1_every_back_end_has_a_name_that_reads_back() {
        let cases = [
            ("auto", ModelChoice::Auto),
            ("claude-cli", ModelChoice::ClaudeCli),
            ("anthropic/claude-haiku", ModelChoice::Anthropic("claude-haiku".to_owned())),
            ("openai/org/model:free", ModelChoice::OpenAi("org/model:free".to_owned())),
            ("ollama/gemma3:4b", ModelChoice::Ollama("gemma3:4b".to_owned())),
            ("offline", ModelChoice::Offline),
        ];
        for (text, model) in cases {
            assert_eq!(model.to_string(), text);
            assert_eq!(read_text(text), Ok(model));
        }
    }

    #[test]
    fn a_wrong_model_is_answered_with_the_forms_and_the_nearest() {
        let cases = [
            ("antropic/claude", "; did you mean `anthropic/claude`?"),
            ("claude", "; did you mean `claude-cli`?"),
            ("ollama", "; did you mean `ollama/NAME`?"),
            ("anthropic/", " or offline"),
            ("gpt 4", " or offline"),
            ("mistral/large", " or offline"),
        ];
        for (text, ending) in cases {
            let why = read_text::<ModelChoice>(text).unwrap_err();
            assert!(why.contains(FORMS) && why.ends_with(ending), "{why}");
        }
    }
}
