//! `import`: brings in messages from files. An entry that is no message is reported with its line; the others go in.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Cursor, IsTerminal, Read, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::message::Message;
use throughline_engine::import::{BATCH, OWN, Ordinals};
use throughline_engine::{Engine, Inbound};
use throughline_store::messages::Append;
use tokio::sync::mpsc;

use crate::cli::{Import, ImportFormat};
use crate::config;
use crate::imports::claude_code::{self, ClaudeCode};
use crate::imports::zipped::{Zipped, is_zip};
use crate::imports::{Defaults, Importer, recognized};
use crate::output::{Failure, Output, counted};
use crate::wire::App;

/// Maximum number of errors that the report names; it counts all of them.
const MOST_ERRORS: usize = 1_000;
/// Maximum bytes read for one batch; it bounds memory when messages are long.
const BATCH_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum bytes that `--format auto` looks at.
const HEAD: u64 = 64 * 1024;

pub async fn run(what: &Import, app: &App, output: Output) -> Result<(), Failure> {
    let (format, paths) = sources(what, app)?;
    let total = paths.iter().map(|path| size(path)).sum::<Result<u64, Failure>>()?;
    let engine = app.engine().await?;
    let bar = progress(total);
    let request = ImportRequest {
        sources: paths.into_iter().map(ImportSource::Path).collect(),
        format,
        chat: what.chat.clone(),
        me: what.me.clone(),
        learn: what.learn,
    };
    let report = bring_in(request, &engine, |_, bytes| bar.inc(bytes)).await?;
    bar.finish_and_clear();
    output.print(|| report.document(), |style| report.text(style))?;
    app.run_jobs(&engine).await;
    if report.failed > 0 { Err(Failure::Reported) } else { Ok(()) }
}

/// Imports transcripts of Claude Code that its hooks told about, and learns from them.
pub async fn transcripts(paths: &[PathBuf], engine: &Engine) -> Result<(), Failure> {
    let request = ImportRequest {
        sources: paths.iter().cloned().map(ImportSource::Path).collect(),
        format: ImportFormat(Some(&ClaudeCode)),
        chat: ChatId::terminal(),
        me: None,
        learn: true,
    };
    let report = bring_in(request, engine, |_, _| {}).await?;
    for bad in &report.errors {
        tracing::warn!(file = %bad.file.display(), line = bad.line, why = bad.why, "a line of a transcript was passed over");
    }
    Ok(())
}

/// The format and the files that a command names. Claude Code's own folder is found if none is named.
fn sources(what: &Import, app: &App) -> Result<(ImportFormat, Vec<PathBuf>), Failure> {
    let name = ClaudeCode.name();
    let is_name = |path: &PathBuf| path.as_os_str() == name && !path.exists();
    let is_named = what.format.0.is_some_and(|format| format.name() == name);
    let finds_folder = match what.paths.as_slice() {
        [] if is_named => true,
        [] => return Err(Failure::Usage("name the files to import, or - for stdin".to_owned())),
        [only] => is_name(only),
        _ => false,
    };
    let named = match finds_folder {
        true => vec![config::claude_folders(&app.environment)?.projects],
        false => what.paths.clone(),
    };
    if !finds_folder && !is_named {
        return Ok((what.format, named));
    }
    let mut paths = Vec::new();
    for path in named {
        match path.is_dir() {
            true => {
                paths.extend(claude_code::transcripts(&path).map_err(|error| cannot_read(&path, &error))?)
            }
            false => paths.push(path),
        }
    }
    Ok((ImportFormat(Some(&ClaudeCode)), paths))
}

/// Files to bring in.
pub struct ImportRequest {
    /// The files.
    pub sources: Vec<ImportSource>,
    /// Their format.
    pub format: ImportFormat,
    /// The chat of entries that name none.
    pub chat: ChatId,
    /// The owner's name in chats of several people, if it is not that of the settings.
    pub me: Option<String>,
    /// Whether memories are learned from them.
    pub learn: bool,
}

/// A file to bring in.
pub enum ImportSource {
    /// One at a path, or stdin if that is `-`.
    Path(PathBuf),
    /// One that is open, and its name.
    Open(PathBuf, File),
}

/// Brings in files. After each batch, `told` gets the report so far and the bytes of the batch.
pub async fn bring_in(
    request: ImportRequest,
    engine: &Engine,
    mut told: impl FnMut(&Report, u64),
) -> Result<Report, Failure> {
    let me = request.me.or_else(|| engine.settings.person.clone()).filter(|me| !me.trim().is_empty());
    // One thread reads and cleans entries while the store writes the batch before them.
    let (batches, mut ready) = mpsc::channel::<Batch>(1);
    let reader = Reader {
        engine: engine.clone(),
        format: request.format,
        defaults: Defaults { me: me.clone(), ..Defaults::new(request.chat, engine.settings.zone.clone()) },
        ordinals: Ordinals::default(),
        learn: request.learn,
        batches,
    };
    let reading = tokio::task::spawn_blocking(move || reader.read_all(request.sources));
    let mut report = Report::default();
    while let Some(batch) = ready.recv().await {
        let tally = engine.import_batch(batch.messages).await?;
        report.imported += tally.imported;
        report.skipped += tally.skipped;
        report.chats.extend(batch.chats);
        report.spoken.add(batch.spoken);
        told(&report, batch.bytes);
    }
    let found = reading.await.map_err(|_| {
        let why = "the import was interrupted; run it again, and it skips what it has imported";
        Failure::failed("import", why)
    })??;
    report.failed = found.failed;
    report.errors = found.errors;
    report.passed_over = found.passed_over;
    report.note = report.spoken.note(me.as_deref()).filter(|_| request.learn);
    Ok(report)
}

/// Messages on their way to the store.
#[derive(Default)]
struct Batch {
    messages: Vec<Append>,
    chats: HashSet<ChatId>,
    spoken: Spoken,
    bytes: u64,
}

/// Who wrote the messages of chats of several people.
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

    /// What to do when nothing can be learned because none of the messages is the owner's.
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

/// An entry that is no message.
pub struct BadEntry {
    file: PathBuf,
    /// Where it begins.
    pub line: u64,
    /// Why it is none.
    pub why: String,
}

/// What the files hold beside messages.
#[derive(Default)]
struct Findings {
    errors: Vec<BadEntry>,
    failed: u64,
    /// Entries of zip files that hold no conversations.
    passed_over: u64,
}

struct Reader {
    engine: Engine,
    format: ImportFormat,
    defaults: Defaults,
    ordinals: Ordinals,
    learn: bool,
    batches: mpsc::Sender<Batch>,
}

impl Reader {
    fn read_all(mut self, sources: Vec<ImportSource>) -> Result<Findings, Failure> {
        let mut found = Findings::default();
        for source in sources {
            match source {
                ImportSource::Path(path) if path.as_os_str() == "-" => {
                    self.read_stream(&path, Box::new(std::io::stdin()), &|bytes| bytes, &mut found)?;
                }
                ImportSource::Path(path) => self.read_file(&path, open(&path)?, &mut found)?,
                ImportSource::Open(name, file) => self.read_file(&name, file, &mut found)?,
            }
        }
        Ok(found)
    }

    fn read_file(&mut self, path: &Path, mut file: File, found: &mut Findings) -> Result<(), Failure> {
        let mut head = Vec::new();
        file.by_ref().take(4).read_to_end(&mut head)?;
        if !is_zip(&head) {
            let input = Cursor::new(head).chain(file);
            return self.read_stream(path, Box::new(input), &|bytes| bytes, found);
        }
        file.rewind()?;
        let mut zipped = Zipped::open(path, file)?;
        found.passed_over += zipped.passed_over;
        zipped.each(path, |name, sizes, input| {
            self.read_stream(&path.join(name), input, &|bytes| sizes.packed(bytes), found)
        })
    }

    /// Reads one stream; `progress` says how far so many bytes of it bring the bar.
    fn read_stream(
        &mut self,
        path: &Path,
        input: Box<dyn Read + '_>,
        progress: &dyn Fn(u64) -> u64,
        found: &mut Findings,
    ) -> Result<(), Failure> {
        let read = Rc::new(Cell::new(0));
        let mut input = BufReader::with_capacity(1 << 20, Counted { input, read: Rc::clone(&read) });
        let mut head = Vec::new();
        input.by_ref().take(HEAD).read_to_end(&mut head)?;
        if is_zip(&head) {
            let why = "a zip file cannot be read from stdin. Save it, and name the file";
            return Err(Failure::failed("unreadable_file", why));
        }
        let importer = self.format.0.unwrap_or_else(|| recognized(&head));
        self.defaults.file = (path.as_os_str() != "-").then(|| path.to_owned());
        let mut source = Cursor::new(head).chain(input);
        let mut batch = Batch::default();
        importer.read(&mut source, &self.defaults, &mut |line, entry| {
            match entry.and_then(|inbound| append(&self.engine, inbound, &mut self.ordinals, self.learn)) {
                Ok(append) => {
                    if !batch.chats.contains(&append.message.chat) {
                        batch.chats.insert(append.message.chat.clone());
                    }
                    batch.spoken.count(&append.message);
                    batch.messages.push(append);
                }
                Err(why) => {
                    found.failed += 1;
                    if found.errors.len() < MOST_ERRORS {
                        found.errors.push(BadEntry { file: path.to_owned(), line, why });
                    }
                }
            }
            if batch.messages.len() >= BATCH || read.get() >= BATCH_BYTES {
                let full = std::mem::take(&mut batch);
                send(&self.batches, Batch { bytes: progress(read.take()), ..full })?;
            }
            Ok(())
        })?;
        send(&self.batches, Batch { bytes: progress(read.take()), ..batch })
    }
}

fn append(engine: &Engine, inbound: Inbound, ordinals: &mut Ordinals, learn: bool) -> Result<Append, String> {
    engine.import_line(inbound, ordinals, learn).map_err(|error| error.to_string())
}

fn send(batches: &mpsc::Sender<Batch>, batch: Batch) -> Result<(), Failure> {
    // The receiver closes only after the store has failed, and reports that failure.
    batches.blocking_send(batch).map_err(|_| Failure::Reported)
}

/// Counts the bytes that are read, for the progress bar and for the size of a batch.
struct Counted<'a> {
    input: Box<dyn Read + 'a>,
    read: Rc<Cell<u64>>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
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
            format!(
                "{} is a folder; name the files in it, or add --format claude-code if they are transcripts",
                path.display()
            ),
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

/// What came of an import.
#[derive(Default)]
pub struct Report {
    /// Messages that are new.
    pub imported: u64,
    /// Messages that were there.
    pub skipped: u64,
    /// Entries that are no messages.
    pub failed: u64,
    /// The chats of the messages.
    pub chats: HashSet<ChatId>,
    /// The first of the entries that are no messages.
    pub errors: Vec<BadEntry>,
    passed_over: u64,
    spoken: Spoken,
    /// What keeps memories from being learned, and what to do.
    pub note: Option<String>,
}

impl Report {
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
        if let (Some(note), Some(members)) = (&self.note, document.as_object_mut()) {
            members.insert("note".to_owned(), json!(note));
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
