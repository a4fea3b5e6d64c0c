//! Language models behind one small trait. The built-in one needs no network and no weights.

pub mod around;
pub mod auto;
pub mod claude_cli;
pub mod embed;
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
    /// To answer a person.
    Turn(Box<Turn>),
    /// To do a piece of work over a text, such as a summary.
    Work(Work),
}

/// A turn to answer: a context, and the calendar for its times.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Everything that the model is shown, shared with the turn that asks.
    pub context: Arc<Context>,
    /// The moment of the turn.
    pub now: Timestamp,
    /// The person's time zone.
    pub zone: TimeZone,
    /// The files that come with the message.
    pub attachments: Vec<Attachment>,
    /// The tools that the model may call, shared with the turn that asks.
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

/// A piece of work that no person waits for.
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
    /// The model that answered, by the name people know it by.
    pub model: String,
    /// Why the answer was cut off, if it was.
    pub cut: Option<String>,
    /// Problems on the way, such as another model that failed.
    pub troubles: Vec<String>,
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
        /// What happened, and what to do if it lasts.
        why: String,
        /// How long the server asks to wait.
        after: Option<Duration>,
    },
    /// Shorten the message or the budget.
    #[error("the prompt is too long for the model: {0}")]
    TooLong(String),
    /// It will not answer this.
    #[error("the model refused to answer: {0}")]
    Refused(String),
    /// It answered something that cannot be read.
    #[error("the model's answer cannot be read: {0}")]
    Unreadable(String),
}

/// Asks a model and waits for the whole answer.
///
/// # Errors
/// When the model fails.
pub async fn whole_answer(model: &dyn ChatModel, request: &Request) -> Result<Answer, Error> {
    let (words, mut heard) = tokio::sync::mpsc::channel::<String>(64);
    let listen = async { while heard.recv().await.is_some() {} };
    let (answer, ()) = tokio::join!(model.answer(request, words), listen);
    answer
}

/// A language model.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// The name people know it by.
    fn name(&self) -> &str;

    /// Prepares for a turn that is about to come with these tools, while its context is gathered.
    fn get_ready(&self, _tools: Option<&Toolbox>) {}

    /// What reading and writing this many tokens would cost, if its price is known.
    fn expected_cost(&self, _read: u64, _written: u64) -> Option<f64> {
        None
    }

    /// Answers, and sends the words on as they come. The pieces together are the answer's text. An answer that breaks off
    /// after its first words is cut off, not an error: the person may have seen it. A model that cannot call tools answers
    /// without them, and is not told of any.
    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error>;
}
