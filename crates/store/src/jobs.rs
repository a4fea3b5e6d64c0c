//! Jobs: durable units of background work, enqueued in the transaction that made them needed.

use jiff::Timestamp;

use crate::holder::Holder;
use crate::{Arm, Result, Store};

/// The kinds of jobs, the most urgent first. The names are on disk.
macro_rules! job_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)+) => {
        /// What a job does. Two jobs of one kind with one subject are one job.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum JobKind {
            $($(#[$doc])* $kind,)+
        }

        impl JobKind {
            /// All kinds in the order in which jobs that wait are claimed.
            pub const BY_PRIORITY: &[Self] = &[$(Self::$kind),+];

            /// The name on disk.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }
        }
    };
}

job_kinds! {
    /// Makes the vectors that the next recall searches. The subject is a chat.
    Embed = "embed",
    /// Extracts memories from messages. The subject is a chat.
    Extract = "extract",
    /// Writes the narrative of a profile. The subject is a chat.
    Profile = "profile",
    /// Summarizes a routine's message. The subject is the message's row.
    RoutineSummary = "routine",
    /// Summarizes a lane. The subject is the lane's row.
    Compact = "compact",
}

/// A job that this worker has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: i64,
    /// What is to be done.
    pub kind: JobKind,
    /// What it is to be done to.
    pub subject: String,
    /// How often it was tried before.
    pub attempts: u32,
}

impl Store {
    /// Claims the most urgent job until `lease` has passed: first those that were just asked for, by kind, then those
    /// that were postponed. Kinds that this version does not know are left to a newer one.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn claim_job(&self, owner: &str, now: Timestamp, lease: Timestamp) -> Result<Option<Job>> {
        match &self.arm {
            Arm::Sqlite(db) => db.claim_job(owner, now, lease).await,
        }
    }

    /// Who holds jobs, for those who look after the dead.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn job_owners(&self) -> Result<Vec<Holder>> {
        match &self.arm {
            Arm::Sqlite(db) => db.job_owners().await,
        }
    }

    /// Frees abandoned jobs, for other processes to do.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn free_jobs(&self, owners: Vec<Holder>) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.free_jobs(owners).await,
        }
    }

    /// Takes a finished job off the list, unless another worker has claimed it since.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn finish_job(&self, job: &Job, owner: &str) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.finish_job(job.id, owner).await,
        }
    }

    /// Puts a job back that is to be continued at `again`, behind the jobs that wait.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn postpone_job(&self, job: &Job, owner: &str, again: Timestamp) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.postpone_job(job.id, owner, again).await,
        }
    }

    /// Puts a failed job back, to be tried at `again`.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn retry_job(&self, job: &Job, owner: &str, problem: &str, again: Timestamp) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.retry_job(job.id, owner, problem, again).await,
        }
    }
}
