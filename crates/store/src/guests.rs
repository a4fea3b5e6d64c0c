//! People who asked to be let in, and those who were.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;

use crate::arrivals::Knock;
use crate::{Arm, Result, Store};

/// Somebody who was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// Who, such as `telegram:4711`.
    pub person: String,
    /// The name they go by.
    pub name: String,
    /// Since when.
    pub at: Timestamp,
}

impl Store {
    /// Those who ask to be let in with a code that still holds, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn knocks(&self, now: Timestamp) -> Result<Vec<Knock>> {
        match &self.arm {
            Arm::Sqlite(db) => db.knocks(now).await,
        }
    }

    /// Lets in whoever holds the code; nothing where nobody does.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn let_in(&self, code: &str, now: Timestamp) -> Result<Option<(Guest, ChatId)>> {
        match &self.arm {
            Arm::Sqlite(db) => db.let_in(code, now).await,
        }
    }

    /// Turns away whoever holds the code; nothing where nobody does.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn turn_away(&self, code: &str, now: Timestamp) -> Result<Option<Knock>> {
        match &self.arm {
            Arm::Sqlite(db) => db.turn_away(code, now).await,
        }
    }

    /// Takes out codes and buttons whose time is over.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn tidy(&self, now: Timestamp) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.tidy(now).await,
        }
    }

    /// Those who were let in.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn guests(&self) -> Result<Vec<Guest>> {
        match &self.arm {
            Arm::Sqlite(db) => db.guests().await,
        }
    }

    /// Whether somebody was let in.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn is_guest(&self, person: &str) -> Result<bool> {
        match &self.arm {
            Arm::Sqlite(db) => db.is_guest(person).await,
        }
    }

    /// Serves somebody no longer; says whether they were served.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn show_out(&self, person: &str) -> Result<bool> {
        match &self.arm {
            Arm::Sqlite(db) => db.show_out(person).await,
        }
    }
}
