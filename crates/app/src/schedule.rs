//! Starts routines when they are due. A run is claimed on disk, so that no two processes do the same one.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use throughline_domain::lane::Lane;
use throughline_domain::routine::{Decision, Timing};
use throughline_engine::{Engine, Result};
use throughline_store::routines::{Run, RunState};
use tokio::sync::Notify;

use crate::channels::{Channels, Draft, compose};
use crate::config::routines::Routine;
use crate::tasks::KeyedTasks;
use crate::wire::App;

/// Maximum sleep between checks; the clock may jump or the machine suspend.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);

/// Starts routines.
pub struct Scheduler {
    pub engine: Engine,
    pub app: Arc<App>,
    pub channels: Channels,
    pub runs: KeyedTasks<(String, Timestamp)>,
    /// Wakes the worker of background jobs.
    pub jobs: Arc<Notify>,
}

impl Scheduler {
    /// Starts routines until the program ends.
    pub async fn watch(self: Arc<Self>) {
        loop {
            let next = match self.start_due().await {
                Ok(next) => next,
                Err(error) => {
                    tracing::warn!(%error, "reading routines failed; retrying in 20 s");
                    None
                }
            };
            let until = next.map_or(LONGEST_SLEEP, |next| {
                Duration::try_from(next.duration_since(self.engine.now())).unwrap_or(Duration::ZERO)
            });
            tokio::time::sleep(until.min(LONGEST_SLEEP)).await;
        }
    }

    /// Starts the routines that are due, and gives when the next one is.
    async fn start_due(self: &Arc<Self>) -> Result<Option<Timestamp>> {
        self.engine.release_orphaned_runs().await?;
        let mut next = None;
        for (name, routine) in self.app.settings.routines.iter().filter(|(_, routine)| routine.enabled) {
            let wake = self.start_if_due(name, routine).await?;
            next = [next, wake].into_iter().flatten().min();
        }
        Ok(next)
    }

    async fn start_if_due(self: &Arc<Self>, name: &str, routine: &Routine) -> Result<Option<Timestamp>> {
        let Some(schedule) = &routine.schedule else { return Ok(None) };
        let (now, zone) = (self.engine.now(), &self.app.settings.zone);
        let since = self.engine.store.scheduled_since(name, &schedule.to_string(), now).await?;
        let last = self.engine.store.runs(Some(name), 1).await?.pop().map(|run| run.due_at);
        let not_before = last.map_or(since, |last| last.max(since));
        let next = schedule.next_after(now, zone);
        let Some(due) = schedule.last_before_or_at(now, not_before, zone) else { return Ok(next) };
        let timing = Timing {
            late: routine.late,
            quiet: self.app.settings.quiet_hours.as_ref(),
            policy: routine.quiet,
            zone,
        };
        match timing.decide(due, now) {
            Decision::Wait(until) => return Ok([next, Some(until)].into_iter().flatten().min()),
            Decision::Missed => self.engine.store.end_run(missed(name, due, now)).await?,
            Decision::Run => {
                let scheduler = Arc::clone(self);
                self.runs.ask((name.to_owned(), due), move |(name, due)| {
                    let scheduler = Arc::clone(&scheduler);
                    async move { scheduler.run(&name, due).await }
                });
            }
        }
        Ok(next)
    }

    async fn run(&self, name: &str, due: Timestamp) {
        let Some(routine) = self.app.routine(name, self.engine.now()) else { return };
        let chat = routine.chat.clone();
        let outbox = |lane: &Lane, text: &str| compose(&chat, lane, Draft::Reply(text));
        if let Err(error) = self.engine.run_routine(&routine, due, &outbox).await {
            tracing::warn!(routine = name, %error, "routine failed to run; retrying with the next check");
        }
        if let Some(sender) = self.channels.sender(&chat) {
            sender.ask(&chat);
        }
        self.jobs.notify_one();
    }
}

fn missed(name: &str, due: Timestamp, now: Timestamp) -> Run {
    Run {
        routine: name.to_owned(),
        due_at: due,
        state: RunState::Missed,
        started_at: now,
        ended_at: Some(now),
        message: None,
        problem: Some("it could not run in time".to_owned()),
    }
}
