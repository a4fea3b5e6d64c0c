//! Jobs: durable units of background work, enqueued in the transaction that made them needed.

use jiff::Timestamp;

use crate::holder::Holder;
use crate::{Arm, Result, Store};

/// A job that this worker has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: i64,
    /// What is to be done.
    pub kind: String,
    /// What it is to be done to.
    pub subject: String,
    /// How often it was tried before.
    pub attempts: u32,
}

impl Store {
    /// Claims the job that has been due longest, until `lease` has passed.
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

    /// Puts a job back that is not done, for whoever comes next.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn release_job(&self, job: &Job, owner: &str) -> Result<()> {
        match &self.arm {
            Arm::Sqlite(db) => db.release_job(job.id, owner).await,
        }
    }

    /// Puts a job back that has nothing to do before `again`.
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
