//! What the version of the program at hand can do. It says so itself, and the answer is remembered in a file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::time::timeout;

use super::environment::environment;
use super::{Settings, trouble};
use crate::Error;

/// The program is slow to start on a small machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// The tools to forbid, for versions that cannot name the allowed ones.
const ITS_TOOLS: &str = "Agent,AskUserQuestion,Bash,BashOutput,Edit,ExitPlanMode,Glob,Grep,KillBash,KillShell,LS,\
                         MultiEdit,NotebookEdit,Read,Skill,SlashCommand,Task,TodoWrite,WebFetch,WebSearch,Write";

/// What it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ability {
    /// Can be kept from attaching files of this machine that a person's words name.
    pub(super) discreet: bool,
    /// Reads its system prompt from a file.
    pub(super) system_prompt_file: bool,
    partial_messages: bool,
    tools: bool,
    no_session: bool,
    strict_mcp: bool,
    /// Can be given a server of tools, and be kept from all others.
    pub(super) tool_server: bool,
    /// Can be kept from asking its model more often than this.
    pub(super) max_turns: bool,
    /// Takes its prompt in blocks, of which its server can cache the first ones.
    pub(super) blocks: bool,
}

/// An ability, and the file of the program that has it.
#[derive(Serialize, Deserialize)]
struct Remembered {
    program: Program,
    ability: Ability,
}

/// A program's file: another version has another size or time.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Program {
    path: String,
    size: u64,
    modified: (i64, i64),
}

impl Ability {
    /// The abilities that are on file for this very program.
    pub(super) fn remembered(settings: &Settings) -> Option<Self> {
        let remembered: Remembered = serde_json::from_slice(&fs::read(&settings.abilities).ok()?).ok()?;
        (remembered.program == Program::of(settings)?).then_some(remembered.ability)
    }

    /// Writes them to the file. If that fails, the program is asked again next time.
    pub(super) fn remember(self, settings: &Settings) {
        let Some(program) = Program::of(settings) else { return };
        if let Ok(text) = serde_json::to_vec(&Remembered { program, ability: self }) {
            let _ = fs::write(&settings.abilities, text);
        }
    }

    /// Asks the program. Its help leaves out how the system prompt is read from a file and how turns are limited, so that
    /// is tried.
    pub(super) async fn find_out(settings: &Settings) -> Result<Self, Error> {
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

    /// The flags of a run that only answers: no tools of its own, no settings, no servers of others, nothing kept.
    pub(super) fn flags(self) -> Vec<&'static str> {
        let mut flags = vec!["-p", "--output-format", "stream-json", "--verbose", "--setting-sources", ""];
        flags.extend(if self.tools { ["--tools", ""] } else { ["--disallowedTools", ITS_TOOLS] });
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
    match timeout(PATIENCE, output).await {
        Ok(output) => output.map_err(|error| trouble::of_start(&settings.path, &error)),
        Err(_) => Err(Error::Unavailable(format!("{} does not start in time", settings.path.display()))),
    }
}
