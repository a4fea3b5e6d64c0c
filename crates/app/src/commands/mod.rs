//! The commands, one file each. This is their table of contents.

mod backup;
mod bench;
mod chat;
mod config;
mod context;
mod conversations;
mod cost;
mod doctor;
mod embedder;
mod encrypt;
mod eval;
mod export;
mod forget;
mod hook;
mod import;
mod install;
mod memory;
mod onboard;
mod open;
mod pairing;
mod record;
mod routine;
mod search;
mod send;
mod serve;
mod status;
mod summary;
mod token;
mod work;

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;

use crate::cli::{Cli, Command};
use crate::completions;
use crate::config::Environment;
use crate::mcp;
use crate::output::{Failure, Output};
use crate::wire::App;

pub use backup::{
    clean_daily as clean_daily_backups, daily as daily_backup, holding as backups_holding,
    is_daily as is_daily_backup,
};
pub use chat::command as command_of;
pub use context::explanation;
pub use conversations::rows as conversation_rows;
pub use cost::text as cost_text;
pub use doctor::{Finding, checks};
pub use export::markdown as export_text;
pub use forget::{
    clean_lines, done_text as forget_done_text, match_ids, preview_text as forget_preview_text,
};
pub use hook::guarded as guarded_hook;
pub use import::{ImportRequest, ImportSource, Report as ImportReport, bring_in};
pub use record::named as message_named;
pub use routine::{listed as routine_list, next as next_run, next_runs, run_at_once as run_routine};
pub use search::table as search_table;
pub use status::{document as status_document, text as status_text};
pub use summary::text as summary_text;

/// Runs the command that was asked for.
pub async fn run(cli: &Cli, environment: &Environment, output: &Output) -> Result<(), Failure> {
    let app = || App::find(cli, environment);
    match &cli.command {
        Command::Completions { shell } => {
            Ok(completions::write_script(&shell.to_string(), &mut std::io::stdout())?)
        }
        Command::Config(what) => config::run(what, cli, environment, *output),
        Command::Doctor(what) => doctor::run(what, cli, environment, *output).await,
        Command::Embedder(what) => embedder::run(what, cli, app()?, *output).await,
        Command::Chat(what) => chat::run(what, &app()?.with_model(what.model.as_ref()), *output).await,
        Command::Onboard(what) => onboard::run(what, cli, environment, *output).await,
        Command::Serve(what) => serve::run(what, app()?.with_model(what.model.as_ref()), *output).await,
        Command::Mcp(what) => mcp::run(what, app()?).await,
        Command::Send(what) => send::run(what, app()?, *output).await,
        Command::Routine(what) => routine::run(what, app()?.with_model(what.model()), *output).await,
        Command::Pairing(what) => pairing::run(what, app()?, *output).await,
        Command::Token(what) => token::run(what, &app()?, *output).await,
        Command::Open => open::run(&app()?, *output).await,
        Command::Record(what) => record::run(what, &app()?, *output).await,
        Command::Context(what) => context::run(what, &app()?, *output).await,
        Command::Search(what) => search::run(what, &app()?, *output).await,
        Command::Memory(what) => memory::run(what, &app()?, *output).await,
        Command::Remember(what) => memory::remember(what, &app()?, *output).await,
        Command::Forget(what) => forget::run(what, &app()?, *output).await,
        Command::Profile(what) => memory::profile(what, &app()?, *output).await,
        Command::Summary(what) => summary::run(what, &app()?, *output).await,
        Command::Backup(what) => backup::run(what, &app()?, *output).await,
        Command::Restore { file } => backup::restore(file, &app()?, *output).await,
        Command::Encrypt => encrypt::encrypt(&app()?, *output).await,
        Command::Decrypt => encrypt::decrypt(&app()?, *output).await,
        Command::Conversations(what) => conversations::run(what, &app()?, *output).await,
        Command::Import(what) => import::run(what, &app()?, *output).await,
        Command::Export(what) => export::run(what, &app()?, *output).await,
        Command::Status => status::run(&app()?, *output).await,
        Command::Reindex => status::reindex(&app()?, *output).await,
        Command::Eval(what) => eval::run(what, &app()?.with_model(what.model.as_ref()), *output).await,
        Command::Install(what) => install::run(what, cli, environment, *output),
        Command::Hook(what) => {
            hook::run(what, cli, environment, *output).await;
            Ok(())
        }
        Command::Work { transcripts } => work::run(transcripts, &app()?).await,
        Command::Bench(what) => bench::run(what, &app()?, *output).await,
    }
}

/// A lane as it was written, for the chat.
pub fn lane_named(text: Option<&str>, chat: &ChatId) -> Result<Option<Lane>, Failure> {
    text.map(|text| Lane::parse(text, chat))
        .transpose()
        .map_err(|error| Failure::Usage(format!("--lane: {error}")))
}

/// A moment as it was written, in the person's zone.
pub fn moment_named(text: Option<&str>, flag: &str, app: &App) -> Result<Option<jiff::Timestamp>, Failure> {
    let read = |text| throughline_domain::time::read_moment(text, &app.settings.zone);
    text.map(read).transpose().map_err(|error| Failure::Usage(format!("{flag}: {error}")))
}
