//! Which embedder the vectors are of: every process asks here, since each has read its own settings.

use crate::{Arm, Result, Store};

impl Store {
    /// The embedder that was chosen last, by its id; nothing before the first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn chosen_embedder(&self) -> Result<Option<String>> {
        match &self.arm {
            Arm::Sqlite(db) => db.chosen_embedder().await,
        }
    }

    /// From now on vectors are of this embedder. Where they were another's, those of every chat are asked for, and jobs
    /// that the other one failed are due at once.
    ///
    /// # Errors
    /// When the store cannot be written; one that has this embedder already is not.
    pub async fn choose_embedder(&self, embedder: &str) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.choose_embedder(embedder).await,
        }
    }

    /// Asks for the vectors of every chat at once, also where that was put off: what was in the way is gone.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn retry_vectors(&self) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.retry_vectors().await,
        }
    }
}
