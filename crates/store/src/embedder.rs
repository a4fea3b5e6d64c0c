//! The chosen embedder. Every process reads it here, because another process may have changed it since start.

use crate::jobs::JobKind;
use crate::tx::Tx;
use crate::{Result, Store};

const EMBEDDER: &str = "embedder";

impl Store {
    /// The id of the embedder that was chosen last.
    pub async fn chosen_embedder(&self) -> Result<Option<String>> {
        self.read(|tx| tx.setting(EMBEDDER)).await
    }

    /// Chooses an embedder. If it changes, the vectors of every chat are requested, and failed jobs become due at
    /// once.
    ///
    /// # Errors
    /// If the store cannot be written, which happens only if the embedder changes.
    pub async fn choose_embedder(&self, embedder: &str) -> Result<()> {
        // Usually the embedder is unchanged, and nothing needs to be written.
        if self.chosen_embedder().await?.as_deref() == Some(embedder) {
            return Ok(());
        }
        let embedder = embedder.to_owned();
        self.write(move |tx| {
            if tx.setting(EMBEDDER)?.as_deref() == Some(&*embedder) {
                return Ok(());
            }
            tx.put_setting(EMBEDDER, &embedder)?;
            retry(tx)
        })
        .await
    }

    /// Requests the vectors of every chat at once, even if they were postponed.
    pub async fn retry_vectors(&self) -> Result<()> {
        self.write(retry).await
    }
}

fn retry(tx: &Tx<'_>) -> Result<()> {
    tx.make_jobs_due(JobKind::EMBED)?;
    tx.add_job_for_every_chat(JobKind::EMBED)
}
