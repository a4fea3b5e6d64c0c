//! `routine`: which routines there are, when they run, what they did; and running one by hand.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_engine::routines::RoutineText;
use throughline_store::routines::{Run, RunState};

use super::send;
use crate::channels::compose;
use crate::cli::Routine as What;
use crate::config::routines::{Routine, Task};
use crate::output::{Failure, Output, Style};
use crate::wire::App;

pub async fn run(what: &What, app: App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    match what {
        What::List => list(&app, &engine, output),
        What::Run { name, .. } => run_now(name, app, &engine, output).await,
        What::Runs { name, limit } => {
            let runs = engine.store.runs(name.as_deref(), *limit).await?;
            output.print(
                || json!({ "runs": runs.iter().map(run_document).collect::<Vec<_>>() }),
                |style| runs_text(&runs, &app, &engine, style),
            )
        }
    }
}

/// The routines that are on, for the chat command: all, or those of one chat.
pub fn listed(app: &App, now: Timestamp, chat: Option<&ChatId>) -> String {
    let lines: Vec<String> =
        on(app, chat).map(|(name, routine)| line(name, routine, app, now, Style::PLAIN)).collect();
    lines.join("\n")
}

/// The same routines, each with when it runs next.
pub fn next_runs<'a>(
    app: &'a App,
    now: Timestamp,
    chat: Option<&ChatId>,
) -> Vec<(&'a str, Option<Timestamp>)> {
    on(app, chat).map(|(name, routine)| (name, next(routine, app, now))).collect()
}

fn on<'a>(app: &'a App, chat: Option<&ChatId>) -> impl Iterator<Item = (&'a str, &'a Routine)> {
    let is_shown = move |routine: &Routine| chat.is_none() || routine.chat.as_ref() == chat;
    let named = app.settings.routines.iter().map(|(name, routine)| (name.as_str(), routine));
    named.filter(move |(_, routine)| routine.enabled && is_shown(routine))
}

fn list(app: &App, engine: &Engine, output: Output) -> Result<(), Failure> {
    let now = engine.now();
    let routines = &app.settings.routines;
    output.print(
        || json!({ "routines": routines.iter().map(|(name, routine)| document(name, routine, app, now)).collect::<Vec<_>>() }),
        |style| {
            let lines: Vec<String> =
                routines.iter().map(|(name, routine)| line(name, routine, app, now, style)).collect();
            format!("{}\n{}", lines.join("\n"), style.dim("Turn one on with enabled = true in [routines.NAME] of config.toml, or run it now: throughline routine run NAME"))
        },
    )
}

async fn run_now(name: &str, app: App, engine: &Engine, output: Output) -> Result<(), Failure> {
    let now = engine.now();
    let Some(routine) = app.routine(name, now) else {
        let known: Vec<&str> = app.settings.routines.keys().map(String::as_str).collect();
        return Err(Failure::failed(
            "not_found",
            format!("there is no routine {name:?}; there are {}", known.join(", ")),
        ));
    };
    let chat = routine.chat.clone();
    let outbox = |lane: &Lane, text: RoutineText<'_>| compose(&chat, lane, text.into());
    let Some(run) = engine.run_routine(&routine, now, &outbox).await? else {
        return Err(Failure::failed("busy", format!("{name} runs already")));
    };
    let run = engine.store.runs(Some(name), 1).await?.pop().unwrap_or(run);
    if run.state == RunState::Failed {
        let why = run.problem.clone().unwrap_or_default();
        return Err(Failure::failed("routine", format!("{name} failed: {why}")));
    }
    let said = match run.message {
        Some(id) => engine.store.chat(&chat).find(throughline_store::messages::Reference::Id(id)).await?,
        None => None,
    };
    let text = said.map(|stored| stored.message.text);
    let app = Arc::new(app);
    if let Err(failure) = send::reach(&app, engine, &chat).await {
        let problem = Some("it was written, and Telegram refused it".to_owned());
        engine.store.end_run(Run { state: RunState::Failed, problem, ..run }).await?;
        return Err(failure);
    }
    output.print(
        || {
            let mut document = run_document(&run);
            if let Some(fields) = document.as_object_mut() {
                fields.insert("text".to_owned(), json!(text));
            }
            document
        },
        |style| match (&text, &run.problem) {
            (Some(text), _) => text.clone(),
            (None, why) => {
                style.dim(&format!("Nothing was sent: {}", why.as_deref().unwrap_or("it said nothing")))
            }
        },
    )?;
    app.run_jobs(engine).await;
    Ok(())
}

fn next(routine: &Routine, app: &App, now: Timestamp) -> Option<Timestamp> {
    routine.schedule.as_ref().filter(|_| routine.enabled)?.next_after(now, &app.settings.zone)
}

fn kind(routine: &Routine) -> &'static str {
    match routine.task {
        Task::Prompt(_) => "prompt",
        Task::Command { .. } => "command",
        Task::Message(_) => "message",
    }
}

fn document(name: &str, routine: &Routine, app: &App, now: Timestamp) -> Value {
    json!({
        "name": name,
        "enabled": routine.enabled,
        "schedule": routine.schedule.as_ref().map(ToString::to_string),
        "next": next(routine, app, now).map(|at| at.to_string()),
        "kind": kind(routine),
        "decides": routine.decide.is_some(),
        "chat": routine.chat.clone().unwrap_or_else(|| app.own_chat()),
        "lane": routine.lane.to_string(),
        "agent": routine.agent.as_ref().map(|agent| agent.0.clone()),
    })
}

fn line(name: &str, routine: &Routine, app: &App, now: Timestamp, style: Style) -> String {
    let schedule = routine.schedule.as_ref().map(ToString::to_string).unwrap_or_default();
    let when = match next(routine, app, now) {
        Some(at) => format!("next {}", time::stamp(at, &app.settings.zone)),
        None => "off".to_owned(),
    };
    let mark = if routine.enabled { style.good("●") } else { style.dim("○") };
    format!("{mark} {name:<22} {schedule:<18} {when}")
}

fn run_document(run: &Run) -> Value {
    json!({
        "routine": run.routine,
        "due": run.due_at.to_string(),
        "state": run.state.as_str(),
        "started": run.started_at.to_string(),
        "ended": run.ended_at.map(|at| at.to_string()),
        "message": run.message,
        "problem": run.problem,
    })
}

fn runs_text(runs: &[Run], app: &App, engine: &Engine, style: Style) -> String {
    if runs.is_empty() {
        return "No routine has run yet.".to_owned();
    }
    let zone = &app.settings.zone;
    let line = |run: &Run| {
        let why = run.problem.as_ref().map(|why| style.dim(&format!("  {why}"))).unwrap_or_default();
        let when = time::stamp(run.due_at, zone);
        let ago = time::relative(run.due_at, engine.now(), zone);
        format!("{:<22} {when}  {ago:<12} {}{why}", run.routine, run.state.as_str())
    };
    runs.iter().map(line).collect::<Vec<_>>().join("\n")
}
