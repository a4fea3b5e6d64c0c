//! Slash commands. A line that begins with a slash is parsed and carried out here; the [`Answer`] is a value that each
//! channel renders in its own way.
//!
//! | file | commands |
//! |---|---|
//! | [`table`] | the list of all, parsing, help, what is recorded |
//! | [`about`] | `/start`, `/new`, `/stop` when no reply is in progress, unknown commands |
//! | [`memory`] | `/memory`, `/remember` |
//! | [`forget`] | `/forget`, and the buttons of its questions |
//! | [`look`] | `/search`, `/why`, `/context`, `/conversations`, `/routines` |
//! | [`retry`](crate::turn) | `/retry`, which the channel carries out as a turn |
//! | [`models`](crate::models) | `/model` |
//! | [`upkeep`] | `/status`, `/cost` |
//! | [`choices`] | pressed buttons |
//! | [`pairing`] | the buttons by which the owner approves a person |
//! | [`suggest`] | the buttons of suggested memories |

mod about;
pub mod choices;
pub mod forget;
mod look;
mod memory;
pub mod pairing;
mod suggest;
mod table;
mod uncertain;
pub mod upkeep;

use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::conversation::Conversation;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::turn::Receipt;
use throughline_store::ledger::SpentOn;
use throughline_store::turns::OpenQuestion;

use crate::models::NOT_THE_OWNER;
use crate::overview::Summaries;
use crate::search::Results;
use crate::{Engine, Error, Inbound, Result};
pub use table::{COMMANDS, Command, Offered, Request, Spec, help};
use upkeep::Status;

/// Maximum number of recorded characters of an answer.
const MAX_RECORDED_CHARS: usize = 500;

/// A message that records a command or its answer.
#[must_use]
pub fn command_message(chat: &ChatId, lane: &Lane, role: Role, text: &str) -> Inbound {
    Inbound {
        lane: Some(lane.clone()),
        role,
        text: text.chars().take(MAX_RECORDED_CHARS).collect(),
        metadata: [("source".to_owned(), json!("command"))].into_iter().collect(),
        ..Inbound::in_chat(chat.clone())
    }
}

/// The answer to a command, for a channel to render.
#[derive(Debug)]
pub enum Answer {
    /// A text as it is.
    Text(String),
    /// The question that `/retry` asks again in a new turn; `None` if every question has a complete reply.
    Retry(Option<OpenQuestion>),
    /// The list of commands.
    Help,
    /// The matches of a `/forget`, for the person to choose from. Nothing is forgotten yet.
    Forget(forget::Matches),
    /// The summaries of a chat, and the messages after them.
    Summaries(Summaries),
    /// The routines and today's messages from them. The owner sees all routines, other people those of their chat.
    Routines {
        /// True if all routines are shown.
        all: bool,
        /// Today's messages.
        today: Summaries,
    },
    /// The results of a search.
    Found(Results),
    /// The receipt of the last reply.
    Receipt(Box<Receipt>),
    /// Conversations, the newest first.
    Conversations(Vec<Conversation>),
    /// Every message of the chat, as a file or a long text.
    Export,
    /// The status report.
    Status(Status),
    /// The use and cost of models in the last 30 days.
    Cost(Vec<SpentOn>),
}

impl Engine {
    /// Runs a command in a lane.
    pub async fn run_command(&self, chat: &ChatId, lane: &Lane, request: &Request) -> Result<Answer> {
        let argument = request.argument.as_str();
        match request.command {
            Command::Start => Ok(about::start()),
            Command::Help | Command::Quit => Ok(Answer::Help),
            Command::Unknown => Ok(about::unknown(argument)),
            Command::New => Ok(about::new()),
            Command::Retry => Ok(Answer::Retry(self.open_question(chat, lane).await?)),
            Command::Stop => Ok(about::nothing_to_stop()),
            Command::Model if self.settings.people.is_owners(chat) => self.choose_model(chat, argument).await,
            Command::Model => Ok(Answer::Text(NOT_THE_OWNER.to_owned())),
            Command::Memory => self.show_memory(chat, lane).await,
            Command::Remember => self.remember_line(chat, argument).await,
            Command::Forget => match self.find_to_forget(chat, argument).await {
                Err(Error::NoTopic(_)) => Ok(Answer::Text(forget::NO_TOPIC.to_owned())),
                found => found.map(Answer::Forget),
            },
            Command::Summary => Ok(Answer::Summaries(self.summaries(chat, lane).await?)),
            Command::Routines => self.show_routines(chat, lane).await,
            Command::Search => self.search_line(chat, argument).await,
            Command::Why => self.explain_last_reply(chat, lane).await,
            Command::Context => self.show_context(chat, lane, argument).await,
            Command::Conversations => self.list_conversations(chat).await,
            Command::Export => Ok(Answer::Export),
            Command::Status => self.status(chat, lane).await.map(Answer::Status),
            Command::Cost => self.show_cost(chat).await,
        }
    }
}
