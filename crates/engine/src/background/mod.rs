//! Work that no reply waits for: durable jobs, each done by whichever process comes to it first.

mod compact;
mod embed;
mod extract;
mod profile;
mod routine;

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use throughline_store::jobs::Job;
use throughline_store::memories::{EXTRACT, PROFILE};
use throughline_store::routines::SUMMARIZE_ROUTINE;
use throughline_store::summaries::COMPACT;
use throughline_store::vectors::EMBED;
use tokio::time::timeout_at;

use crate::ports::{Clock, SystemClock};
use crate::work::NotDone;
use crate::{Engine, Result};

/// How long a job stays with the process that claimed it, and how long that may work on it: it must be over first.
const LEASE: Duration = Duration::from_secs(300);
const LONGEST_JOB: Duration = Duration::from_secs(240);
/// The first pause after a failure; each further one doubles it, up to the longest.
const PAUSE: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// What became of a job.
enum Outcome {
    Done,
    /// Time was up; somebody goes on with it later.
    Unfinished,
    /// There is nothing to do before so long.
    Rest(Duration),
}

/// Why a job failed, and when it is worth another try.
struct Failed {
    why: String,
    pause: Option<Duration>,
}

impl From<throughline_store::Error> for Failed {
    fn from(error: throughline_store::Error) -> Self {
        Self { why: error.to_string(), pause: None }
    }
}

impl From<crate::Error> for Failed {
    fn from(error: crate::Error) -> Self {
        Self { why: error.to_string(), pause: None }
    }
}

impl From<NotDone> for Failed {
    fn from(error: NotDone) -> Self {
        Self { why: error.to_string(), pause: None }
    }
}

impl Engine {
    /// Does the jobs that are due, until none is left or time is up. One that fails is put off, and the log says why.
    ///
    /// # Errors
    /// When the list of jobs cannot be read or written.
    pub async fn run_jobs(&self, until: Instant) -> Result<u64> {
        let owner = self.owner.to_string();
        let mut done = 0;
        self.take_over_from_the_dead().await?;
        self.look_at_the_calendar().await?;
        while Instant::now() < until {
            // Jobs go by the real clock, wherever the calendar stands.
            let now = SystemClock.now();
            let Some(job) = self.store.claim_job(&owner, now, later(now, LEASE)).await? else { break };
            let until = until.min(Instant::now() + LONGEST_JOB);
            let outcome = match timeout_at(until.into(), self.run_job(&job, until)).await {
                Ok(outcome) => outcome,
                // Whoever waits has waited long enough; somebody goes on with it later.
                Err(_) => Ok(Outcome::Unfinished),
            };
            match outcome {
                Ok(Outcome::Done) => {
                    self.store.finish_job(&job, &owner).await?;
                    self.ask_again_if_needed(&job).await?;
                    done += 1;
                }
                Ok(Outcome::Unfinished) => self.store.release_job(&job, &owner).await?,
                Ok(Outcome::Rest(pause)) => self.store.postpone_job(&job, &owner, later(now, pause)).await?,
                Err(failed) => {
                    tracing::warn!(kind = job.kind, why = failed.why, "a job failed and is put off");
                    let pause = failed.pause.unwrap_or_else(|| pause(job.attempts));
                    self.store.retry_job(&job, &owner, &failed.why, later(now, pause)).await?;
                }
            }
        }
        Ok(done)
    }

    /// What a process had begun when it died is done by the next, at once.
    async fn take_over_from_the_dead(&self) -> Result<()> {
        let mut owners = self.store.job_owners().await?;
        owners.retain(|holder| self.is_abandoned(holder));
        if !owners.is_empty() {
            self.store.free_jobs(owners).await?;
        }
        Ok(())
    }

    /// What the calendar makes due, wherever it stands: conversations that have ended, and what can no longer be undone.
    async fn look_at_the_calendar(&self) -> Result<()> {
        let now = self.now();
        let silent_since = now.saturating_sub(self.settings.gap).unwrap_or(Timestamp::MIN);
        self.store.wake_compaction(silent_since).await?;
        self.store.purge_forgotten(now).await?;
        self.store.tidy(now).await?;
        if self.store.wants_scrub().await?
            && let Err(error) = self.store.scrub().await
        {
            tracing::warn!(%error, "deleted bytes are taken out of the files later");
        }
        Ok(())
    }

    async fn run_job(&self, job: &Job, until: Instant) -> std::result::Result<Outcome, Failed> {
        match job.kind.as_str() {
            EMBED => self.embed_chat(&job.subject, until).await,
            EXTRACT => self.extract_chat(&job.subject, job.attempts, until).await,
            COMPACT => self.compact_lane(&job.subject, job.attempts, until).await,
            PROFILE => self.write_profile(&job.subject).await,
            SUMMARIZE_ROUTINE => self.summarize_routine(&job.subject).await,
            other => Err(Failed {
                why: format!("this version does not know jobs of kind {other}"),
                pause: Some(LONGEST_PAUSE),
            }),
        }
    }

    /// What was written while a job ran found the job still listed, and asked for no other.
    async fn ask_again_if_needed(&self, job: &Job) -> Result<()> {
        if job.kind == EMBED { self.want_what_is_unembedded(&job.subject).await } else { Ok(()) }
    }
}

fn pause(attempts: u32) -> Duration {
    PAUSE.saturating_mul(2u32.saturating_pow(attempts)).min(LONGEST_PAUSE)
}

fn later(now: Timestamp, pause: Duration) -> Timestamp {
    now.saturating_add(SignedDuration::try_from(pause).unwrap_or(SignedDuration::from_hours(1)))
        .unwrap_or(now)
}
