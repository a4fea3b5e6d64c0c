//! The health of the store: figures for `status`, checks for `doctor`, and repairs.

use std::collections::BTreeMap;
use std::path::Path;

use crate::index::{meta, words};
use crate::tx::Tx;
use crate::{Arm, Result, Store};

/// The name of the integrity check of the file.
pub const DATABASE_FILE: &str = "database file";

/// Counts of the whole store, without content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures {
    /// The format version of the database.
    pub format: u32,
    /// The number of chats.
    pub chats: u64,
    /// The number of messages.
    pub messages: u64,
    /// The number of summaries.
    pub summaries: u64,
    /// The number of active memories.
    pub memories: u64,
    /// Waiting jobs, by kind.
    pub jobs_by_kind: BTreeMap<String, u64>,
    /// Messages waiting for a turn.
    pub waiting: u64,
    /// Running turns.
    pub running: u64,
    /// Replies on disk that no channel has confirmed yet.
    pub pending_replies: u64,
    /// Replies whose delivery is uncertain.
    pub uncertain_replies: u64,
    /// Waiting jobs.
    pub jobs: u64,
    /// Jobs that failed at least once.
    pub failing_jobs: u64,
    /// Jobs that were set aside after repeated overruns.
    pub set_aside_jobs: u64,
    /// The problem of the failed job with the latest due time.
    pub job_problem: Option<String>,
    /// The problem of such a job that has failed at least four times, so for longer than a minute.
    pub lasting_problem: Option<String>,
    /// Messages with a vector, by embedder.
    pub vectors: BTreeMap<String, u64>,
    /// Messages that are not indexed yet.
    pub unindexed: u64,
    /// The size of the database in bytes.
    pub bytes: u64,
    /// Stored attachments, each file counted once.
    pub files: u64,
    /// Their size in bytes.
    pub file_bytes: u64,
}

impl Figures {
    /// The number of messages with a vector of this embedder.
    #[must_use]
    pub fn embedded(&self, embedder: &str) -> u64 {
        self.vectors.get(embedder).copied().unwrap_or_default()
    }
}

/// One check of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// The problem, if there is one.
    pub problem: Option<String>,
}

/// Number of messages that a check looks up in the index, evenly spread; checking all would take minutes.
const SAMPLE: i64 = 1_000;

impl Store {
    /// Writes a copy of the whole database to a new file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub async fn back_up(&self, file: &Path) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.back_up(file).await,
        }
    }

    /// Figures for `status`.
    pub async fn figures(&self) -> Result<Figures> {
        self.read(|tx| tx.figures(meta::ENTRY)).await
    }

    /// Checks for damage: the file, its references, and the word index against the messages.
    ///
    /// # Errors
    /// If the store cannot be read at all.
    pub async fn check(&self) -> Result<Vec<Check>> {
        self.read(|tx| {
            let mut checks = tx.check_database()?;
            let wrong = tx.count_wrong_lanes()?;
            let problem = (wrong > 0).then(|| format!("{wrong} lanes count their messages wrongly"));
            checks.push(Check { name: "lanes", problem });
            checks.push(Check { name: "word index", problem: index_problem(tx)? });
            Ok(checks)
        })
        .await
    }

    /// Commits a minimal transaction, to measure the cost of a commit on this disk.
    pub async fn bare_commit(&self) -> Result<()> {
        self.write(|tx| tx.count_bare_commit()).await
    }

    /// Rebuilds the word index from the messages.
    pub async fn reindex(&self) -> Result<()> {
        self.write(words::rebuild).await
    }
}

fn index_problem(tx: &Tx<'_>) -> Result<Option<String>> {
    let (indexed, unindexed, all) = tx.index_counts()?;
    if indexed + unindexed != all {
        return Ok(Some(format!("the word index knows {} of {all} messages", indexed + unindexed)));
    }
    let step = 1 + tx.newest_seq()? / SAMPLE;
    let (mut from, mut looked, mut lost) = (0, 0u64, 0u64);
    while let Some(sample) = tx.sample_from(from)? {
        looked += 1;
        let is_found = sample.is_unindexed || words::holds(tx, sample.chat, sample.seq, &sample.text)?;
        lost += u64::from(!is_found);
        from = sample.seq + step;
    }
    Ok((lost > 0).then(|| {
        format!("the word index has lost words of {lost} of the {looked} messages that were looked at")
    }))
}
