//! Learning from imported messages: estimates the cost, asks for confirmation, and learns with a progress bar.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use throughline_engine::Engine;
use throughline_engine::learning::{Expected, ToLearn};

use super::files::{Files, ImportSource, Meter, Visitor, is_stdin};
use super::progress;
use crate::imports::Entry;
use crate::output::{Failure, Output, counted};
use crate::wire::App;

/// Time between two updates of the progress bar.
const TICK: Duration = Duration::from_millis(200);
/// Time limit of learning at a terminal; in practice, the person decides.
const ENDLESS: Duration = Duration::from_secs(30 * 24 * 3600);

/// Prints an estimate of the cost, and asks a person at a terminal whether to continue. In a pipe nobody can be asked,
/// and the daily cap limits the cost.
pub fn confirm(
    paths: &[PathBuf],
    mut files: Files,
    engine: &Engine,
    yes: bool,
    output: Output,
) -> Result<bool, Failure> {
    if engine.small.is_none() {
        return Ok(true);
    }
    if paths.iter().any(|path| is_stdin(path)) {
        output
            .warn("what learning costs cannot be estimated, because stdin is read once; the day's cap holds");
        return Ok(true);
    }
    let mut counter = Counter { engine, found: ToLearn::default() };
    files.read(paths.iter().cloned().map(ImportSource::Path).collect(), &mut counter)?;
    let Some(expected) = engine.expected(&counter.found) else { return Ok(true) };
    output.warn(&sentence(&counter.found, &expected));
    let can_ask = std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && !output.is_json();
    if yes || !can_ask {
        return Ok(true);
    }
    let mut stderr = std::io::stderr().lock();
    write!(stderr, "Import and learn? [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    let is_yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if !is_yes {
        writeln!(stderr, "Nothing was imported. Without --learn no model is asked.")?;
    }
    Ok(is_yes)
}

/// The estimate as a sentence.
fn sentence(found: &ToLearn, expected: &Expected) -> String {
    let cost = match expected.cost_usd {
        Some(cost) if cost < 0.01 => "less than $0.01".to_owned(),
        Some(cost) => format!("${cost:.2}"),
        None => "a price that is not known".to_owned(),
    };
    let messages = counted(found.messages, "message");
    let Expected { model, tokens, cap, .. } = expected;
    let mut sentence =
        format!("learning from at most {messages} takes about {tokens} tokens of {model}, at {cost}");
    if expected.exceeds_cap() {
        sentence.push_str(&format!(
            "; a day's cap for background work is {} tokens or ${:.2}, and the built-in rules do the rest",
            cap.tokens, cap.usd
        ));
    }
    sentence
}

/// Counts the messages and tokens that a model would read.
struct Counter<'a> {
    engine: &'a Engine,
    found: ToLearn,
}

impl Visitor for Counter<'_> {
    fn entry(
        &mut self,
        _: &Path,
        _: u64,
        entry: Result<Entry, String>,
        meter: &Meter<'_>,
    ) -> Result<(), Failure> {
        if let Ok(Entry::Message(inbound)) = entry {
            self.engine.add_to_learn(&mut self.found, &inbound);
        }
        meter.take();
        Ok(())
    }
}

/// Learns now, and prints the results. At a terminal, this runs until everything is learned or the person presses
/// Ctrl-C, which keeps the results so far; elsewhere, it runs as long as background jobs may run after any command.
pub async fn run(engine: &Engine, app: &App, output: Output) -> Result<(), Failure> {
    let before = engine.store.learning().await?;
    if std::io::stderr().is_terminal() {
        with_bar(engine, before.waiting, output).await?;
    } else {
        app.run_jobs(engine).await;
    }
    let after = engine.store.learning().await?;
    if output.is_json() {
        return Ok(());
    }
    let learned = counted(after.memories.saturating_sub(before.memories), "memory");
    let waits = match after.waiting {
        0 => String::new(),
        waiting => {
            format!(
                "; {} wait, and `throughline serve` or the next command continues",
                counted(waiting, "message")
            )
        }
    };
    output.write(&format!("{} {learned} learned{waits}", output.style().good("✓")))
}

async fn with_bar(engine: &Engine, waiting: u64, output: Output) -> Result<(), Failure> {
    let bar = progress(waiting, "learning {bar:30} {pos}/{len} messages, Ctrl-C keeps what was done");
    let is_stopped = AtomicBool::new(false);
    let jobs = engine.run_jobs_while(Instant::now() + ENDLESS, || !is_stopped.load(Ordering::Relaxed));
    tokio::pin!(jobs);
    let mut ticks = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            done = &mut jobs => {
                done?;
                break;
            }
            _ = tokio::signal::ctrl_c() => {
                if is_stopped.swap(true, Ordering::Relaxed) {
                    break;
                }
                bar.finish_and_clear();
                output.note("Stopping after what was begun. Ctrl-C again leaves at once.");
            }
            _ = ticks.tick() => show(engine, &bar, waiting).await?,
        }
    }
    bar.finish_and_clear();
    Ok(())
}

async fn show(engine: &Engine, bar: &ProgressBar, waiting: u64) -> Result<(), Failure> {
    let left = engine.store.learning().await?.waiting;
    bar.set_position(waiting.saturating_sub(left));
    Ok(())
}
