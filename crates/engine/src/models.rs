//! The model of a chat: the one in the settings, or one that the owner chose with `/model`.

use std::sync::Arc;

use async_trait::async_trait;
use throughline_domain::chat::ChatId;
use throughline_models::ChatModel;

use crate::commands::Answer;
use crate::{Engine, Result};

/// The argument that returns to the model in the settings.
const DEFAULT_MODEL: &str = "auto";
/// The answer to people who may not choose a model.
pub(crate) const NOT_THE_OWNER: &str = "Only the owner of this assistant can see and choose its model.";

/// Looks up models by name.
#[async_trait]
pub trait ModelsByName: Send + Sync {
    /// Returns the model with this name, or a sentence that says what to write instead.
    async fn named(&self, name: &str) -> std::result::Result<Arc<dyn ChatModel>, String>;

    /// The names to offer.
    fn choices(&self) -> Vec<String>;
}

impl Engine {
    /// The model that answers in a chat.
    pub async fn model_of(&self, chat: &ChatId) -> Arc<dyn ChatModel> {
        match self.chosen_model(chat).await {
            Some((_, Ok(model))) => model,
            Some((name, Err(why))) => {
                tracing::warn!(%chat, name, why, "chosen model unavailable; using the model in the settings");
                Arc::clone(&self.model)
            }
            None => Arc::clone(&self.model),
        }
    }

    async fn chosen_model(
        &self,
        chat: &ChatId,
    ) -> Option<(String, std::result::Result<Arc<dyn ChatModel>, String>)> {
        let models = self.models.as_ref()?;
        let name = self.store.chat(chat).model().await.ok().flatten()?;
        let model = models.named(&name).await;
        Some((name, model))
    }

    /// Shows the model of a chat, or changes it.
    pub async fn choose_model(&self, chat: &ChatId, name: &str) -> Result<Answer> {
        let Some(models) = &self.models else {
            let text = format!("{} answers, because this run was started with it.", self.model.name());
            return Ok(Answer::Text(text));
        };
        if name.is_empty() {
            return Ok(Answer::Text(self.describe_model(chat, &models.choices()).await));
        }
        if name == DEFAULT_MODEL {
            self.store.chat(chat).choose_model(None).await?;
            return Ok(Answer::Text(format!(
                "✓ The model of the settings answers here: {}",
                self.model.name()
            )));
        }
        Ok(Answer::Text(match models.named(name).await {
            Ok(_) => {
                self.store.chat(chat).choose_model(Some(name.to_owned())).await?;
                format!(
                    "✓ {name} answers here from now on. /model auto goes back to the model of the settings."
                )
            }
            Err(why) => format!("Nothing was changed: the model {why}"),
        }))
    }

    async fn describe_model(&self, chat: &ChatId, choices: &[String]) -> String {
        let used = match self.chosen_model(chat).await {
            Some((name, Ok(_))) => {
                format!("{name} answers here; /model auto goes back to the model of the settings.")
            }
            Some((name, Err(why))) => {
                format!("{} answers here, because {name} cannot be used: it {why}", self.model.name())
            }
            None => format!("{} answers here, as the settings say.", self.model.name()),
        };
        let lines = choices.iter().map(|choice| format!("/model {choice}"));
        let lines: Vec<String> = std::iter::once(used).chain(lines).collect();
        lines.join("\n")
    }
}
