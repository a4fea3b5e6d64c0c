//! Background work as durable jobs, one file each. The first free process runs a job.
//!
//! [`JOBS`] has the kinds in their order of priority, each with the `run` of its file. Every job is idempotent and stops
//! when `until` has passed; the next worker then continues it.

pub(crate) mod compact;
mod embed;
pub(crate) mod extract;
mod profile;
mod routine_summary;

use std::pin::Pin;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use throughline_store::jobs::{Job, JobKind};
use tokio::time::timeout_at;

use crate::ports::{Clock, SystemClock};
use crate::work::WorkError;
use crate::{Engine, Result};

type Run = for<'a> fn(&'a Engine, &'a Job, Instant) -> Pin<Box<dyn Future<Output = Ran> + Send + 'a>>;

/// The kinds of jobs and what runs them, most urgent first.
static JOBS: [(JobKind, Run); 5] = [
    (JobKind::EMBED, |engine, job, until| Box::pin(embed::run(engine, job, until))),
    (JobKind::EXTRACT, |engine, job, until| Box::pin(extract::run(engine, job, until))),
    (JobKind::PROFILE, |engine, job, _| Box::pin(profile::run(engine, job))),
    (JobKind::ROUTINE_SUMMARY, |engine, job, _| Box::pin(routine_summary::run(engine, job))),
    (JobKind::COMPACT, |engine, job, until| Box::pin(compact::run(engine, job, until))),
];

/// Time that a job's lease exceeds the limit of one run.
const EXTRA_LEASE: Duration = Duration::from_secs(300);
/// Number of overruns after which a job is set aside.
const MAX_OVERRUNS: u32 = 3;
/// Back-off after the first failure; each further failure doubles it.
const FIRST_BACKOFF: Duration = Duration::from_secs(10);
/// Maximum back-off.
const MAX_BACKOFF: Duration = Duration::from_secs(3600);

/// The outcome of a run.
enum Outcome {
    Done,
    /// Time ran out; the next worker continues.
    Unfinished,
    /// Nothing to do before this time has passed.
    Postponed(Duration),
}

/// Why a job failed, and when to retry if the cause says so.
struct Failed {
    why: String,
    retry_after: Option<Duration>,
    /// True if time ran out in the middle of a step.
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

impl From<WorkError> for Failed {
    fn from(error: WorkError) -> Self {
        Self::new(error.to_string())
    }
}

impl Engine {
    /// Runs the due jobs until none is left or time is up, and returns the number finished. Failed jobs are retried
    /// later.
    pub async fn run_jobs(&self, until: Instant) -> Result<u64> {
        self.run_jobs_while(until, || true).await
    }

    /// Like [`Engine::run_jobs`], but only while `wanted` returns true. A model call in progress is paid for and
    /// always awaited. A run that exceeds the limit in [`crate::Settings`] is dropped at its next await; a blocking
    /// thread it started runs to its end, and its result is discarded.
    pub async fn run_jobs_while(&self, until: Instant, wanted: impl Fn() -> bool + Send) -> Result<u64> {
        let owner = self.owner.to_string();
        let mut done = 0;
        self.free_jobs_of_dead_processes().await?;
        self.enqueue_by_calendar().await?;
        while Instant::now() < until && wanted() {
            // Leases and retries follow the real clock, even if the calendar is fixed.
            let now = SystemClock.now();
            let limit = self.settings.job_limit;
            let lease = later(now, limit.saturating_add(EXTRA_LEASE));
            let kinds = JOBS.map(|(kind, _)| kind);
            let Some(job) = self.store.claim_job(&kinds, &owner, now, lease).await? else { break };
            let Some((_, run)) = JOBS.iter().find(|(kind, _)| *kind == job.kind) else { break };
            let began = Instant::now();
            // A run checks its deadline, half of the limit, between steps; only a step that hangs reaches the limit.
            let run = run(self, &job, until.min(began + limit / 2));
            let ended = timeout_at((began + limit).into(), run).await;
            let ended = ended.unwrap_or_else(|_| Err(Failed::overrun(limit)));
            done += u64::from(self.end_job(&job, &owner, now, ended).await?);
        }
        Ok(done)
    }

    /// Records how a job ended. Returns true if it is done.
    async fn end_job(&self, job: &Job, owner: &str, now: Timestamp, ended: Ran) -> Result<bool> {
        match ended {
            Ok(Outcome::Done) => {
                self.store.finish_job(job, owner).await?;
                if job.kind == JobKind::EMBED {
                    embed::enqueue_if_incomplete(self, job).await?;
                }
                return Ok(true);
            }
            Ok(Outcome::Unfinished) => self.store.postpone_job(job, owner, now).await?,
            Ok(Outcome::Postponed(pause)) => {
                self.store.postpone_job(job, owner, later(now, pause)).await?;
            }
            Err(failed) if failed.is_overrun && job.attempts + 1 >= MAX_OVERRUNS => {
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

    async fn free_jobs_of_dead_processes(&self) -> Result<()> {
        let mut owners = self.store.job_owners().await?;
        owners.retain(|holder| self.is_abandoned(holder));
        if !owners.is_empty() {
            self.store.release_jobs(owners).await?;
        }
        Ok(())
    }

    /// Enqueues jobs for conversations that have ended, and deletes permanently what can no longer be restored.
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
    FIRST_BACKOFF.saturating_mul(2u32.saturating_pow(attempts)).min(MAX_BACKOFF)
}

fn later(now: Timestamp, pause: Duration) -> Timestamp {
    now.saturating_add(SignedDuration::try_from(pause).unwrap_or(SignedDuration::from_hours(1)))
        .unwrap_or(now)
}
