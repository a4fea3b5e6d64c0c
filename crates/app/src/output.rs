//! The output of the program: results on stdout, sentences on stderr, and the exit code. With --json, stdout is one document.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use throughline_text::printable::{is_unprintable, printable};

use crate::config::Environment;
use crate::config::problem::{ConfigError, Problem, Source};
use crate::wrap::wrapped;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// Wrong usage: exit 2.
    Usage(String),
    /// The command failed: exit 1.
    Failed {
        /// A word for programs.
        code: &'static str,
        /// A sentence for people.
        sentence: String,
    },
    /// The command failed in part and has printed its report: exit 1.
    Reported,
}

impl Failure {
    /// A failure with its code and sentence.
    pub fn failed(code: &'static str, sentence: impl Into<String>) -> Self {
        Self::Failed { code, sentence: sentence.into() }
    }

    /// The sentence for people.
    pub fn into_sentence(self) -> String {
        match self {
            Self::Usage(sentence) | Self::Failed { sentence, .. } => sentence,
            Self::Reported => "it failed".to_owned(),
        }
    }
}

impl From<throughline_store::Error> for Failure {
    fn from(error: throughline_store::Error) -> Self {
        use throughline_store::Error;
        let code = match &error {
            Error::NotFound { .. } => "not_found",
            Error::OutOfScope(_) => "forbidden",
            Error::Conflict(_) => "conflict",
            Error::DiskFull => "disk_full",
            Error::ReadOnly(_) => "read_only",
            Error::Unavailable { .. } | Error::Ending => "unavailable",
            Error::Busy => "busy",
            Error::Corrupt { .. } | Error::Unreadable(_) => "corrupt",
            Error::Newer { .. } => "newer_database",
            Error::Locked { .. } => "locked",
            Error::Database(_) => "database",
        };
        let sentence = error.to_string();
        match error {
            Error::Unavailable { .. } | Error::ReadOnly(_) => Self::failed(
                code,
                format!("{sentence}. Its place is the setting database_url (THROUGHLINE_DATABASE_URL)"),
            ),
            _ => Self::failed(code, sentence),
        }
    }
}

impl From<throughline_engine::Error> for Failure {
    fn from(error: throughline_engine::Error) -> Self {
        use throughline_engine::Error;
        let code = match error {
            Error::Store(error) => return error.into(),
            Error::Unrecordable(_) => "invalid_message",
            Error::TooLong(_) => "too_long",
            Error::Model(_) => "model",
            Error::NotTranscribed(_) => "not_heard",
            Error::Capped(_) => "capped",
            Error::LaneBusy { .. } => "lane_busy",
            Error::Unanswered => "unanswered",
            Error::Undelivered(_) => "undelivered",
            Error::NotKept(_) => "not_kept",
            Error::NoMemory(_) => "not_found",
            Error::NoTopic(_) => "no_topic",
            Error::NotUndone(_) => "not_undone",
            Error::AmbiguousId { .. } => "ambiguous_id",
            Error::Routine(_) => "routine",
            Error::File { .. } => "unreadable_file",
        };
        Self::failed(code, error.to_string())
    }
}

impl From<throughline_models::embed::Error> for Failure {
    fn from(error: throughline_models::embed::Error) -> Self {
        Self::failed("embedder", error.to_string())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        match problem.source {
            Source::Flag(_) => Self::Usage(problem.to_string()),
            _ => Self::failed("config", problem.to_string()),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        match error.problems.as_slice() {
            [only] => only.clone().into(),
            _ => Self::failed("config", error.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            // The reader of the output has closed the pipe.
            std::io::ErrorKind::BrokenPipe => Self::Reported,
            std::io::ErrorKind::StorageFull => {
                Self::failed("disk_full", "the disk is full. Free some space and try again")
            }
            _ => Self::failed("io", format!("reading or writing failed: {error}")),
        }
    }
}

/// The form of results.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    json: bool,
    /// With --json: one event per line instead of one document.
    is_stream: bool,
    color: bool,
    is_terminal: bool,
}

impl Output {
    pub fn new(json: bool, environment: &Environment) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        Self { json, is_stream: false, color: environment.allows_color() && is_terminal, is_terminal }
    }

    /// The output for an invalid command line, whose --json is unknown.
    pub fn for_a_failed_parse(environment: &Environment) -> Self {
        Self::new(std::env::args_os().any(|word| word == "--json"), environment)
    }

    /// Sets whether events are printed instead of one document.
    pub fn streaming(self, is_stream: bool) -> Self {
        Self { is_stream, ..self }
    }

    pub fn is_json(self) -> bool {
        self.json
    }

    pub fn is_stream(self) -> bool {
        self.is_stream
    }

    /// The width of the terminal in columns; `None` if stdout is not a terminal.
    pub fn width(self) -> Option<usize> {
        let columns = || terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        self.is_terminal.then(columns)
    }

    pub fn has_color(self) -> bool {
        self.color
    }

    /// The style of text on this output.
    pub fn style(self) -> Style {
        Style { color: self.color }
    }

    /// Prints the result: the document with --json, or else the text.
    pub fn print(
        self,
        document: impl FnOnce() -> Value,
        text: impl FnOnce(Style) -> String,
    ) -> Result<(), Failure> {
        match self.json {
            true => print_line(&json_line(&self.event("done", document()))),
            false => self.write(text(self.style()).trim_end_matches('\n')),
        }
    }

    /// The document as an event, if events are printed.
    pub fn event(self, name: &str, document: Value) -> Value {
        match document {
            Value::Object(fields) if self.is_stream => {
                let event = [("event".to_owned(), json!(name))];
                Value::Object(event.into_iter().chain(fields).collect())
            }
            whole => whole,
        }
    }

    /// Prints lines, wrapped on a terminal.
    pub fn write(self, lines: &str) -> Result<(), Failure> {
        let shown = self.shown(lines);
        match self.width() {
            Some(width) => print_line(&wrapped(&shown, width)),
            None => print_line(&shown),
        }
    }

    /// Makes a text safe to print: only the program's own styles become escape sequences.
    pub fn shown(self, text: &str) -> Cow<'_, str> {
        let shown = printable(text);
        if self.is_terminal { with_styles(&shown).into() } else { shown }
    }

    /// Shows the progress of long work to a person at a terminal.
    pub fn note(self, line: &str) {
        if std::io::stderr().is_terminal() {
            let _ = writeln!(std::io::stderr(), "{}", printable(line));
        }
    }

    /// Prints a warning beside a result.
    pub fn warn(self, sentence: &str) {
        let _ = writeln!(std::io::stderr(), "throughline: {}", printable(sentence));
    }

    /// Prints the reason of a failure, and returns the exit code.
    pub fn fail(self, failure: &Failure) -> ExitCode {
        let (code, sentence, exit) = match failure {
            Failure::Usage(sentence) => ("usage", sentence.as_str(), 2),
            Failure::Failed { code, sentence } => (*code, sentence.as_str(), 1),
            Failure::Reported => return ExitCode::from(1),
        };
        tracing::error!(code, sentence, "the command failed");
        self.say(code, &format!("throughline: {sentence}"), sentence);
        ExitCode::from(exit)
    }

    /// Prints the parser's message: help on stdout, errors on stderr.
    pub fn wrong_usage(self, error: &clap::Error) -> ExitCode {
        if !error.use_stderr() {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        let shown = error.render().to_string();
        let explained = shown
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
        let sentence = explained.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        // A tip stands on a line of its own.
        let sentence = sentence.replace(" tip: ", ". Tip: ");
        self.say("usage", shown.trim_end(), sentence.trim_start_matches("error: "));
        ExitCode::from(2)
    }

    /// Prints a message, and ignores errors of printing.
    fn say(self, code: &str, on_stderr: &str, sentence: &str) {
        if self.json {
            let error = json!({ "error": { "code": code, "message": sentence } });
            let _ = print_line(&json_line(&self.event("error", error)));
        }
        let _ = writeln!(std::io::stderr(), "{}", printable(on_stderr));
    }
}

/// Prints a line, which the caller has made safe to print.
pub fn print_line(line: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()?;
    Ok(())
}

/// JSON on one line, with control characters of terminals escaped.
pub fn json_line(document: &Value) -> String {
    escaped_json(document.to_string())
}

/// Escapes control characters of terminals in serialized JSON.
pub fn escaped_json(written: String) -> String {
    if !written.contains(is_unprintable) {
        return written;
    }
    let escaped = |c: char| match is_unprintable(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    written.chars().map(escaped).collect()
}

/// `1 message`, `2 messages`, `2 memories`, `2 matches`.
pub fn counted(count: u64, singular: &str) -> String {
    match (count, singular.strip_suffix('y')) {
        (1, _) => format!("1 {singular}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ if singular.ends_with("ch") => format!("{count} {singular}es"),
        _ => format!("{count} {singular}s"),
    }
}

/// The style of text.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    color: bool,
}

impl Style {
    /// Plain text without colors.
    pub const PLAIN: Self = Self { color: false };

    pub fn bold(self, text: &str) -> String {
        self.dress("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.dress("2", text)
    }

    /// The style of the person's words, as opposed to the assistant's.
    pub fn person(self, text: &str) -> String {
        self.dress("36", text)
    }

    pub fn good(self, text: &str) -> String {
        self.dress("32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.dress("31", text)
    }

    fn dress(self, code: &str, text: &str) -> String {
        if self.color { format!("{STYLE}{code}{END}{text}{STYLE}0{END}") } else { text.to_owned() }
    }
}

/// The character around the number of a style until it is printed. It is a noncharacter, which no text contains.
const STYLE: char = '\u{10fffe}';
const END: char = '\u{10ffff}';
/// The possible styles; no text can forge another.
const STYLES: [&str; 6] = ["0", "1", "2", "31", "32", "36"];

/// The text without styles, for recording.
pub fn without_styles(text: &str) -> String {
    let mut parts = text.split(STYLE);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once(END).map_or(part, |(_, rest)| rest))
}

/// The text with its styles as escape sequences.
fn with_styles(text: &str) -> String {
    let mut parts = text.split(STYLE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(END) {
            Some((code, rest)) if STYLES.contains(&code) => out += &format!("\u{1b}[{code}m{rest}"),
            _ => out += part,
        }
    }
    out.replace(END, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_styles_reach_the_terminal() {
        let style = Style { color: true };
        let line = format!("{} \u{1b}[8mhidden{STYLE}8{END}", style.bold("a \u{1b}[2Jb"));
        assert_eq!(with_styles(&printable(&line)), "\u{1b}[1ma b\u{1b}[0m hidden8");
        assert_eq!(without_styles(&style.good("done")), "done");
    }

    #[test]
    fn json_escapes_what_a_terminal_would_obey_and_means_the_same() {
        let hostile = json!({ "text": "a\u{1b}[2J\u{9b}\u{7f}\u{202e}b\n" });
        let line = json_line(&hostile);
        assert!(!line.contains(is_unprintable), "{line:?}");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), hostile);
    }
}
