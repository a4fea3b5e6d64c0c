//! The log: a file in the home, and stderr with -v. Secrets are redacted in both.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use throughline_text::redact::redact;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

use crate::config::values::choice::LogLevel;
use crate::output::Failure;

/// Starts logging for this process.
pub fn start(home: &Path, level: LogLevel, to_stderr: bool) -> Result<(), Failure> {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // The MCP library would log the content of calls.
    let levels = Targets::new().with_default(level).with_target("rmcp", level.min(LevelFilter::WARN));
    let file = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_target(true)
        .with_writer(LogFile::new(home))
        .with_filter(levels.clone());
    let stderr = to_stderr.then(|| {
        tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_writer(|| Redacting(io::stderr()))
            .with_filter(levels)
    });
    let subscriber = tracing_subscriber::registry().with(file).with(stderr);
    // A second call in the same process has no effect.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}

/// Blanks the lines of the log that should not be kept. This is done in place, because other processes may be writing.
pub fn blank(home: &Path, is_kept: impl Fn(&str) -> bool) -> io::Result<()> {
    let file = match OpenOptions::new().read(true).write(true).open(log_file(home)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let mut at = 0;
    let mut lines = BufReader::new(&file);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() && !is_kept(text.trim_end()) {
            let blank: Vec<u8> = line.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }).collect();
            file.write_all_at(&blank, at)?;
        }
        at += line.len() as u64;
        line.clear();
    }
    file.sync_data()
}

fn log_file(home: &Path) -> PathBuf {
    home.join("logs").join("throughline.log")
}

/// The log file, opened for the first event, because most commands log nothing.
struct LogFile {
    path: PathBuf,
    open: Mutex<Option<File>>,
}

impl LogFile {
    fn new(home: &Path) -> Self {
        Self { path: log_file(home), open: Mutex::new(None) }
    }

    fn file(&self) -> io::Result<File> {
        let mut open = self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if open.is_none() {
            *open = Some(open_log(&self.path)?);
        }
        match open.as_ref() {
            Some(file) => file.try_clone(),
            None => Err(io::Error::other("the log is not open")),
        }
    }
}

fn open_log(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = Redacting<Box<dyn Write + 'a>>;

    fn make_writer(&'a self) -> Self::Writer {
        match self.file() {
            Ok(file) => Redacting(Box::new(file)),
            // An unwritable log must not stop the program.
            Err(_) => Redacting(Box::new(io::sink())),
        }
    }
}

/// Redacts each event before it is written. Each event arrives in one call.
struct Redacting<W>(W);

impl<W: Write> Write for Redacting<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        self.0.write_all(redact(&text).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_a_secret_never_reaches_the_log() {
        let mut written = Vec::new();
        let secret = ["sk-ant-", "api03-", &"x9Yz".repeat(12)].concat();
        Redacting(&mut written).write_all(format!("calling with {secret}\n").as_bytes()).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(written.contains("[redacted:") && !written.contains(&secret), "{written}");
    }
}
