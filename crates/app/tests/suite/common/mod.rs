//! A home of its own for each test, and the real binary in it with nothing of the caller's environment.
#![allow(dead_code, reason = "each of the two test binaries uses its own part of this")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

pub mod embedding_server;
pub mod messages_server;
pub mod phone;
pub mod pty;
pub mod served;
pub mod tiny_minilm;
pub mod upstream;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_throughline");

/// The chat most tests talk in.
pub const MAIN: &str = "cli:chat:main";

/// A temporary home. The folder itself is not made: that is the binary's to do.
pub struct Home {
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
}

impl Home {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// The same home with a variable set.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// The same home with a variable set, unless it is.
    pub fn with_default(self, name: &'static str, value: &str) -> Self {
        match self.variables.iter().any(|(set, _)| *set == name) {
            true => self,
            false => self.with(name, value),
        }
    }

    /// The same home with settings in its config.toml.
    pub fn configured(self, settings: &str) -> Self {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(self.path()).unwrap();
        std::fs::write(self.path().join("config.toml"), settings).unwrap();
        self
    }

    /// The home.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A folder beside the home, for files of the test.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn database(&self) -> PathBuf {
        self.path().join("throughline.db")
    }

    /// Writes a file beside the home and gives its path as an argument.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.beside(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The binary, to be run in this home.
    pub fn command<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = self.bare(BINARY);
        command.args(words);
        command
    }

    /// Another program with the environment of this home, for those that run the binary themselves.
    pub fn bare(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.folder.path());
        command
            .env("THROUGHLINE_HOME", self.path())
            // Whatever models this machine has: a test says which it wants.
            .env("THROUGHLINE_MODEL", "offline")
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> Ran {
        Ran::of(&mut self.command(words))
    }

    /// Runs with something on stdin.
    pub fn feed<S: AsRef<OsStr>>(&self, words: &[S], stdin: &[u8]) -> Ran {
        let mut child = self.command(words).stdin(Stdio::piped()).spawn().unwrap();
        // A command that refuses early leaves the rest unread.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Ran::from(child)
    }

    /// Runs what must succeed, and gives what it printed.
    pub fn ok<S: AsRef<OsStr>>(&self, words: &[S]) -> String {
        self.run(words).ok()
    }

    /// Runs what must succeed with --json, and gives its document.
    pub fn json<S: AsRef<OsStr>>(&self, words: &[S]) -> Value {
        let mut command = self.command(&["--json"]);
        Ran::of(command.args(words)).document()
    }

    /// Records a message of the main chat and gives its id.
    pub fn record(&self, text: &str) -> String {
        self.json(&["record", "--chat", MAIN, text])["id"].as_str().unwrap().to_owned()
    }

    /// Imports lines that must all go in.
    pub fn import(&self, lines: &[Value]) -> Value {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let ran = self.feed(&["import", "-", "--json"], text.as_bytes());
        ran.document()
    }

    /// Every message, as `export` writes it.
    pub fn exported(&self) -> Vec<Value> {
        messages_of(&self.ok(&["export"]))
    }

    pub fn texts(&self) -> Vec<String> {
        self.exported().iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect()
    }

    pub fn messages(&self) -> u64 {
        self.json(&["status"])["messages"].as_u64().unwrap()
    }

    /// The database itself, for what no door shows and to break it on purpose.
    pub fn sql(&self) -> rusqlite::Connection {
        open_sql(&self.database())
    }

    /// All files of the home with their bytes.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.path()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push((path.clone(), std::fs::read(&path).unwrap()));
                }
            }
        }
        found
    }
}

/// How a command ended.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(command: &mut Command) -> Self {
        Self::from(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    pub fn from(child: Child) -> Self {
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    pub fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        self.stdout
    }

    /// The one document on stdout of a command that succeeded.
    pub fn document(self) -> Value {
        let stdout = self.ok();
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
    }
}

/// Numbers that look random and are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below the bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// The lines of an export that are messages; others have a kind.
pub fn messages_of(export: &str) -> Vec<Value> {
    let lines = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["kind"].is_null()).collect()
}

/// A database as it is on disk.
#[expect(clippy::disallowed_methods, reason = "the test stands outside the store")]
pub fn open_sql(file: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(file).unwrap()
}

/// The permission bits of a file.
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
