//! Jobs: durable background work, enqueued in the transaction that made it necessary.

use jiff::Timestamp;

use crate::holder::Holder;
use crate::tx::{JobRow, Tx};
use crate::{Result, Store};

/// A kind of job, by its name on disk. Jobs of the same kind and subject are one job.
///
/// The kinds that changes of stored data make necessary are named here; a worker may have others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobKind(pub &'static str);

impl JobKind {
    /// Embeds messages and pieces. The subject is a chat.
    pub const EMBED: Self = Self("embed");
    /// Extracts memories from messages. The subject is a chat.
    pub const EXTRACT: Self = Self("extract");
    /// Writes the narrative of a profile. The subject is a chat.
    pub const PROFILE: Self = Self("profile");
    /// Summarizes a routine's message. The subject is the message's row.
    pub const ROUTINE_SUMMARY: Self = Self("routine");
    /// Summarizes a lane. The subject is the lane's row.
    pub const COMPACT: Self = Self("compact");

    /// The name on disk.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// The due time of a job that was set aside: never.
pub(crate) const SET_ASIDE: Timestamp = Timestamp::MAX;

/// A job claimed by this worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: i64,
    /// The kind of work.
    pub kind: JobKind,
    /// The object to work on, such as a chat.
    pub subject: String,
    /// The number of earlier attempts.
    pub attempts: u32,
}

impl Store {
    /// Claims the most urgent job of `kinds`, the most urgent of them first, until `lease`: newly requested jobs, by
    /// kind, then postponed ones. Other kinds are left to a newer version of the worker.
    pub async fn claim_job(
        &self,
        kinds: &[JobKind],
        owner: &str,
        now: Timestamp,
        lease: Timestamp,
    ) -> Result<Option<Job>> {
        let holder = Holder { owner: owner.to_owned(), leased_to: lease };
        let kinds = kinds.to_vec();
        self.write(move |tx| tx.claim_job(&kinds, &holder, now)).await
    }

    /// The holders of jobs, to find processes that died.
    pub async fn job_owners(&self) -> Result<Vec<Holder>> {
        self.read(|tx| tx.job_owners()).await
    }

    /// Releases abandoned jobs.
    pub async fn release_jobs(&self, owners: Vec<Holder>) -> Result<()> {
        self.write(move |tx| owners.iter().try_for_each(|holder| tx.free_jobs_of(holder))).await
    }

    /// Removes a finished job from the queue, unless another worker has claimed it since. If it was requested while
    /// it ran, it is due again.
    pub async fn finish_job(&self, job: &Job, owner: &str) -> Result<()> {
        self.release_job(job, owner, |held| held.rerun.then(|| requested_again(held))).await
    }

    /// Postpones a job until `again`, unless it was requested while it ran.
    pub async fn postpone_job(&self, job: &Job, owner: &str, again: Timestamp) -> Result<()> {
        let postpone = move |held: JobRow| match held.rerun {
            true => requested_again(held),
            false => JobRow { due_at: again, attempts: 0, ..held },
        };
        self.release_job(job, owner, move |held| Some(postpone(held))).await
    }

    /// Schedules a failed job for a retry at `again`.
    pub async fn retry_job(&self, job: &Job, owner: &str, problem: &str, again: Timestamp) -> Result<()> {
        let problem = Some(problem.to_owned());
        self.release_job(job, owner, move |held| Some(JobRow { due_at: again, problem, ..held })).await
    }

    /// Sets a job aside until [`Store::resume_jobs`].
    pub async fn set_job_aside(&self, job: &Job, owner: &str, problem: &str) -> Result<()> {
        self.retry_job(job, owner, problem, SET_ASIDE).await
    }

    /// Makes the jobs that were set aside due, and returns their number.
    pub async fn resume_jobs(&self) -> Result<u64> {
        self.write(|tx| tx.make_jobs_due_that_are_due_at(SET_ASIDE)).await
    }

    /// Updates a job as `next` says, or deletes it, unless another worker has claimed it.
    async fn release_job(
        &self,
        job: &Job,
        owner: &str,
        next: impl FnOnce(JobRow) -> Option<JobRow> + Send + 'static,
    ) -> Result<()> {
        let (id, owner) = (job.id, owner.to_owned());
        self.write(move |tx| match tx.held_job(id, &owner)?.map(next) {
            Some(Some(next)) => tx.free_job(id, &next),
            Some(None) => tx.delete_job(id),
            None => Ok(()),
        })
        .await
    }
}

fn requested_again(held: JobRow) -> JobRow {
    JobRow { due_at: Timestamp::UNIX_EPOCH, attempts: 0, rerun: false, ..held }
}

/// Requests a job over a chat.
pub(crate) fn request_for_chat(tx: &Tx<'_>, kind: JobKind, chat: i64) -> Result<()> {
    tx.request_job(kind, tx.chat_key(chat)?.as_str())
}
