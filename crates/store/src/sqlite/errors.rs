//! Translates SQLite's errors into those of the store.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::Error;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        // The shared-memory file beside the database could not grow.
        let no_room = error
            .sqlite_error()
            .is_some_and(|cause| cause.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE);
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::SystemIoFailure) if no_room => Self::DiskFull,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Database(Box::new(error)),
        }
    }
}

/// A failed file operation, by what a person can do about it.
pub(super) fn unavailable(path: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Error::ReadOnly(path.to_owned())
        }
        std::io::ErrorKind::StorageFull => Error::DiskFull,
        _ => Error::Unavailable { path: path.to_owned(), why: error.to_string() },
    }
}

/// Adds the file to errors that concern it.
pub(super) fn explain(error: Error, path: &Path) -> Error {
    let Error::Database(cause) = &error else { return error };
    let code = cause.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    match code {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            Error::Corrupt { path: path.to_owned(), why: cause.to_string() }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Error::ReadOnly(path.to_owned()),
        Some(ErrorCode::CannotOpen) => Error::Unavailable { path: path.to_owned(), why: cause.to_string() },
        _ => error,
    }
}
