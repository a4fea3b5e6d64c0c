//! Background jobs for a person at a terminal, while they type and after they leave.

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

/// Maximum duration of one worker; the next one continues.
pub const LONGEST: Duration = Duration::from_secs(600);
/// Delay before a leaving person is told that the program waits for jobs.
const NOTICE_DELAY: Duration = Duration::from_millis(300);

/// The background worker of a chat at a terminal. It waits for model calls that it has begun, and never repeats them.
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

    /// Runs due jobs, now or after the running ones.
    pub fn request(&self) {
        let (engine, is_leaving) = (self.engine.clone(), Arc::clone(&self.is_leaving));
        self.jobs.request((), move |()| {
            let (engine, is_leaving) = (engine.clone(), Arc::clone(&is_leaving));
            async move {
                let is_wanted = || !is_leaving.load(Ordering::Relaxed);
                if let Err(error) = engine.run_jobs_while(Instant::now() + LONGEST, is_wanted).await {
                    tracing::warn!(%error, "running background jobs failed; they wait for the next process");
                }
            }
        });
    }

    /// Waits for the running jobs, unless the person does not want to wait.
    pub async fn leave(self, app: &App, output: &Output) -> Result<(), Failure> {
        self.is_leaving.store(true, Ordering::Relaxed);
        let finished = self.tasks.finish(LONGEST);
        tokio::pin!(finished);
        if tokio::time::timeout(NOTICE_DELAY, &mut finished).await.is_err() {
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

/// Starts a background process that imports these transcripts of Claude Code and runs due jobs.
pub fn start_work(app: &App, transcripts: &[PathBuf]) -> std::io::Result<()> {
    let mut worker = background_process(app)?;
    worker.arg("work").args(transcripts).stdin(Stdio::null());
    worker.spawn().map(|_| ())
}

/// Starts a background process that records the input of a hook of Claude Code.
pub fn record_late(app: &App, event: &str, input: &[u8]) -> std::io::Result<()> {
    let mut late = background_process(app)?.args(["hook", event, "--late"]).stdin(Stdio::piped()).spawn()?;
    late.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input))
}

/// The command for a background process, in a separate process group so that it survives the terminal.
fn background_process(app: &App) -> std::io::Result<Command> {
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
