//! `import`: brings in messages from files. A line that cannot be read is reported with its number; the others go in.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::import::{BATCH, Ordinals};
use throughline_store::messages::Append;
use tokio::sync::mpsc;

use crate::cli::Import;
use crate::imports::jsonl;
use crate::output::{Failure, Output, counted};
use crate::wire::App;

/// Only so many bad lines are named; all are counted.
const MOST_ERRORS: usize = 1_000;
/// A batch ends at so many bytes, however few messages they are.
const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// No line of a message is longer, escapes included.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

pub async fn run(what: &Import, app: &App, output: Output) -> Result<(), Failure> {
    let total = what.paths.iter().map(|path| size(path)).sum::<Result<u64, Failure>>()?;
    let engine = app.engine().await?;
    let bar = progress(total);
    // One thread reads and cleans the lines while the store writes those before them.
    let (batches, mut ready) = mpsc::channel::<Batch>(1);
    let reader = Reader {
        engine: engine.clone(),
        ordinals: Ordinals::default(),
        learn: what.learn,
        batches,
        errors: Vec::new(),
    };
    let paths = what.paths.clone();
    let reading = tokio::task::spawn_blocking(move || reader.read_all(&paths));
    let mut report = Report::default();
    while let Some(batch) = ready.recv().await {
        let tally = engine.import_batch(batch.messages).await?;
        report.imported += tally.imported;
        report.skipped += tally.skipped;
        report.chats.extend(batch.chats);
        bar.inc(batch.bytes);
    }
    let errors = reading.await.map_err(|_| {
        Failure::failed("import", "the import was cut off; run it again, what is there already is skipped")
    })??;
    bar.finish_and_clear();
    report.failed = errors.failed;
    report.errors = errors.named;
    output.print(|| report.document(), |style| report.text(style))?;
    app.run_jobs(&engine).await;
    if report.failed > 0 { Err(Failure::Reported) } else { Ok(()) }
}

/// Messages on their way to the store.
#[derive(Default)]
struct Batch {
    messages: Vec<Append>,
    chats: HashSet<ChatId>,
    bytes: u64,
}

/// A line that could not be read.
struct BadLine {
    file: PathBuf,
    line: u64,
    why: String,
}

#[derive(Default)]
struct BadLines {
    named: Vec<BadLine>,
    failed: u64,
}

struct Reader {
    engine: Engine,
    ordinals: Ordinals,
    learn: bool,
    batches: mpsc::Sender<Batch>,
    errors: Vec<BadLine>,
}

impl Reader {
    fn read_all(mut self, paths: &[PathBuf]) -> Result<BadLines, Failure> {
        let mut failed = 0;
        for path in paths {
            failed += self.read_file(path)?;
        }
        Ok(BadLines { named: self.errors, failed })
    }

    fn read_file(&mut self, path: &Path) -> Result<u64, Failure> {
        let input: Box<dyn Read> =
            if path.as_os_str() == "-" { Box::new(std::io::stdin()) } else { Box::new(open(path)?) };
        let mut input = BufReader::with_capacity(1 << 20, input);
        let (mut line, mut number, mut failed) = (Vec::new(), 0, 0);
        let mut batch = Batch::default();
        loop {
            line.clear();
            let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
            if read == 0 {
                break;
            }
            number += 1;
            batch.bytes += read;
            let outcome =
                if read == LONGEST_LINE { skip_line(&mut input, &mut batch)? } else { self.take(&line) };
            match outcome {
                Ok(Some(append)) => {
                    if !batch.chats.contains(&append.message.chat) {
                        batch.chats.insert(append.message.chat.clone());
                    }
                    batch.messages.push(append);
                }
                Ok(None) => {}
                Err(why) => {
                    failed += 1;
                    if self.errors.len() < MOST_ERRORS {
                        self.errors.push(BadLine { file: path.to_owned(), line: number, why });
                    }
                }
            }
            if batch.messages.len() >= BATCH || batch.bytes as usize >= BATCH_BYTES {
                self.send(std::mem::take(&mut batch))?;
            }
        }
        self.send(batch)?;
        Ok(failed)
    }

    /// One line as something to append; nothing for an empty one.
    fn take(&mut self, line: &[u8]) -> Result<Option<Append>, String> {
        let text =
            std::str::from_utf8(line).map_err(|error| format!("not UTF-8 (byte {})", error.valid_up_to()))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Ok(None);
        }
        let inbound = jsonl::read(text, &self.engine.settings.zone)?;
        self.engine
            .import_line(inbound, &mut self.ordinals, self.learn)
            .map(Some)
            .map_err(|error| error.to_string())
    }

    fn send(&self, batch: Batch) -> Result<(), Failure> {
        // The other side stops listening only when the store has failed, which it reports itself.
        self.batches.blocking_send(batch).map_err(|_| Failure::Reported)
    }
}

/// Passes over a line that no message could be.
fn skip_line(input: &mut impl BufRead, batch: &mut Batch) -> Result<Result<Option<Append>, String>, Failure> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        batch.bytes += used as u64;
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(Err(format!("the line is longer than {LONGEST_LINE} bytes")))
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| cannot_read(path, &error))
}

fn size(path: &Path) -> Result<u64, Failure> {
    if path.as_os_str() == "-" {
        return Ok(0);
    }
    let data = std::fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if data.is_dir() {
        return Err(Failure::failed(
            "unreadable_file",
            format!("{} is a folder; name the files in it", path.display()),
        ));
    }
    Ok(data.len())
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(
        "unreadable_file",
        format!("{} cannot be read: {error}. Nothing was imported", path.display()),
    )
}

fn progress(total: u64) -> ProgressBar {
    if total == 0 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total);
    if let Ok(style) =
        ProgressStyle::with_template("importing {bar:30} {percent:>3}% {bytes_per_sec} {eta} left")
    {
        bar.set_style(style);
    }
    bar
}

#[derive(Default)]
struct Report {
    imported: u64,
    skipped: u64,
    failed: u64,
    chats: HashSet<ChatId>,
    errors: Vec<BadLine>,
}

impl Report {
    fn document(&self) -> Value {
        let errors: Vec<Value> = self
            .errors
            .iter()
            .map(|bad| json!({ "file": bad.file, "line": bad.line, "why": bad.why }))
            .collect();
        json!({
            "imported": self.imported,
            "skipped": self.skipped,
            "failed": self.failed,
            "chats": self.chats.len(),
            "errors": errors,
        })
    }

    fn text(&self, style: crate::output::Style) -> String {
        let mut out = format!(
            "{} {} imported, {} already there, in {}",
            style.good("✓"),
            self.imported,
            self.skipped,
            counted(self.chats.len() as u64, "chat")
        );
        if self.failed > 0 {
            out.push_str(&format!(
                "\n{} {} could not be read:",
                style.bad("✗"),
                counted(self.failed, "line")
            ));
            for bad in &self.errors {
                out.push_str(&format!("\n  {}:{}: {}", bad.file.display(), bad.line, bad.why));
            }
        }
        out
    }
}
