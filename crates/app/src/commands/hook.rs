//! `hook`: answers one of Claude Code's hooks in time, or prints nothing. It never fails, because a problem with the
//! memory must not stop the person's work.

use std::io::Read;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::background;
use crate::claude_code::hook::{Event, Hook, HookInput};
use crate::cli::{Cli, HookCommand};
use crate::config::values::choice::LogLevel;
use crate::config::{self, CLAUDE_PROJECT_DIR, Environment, THROUGHLINE_HOOKS};
use crate::output::{Failure, Output, print_line};
use crate::wire::{self, App};
use crate::{logs, tasks};

/// Maximum size of a hook's input, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The hook's input, until it is on disk.
#[derive(Clone, Default)]
struct Unrecorded(Arc<Mutex<Option<Vec<u8>>>>);

impl Unrecorded {
    fn put(&self, input: Option<Vec<u8>>) -> Option<Vec<u8>> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), input)
    }
}

pub async fn run(args: &HookCommand, cli: &Cli, environment: &Environment, output: Output) {
    if environment.raw(THROUGHLINE_HOOKS).is_some_and(|value| value == "off") {
        return;
    }
    if let Err(failure) = answer(args, cli, environment).await {
        let sentence = match &failure {
            Failure::Usage(sentence) | Failure::Failed { sentence, .. } => sentence,
            Failure::Reported => return,
        };
        tracing::warn!(event = args.event, sentence, "the hook failed; Claude Code continues without memory");
        output.warn(sentence);
    }
}

async fn answer(args: &HookCommand, cli: &Cli, environment: &Environment) -> Result<(), Failure> {
    // The log starts before the settings are read, so that it shows errors in them too.
    let home = config::home(cli.home.as_deref(), environment)?;
    wire::make_home(&home)?;
    logs::start(&home, LogLevel::Info, cli.verbose > 0)?;
    let app = App::load(cli, environment)?;
    let unrecorded = Unrecorded::default();
    if !args.late {
        end_in_time(&app, &args.event, unrecorded.clone());
    }
    let event: Event = args
        .event
        .parse()
        .map_err(|_| Failure::Usage(format!("{:?} is not a hook that Throughline answers", args.event)))?;
    let mut bytes = Vec::new();
    std::io::stdin().take(LONGEST).read_to_end(&mut bytes)?;
    let input: HookInput = serde_json::from_slice(&bytes).map_err(|error| {
        Failure::failed("hook", format!("what Claude Code passed on cannot be read: {error}"))
    })?;
    unrecorded.put(Some(bytes));
    let project = environment.raw(CLAUDE_PROJECT_DIR).map(Path::new);
    let hook = Hook::open(&app, input, project).await?;
    let recorded = hook.record(event).await?;
    unrecorded.put(None);
    if args.late {
        return Ok(());
    }
    match hook.answer(event, recorded).await? {
        Some(answer) => print_line(&answer.to_string()),
        None => Ok(()),
    }
}

/// Ends the process at its time limit. Input that is not on disk by then is passed to a background process.
fn end_in_time(app: &App, event: &str, unrecorded: Unrecorded) {
    let (app, event) = (app.clone(), event.to_owned());
    tasks::exit_after(Duration::from_millis(u64::from(app.settings.claude_code.hook_ms)), move || {
        tracing::warn!(event, "the hook took too long; it says nothing");
        if let Some(input) = unrecorded.put(None) {
            let _ = background::record_late(&app, &event, &input);
        }
    });
}

/// Runs a hook and catches panics.
pub fn guarded(run: impl FnOnce()) {
    let _ = std::panic::catch_unwind(AssertUnwindSafe(run));
}
