//! `import`: imports messages from files. An entry that is not a message is reported with its line; the others are
//! imported.

mod files;
mod learn;

use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::message::Message;
use throughline_engine::import::{BATCH, OWN, Ordinals};
use throughline_engine::{Engine, Inbound};
use throughline_store::carried::{Carried, ImportOutcome};
use throughline_store::messages::Append;
use tokio::sync::mpsc;

pub use self::files::ImportSource;

use self::files::{Files, Meter, Visitor};
use crate::cli::{Import, ImportFormat};
use crate::config;
use crate::imports::claude_code::{self, ClaudeCode};
use crate::imports::{Defaults, Entry, Importer};
use crate::output::{Failure, Output, counted};
use crate::wire::App;

/// Maximum number of errors listed in the report, which counts all of them.
const MAX_ERRORS: usize = 1_000;
/// Maximum size of a batch in bytes, which bounds memory if messages are long.
const BATCH_BYTES: u64 = 16 * 1024 * 1024;

pub async fn run(args: &Import, app: &App, output: Output) -> Result<(), Failure> {
    let (format, paths) = sources(args, app)?;
    let total = paths.iter().map(|path| files::size(path)).sum::<Result<u64, Failure>>()?;
    let engine = app.engine().await?;
    let request = ImportRequest {
        sources: paths.iter().cloned().map(ImportSource::Path).collect(),
        format,
        chat: args.chat.clone(),
        me: args.me.clone(),
        learn: args.learn,
    };
    if args.learn && !learn::confirm(&paths, request.files(&engine).await?, &engine, args.yes, output)? {
        return Ok(());
    }
    let bar = progress(total, "importing {bar:30} {percent:>3}% {bytes_per_sec} {eta} left");
    let report = import_files(request, &engine, |_, bytes| bar.inc(bytes)).await?;
    bar.finish_and_clear();
    output.print(|| report.document(), |style| report.text(style))?;
    match args.learn {
        true => learn::run(&engine, app, output).await?,
        false => app.run_jobs(&engine).await,
    }
    if report.failed > 0 { Err(Failure::Reported) } else { Ok(()) }
}

/// Imports the transcripts that Claude Code's hooks reported, and learns from them.
pub async fn transcripts(paths: &[PathBuf], engine: &Engine) -> Result<(), Failure> {
    let request = ImportRequest {
        sources: paths.iter().cloned().map(ImportSource::Path).collect(),
        format: ImportFormat(Some(&ClaudeCode)),
        chat: ChatId::terminal(),
        me: None,
        learn: true,
    };
    let report = import_files(request, engine, |_, _| {}).await?;
    for bad in &report.errors {
        tracing::warn!(file = %bad.file.display(), line = bad.line, why = bad.why, "line of a transcript cannot be read; skipping it");
    }
    Ok(())
}

/// The format and the files that a command names. For Claude Code, the default is its own folder.
fn sources(args: &Import, app: &App) -> Result<(ImportFormat, Vec<PathBuf>), Failure> {
    let name = ClaudeCode.name();
    let is_name = |path: &PathBuf| path.as_os_str() == name && !path.exists();
    let is_named = args.format.0.is_some_and(|format| format.name() == name);
    let finds_folder = match args.paths.as_slice() {
        [] if is_named => true,
        [] => return Err(Failure::Usage("name the files to import, or - for stdin".to_owned())),
        [only] => is_name(only),
        _ => false,
    };
    let named = match finds_folder {
        true => vec![config::claude_folders(&app.environment)?.projects],
        false => args.paths.clone(),
    };
    if !finds_folder && !is_named {
        return Ok((args.format, named));
    }
    let mut paths = Vec::new();
    for path in named {
        match path.is_dir() {
            true => {
                let found = claude_code::transcripts(&path);
                paths.extend(found.map_err(|error| files::cannot_read(&path, &error))?);
            }
            false => paths.push(path),
        }
    }
    Ok((ImportFormat(Some(&ClaudeCode)), paths))
}

/// The files to import, and how.
pub struct ImportRequest {
    /// The files.
    pub sources: Vec<ImportSource>,
    /// Their format.
    pub format: ImportFormat,
    /// The chat of entries that name none.
    pub chat: ChatId,
    /// The owner's name in chats of several people, if it differs from the settings.
    pub me: Option<String>,
    /// Whether memories are learned from them.
    pub learn: bool,
}

impl ImportRequest {
    /// Creates the reader of the files.
    async fn files(&self, engine: &Engine) -> Result<Files, Failure> {
        let me = self.me.clone().or_else(|| engine.settings.person.clone());
        let known = engine.store.chats().await?.into_iter().map(|count| count.chat).collect();
        let defaults = Defaults {
            me: me.filter(|me| !me.trim().is_empty()),
            known,
            ..Defaults::new(self.chat.clone(), engine.settings.zone.clone())
        };
        Ok(Files { format: self.format, defaults, passed_over: 0 })
    }
}

/// Imports files. After each batch, `report_progress` gets the report so far and the batch's size in bytes.
pub async fn import_files(
    request: ImportRequest,
    engine: &Engine,
    mut report_progress: impl FnMut(&Report, u64),
) -> Result<Report, Failure> {
    let mut files = request.files(engine).await?;
    let me = files.defaults.me.clone();
    // One thread reads and cleans entries while the store writes the previous batch.
    let (batches, mut ready) = mpsc::channel::<Batch>(1);
    let mut batcher = Batcher {
        engine: engine.clone(),
        ordinals: Ordinals::default(),
        learn: request.learn,
        batch: Batch::default(),
        found: Findings::default(),
        batches,
    };
    let reading = tokio::task::spawn_blocking(move || {
        files.read(request.sources, &mut batcher)?;
        Ok::<_, Failure>(Findings { passed_over: files.passed_over, ..batcher.found })
    });
    let mut report = Report::default();
    while let Some(batch) = ready.recv().await {
        let tally = engine.import_batch(batch.messages).await?;
        report.imported += tally.imported;
        report.skipped += tally.skipped;
        report.chats.extend(batch.chats);
        report.spoken.add(batch.spoken);
        report.carried.add(engine, batch.carried, &mut report.baseless).await?;
        report_progress(&report, batch.bytes);
    }
    let found = reading.await.map_err(|_| {
        let why = "the import was interrupted; run it again, and it skips what it has imported";
        Failure::failed("import", why)
    })??;
    report.add(found);
    if request.learn {
        report.note = report.spoken.note(me.as_deref());
        report.waiting = Some(engine.store.learning().await?.waiting);
    }
    Ok(report)
}

/// Messages on their way to the store.
#[derive(Default)]
struct Batch {
    messages: Vec<Append>,
    chats: HashSet<ChatId>,
    /// Memories, summaries and suppressions from another home, each with its file and line.
    carried: Vec<(PathBuf, u64, Carried)>,
    spoken: Spoken,
    bytes: u64,
}

/// The authors of the messages in chats of several people.
#[derive(Default, Clone, Copy)]
struct Spoken {
    by_owner: u64,
    by_others: u64,
}

impl Spoken {
    fn count(&mut self, message: &Message) {
        match message.metadata.get(OWN).and_then(Value::as_bool) {
            Some(true) => self.by_owner += 1,
            Some(false) => self.by_others += 1,
            None => {}
        }
    }

    fn add(&mut self, other: Self) {
        self.by_owner += other.by_owner;
        self.by_others += other.by_others;
    }

    /// Advice if nothing can be learned because none of the messages is the owner's.
    fn note(self, me: Option<&str>) -> Option<String> {
        if self.by_owner > 0 || self.by_others == 0 {
            return None;
        }
        let why = me.map_or_else(
            || "it is not known which name is yours".to_owned(),
            |me| format!("none of them is by {me}"),
        );
        let messages = counted(self.by_others, "message");
        Some(format!(
            "No memories are learned from {messages} of several people: {why}. Say your name in the export with --me NAME"
        ))
    }
}

/// An entry that is not a message.
pub struct BadEntry {
    /// The file of the entry.
    pub file: PathBuf,
    /// The line at which it begins.
    pub line: u64,
    /// Why it is not a message.
    pub why: String,
}

/// The numbers of entries beside messages.
#[derive(Default)]
struct Findings {
    errors: Vec<BadEntry>,
    failed: u64,
    /// Entries of zip files without conversations.
    passed_over: u64,
}

impl Findings {
    fn add(&mut self, bad: BadEntry) {
        self.failed += 1;
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(bad);
        }
    }
}

/// Collects entries into batches, and passes them to the store.
struct Batcher {
    engine: Engine,
    ordinals: Ordinals,
    learn: bool,
    batch: Batch,
    found: Findings,
    batches: mpsc::Sender<Batch>,
}

impl Batcher {
    fn message(&mut self, inbound: Inbound) -> Result<(), String> {
        let append = self.engine.import_line(inbound, &mut self.ordinals, self.learn);
        let append = append.map_err(|error| error.to_string())?;
        if !self.batch.chats.contains(&append.message.chat) {
            self.batch.chats.insert(append.message.chat.clone());
        }
        self.batch.spoken.count(&append.message);
        self.batch.messages.push(append);
        Ok(())
    }

    fn send(&mut self, meter: &Meter<'_>) -> Result<(), Failure> {
        let full = std::mem::take(&mut self.batch);
        // The receiver closes only after the store has failed, and reports that failure.
        self.batches.blocking_send(Batch { bytes: meter.take(), ..full }).map_err(|_| Failure::Reported)
    }
}

impl Visitor for Batcher {
    fn entry(
        &mut self,
        path: &Path,
        line: u64,
        entry: Result<Entry, String>,
        meter: &Meter<'_>,
    ) -> Result<(), Failure> {
        let taken = entry.and_then(|entry| match entry {
            Entry::Message(inbound) => self.message(inbound),
            Entry::Carried(carried) => {
                self.batch.carried.push((path.to_owned(), line, carried));
                Ok(())
            }
        });
        if let Err(why) = taken {
            self.found.add(BadEntry { file: path.to_owned(), line, why });
        }
        let entries = self.batch.messages.len() + self.batch.carried.len();
        if entries >= BATCH || meter.bytes() >= BATCH_BYTES { self.send(meter) } else { Ok(()) }
    }

    fn end(&mut self, meter: &Meter<'_>) -> Result<(), Failure> {
        self.send(meter)
    }
}

/// A progress bar, hidden if nobody sees it.
fn progress(total: u64, template: &str) -> ProgressBar {
    if total == 0 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// The numbers of imported memories, summaries and suppressions.
#[derive(Default)]
struct CarriedTally {
    memories: u64,
    summaries: u64,
    suppressions: u64,
    known: u64,
    forgotten: u64,
    without_key: u64,
}

impl CarriedTally {
    async fn add(
        &mut self,
        engine: &Engine,
        carried: Vec<(PathBuf, u64, Carried)>,
        baseless: &mut Findings,
    ) -> Result<(), Failure> {
        if carried.is_empty() {
            return Ok(());
        }
        let pieces = carried.iter().map(|(.., piece)| piece.clone()).collect();
        for (taken, (file, line, piece)) in engine.import_carried(pieces).await?.into_iter().zip(carried) {
            match taken {
                ImportOutcome::Known => self.known += 1,
                ImportOutcome::Forgotten => self.forgotten += 1,
                ImportOutcome::MissingMessages => {
                    let why = "the messages that the summary stands for are not there".to_owned();
                    baseless.add(BadEntry { file, line, why });
                }
                ImportOutcome::Stored | ImportOutcome::WithoutKey => {
                    self.without_key += u64::from(taken == ImportOutcome::WithoutKey);
                    match piece {
                        Carried::Memory(_) => self.memories += 1,
                        Carried::Summary(_) => self.summaries += 1,
                        Carried::Suppression(_) => self.suppressions += 1,
                    }
                }
            }
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        let all = [self.memories, self.summaries, self.suppressions, self.known, self.forgotten];
        all.iter().all(|count| *count == 0)
    }

    fn text(&self) -> String {
        let mut text = format!(
            "\n  with {}, {} and {}; {} already there",
            counted(self.memories, "memory"),
            counted(self.summaries, "summary"),
            counted(self.suppressions, "suppression"),
            self.known
        );
        if self.forgotten > 0 {
            text.push_str(&format!("\n  {} left out, because it was forgotten here", self.forgotten));
        }
        if self.without_key > 0 {
            text.push_str(&format!(
                "\n  {} recognize nothing without the key of the home that they come from: copy its suppression.key into \
                 this home, as long as nothing was forgotten here",
                counted(self.without_key, "suppression")
            ));
        }
        text
    }
}

/// The result of an import.
#[derive(Default)]
pub struct Report {
    /// Messages that are new.
    pub imported: u64,
    /// Messages that were imported before.
    pub skipped: u64,
    /// Entries that are not messages.
    pub failed: u64,
    /// The chats of the messages.
    pub chats: HashSet<ChatId>,
    /// The first entries that are not messages.
    pub errors: Vec<BadEntry>,
    passed_over: u64,
    spoken: Spoken,
    carried: CarriedTally,
    /// Summaries whose messages are missing.
    baseless: Findings,
    /// Messages that wait to be learned from.
    waiting: Option<u64>,
    /// Why no memories can be learned, and what to do.
    pub note: Option<String>,
}

impl Report {
    fn add(&mut self, found: Findings) {
        self.passed_over = found.passed_over;
        let baseless = std::mem::take(&mut self.baseless);
        self.failed = found.failed + baseless.failed;
        self.errors = found.errors.into_iter().chain(baseless.errors).take(MAX_ERRORS).collect();
    }

    fn document(&self) -> Value {
        let errors: Vec<Value> = self
            .errors
            .iter()
            .map(|bad| json!({ "file": bad.file, "line": bad.line, "why": bad.why }))
            .collect();
        let mut document = json!({
            "imported": self.imported,
            "skipped": self.skipped,
            "failed": self.failed,
            "chats": self.chats.len(),
            "errors": errors,
        });
        let carried = &self.carried;
        let more = [
            (
                "carried",
                (!carried.is_empty()).then(|| {
                    json!({
                        "memories": carried.memories,
                        "summaries": carried.summaries,
                        "suppressions": carried.suppressions,
                        "skipped": carried.known,
                        "forgotten": carried.forgotten,
                        "without_key": carried.without_key,
                    })
                }),
            ),
            ("waiting", self.waiting.map(Value::from)),
            ("note", self.note.as_deref().map(Value::from)),
        ];
        if let Some(members) = document.as_object_mut() {
            members.extend(more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        }
        document
    }

    fn text(&self, style: crate::output::Style) -> String {
        let mut out = format!(
            "{} {} imported, {} already there, in {}",
            style.good("✓"),
            self.imported,
            self.skipped,
            counted(self.chats.len() as u64, "chat")
        );
        if !self.carried.is_empty() {
            out.push_str(&self.carried.text());
        }
        if self.passed_over > 0 {
            let files = counted(self.passed_over, "other file");
            out.push_str(&format!("\n  {files} in the zip passed over"));
        }
        if let Some(note) = &self.note {
            out.push_str(&format!("\n{note}"));
        }
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
