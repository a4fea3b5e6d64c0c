//! Errors, by what the caller can do about them.

use throughline_domain::context::TooLong;
use throughline_domain::message::Unrecordable;

use crate::work::CapReached;

/// The engine's result.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the engine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text cannot be a message.
    #[error(transparent)]
    Unrecordable(#[from] Unrecordable),
    /// The layers that must be kept do not fit into the budget.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] throughline_store::Error),
    /// The model failed; the message is recorded.
    #[error(
        "{0}. Your message is recorded; /retry asks it again, or choose another model with --model or THROUGHLINE_MODEL"
    )]
    Model(#[source] throughline_models::Error),
    /// A voice message could not be transcribed; it is recorded.
    #[error("the voice message could not be transcribed: {0}. It is kept; /retry listens again")]
    NotTranscribed(String),
    /// Replies have reached their daily cap; the message is recorded.
    #[error("{0}. Your message is recorded; /retry asks it again")]
    Capped(CapReached),
    /// Another turn holds the lane.
    #[error(
        "another turn is running in this lane (process {owner}). Your message is recorded and will be answered with the next one; try again in a moment"
    )]
    LaneBusy {
        /// The process that holds it.
        owner: String,
    },
    /// The turn that answered the message ended without a reply to show.
    #[error(
        "another turn answered your message and failed or was cut off. Your message is recorded; /retry asks it again"
    )]
    Unanswered,
    /// The channel refused the reply.
    #[error("the reply is recorded but could not be shown: {0}")]
    Undelivered(String),
    /// A statement cannot be remembered.
    #[error("this cannot be remembered: {0}")]
    NotKept(String),
    /// There is no such memory.
    #[error("no such memory: {0}. See throughline memory list")]
    NoMemory(String),
    /// A topic contains no word to search for.
    #[error(
        "{0:?} does not say what to forget: name a person, a thing, a number or a word. To forget one message or memory, give its id with --id"
    )]
    NoTopic(String),
    /// A forgetting cannot be undone.
    #[error(
        "nothing can be brought back for the receipt {0}: it is unknown in this chat, older than a day (memory.undo_hours), or was made permanent"
    )]
    NotUndone(String),
    /// An id prefix matches several ids.
    #[error("{given:?} is the beginning of several ids: {candidates}. Write more of it")]
    AmbiguousId {
        /// The prefix.
        given: String,
        /// The matching ids.
        candidates: String,
    },
    /// A routine could not be carried out.
    #[error("{0}")]
    Routine(String),
    /// A file of the home cannot be read.
    #[error("{path} cannot be read: {why}. Check that it is a text file that you may read", path = .path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// The operating system's error.
        why: String,
    },
}
