//! Routines and their runs.

use jiff::Timestamp;
use serde::Serialize;
use throughline_store::routines::Run;
use utoipa::ToSchema;

use crate::commands::next_run;
use crate::config::routines::{Routine, Task};
use crate::wire::App;

/// A routine of the settings.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoutineDocument {
    /// Its name.
    pub name: String,
    /// Whether it is on.
    pub enabled: bool,
    /// When it runs, in cron's notation.
    pub schedule: Option<String>,
    /// When it runs next, if it is on.
    pub next: Option<String>,
    /// prompt, command or message.
    pub kind: &'static str,
    /// Whether it decides each time if it has something to say.
    pub decides: bool,
    /// The chat it writes to.
    pub chat: String,
    /// The lane.
    pub lane: String,
    /// The agent that writes, if it is not the chat's.
    pub agent: Option<String>,
}

/// A run of a routine.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunDocument {
    /// The routine.
    pub routine: String,
    /// The chat that the routine writes to, if the settings still name the routine.
    pub chat: Option<String>,
    /// When it was due.
    pub due: String,
    /// running, sent, declined, missed or failed.
    pub state: &'static str,
    /// When it began.
    pub started: String,
    /// When it ended.
    pub ended: Option<String>,
    /// The message that it sent.
    pub message: Option<String>,
    /// Why it sent nothing.
    pub problem: Option<String>,
    /// The words of the message, of a run that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl RoutineDocument {
    /// The document of a routine.
    pub fn new(name: &str, routine: &Routine, app: &App, now: Timestamp) -> Self {
        Self {
            name: name.to_owned(),
            enabled: routine.enabled,
            schedule: routine.schedule.as_ref().map(ToString::to_string),
            next: next_run(routine, app, now).map(|at| at.to_string()),
            kind: match routine.task {
                Task::Prompt(_) => "prompt",
                Task::Command { .. } => "command",
                Task::Message(_) => "message",
            },
            decides: routine.decide.is_some(),
            chat: app.chat_of(routine).to_string(),
            lane: routine.lane.to_string(),
            agent: routine.agent.as_ref().map(|agent| agent.0.clone()),
        }
    }
}

impl RunDocument {
    /// The document of a run.
    pub fn new(run: &Run, app: &App) -> Self {
        let routine = app.settings.routines.get(&run.routine);
        Self {
            routine: run.routine.clone(),
            chat: routine.map(|routine| app.chat_of(routine).to_string()),
            due: run.due_at.to_string(),
            state: run.state.as_str(),
            started: run.started_at.to_string(),
            ended: run.ended_at.map(|at| at.to_string()),
            message: run.message.map(|id| id.to_string()),
            problem: run.problem.clone(),
            text: None,
        }
    }

    /// The document of a run with the words that it sent.
    pub fn with_text(run: &Run, app: &App, text: Option<String>) -> Self {
        Self { text, ..Self::new(run, app) }
    }
}
