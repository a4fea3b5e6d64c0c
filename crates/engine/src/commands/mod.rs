//! Slash commands. A line that begins with a slash is parsed and carried out here; the [`Answer`] is a value that each
//! channel renders in its own way.
//!
//! | file | commands |
//! |---|---|
//! | [`table`] | the list of all, parsing, help, what is recorded |
//! | [`about`] | `/start`, `/new`, `/stop` where nothing is written, words that are no command |
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

/// Maximum number of characters of an answer that are recorded.
const RECORDED: usize = 500;

/// A message that belongs to a command.
#[must_use]
pub fn said(chat: &ChatId, lane: &Lane, role: Role, text: &str) -> Inbound {
    Inbound {
        lane: Some(lane.clone()),
        role,
        text: text.chars().take(RECORDED).collect(),
        metadata: [("source".to_owned(), json!("command"))].into_iter().collect(),
        ..Inbound::in_chat(chat.clone())
    }
}

/// What a command gives, for a channel to render.
#[derive(Debug)]
pub enum Answer {
    /// A text as it is.
    Text(String),
    /// The question to ask again, in a turn of the channel's; `None` if every question has a whole reply.
    Retry(Option<OpenQuestion>),
    /// The list of commands.
    Help,
    /// What matches, for the person to choose from. Nothing was forgotten yet.
    Forget(forget::Matches),
    /// The summaries of a chat, and what is not summarized yet.
    Summaries(Summaries),
    /// The routines and their messages of today; the owner sees all routines, others those of their chat.
    Routines {
        /// Whether all are shown.
        all: bool,
        /// Today's messages.
        today: Summaries,
    },
    /// What a search found.
    Found(Results),
    /// What went into the last reply.
    Receipt(Box<Receipt>),
    /// Conversations, the newest first.
    Conversations(Vec<Conversation>),
    /// Everything that was said in the chat, as a file or a long text.
    Export,
    /// What is stored and what waits.
    Status(Status),
    /// What models took and cost in the last 30 days.
    Cost(Vec<SpentOn>),
}

impl Engine {
    /// Carries out a command in a lane.
    ///
    /// # Errors
    /// When the store cannot be read or written.
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
