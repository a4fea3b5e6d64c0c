//! The tools of a turn: offered to the answering model, narrowed to the chat, and without the messages it answers.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;
use throughline_models::{Toolbox, Tools};

use super::{Called, MemoryTools, definitions};
use crate::Engine;
use crate::access::Access;

/// The rule for when to search, shown only to a model with tools.
pub const RULE: &str = include_str!("../../prompts/tools.md").trim_ascii_end();

#[async_trait]
impl Tools for MemoryTools {
    async fn call(&self, name: &str, arguments: &Value) -> Called {
        Self::call(self, name, arguments).await
    }
}

impl Engine {
    /// The tools of a turn that answers these messages; `None` if the settings turn them off.
    pub(crate) fn toolbox(&self, chat: &ChatId, except: Vec<MessageId>) -> Option<Arc<Toolbox>> {
        let tools = || {
            let engine = self.narrowed(&Access::Chat(chat.clone()));
            let tools = MemoryTools { engine, chat: chat.clone(), except };
            Arc::new(Toolbox::new(chat.clone(), definitions(), RULE, Arc::new(tools)))
        };
        self.settings.tools.then(tools)
    }
}
