//! Shell completions of arguments' values, some of them from the home. Completing creates and changes nothing.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use strum::VariantArray;
use throughline_domain::context::{Format, Preset};
use throughline_domain::memory::Kind;
use throughline_domain::message::Role;
use throughline_store::{Options, Store};

use crate::config::values::address::DatabaseUrl;
use crate::config::{self, Environment, Flags, Settings};
use crate::key;

/// The environment variable with which a shell requests completions.
const VARIABLE: &str = "COMPLETE";
const BINARY: &str = "throughline";

/// Answers a shell's request for completions and exits; without such a request, does nothing.
pub fn answer_shell(command: fn() -> Command) {
    CompleteEnv::with_factory(move || with_values(command())).var(VARIABLE).bin(BINARY).complete();
}

/// Writes the completion script of a shell.
pub fn write_script(shell: &str, out: &mut dyn Write) -> std::io::Result<()> {
    match Shells::builtins().completer(shell) {
        Some(completer) => completer.write_registration(VARIABLE, BINARY, BINARY, BINARY, out),
        None => Err(std::io::Error::other(format!("{shell} has no completions"))),
    }
}

/// Adds the possible values to the arguments of the command line.
fn with_values(command: Command) -> Command {
    let is_routine = command.get_name() == "run" || command.get_name() == "runs";
    let is_embedder = command.get_name() == "use";
    let command = command.mut_args(|arg| match arg.get_id().as_str() {
        "chat" => offering(arg, chats),
        "agent" => offering(arg, agents),
        "routine" => offering(arg, routines),
        "name" if is_routine => offering(arg, routines),
        "name" if is_embedder => {
            offering(arg, || words(&["builtin", "minilm", "ollama/", "openai/", "none"]))
        }
        "preset" => offering(arg, || names(Preset::VARIANTS.iter().map(|preset| preset.as_str()))),
        "role" => offering(arg, || names(Role::VARIANTS.iter().map(|role| role.as_str()))),
        "lane" => offering(arg, || words(&["root", "topic:"])),
        "status" => offering(arg, || words(&["active", "done"])),
        "format" if arg.get_possible_values().is_empty() => {
            offering(arg, || names(Format::VARIANTS.iter().map(|format| format.as_str())))
        }
        "kind" if arg.get_possible_values().is_empty() => {
            offering(arg, || names(Kind::ALL.iter().map(|kind| kind.as_str())))
        }
        _ => arg,
    });
    command.mut_subcommands(with_values)
}

fn offering(arg: Arg, values: fn() -> Vec<CompletionCandidate>) -> Arg {
    arg.add(ArgValueCandidates::new(values))
}

fn words(values: &[&'static str]) -> Vec<CompletionCandidate> {
    names(values.iter().copied())
}

fn names<T: Into<OsString>>(values: impl Iterator<Item = T>) -> Vec<CompletionCandidate> {
    values.map(CompletionCandidate::new).collect()
}

/// The chats of the home, and the bare names of the terminal's chats.
fn chats() -> Vec<CompletionCandidate> {
    let found = || {
        let (home, settings) = home_and_settings()?;
        let DatabaseUrl::Sqlite(path) = settings.database_url;
        if !path.exists() {
            return None;
        }
        let gap = jiff::SignedDuration::from_mins(i64::from(settings.context.conversation_gap_minutes.get()));
        let key = key::read(&settings.encryption).ok()?;
        let options = Options { path, gap, backups: home.join("backups"), key };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        runtime.block_on(async { Store::open(options).await.ok()?.chats().await.ok() })
    };
    let chats = found().unwrap_or_default().into_iter().map(|count| count.chat);
    let both = chats.flat_map(|chat| {
        let bare = (chat.channel() == "cli").then(|| chat.name().to_owned());
        bare.into_iter().chain([chat.to_string()])
    });
    names(both)
}

fn routines() -> Vec<CompletionCandidate> {
    let names_of = |(_, settings): (PathBuf, Settings)| settings.routines.into_keys().collect::<Vec<_>>();
    names(home_and_settings().map(names_of).unwrap_or_default().into_iter())
}

fn agents() -> Vec<CompletionCandidate> {
    let folder = home_and_settings().and_then(|(home, _)| std::fs::read_dir(home.join("agents")).ok());
    let folders = folder.into_iter().flatten().filter_map(Result::ok).filter(|entry| entry.path().is_dir());
    names(folders.map(|entry| entry.file_name()))
}

/// The home and the settings for the line that is being typed.
fn home_and_settings() -> Option<(PathBuf, Settings)> {
    let environment = Environment::of_this_process();
    let typed = typed_home();
    let home = config::home(typed.as_deref(), &environment).ok()?;
    let settings = Settings::load(&home, None, &environment, &Flags::default()).ok()?;
    Some((home, settings))
}

fn typed_home() -> Option<PathBuf> {
    let mut words = std::env::args_os();
    while let Some(word) = words.next() {
        if word == "--home" {
            return words.next().map(PathBuf::from);
        }
        if let Some(home) = word.to_str().and_then(|word| word.strip_prefix("--home=")) {
            return Some(PathBuf::from(home));
        }
    }
    None
}
