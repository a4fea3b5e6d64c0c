//! Detects the abilities of the installed version from its help, and caches them in a file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::time::timeout;

use super::environment::environment;
use super::{Settings, failure};
use crate::Error;

/// Time-out for starting the program, which is slow on a small machine.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The tools to forbid in versions that cannot limit the allowed ones.
const FORBIDDEN_TOOLS: &str = "Agent,AskUserQuestion,Bash,BashOutput,Edit,ExitPlanMode,Glob,Grep,KillBash,KillShell,LS,\
                         MultiEdit,NotebookEdit,Read,Skill,SlashCommand,Task,TodoWrite,WebFetch,WebSearch,Write";

/// The abilities of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ability {
    /// Can be told not to attach local files that a person's words name.
    pub(super) discreet: bool,
    /// Can read its system prompt from a file.
    pub(super) system_prompt_file: bool,
    partial_messages: bool,
    tools: bool,
    no_session: bool,
    strict_mcp: bool,
    /// Can use a given tool server, and no others.
    pub(super) tool_server: bool,
    /// Can limit the number of model calls.
    pub(super) max_turns: bool,
    /// Accepts its prompt in blocks, so that the provider can cache the first ones.
    pub(super) blocks: bool,
}

/// Cached abilities, and the program they belong to.
#[derive(Serialize, Deserialize)]
struct Remembered {
    program: Program,
    ability: Ability,
}

/// A program's file; another version has another size or time.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Program {
    path: String,
    size: u64,
    modified: (i64, i64),
}

impl Ability {
    /// The cached abilities of this program.
    pub(super) fn remembered(settings: &Settings) -> Option<Self> {
        let remembered: Remembered = serde_json::from_slice(&fs::read(&settings.abilities).ok()?).ok()?;
        (remembered.program == Program::of(settings)?).then_some(remembered.ability)
    }

    /// Caches the abilities. If that fails, the program is asked again next time.
    pub(super) fn remember(self, settings: &Settings) {
        let Some(program) = Program::of(settings) else { return };
        if let Ok(text) = serde_json::to_vec(&Remembered { program, ability: self }) {
            let _ = fs::write(&settings.abilities, text);
        }
    }

    /// Detects the abilities. The help does not mention how to read the system prompt from a file and how to limit
    /// turns, so both are tried.
    pub(super) async fn detect(settings: &Settings) -> Result<Self, Error> {
        let missing = ["-p", "--system-prompt-file", "/dev/null/missing"];
        let turns = ["-p", "--max-turns", "1", "--system-prompt-file", "/dev/null/missing"];
        let (help, trial, turns) =
            tokio::join!(ask(settings, &["--help"]), ask(settings, &missing), ask(settings, &turns));
        let (help, trial, turns) = (help?, trial?, turns?);
        let refuses = |trial: &Output, what: &str| String::from_utf8_lossy(&trial.stderr).contains(what);
        let help = String::from_utf8_lossy(&help.stdout);
        let knows = |flag: &str| help.split([' ', '\n', ',']).any(|word| word == flag);
        Ok(Self {
            // Both came with version 2.
            discreet: knows("--setting-sources"),
            system_prompt_file: !refuses(&trial, "unknown option"),
            partial_messages: knows("--include-partial-messages"),
            tools: knows("--tools"),
            no_session: knows("--no-session-persistence"),
            strict_mcp: knows("--strict-mcp-config"),
            tool_server: ["--mcp-config", "--strict-mcp-config", "--allowedTools"].into_iter().all(knows),
            max_turns: !refuses(&turns, "'--max-turns'"),
            blocks: knows("--input-format"),
        })
    }

    /// The flags of a run that only answers: without tools of its own, settings, other servers and saved sessions.
    pub(super) fn flags(self) -> Vec<&'static str> {
        let mut flags = vec!["-p", "--output-format", "stream-json", "--verbose", "--setting-sources", ""];
        flags.extend(if self.tools { ["--tools", ""] } else { ["--disallowedTools", FORBIDDEN_TOOLS] });
        let switches = [
            (self.partial_messages, "--include-partial-messages"),
            (self.no_session, "--no-session-persistence"),
            (self.strict_mcp, "--strict-mcp-config"),
        ];
        flags.extend(switches.iter().filter(|(able, _)| *able).map(|(_, flag)| flag));
        if self.blocks {
            flags.extend(["--input-format", "stream-json"]);
        }
        flags
    }
}

impl Program {
    fn of(settings: &Settings) -> Option<Self> {
        let file = fs::metadata(&settings.path).ok()?;
        let path = settings.path.to_string_lossy().into_owned();
        Some(Self { path, size: file.size(), modified: (file.mtime(), file.mtime_nsec()) })
    }
}

async fn ask(settings: &Settings, arguments: &[&str]) -> Result<Output, Error> {
    let output = Command::new(&settings.path)
        .args(arguments)
        .env_clear()
        .envs(environment(&settings.environment))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    match timeout(TIMEOUT, output).await {
        Ok(output) => output.map_err(|error| failure::from_start(&settings.path, &error)),
        Err(_) => Err(Error::Unavailable(format!("{} does not start in time", settings.path.display()))),
    }
}
