//! People who asked to be let in, and those who were.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;

use crate::arrivals::PairingRequest;
use crate::{Arm, Result, Store};

/// Somebody who was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedPerson {
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
    pub async fn pairing_requests(&self, now: Timestamp) -> Result<Vec<PairingRequest>> {
        match &self.arm {
            Arm::Sqlite(db) => db.pairing_requests(now).await,
        }
    }

    /// Lets in whoever holds the code; nothing where nobody does.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn approve_pairing(
        &self,
        code: &str,
        now: Timestamp,
    ) -> Result<Option<(PairedPerson, ChatId)>> {
        match &self.arm {
            Arm::Sqlite(db) => db.approve_pairing(code, now).await,
        }
    }

    /// Turns away whoever holds the code; nothing where nobody does.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn reject_pairing(&self, code: &str, now: Timestamp) -> Result<Option<PairingRequest>> {
        match &self.arm {
            Arm::Sqlite(db) => db.reject_pairing(code, now).await,
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
    pub async fn paired_people(&self) -> Result<Vec<PairedPerson>> {
        match &self.arm {
            Arm::Sqlite(db) => db.paired_people().await,
        }
    }

    /// Whether somebody was let in.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn is_paired(&self, person: &str) -> Result<bool> {
        match &self.arm {
            Arm::Sqlite(db) => db.is_paired(person).await,
        }
    }

    /// Serves somebody no longer; says whether they were served.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn revoke_pairing(&self, person: &str) -> Result<bool> {
        match &self.arm {
            Arm::Sqlite(db) => db.revoke_pairing(person).await,
        }
    }
}
