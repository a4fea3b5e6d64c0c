//! `install`: connects Claude Code. It shows the changes to its settings, and asks for confirmation at a terminal.

use std::io::IsTerminal;

use serde_json::json;

use super::onboard::ask::Person;
use crate::claude_code::install::{Change, carry_out};
use crate::claude_code::settings::{SettingsFile, invocation};
use crate::cli::{Cli, Install, Program};
use crate::config::{self, Environment};
use crate::output::{Failure, Output, print_line};
use crate::wire::{self, App};

pub fn run(args: &Install, cli: &Cli, environment: &Environment, output: Output) -> Result<(), Failure> {
    let Program::ClaudeCode = args.program;
    let app = App::load(cli, environment)?;
    let files = config::claude_folders(environment)?;
    let parts = [(&files.settings, SettingsFile::Hooks), (&files.servers, SettingsFile::Server)];
    let changes: Vec<Change> = match args.uninstall {
        true => parts
            .iter()
            .map(|(path, part)| Change::uninstall(path, *part, &app.home))
            .collect::<Result<_, _>>()?,
        false => {
            let home = std::path::absolute(&app.home)?;
            let is_default =
                config::home(None, &environment.without_home()).is_ok_and(|default| default == home);
            let config = app.config.as_deref().map(std::path::absolute).transpose()?;
            let program = std::env::current_exe()?;
            let ours = invocation(&program, Some(home.as_path()).filter(|_| !is_default), config.as_deref());
            let change = |(path, part): &(&std::path::PathBuf, SettingsFile)| {
                Change::install(path, *part, &ours, &app.home)
            };
            parts.iter().map(change).collect::<Result<_, _>>()?
        }
    };
    let needed: Vec<&Change> = changes.iter().filter(|change| change.is_needed()).collect();
    let is_shown = !output.is_json();
    for change in needed.iter().filter(|_| is_shown) {
        print_line(&output.shown(change.diff().trim_end()))?;
    }
    let asks =
        !args.yes && !args.dry_run && is_shown && std::io::stdin().is_terminal() && output.width().is_some();
    let is_agreed = !asks || needed.is_empty() || Person { output }.agrees("Make this change?")?;
    let is_done = !args.dry_run && is_agreed;
    if is_done {
        wire::make_home(&app.home)?;
        carry_out(&changes, &app.home)?;
    }
    let sentence = match (needed.is_empty(), is_done, args.uninstall) {
        (true, _, true) => "Nothing of Throughline is in Claude Code's settings.",
        (true, _, false) => "Claude Code is connected already; nothing changed.",
        (false, true, true) => "Claude Code is disconnected. What was recorded stays.",
        (false, true, false) => {
            "Claude Code is connected. Sessions that you start from now on have the memory; `throughline import claude-code` brings in earlier ones."
        }
        (false, false, _) => "Nothing was changed.",
    };
    output.print(
        || {
            let files: Vec<_> =
                needed.iter().map(|change| json!({ "path": change.path, "diff": change.diff() })).collect();
            json!({ "changed": is_done && !needed.is_empty(), "files": files })
        },
        |style| if is_done { format!("{} {sentence}", style.good("✓")) } else { sentence.to_owned() },
    )
}
