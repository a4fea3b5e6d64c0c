//! Starts due routines. A run is claimed on disk, so that no two processes start the same one.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::lane::Lane;
use throughline_domain::routine::{Decision, Timing};
use throughline_engine::routines::RoutineText;
use throughline_engine::{Engine, Result};
use throughline_store::routines::{Run, RunState};
use tokio::sync::Notify;

use crate::channels::{Channels, compose};
use crate::config::routines::Routine;
use crate::tasks::KeyedTasks;
use crate::wire::App;

/// Maximum sleep between checks; the clock may jump or the machine suspend.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);

/// Maximum delay of a run that counts as punctual.
const PUNCTUAL: SignedDuration = SignedDuration::from_mins(2);

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

    /// Starts due routines, and returns the time of the next one.
    async fn start_due(self: &Arc<Self>) -> Result<Option<Timestamp>> {
        self.engine.release_orphaned_runs().await?;
        let (mut next, mut due) = (None, Vec::new());
        for (name, routine) in self.app.settings.routines.iter().filter(|(_, routine)| routine.enabled) {
            let (wake, at) = self.check(name, routine).await?;
            next = [next, wake].into_iter().flatten().min();
            due.extend(at.map(|at| (at, name.clone())));
        }
        due.sort();
        let punctual = self.engine.now().saturating_sub(PUNCTUAL).unwrap_or(Timestamp::MIN);
        let (waited, fresh): (Vec<_>, Vec<_>) = due.into_iter().partition(|(at, _)| *at < punctual);
        // Delayed runs are started in the order of their due times.
        if !waited.is_empty() {
            self.start((String::new(), Timestamp::MIN), waited);
        }
        fresh.into_iter().for_each(|(at, name)| self.start((name.clone(), at), vec![(at, name)]));
        Ok(next)
    }

    /// Starts runs one after the other. Runs with the same key do not overlap.
    fn start(self: &Arc<Self>, key: (String, Timestamp), runs: Vec<(Timestamp, String)>) {
        let scheduler = Arc::clone(self);
        self.runs.request(key, move |_| {
            let (scheduler, runs) = (Arc::clone(&scheduler), runs.clone());
            async move {
                for (due, name) in &runs {
                    scheduler.run(name, *due).await;
                }
            }
        });
    }

    /// The time of a routine's next check, and the due time of the run to start now, if any.
    async fn check(&self, name: &str, routine: &Routine) -> Result<(Option<Timestamp>, Option<Timestamp>)> {
        let Some(schedule) = &routine.schedule else { return Ok((None, None)) };
        let (now, zone) = (self.engine.now(), &self.app.settings.zone);
        let since = self.engine.store.scheduled_since(name, &schedule.to_string(), now).await?;
        let last = self.engine.store.runs(Some(name), 1).await?.pop().map(|run| run.due_at);
        let not_before = last.map_or(since, |last| last.max(since));
        let next = schedule.next_after(now, zone);
        let Some(due) = schedule.last_before_or_at(now, not_before, zone) else { return Ok((next, None)) };
        let timing = Timing {
            late: routine.late,
            quiet: self.app.settings.quiet_hours.as_ref(),
            policy: routine.quiet,
            zone,
        };
        match timing.decide(due, now) {
            Decision::Wait(until) => Ok(([next, Some(until)].into_iter().flatten().min(), None)),
            Decision::Missed => {
                self.engine.store.end_run(missed(name, due, now)).await?;
                Ok((next, None))
            }
            Decision::Run => Ok((next, Some(due))),
        }
    }

    async fn run(&self, name: &str, due: Timestamp) {
        let Some(routine) = self.app.routine(name, self.engine.now()) else { return };
        let chat = routine.chat.clone();
        let outbox = |lane: &Lane, text: RoutineText<'_>| compose(&chat, lane, text.into());
        if let Err(error) = self.engine.run_routine(&routine, due, &outbox).await {
            tracing::warn!(routine = name, %error, "routine failed to run; retrying with the next check");
        }
        if let Some(sender) = self.channels.sender(&chat) {
            sender.request(&chat);
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
