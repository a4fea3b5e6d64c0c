//! Language models behind one small trait. The built-in one needs no network and no weights.

pub mod around;
pub mod auto;
pub mod claude_cli;
pub mod embed;
pub mod environment;
pub mod price;

mod anthropic;
mod attachments;
mod limits;
mod offline;
mod ollama;
mod openai;
mod prompt;
mod tools;
mod transcribe;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use throughline_domain::context::Context;
use tokio::sync::mpsc::Sender;

pub use anthropic::Anthropic;
pub use attachments::{Attachment, Content};
pub use limits::Limits;
pub use offline::Offline;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use tools::{Called, Definition, Toolbox, Tools};
pub use transcribe::TranscriptionServer;
pub use wire::{ServerSettings, http_client};

/// A request to a model.
#[derive(Debug, Clone)]
pub enum Request {
    /// Answers a person.
    Turn(Box<Turn>),
    /// Works on a text, such as a summary.
    Work(Work),
}

/// A turn to answer: a context, and the calendar for its times.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Everything that the model sees, shared with the turn.
    pub context: Arc<Context>,
    /// The time of the turn.
    pub now: Timestamp,
    /// The person's time zone.
    pub zone: TimeZone,
    /// The files that come with the message.
    pub attachments: Vec<Attachment>,
    /// The tools that the model may call, shared with the turn.
    pub tools: Option<Arc<Toolbox>>,
}

impl Request {
    /// The tools that the model may call.
    #[must_use]
    pub fn tools(&self) -> Option<&Toolbox> {
        match self {
            Self::Turn(turn) => turn.tools.as_deref(),
            Self::Work(_) => None,
        }
    }

    /// The files that come with it.
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {
        match self {
            Self::Turn(turn) => &turn.attachments,
            Self::Work(_) => &[],
        }
    }
}

/// Work for which no person waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The instructions.
    pub instructions: String,
    /// The text to work on.
    pub input: String,
    /// Maximum length of the answer, in tokens.
    pub most_tokens: u32,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The words.
    pub text: String,
    /// Tokens and cost.
    pub usage: Usage,
    /// The display name of the model that answered.
    pub model: String,
    /// Why the answer was cut off, if it was.
    pub cut: Option<String>,
    /// Problems on the way, such as a model that failed before.
    pub failures: Vec<String>,
}

/// Tokens and cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u32,
    /// Tokens written.
    pub output_tokens: u32,
    /// The cost, if it is known.
    pub cost_usd: Option<f64>,
}

/// Why a model did not answer, by what can be done about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Try again later, or another model.
    #[error("the model cannot be reached: {0}")]
    Unavailable(String),
    /// Ask again in a moment.
    #[error("the model is overloaded: {why}")]
    Overloaded {
        /// The problem, and what to do if it lasts.
        why: String,
        /// The delay that the server asks for.
        after: Option<Duration>,
    },
    /// Shorten the message or the budget.
    #[error("the prompt is too long for the model: {0}")]
    TooLong(String),
    /// The model declines to answer.
    #[error("the model refused to answer: {0}")]
    Refused(String),
    /// The answer cannot be parsed.
    #[error("the model's answer cannot be read: {0}")]
    Unreadable(String),
}

/// Asks a model and waits for the whole answer.
///
/// # Errors
/// If the model fails.
pub async fn whole_answer(model: &dyn ChatModel, request: &Request) -> Result<Answer, Error> {
    let (words, mut heard) = tokio::sync::mpsc::channel::<String>(64);
    let listen = async { while heard.recv().await.is_some() {} };
    let (answer, ()) = tokio::join!(model.answer(request, words), listen);
    answer
}

/// A language model.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Its display name.
    fn name(&self) -> &str;

    /// Prepares for the next turn with these tools while its context is gathered.
    fn get_ready(&self, _tools: Option<&Toolbox>) {}

    /// The cost of reading and writing this many tokens, if the price is known.
    fn expected_cost(&self, _read: u64, _written: u64) -> Option<f64> {
        None
    }

    /// Answers, and sends the words as they arrive. The pieces joined are the answer's text. An answer that breaks
    /// off after its first words is cut off rather than an error, because the person may have seen it. A model
    /// without tool support answers without tools, and its prompt does not mention them.
    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error>;
}
