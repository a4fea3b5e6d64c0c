//! The choice of a model. `wire` builds it.

use super::named::{Form, Named};

/// The values of `model` and `small_model`.
#[derive(Debug, Clone, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum ModelChoice {
    /// The best model found on this machine.
    Auto,
    /// The `claude` command with its default model.
    ClaudeCli,
    /// The `claude` command with a model.
    #[strum(to_string = "claude-cli/{0}")]
    ClaudeModel(String),
    /// A model behind Anthropic's API.
    #[strum(to_string = "anthropic/{0}")]
    Anthropic(String),
    /// A model behind an OpenAI-compatible API.
    #[strum(to_string = "openai/{0}")]
    OpenAi(String),
    /// A local model behind Ollama.
    #[strum(to_string = "ollama/{0}")]
    Ollama(String),
    /// The only model of an OpenAI-compatible server, which only `auto` chooses.
    #[strum(to_string = "openai")]
    OpenAiServer,
    /// The built-in model, which needs no setup.
    Offline,
}

impl Named for ModelChoice {
    const FORMS: &'static [Form<Self>] = &[
        Form::Word("auto", Self::Auto),
        Form::Word("claude-cli", Self::ClaudeCli),
        Form::Provider("claude-cli", Self::ClaudeModel),
        Form::Provider("anthropic", Self::Anthropic),
        Form::Provider("openai", Self::OpenAi),
        Form::Provider("ollama", Self::Ollama),
        Form::Word("offline", Self::Offline),
    ];
}

#[cfg(test)]
mod tests {
    use super::super::Value;
    use super::super::testing::read_text;
    use super::*;

    #[test]
    fn g1_every_back_end_has_a_name_that_reads_back() {
        let cases = [
            ("auto", ModelChoice::Auto),
            ("claude-cli", ModelChoice::ClaudeCli),
            ("claude-cli/haiku", ModelChoice::ClaudeModel("haiku".to_owned())),
            ("anthropic/claude-haiku", ModelChoice::Anthropic("claude-haiku".to_owned())),
            ("openai/org/model:free", ModelChoice::OpenAi("org/model:free".to_owned())),
            ("ollama/gemma3:4b", ModelChoice::Ollama("gemma3:4b".to_owned())),
            ("offline", ModelChoice::Offline),
        ];
        for (text, model) in cases {
            assert_eq!(model.to_string(), text);
            assert_eq!(read_text(text), Ok(model));
        }
        let pattern = r"^(auto|claude-cli|offline|(claude-cli|anthropic|openai|ollama)/\S+)$";
        assert_eq!(ModelChoice::schema()["pattern"], pattern);
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
            let forms = "; write auto, claude-cli, claude-cli/NAME, anthropic/NAME, openai/NAME, ollama/NAME or offline";
            assert!(why.contains(forms) && why.ends_with(ending), "{why}");
        }
    }
}
