//! One continuous memory for chat assistants: the binary.

mod api;
mod background;
mod channels;
mod claude_code;
mod cli;
mod commands;
mod completions;
mod config;

mod examples;
#[cfg(test)]
mod hostile;
mod http;
mod imports;
mod key;
mod logs;
mod mcp;
mod output;
mod percent;
mod schedule;
mod tasks;
mod wire;
mod wrap;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::cli::Cli;
use crate::config::Environment;
use crate::output::{Failure, Output};

/// Number of worker threads of commands that serve.
const SERVING_THREADS: usize = 2;

fn main() -> ExitCode {
    completions::answer_shell(command);
    let environment = Environment::of_this_process();
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => return Output::for_a_failed_parse(&environment).wrong_usage(&error),
    };
    let output = Output::new(cli.json, &environment).streaming(cli.streams());
    if let cli::Command::Hook(_) = cli.command {
        commands::guarded_hook(|| drop(run(&cli, &environment, &output)));
        return ExitCode::SUCCESS;
    }
    match run(&cli, &environment, &output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output.fail(&failure),
    }
}

/// Parses the command line. The long help also lists the environment variables.
fn parse() -> Result<Cli, clap::Error> {
    let help = format!("{}\n\nEnvironment:\n{}", examples::of_first_page(), config::help());
    Cli::from_arg_matches(&command().after_long_help(help).try_get_matches()?)
}

/// The command line with its examples.
fn command() -> clap::Command {
    examples::with_examples(Cli::command())
}

/// Runs a command on one thread, or on a few if it serves many chats. The store has its own threads for blocking work.
fn run(cli: &Cli, environment: &Environment, output: &Output) -> Result<(), Failure> {
    let mut runtime = match cli.command {
        // Jobs run while a person types or a program sends requests.
        cli::Command::Serve(_) | cli::Command::Mcp(_) | cli::Command::Chat(_) => {
            tokio::runtime::Builder::new_multi_thread()
        }
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.worker_threads(SERVING_THREADS).enable_all().build()?;
    runtime.block_on(commands::run(cli, environment, output))
}
