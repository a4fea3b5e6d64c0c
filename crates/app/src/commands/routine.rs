//! `routine`: lists routines with their next and past runs, and runs one by hand.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_engine::routines::RoutineText;
use throughline_store::routines::{Run, RunState};

use super::send;
use crate::api::{RoutineDocument, RunDocument};
use crate::channels::compose;
use crate::cli::Routine as RoutineArgs;
use crate::config::routines::Routine;
use crate::output::{Failure, Output, Style};
use crate::wire::App;

pub async fn run(args: &RoutineArgs, app: App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    match args {
        RoutineArgs::List => list(&app, &engine, output),
        RoutineArgs::Run { name, .. } => run_now(name, app, &engine, output).await,
        RoutineArgs::Runs { name, limit } => {
            let runs = engine.store.runs(name.as_deref(), *limit).await?;
            output.print(
                || json!({ "runs": runs.iter().map(|run| RunDocument::new(run, &app)).collect::<Vec<_>>() }),
                |style| runs_text(&runs, &app, &engine, style),
            )
        }
    }
}

/// The enabled routines of one chat or of all, for the chat command.
pub fn listed(app: &App, now: Timestamp, chat: Option<&ChatId>) -> String {
    let lines: Vec<String> =
        on(app, chat).map(|(name, routine)| line(name, routine, app, now, Style::PLAIN)).collect();
    lines.join("\n")
}

/// The enabled routines of one chat or of all, each with its next run.
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
        || json!({ "routines": routines.iter().map(|(name, routine)| RoutineDocument::new(name, routine, app, now)).collect::<Vec<_>>() }),
        |style| {
            let lines: Vec<String> =
                routines.iter().map(|(name, routine)| line(name, routine, app, now, style)).collect();
            format!("{}\n{}", lines.join("\n"), style.dim("Turn one on with enabled = true in [routines.NAME] of config.toml, or run it now: throughline routine run NAME"))
        },
    )
}

/// Runs a routine at once and sends its text. Returns the run and the text.
pub async fn run_at_once(
    name: &str,
    app: &Arc<App>,
    engine: &Engine,
) -> Result<(Run, Option<String>), Failure> {
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
    if let Err(failure) = send::send_outbox(app, engine, &chat).await {
        let problem = Some("it was written, and Telegram refused it".to_owned());
        engine.store.end_run(Run { state: RunState::Failed, problem, ..run }).await?;
        return Err(failure);
    }
    Ok((run, said.map(|stored| stored.message.text)))
}

async fn run_now(name: &str, app: App, engine: &Engine, output: Output) -> Result<(), Failure> {
    let app = Arc::new(app);
    let (run, text) = run_at_once(name, &app, engine).await?;
    output.print(
        || json!(RunDocument::with_text(&run, &app, text.clone())),
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

/// The next run of an enabled routine.
pub fn next(routine: &Routine, app: &App, now: Timestamp) -> Option<Timestamp> {
    routine.schedule.as_ref().filter(|_| routine.enabled)?.next_after(now, &app.settings.zone)
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
