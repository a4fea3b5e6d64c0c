//! Background jobs beside a person at a terminal: while they type, and after they have left.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use throughline_engine::Engine;

use crate::output::{Failure, Output};
use crate::tasks::{KeyedTasks, Tasks};
use crate::wire::App;

/// Maximum time of one worker; the next one continues.
pub const LONGEST: Duration = Duration::from_secs(600);
/// A person who leaves is told what they wait for after this time.
const UNNOTICED: Duration = Duration::from_millis(300);

/// The one worker of a conversation. A call of a model that it has begun is waited for, never repeated.
pub struct Worker {
    engine: Engine,
    tasks: Tasks,
    jobs: KeyedTasks<()>,
    is_leaving: Arc<AtomicBool>,
}

impl Worker {
    pub fn new(engine: Engine) -> Self {
        let tasks = Tasks::default();
        Self { engine, jobs: KeyedTasks::new(&tasks), tasks, is_leaving: Arc::default() }
    }

    /// Runs the jobs that are due, now or after those that run.
    pub fn ask(&self) {
        let (engine, is_leaving) = (self.engine.clone(), Arc::clone(&self.is_leaving));
        self.jobs.ask((), move |()| {
            let (engine, is_leaving) = (engine.clone(), Arc::clone(&is_leaving));
            async move {
                let is_wanted = || !is_leaving.load(Ordering::Relaxed);
                if let Err(error) = engine.run_jobs_while(Instant::now() + LONGEST, is_wanted).await {
                    tracing::warn!(%error, "running background jobs failed; they wait for the next process");
                }
            }
        });
    }

    /// Ends with what was begun, unless the person does not want to wait for it.
    pub async fn leave(self, app: &App, output: &Output) -> Result<(), Failure> {
        self.is_leaving.store(true, Ordering::Relaxed);
        let finished = self.tasks.finish(LONGEST);
        tokio::pin!(finished);
        if tokio::time::timeout(UNNOTICED, &mut finished).await.is_err() {
            output.write(
                &output.style().dim("Finishing what was begun to be remembered. Ctrl-C leaves at once."),
            )?;
            tokio::select! {
                () = &mut finished => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        app.run_jobs(&self.engine).await;
        Ok(())
    }
}

/// Starts a process of its own that imports these transcripts of Claude Code and runs the jobs that are due, and does not
/// wait for it.
pub fn hand_over(app: &App, transcripts: &[PathBuf]) -> std::io::Result<()> {
    let mut worker = ourselves(app)?;
    worker.arg("work").args(transcripts).stdin(Stdio::null());
    worker.spawn().map(|_| ())
}

/// Starts a process of its own that records what a hook of Claude Code was told, and does not wait for it.
pub fn record_late(app: &App, event: &str, told: &[u8]) -> std::io::Result<()> {
    let mut late = ourselves(app)?.args(["hook", event, "--late"]).stdin(Stdio::piped()).spawn()?;
    late.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(told))
}

/// This program in a group of its own, so that it survives the terminal.
fn ourselves(app: &App) -> std::io::Result<Command> {
    let mut program = Command::new(std::env::current_exe()?);
    program.arg("--home").arg(&app.home);
    if let Some(config) = &app.config {
        program.arg("--config").arg(config);
    }
    if let Some(now) = app.now {
        program.args(["--now", &now.to_string()]);
    }
    program.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(program)
}
