//! Starts routines when they are due. That a run is under way, or was missed, is on disk: no two processes do the same one.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::routine::{Decision, Timing};
use throughline_engine::{Engine, Result};
use throughline_store::outbox::NewOutboxItem;
use throughline_store::routines::{Run, RunState};
use tokio::sync::Notify;

use crate::channels::telegram::Gateway;
use crate::channels::telegram::target::SendTarget;
use crate::config::routines::Routine;
use crate::tasks::KeyedTasks;
use crate::wire::App;

/// It is looked so often at least: clocks are set, machines sleep.
const LOOK_AGAIN: Duration = Duration::from_secs(20);

/// What starts routines.
pub struct Scheduler {
    pub engine: Engine,
    pub app: Arc<App>,
    pub gateway: Option<Arc<Gateway>>,
    pub runs: KeyedTasks<(String, Timestamp)>,
    /// Wakes those who do background jobs.
    pub jobs: Arc<Notify>,
}

impl Scheduler {
    /// Starts routines until the program ends.
    pub async fn watch(self: Arc<Self>) {
        loop {
            let next = match self.look().await {
                Ok(next) => next,
                Err(error) => {
                    tracing::warn!(%error, "routines could not be looked at");
                    None
                }
            };
            let until = next.map_or(LOOK_AGAIN, |next| {
                Duration::try_from(next.duration_since(self.engine.now())).unwrap_or(Duration::ZERO)
            });
            tokio::time::sleep(until.min(LOOK_AGAIN)).await;
        }
    }

    /// Starts what is due, and says when something is due next.
    async fn look(self: &Arc<Self>) -> Result<Option<Timestamp>> {
        self.engine.release_orphaned_runs().await?;
        let mut next = None;
        for (name, routine) in self.app.settings.routines.iter().filter(|(_, routine)| routine.enabled) {
            let wake = self.look_at(name, routine).await?;
            next = [next, wake].into_iter().flatten().min();
        }
        Ok(next)
    }

    async fn look_at(self: &Arc<Self>, name: &str, routine: &Routine) -> Result<Option<Timestamp>> {
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
        let outbox = |lane: &Lane, text: &str| items_for(&chat, lane, text);
        if let Err(error) = self.engine.run_routine(&routine, due, &outbox).await {
            tracing::warn!(routine = name, %error, "a routine waits");
        }
        if let Some(gateway) = &self.gateway {
            gateway.sender.ask(&chat);
        }
        self.jobs.notify_one();
    }
}

/// How a text is sent into a chat; nothing where what is recorded is seen.
pub fn items_for(chat: &ChatId, lane: &Lane, text: &str) -> Vec<NewOutboxItem> {
    match chat.channel() {
        "telegram" => SendTarget::of(chat, lane).reply(text, None),
        _ => Vec::new(),
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
