//! Work that no reply waits for: durable jobs, one file each. The first process that is free does a job.
//!
//! A job's name and priority are in [`JobKind`]; its work is the `run` of its file. Every job may run twice with the
//! same result, stops when `until` has passed, and is then continued by the next worker.

pub(crate) mod compact;
mod embed;
pub(crate) mod extract;
mod profile;
mod routine_summary;

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use throughline_store::jobs::{Job, JobKind};
use tokio::time::timeout_at;

use crate::ports::{Clock, SystemClock};
use crate::work::NotDone;
use crate::{Engine, Result};

/// How much longer than one run may take a job belongs to the process that claimed it.
const LEASE_BEYOND: Duration = Duration::from_secs(300);
/// A job whose run took too long this many times is set aside.
const MOST_OVERRUNS: u32 = 3;
/// Back-off after the first failure; each further failure doubles it.
const FIRST_RETRY: Duration = Duration::from_secs(10);
/// Maximum back-off.
const LONGEST_RETRY: Duration = Duration::from_secs(3600);

/// How a run of a job ended.
enum Outcome {
    Done,
    /// Time was up; the next worker continues.
    Unfinished,
    /// There is nothing to do before this time has passed.
    Postponed(Duration),
}

/// Why a job failed, and when to try it again if the cause says so.
struct Failed {
    why: String,
    retry_after: Option<Duration>,
    /// Whether its time was up in the middle of a step.
    is_overrun: bool,
}

impl Failed {
    fn new(why: String) -> Self {
        Self { why, retry_after: None, is_overrun: false }
    }

    fn overrun(limit: Duration) -> Self {
        Self { is_overrun: true, ..Self::new(format!("one step took longer than {} s", limit.as_secs())) }
    }
}

type Ran = std::result::Result<Outcome, Failed>;

impl From<throughline_store::Error> for Failed {
    fn from(error: throughline_store::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<crate::Error> for Failed {
    fn from(error: crate::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<NotDone> for Failed {
    fn from(error: NotDone) -> Self {
        Self::new(error.to_string())
    }
}

impl Engine {
    /// Runs the jobs that are due until none is left or time is up, and gives how many are done. A job that fails is
    /// tried again later.
    ///
    /// # Errors
    /// When the list of jobs cannot be read or written.
    pub async fn run_jobs(&self, until: Instant) -> Result<u64> {
        self.run_jobs_while(until, || true).await
    }

    /// The same, while `wanted` says so. A call of a model that has begun is paid for and is waited for, even if time is
    /// up or the jobs are no longer wanted. A run beyond the limit of [`crate::Settings`] is dropped where it next waits;
    /// work that a thread of its own does until then comes to its end, and its result is thrown away.
    ///
    /// # Errors
    /// When the list of jobs cannot be read or written.
    pub async fn run_jobs_while(&self, until: Instant, wanted: impl Fn() -> bool + Send) -> Result<u64> {
        let owner = self.owner.to_string();
        let mut done = 0;
        self.free_jobs_of_dead_processes().await?;
        self.enqueue_by_calendar().await?;
        while Instant::now() < until && wanted() {
            // Leases and retries follow the real clock, even if the calendar is fixed.
            let now = SystemClock.now();
            let limit = self.settings.job_limit;
            let lease = later(now, limit.saturating_add(LEASE_BEYOND));
            let Some(job) = self.store.claim_job(&owner, now, lease).await? else { break };
            let began = Instant::now();
            // A run stops between two steps at half of its time, so only a step that hangs meets the end of it.
            let run = self.run_job(&job, until.min(began + limit / 2));
            let ended = timeout_at((began + limit).into(), run).await;
            let ended = ended.unwrap_or_else(|_| Err(Failed::overrun(limit)));
            done += u64::from(self.end_job(&job, &owner, now, ended).await?);
        }
        Ok(done)
    }

    /// Writes how a job ended, and gives whether it is done.
    async fn end_job(&self, job: &Job, owner: &str, now: Timestamp, ended: Ran) -> Result<bool> {
        match ended {
            Ok(Outcome::Done) => {
                self.store.finish_job(job, owner).await?;
                if job.kind == JobKind::Embed {
                    embed::enqueue_if_incomplete(self, job).await?;
                }
                return Ok(true);
            }
            Ok(Outcome::Unfinished) => self.store.postpone_job(job, owner, now).await?,
            Ok(Outcome::Postponed(pause)) => {
                self.store.postpone_job(job, owner, later(now, pause)).await?;
            }
            Err(failed) if failed.is_overrun && job.attempts + 1 >= MOST_OVERRUNS => {
                let kind = job.kind.as_str();
                tracing::warn!(
                    kind,
                    why = failed.why,
                    "job set aside; `throughline doctor --fix` retries it"
                );
                self.store.set_job_aside(job, owner, &failed.why).await?;
            }
            Err(failed) => {
                let pause = failed.retry_after.unwrap_or_else(|| back_off(job.attempts));
                let (kind, seconds) = (job.kind.as_str(), pause.as_secs());
                tracing::warn!(kind, why = failed.why, "job failed; retrying in {seconds} s");
                self.store.retry_job(job, owner, &failed.why, later(now, pause)).await?;
            }
        }
        Ok(false)
    }

    async fn run_job(&self, job: &Job, until: Instant) -> Ran {
        match job.kind {
            JobKind::Embed => embed::run(self, job, until).await,
            JobKind::Extract => extract::run(self, job, until).await,
            JobKind::Profile => profile::run(self, job).await,
            JobKind::RoutineSummary => routine_summary::run(self, job).await,
            JobKind::Compact => compact::run(self, job, until).await,
        }
    }

    async fn free_jobs_of_dead_processes(&self) -> Result<()> {
        let mut owners = self.store.job_owners().await?;
        owners.retain(|holder| self.is_abandoned(holder));
        if !owners.is_empty() {
            self.store.free_jobs(owners).await?;
        }
        Ok(())
    }

    /// Wakes jobs for conversations that have ended, and deletes for good what can no longer be restored.
    async fn enqueue_by_calendar(&self) -> Result<()> {
        let now = self.now();
        let silent_since = now.saturating_sub(self.settings.gap).unwrap_or(Timestamp::MIN);
        self.store.wake_compaction(silent_since).await?;
        self.store.purge_forgotten(now).await?;
        if let Err(error) = self.sweep_files().await {
            tracing::warn!(%error, "deleting files of forgotten messages failed; retrying with the next jobs");
        }
        self.store.tidy(now).await?;
        if self.store.wants_scrub().await?
            && let Err(error) = self.store.scrub().await
        {
            tracing::warn!(%error, "scrubbing deleted bytes from the database failed; retrying with the next jobs");
        }
        Ok(())
    }
}

fn back_off(attempts: u32) -> Duration {
    FIRST_RETRY.saturating_mul(2u32.saturating_pow(attempts)).min(LONGEST_RETRY)
}

fn later(now: Timestamp, pause: Duration) -> Timestamp {
    now.saturating_add(SignedDuration::try_from(pause).unwrap_or(SignedDuration::from_hours(1)))
        .unwrap_or(now)
}
