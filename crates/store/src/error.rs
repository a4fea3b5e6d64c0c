//! Errors of the store, by what the caller can do about them.

use std::path::PathBuf;

use throughline_domain::chat::ChatId;

use crate::Misfit;

/// The store's result.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing in this chat.
    #[error("there is no {what} {id} in this chat")]
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// The handle may not touch this chat.
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
        /// The error of the system.
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
    /// The file and the key that is set do not fit: see what to do about it.
    #[error("{path} {why}. Nothing was changed", path = .path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// Why they do not fit.
        why: Misfit,
    },
    /// The database was made by a newer version: update the program.
    #[error(
        "the database has format {found}, and this version knows up to {known}; install a newer throughline, nothing was changed"
    )]
    Newer {
        /// The format found.
        found: u32,
        /// The newest this version knows.
        known: u32,
    },
    /// The database reported an unexpected error.
    #[error("the database failed: {0}. Try again, and if it stays so run `throughline doctor`")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A value in the database cannot be read back.
    #[error("the database holds a value that cannot be read: {0}")]
    Unreadable(String),
    /// The work was cut off because the program is ending.
    #[error("the program is ending")]
    Ending,
}
