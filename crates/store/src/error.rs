//! Errors of the store, by what the caller can do about them.

use std::path::PathBuf;

use throughline_domain::chat::ChatId;

use crate::KeyMismatch;

/// The store's result.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The chat has no such object.
    #[error("there is no {what} {id} in this chat")]
    NotFound {
        /// The kind of object.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// The handle may not access this chat.
    #[error("{0} is not open to this connection")]
    OutOfScope(ChatId),
    /// The write conflicts with what is stored.
    #[error("{0}")]
    Conflict(String),
    /// The disk is full: make room, then try again.
    #[error("the disk is full; nothing was changed. Free some space and try again")]
    DiskFull,
    /// The file or its directory may not be written.
    #[error("{path} cannot be written; nothing was changed. Check who owns it and whether it is read-only", path = .0.display())]
    ReadOnly(PathBuf),
    /// The file cannot be opened.
    #[error("{path} cannot be opened: {why}", path = .path.display())]
    Unavailable {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        why: String,
    },
    /// Another process kept the database busy for too long: try again.
    #[error("another process kept the database busy; nothing was changed. Try again")]
    Busy,
    /// The file is not a database of ours, or is damaged.
    #[error("{path} is damaged or is not a Throughline database: {why}. Move it away, or put a backup in its place (see the backups folder beside it)", path = .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The error of the database.
        why: String,
    },
    /// The file and the configured key do not match.
    #[error("{path} {why}. Nothing was changed", path = .path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// The mismatch.
        why: KeyMismatch,
    },
    /// The database was made by a newer version: update the program.
    #[error(
        "the database has format {found}, and this version knows up to {known}; install a newer throughline, nothing was changed"
    )]
    Newer {
        /// The file's format.
        found: u32,
        /// The newest format that this version supports.
        known: u32,
    },
    /// The database reported an unexpected error.
    #[error("the database failed: {0}. Try again, and if it stays so run `throughline doctor`")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A stored value cannot be parsed.
    #[error("the database holds a value that cannot be read: {0}")]
    Unreadable(String),
    /// The work was interrupted because the program is exiting.
    #[error("the program is ending")]
    Ending,
}
