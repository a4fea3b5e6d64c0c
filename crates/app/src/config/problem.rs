//! The sources of values, and problems with them, described for the person who wrote them.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The default.
    Default,
    /// A line of the config file; `None` for the whole file.
    File(PathBuf, Option<usize>),
    /// An environment variable.
    Variable(&'static str),
    /// A flag of the command line.
    Flag(&'static str),
}

impl Source {
    /// The line of the file. Problems without a line come first.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::File(_, line) => *line,
            Self::Default | Self::Variable(_) | Self::Flag(_) => None,
        }
    }
}

impl fmt::Display for Source {
    /// The short form of `config show`: `config.toml:12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => at_line(f, path.file_name().map_or(path.as_path(), Path::new), *line),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

fn at_line(f: &mut fmt::Formatter<'_>, file: &Path, line: Option<usize>) -> fmt::Result {
    match line {
        Some(line) => write!(f, "{}:{line}", file.display()),
        None => write!(f, "{}", file.display()),
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A problem with its source. It never contains the value of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Its source.
    pub source: Source,
    /// The setting as written; `None` if the whole source is wrong.
    pub key: Option<String>,
    /// What is wrong and what to do. The text continues a sentence that begins with the key.
    pub why: String,
}

impl Problem {
    /// A problem with one setting.
    pub fn with_key(source: Source, key: impl Into<String>, why: impl Into<String>) -> Self {
        Self { source, key: Some(key.into()), why: why.into() }
    }

    /// A problem with a whole source: a file, a variable.
    pub fn with_place(source: Source, why: impl Into<String>) -> Self {
        Self { source, key: None, why: why.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            // The whole path, unlike in a table, because editors can open it.
            Source::File(path, line) => at_line(f, path, *line)?,
            other => write!(f, "{other}")?,
        }
        match &self.key {
            Some(key) => write!(f, ": `{key}` {}", self.why),
            None => write!(f, ": {}", self.why),
        }
    }
}

impl Error for Problem {}

/// The settings are invalid. Displays all problems, one per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file's problems by line, then those of variables, then of flags. Never empty.
    pub problems: Vec<Problem>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&lines(&self.problems))
    }
}

impl Error for ConfigError {}

/// The output of `config check`: all problems of the settings, or a statement that there are none.
#[must_use]
pub fn verdict(file: &Path, problems: &[Problem]) -> String {
    if problems.is_empty() {
        format!("{} is fine", Source::File(file.to_owned(), None))
    } else {
        lines(problems)
    }
}

/// One problem per line.
fn lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}
