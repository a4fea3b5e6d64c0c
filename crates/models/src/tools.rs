//! Tools that a model may call during a turn. The caller implements them; here they are described, limited in time
//! and recorded.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::turn::ToolReceipt;
use throughline_text::tokens::estimate;
use tokio::time::{Instant, timeout};

/// Maximum time for all calls of a turn together.
pub(crate) const MAX_TIME: Duration = Duration::from_secs(10);
/// The receipt's name for a tool that does not exist, because receipts contain no model text.
const UNKNOWN: &str = "unknown";
/// The answer to a call when no time is left.
const OUT_OF_TIME: &str = "There was no time left for this call. Answer from what you have.";

/// A tool's description for the model.
#[derive(Debug)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// What it does, and when to use it.
    pub description: &'static str,
    /// Its arguments as a JSON Schema.
    pub schema: Value,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The answer, fenced.
    pub text: String,
    /// The number of hits or messages in it.
    pub hits: usize,
    /// True if the call failed; the text says why.
    pub is_error: bool,
}

/// Carries out calls.
#[async_trait]
pub trait Tools: Send + Sync {
    /// Calls a tool by name. It answers unknown names and invalid arguments, too.
    async fn call(&self, name: &str, arguments: &Value) -> Called;
}

/// The tools of one turn, and the record of their calls.
pub struct Toolbox {
    /// The chat they search.
    pub chat: ChatId,
    /// The tools.
    pub definitions: &'static [Definition],
    /// The rule for when to use them, added to the system text.
    pub rule: &'static str,
    tools: Arc<dyn Tools>,
    state: Mutex<State>,
}

struct State {
    left: Duration,
    receipts: Vec<ToolReceipt>,
}

impl Toolbox {
    /// Creates the tools for a turn in a chat.
    #[must_use]
    pub fn new(
        chat: ChatId,
        definitions: &'static [Definition],
        rule: &'static str,
        tools: Arc<dyn Tools>,
    ) -> Self {
        let state = Mutex::new(State { left: MAX_TIME, receipts: Vec::new() });
        Self { chat, definitions, rule, tools, state }
    }

    /// Calls a tool within the turn's remaining time for tools.
    pub async fn call(&self, name: &str, arguments: &Value) -> Called {
        let (began, left) = (Instant::now(), self.with(|state| state.left));
        let called =
            if left.is_zero() { None } else { timeout(left, self.tools.call(name, arguments)).await.ok() };
        let called =
            called.unwrap_or_else(|| Called { text: OUT_OF_TIME.to_owned(), hits: 0, is_error: true });
        let hits = u32::try_from(called.hits).unwrap_or(u32::MAX);
        self.record(name, Some(hits), began.elapsed(), called.is_error);
        called
    }

    /// Records a call, made here or by another program.
    pub(crate) fn record(&self, name: &str, hits: Option<u32>, took: Duration, is_error: bool) {
        let known = self.definitions.iter().find(|tool| tool.name == name);
        let tool = known.map_or(UNKNOWN, |tool| tool.name).to_owned();
        self.with(|state| {
            state.left = state.left.saturating_sub(took);
            state.receipts.push(ToolReceipt { tool, hits, ms: took.as_secs_f64() * 1e3, is_error });
        });
    }

    /// The calls so far.
    #[must_use]
    pub fn receipts(&self) -> Vec<ToolReceipt> {
        self.with(|state| state.receipts.clone())
    }

    /// Returns true if there is time for another call.
    pub(crate) fn has_time(&self) -> bool {
        self.with(|state| !state.left.is_zero())
    }

    /// The tokens of the tools' descriptions.
    #[must_use]
    pub fn tokens(&self) -> u32 {
        let told =
            |tool: &Definition| estimate(tool.description).saturating_add(estimate(&tool.schema.to_string()));
        self.definitions.iter().map(told).fold(estimate(self.rule), u32::saturating_add)
    }

    fn with<T>(&self, read: impl FnOnce(&mut State) -> T) -> T {
        read(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.definitions.iter().map(|tool| tool.name).collect();
        f.debug_struct("Toolbox").field("chat", &self.chat).field("tools", &names).finish_non_exhaustive()
    }
}
