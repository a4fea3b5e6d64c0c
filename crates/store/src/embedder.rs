//! The chosen embedder. Every process asks here, because each has read its own settings.

use crate::jobs::JobKind;
use crate::tx::Tx;
use crate::{Result, Store};

const EMBEDDER: &str = "embedder";

impl Store {
    /// The id of the embedder that was chosen last.
    pub async fn chosen_embedder(&self) -> Result<Option<String>> {
        self.read(|tx| tx.setting(EMBEDDER)).await
    }

    /// Chooses an embedder. If it is another than before, the vectors of every chat are requested, and failed jobs are due
    /// at once.
    ///
    /// # Errors
    /// When the store cannot be written; it is not written if this embedder is chosen already.
    pub async fn choose_embedder(&self, embedder: &str) -> Result<()> {
        // Most commands find their own embedder here and need not write.
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
    tx.make_jobs_due(JobKind::Embed)?;
    tx.add_job_for_every_chat(JobKind::Embed)
}
