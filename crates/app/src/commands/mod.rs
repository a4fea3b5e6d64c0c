//! The commands of the command line, one file each.

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
    clean_daily as clean_daily_backups, containing as backups_holding, daily as daily_backup,
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
pub use import::{ImportRequest, ImportSource, Report as ImportReport, import_files};
pub use record::named as message_named;
pub use routine::{listed as routine_list, next as next_run, next_runs, run_at_once as run_routine};
pub use search::table as search_table;
pub use status::{document as status_document, text as status_text};
pub use summary::text as summary_text;

/// Runs a command.
pub async fn run(cli: &Cli, environment: &Environment, output: &Output) -> Result<(), Failure> {
    let app = || App::open(cli, environment);
    match &cli.command {
        Command::Completions { shell } => {
            Ok(completions::write_script(&shell.to_string(), &mut std::io::stdout())?)
        }
        Command::Config(args) => config::run(args, cli, environment, *output),
        Command::Doctor(args) => doctor::run(args, cli, environment, *output).await,
        Command::Embedder(args) => embedder::run(args, cli, app()?, *output).await,
        Command::Chat(args) => chat::run(args, &app()?.with_model(args.model.as_ref()), *output).await,
        Command::Onboard(args) => onboard::run(args, cli, environment, *output).await,
        Command::Serve(args) => serve::run(args, app()?.with_model(args.model.as_ref()), *output).await,
        Command::Mcp(args) => mcp::run(args, app()?).await,
        Command::Send(args) => send::run(args, app()?, *output).await,
        Command::Routine(args) => routine::run(args, app()?.with_model(args.model()), *output).await,
        Command::Pairing(args) => pairing::run(args, app()?, *output).await,
        Command::Token(args) => token::run(args, &app()?, *output).await,
        Command::Open => open::run(&app()?, *output).await,
        Command::Record(args) => record::run(args, &app()?, *output).await,
        Command::Context(args) => context::run(args, &app()?, *output).await,
        Command::Search(args) => search::run(args, &app()?, *output).await,
        Command::Memory(args) => memory::run(args, &app()?, *output).await,
        Command::Remember(args) => memory::remember(args, &app()?, *output).await,
        Command::Forget(args) => forget::run(args, &app()?, *output).await,
        Command::Profile(args) => memory::profile(args, &app()?, *output).await,
        Command::Summary(args) => summary::run(args, &app()?, *output).await,
        Command::Backup(args) => backup::run(args, &app()?, *output).await,
        Command::Restore { file } => backup::restore(file, &app()?, *output).await,
        Command::Encrypt => encrypt::encrypt(&app()?, *output).await,
        Command::Decrypt => encrypt::decrypt(&app()?, *output).await,
        Command::Conversations(args) => conversations::run(args, &app()?, *output).await,
        Command::Import(args) => import::run(args, &app()?, *output).await,
        Command::Export(args) => export::run(args, &app()?, *output).await,
        Command::Status => status::run(&app()?, *output).await,
        Command::Reindex => status::reindex(&app()?, *output).await,
        Command::Eval(args) => eval::run(args, &app()?.with_model(args.model.as_ref()), *output).await,
        Command::Install(args) => install::run(args, cli, environment, *output),
        Command::Hook(args) => {
            hook::run(args, cli, environment, *output).await;
            Ok(())
        }
        Command::Work { transcripts } => work::run(transcripts, &app()?).await,
        Command::Bench(args) => bench::run(args, &app()?, *output).await,
    }
}

/// Parses a lane of a chat.
pub fn lane_named(text: Option<&str>, chat: &ChatId) -> Result<Option<Lane>, Failure> {
    text.map(|text| Lane::parse(text, chat))
        .transpose()
        .map_err(|error| Failure::Usage(format!("--lane: {error}")))
}

/// Parses a point in time in the person's time zone.
pub fn moment_named(text: Option<&str>, flag: &str, app: &App) -> Result<Option<jiff::Timestamp>, Failure> {
    let read = |text| throughline_domain::time::read_moment(text, &app.settings.zone);
    text.map(read).transpose().map_err(|error| Failure::Usage(format!("{flag}: {error}")))
}
