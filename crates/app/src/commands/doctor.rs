//! `doctor`: finds problems, says what to do, and with --fix repairs what it can.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use throughline_engine::owner::Owner;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_models::embed::{self, BuiltIn};
use throughline_store::Store;
use throughline_store::health::{Check, DATABASE_FILE};

use super::backup::{newest_intact, restore_newest};
use crate::channels::telegram::api::{Api, ApiError};
use crate::channels::telegram::connect;
use crate::cli::{Cli, Doctor};
use crate::config::values::choice::Pairing;
use crate::config::values::embedder::EmbedderChoice;
use crate::config::values::model::ModelChoice;
use crate::config::{self, Environment};
use crate::output::{Failure, Output, counted};
use crate::wire::App;

/// Time limit for Telegram's response.
const TELEGRAM_TIMEOUT: Duration = Duration::from_secs(5);

const NO_DATABASE: &str = "none yet; the first message creates it";

/// The result of one check.
pub struct Finding {
    name: &'static str,
    state: State,
}

/// Whether the model gets a test request, which may cost something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Probe {
    Asked,
    LeftOut,
}

enum State {
    Fine(String),
    /// Something optional is missing.
    Note(String),
    Broken(String),
    Mended(String),
}

pub async fn run(args: &Doctor, cli: &Cli, environment: &Environment, output: Output) -> Result<(), Failure> {
    let mut findings = settings(cli, environment);
    // Without valid settings, the other checks cannot run.
    if !findings.iter().any(|finding| matches!(finding.state, State::Broken(_))) {
        findings.extend(match App::load(cli, environment) {
            Ok(app) if !app.home.exists() => vec![missing_home(&app.home), telegram(&app, args.fix).await],
            Ok(_) => match App::open(cli, environment) {
                Ok(app) => check_home(&app, args.fix, Probe::Asked).await,
                Err(failure) => vec![home_is_broken(failure)],
            },
            Err(failure) => vec![home_is_broken(failure)],
        });
    }
    let broken = findings.iter().any(|finding| matches!(finding.state, State::Broken(_)));
    output.print(
        || {
            let rows: Vec<Value> = findings.iter().map(Finding::document).collect();
            json!({ "ok": !broken, "checks": rows })
        },
        |style| {
            let mut out = String::new();
            for finding in &findings {
                let (mark, said) = match &finding.state {
                    State::Fine(said) => (style.good("✓"), said),
                    State::Mended(said) => (style.good("✓"), said),
                    State::Note(said) => (style.dim("·"), said),
                    State::Broken(said) => (style.bad("✗"), said),
                };
                let _ = writeln!(out, "{mark} {:<14} {said}", finding.name);
            }
            out
        },
    )?;
    if broken { Err(Failure::Reported) } else { Ok(()) }
}

/// Checks a home without repairing anything. The model gets a test request only if `asks_model` is set.
pub async fn checks(app: &App, asks_model: bool) -> Vec<Finding> {
    check_home(app, false, if asks_model { Probe::Asked } else { Probe::LeftOut }).await
}

/// Runs all checks of an existing home.
async fn check_home(app: &App, fix: bool, probe: Probe) -> Vec<Finding> {
    let mut findings = vec![home(&app.home, fix)];
    findings.extend(match has_no_database(app) {
        true => vec![Finding { name: "database", state: State::Note(NO_DATABASE.to_owned()) }],
        false => store(app, fix).await,
    });
    findings.push(space(&app.home));
    if probe == Probe::Asked {
        findings.push(model(app).await);
    }
    findings.push(embedder(app, fix).await);
    findings.push(telegram(app, fix).await);
    findings
}

/// Returns true if nothing was stored yet. If the database's folder is missing in an existing home, the settings are
/// wrong.
fn has_no_database(app: &App) -> bool {
    let has_folder = || app.database().parent().is_some_and(Path::exists);
    !app.database().exists() && (has_folder() || !app.home.exists())
}

/// Reports that there is no home; `doctor` does not create one.
fn missing_home(home: &Path) -> Finding {
    let said = format!(
        "{} does not exist yet. `throughline onboard` sets it up, or the first message does; choose another folder with --home or THROUGHLINE_HOME",
        home.display()
    );
    Finding { name: "home", state: State::Note(said) }
}

fn home_is_broken(failure: Failure) -> Finding {
    Finding { name: "home", state: State::Broken(failure.into_sentence()) }
}

impl Finding {
    /// The name of the check, its state, and a sentence about it.
    pub fn parts(&self) -> (&'static str, &'static str, &str) {
        let (state, said) = match &self.state {
            State::Fine(said) => ("ok", said),
            State::Mended(said) => ("mended", said),
            State::Note(said) => ("note", said),
            State::Broken(said) => ("broken", said),
        };
        (self.name, state, said)
    }

    fn document(&self) -> Value {
        let (check, state, message) = self.parts();
        json!({ "check": check, "state": state, "message": message })
    }
}

fn settings(cli: &Cli, environment: &Environment) -> Vec<Finding> {
    let finding = |state| vec![Finding { name: "settings", state }];
    let home = match config::home(cli.home.as_deref(), environment) {
        Ok(home) => home,
        Err(problem) => return finding(State::Broken(problem.to_string())),
    };
    let problems = config::check(&home, cli.config.as_deref(), environment);
    if problems.is_empty() {
        return finding(State::Fine(
            config::verdict(&config::config_file(&home, cli.config.as_deref()), &problems).trim().to_owned(),
        ));
    }
    problems
        .into_iter()
        .map(|problem| Finding { name: "settings", state: State::Broken(problem.to_string()) })
        .collect()
}

/// Checks that only the owner may read the home.
fn home(home: &Path, fix: bool) -> Finding {
    let state = match std::fs::metadata(home).map(|data| data.permissions().mode() & 0o777) {
        Ok(mode) if mode & 0o077 == 0 => State::Fine(home.display().to_string()),
        Ok(mode) if fix => match std::fs::set_permissions(home, std::fs::Permissions::from_mode(0o700)) {
            Ok(()) => State::Mended(format!(
                "{} was open to others ({mode:o}); it is yours alone now",
                home.display()
            )),
            Err(error) => State::Broken(format!(
                "{} is open to others ({mode:o}) and cannot be closed: {error}",
                home.display()
            )),
        },
        Ok(mode) => State::Broken(format!(
            "{} is open to others ({mode:o}); close it with `chmod 700` or `throughline doctor --fix`",
            home.display()
        )),
        Err(error) => State::Broken(format!("{} cannot be read: {error}", home.display())),
    };
    Finding { name: "home", state }
}

async fn store(app: &App, fix: bool) -> Vec<Finding> {
    let store = match app.store().await {
        Ok(store) => store,
        Err(failure) => return vec![damaged(app, is_damage(&failure), failure.into_sentence(), fix).await],
    };
    let mut findings = Vec::new();
    let checks = match store.check().await {
        Ok(checks) => checks,
        Err(error) => {
            drop(store);
            return vec![damaged(app, true, error.to_string(), fix).await];
        }
    };
    let is_damaged = |check: &Check| check.name == DATABASE_FILE && check.problem.is_some();
    if let Some(check) = checks.iter().find(|check| is_damaged(check)) {
        drop(store);
        return vec![damaged(app, true, check.problem.clone().unwrap_or_default(), fix).await];
    }
    for check in checks {
        let state = match check.problem {
            None if check.name == DATABASE_FILE && app.known_key().is_some() => {
                State::Fine("fine, and encrypted".to_owned())
            }
            None => State::Fine("fine".to_owned()),
            Some(problem) if fix && check.name == "word index" => match store.reindex().await {
                Ok(()) => State::Mended(format!("{problem}; it was rebuilt")),
                Err(error) => State::Broken(error.to_string()),
            },
            Some(problem) if check.name == "word index" => {
                State::Broken(format!("{problem}; rebuild it with `throughline reindex`"))
            }
            Some(problem) => {
                State::Broken(format!("{problem}. Export what can be read with `throughline export`"))
            }
        };
        findings.push(Finding { name: check.name, state });
    }
    if let Ok(unfinished) = store.unfinished_turns().await {
        let dead = {
            let (here, now) = (Owner::this_process(), SystemClock.now());
            unfinished.iter().filter(|(_, holder)| here.may_take_over_from(holder, now)).count()
        };
        let state = match dead {
            0 => State::Fine(format!("{} under way", unfinished.len())),
            dead => {
                State::Note(format!("{dead} ended with their process; the next command puts them in order"))
            }
        };
        findings.push(Finding { name: "turns", state });
    }
    findings.extend(jobs(&store, fix).await);
    findings.extend(files(app, &store).await);
    findings
}

/// Checks for jobs that were set aside after too many failures.
async fn jobs(store: &Store, fix: bool) -> Option<Finding> {
    let figures = store.figures().await.ok().filter(|figures| figures.set_aside_jobs > 0)?;
    let aside = format!("{} set aside", counted(figures.set_aside_jobs, "job"));
    let why = figures.job_problem.unwrap_or_default();
    let state = match fix {
        false => State::Broken(format!("{aside}: {why}. Retry with `throughline doctor --fix`")),
        true => match store.resume_jobs().await {
            Ok(_) => State::Mended(format!("{aside}; the next command runs it again")),
            Err(error) => State::Broken(error.to_string()),
        },
    };
    Some(Finding { name: "jobs", state })
}

fn is_damage(failure: &Failure) -> bool {
    matches!(failure, Failure::Failed { code: "corrupt", .. })
}

/// Reports an unusable database. With `fix`, a damaged one is replaced by the newest intact backup.
async fn damaged(app: &App, is_damage: bool, problem: String, fix: bool) -> Finding {
    let backup = if is_damage { newest_intact(app).await } else { None };
    let state = match backup {
        Some(file) if fix => match restore_newest(&file, app).await {
            Ok(done) => State::Mended(format!("{problem} It was {done}")),
            Err(failure) => State::Broken(format!("{problem} {}", failure.into_sentence())),
        },
        Some(file) => State::Broken(format!(
            "{problem} The newest good backup is {}: put it in place with `throughline doctor --fix`",
            file.display()
        )),
        None if is_damage => State::Broken(format!(
            "{problem} There is no good backup in the backups folder or where `backup` wrote one"
        )),
        None => State::Broken(problem),
    };
    Finding { name: "database", state }
}

/// Compares the files of messages with the database; `None` if there are no files.
async fn files(app: &App, store: &Store) -> Option<Finding> {
    let named: BTreeSet<String> = store.kept_files().await.ok()?.into_iter().collect();
    let there: BTreeSet<String> = app.files().list().into_iter().collect();
    if named.is_empty() && there.is_empty() {
        return None;
    }
    let (missing, unnamed) = (named.difference(&there).count(), there.difference(&named).count());
    let folder = app.files().0;
    let state = match (missing, unnamed) {
        (0, 0) => State::Fine(format!("{} of messages", counted(named.len() as u64, "file"))),
        _ => State::Note(format!(
            "{missing} of {} that messages name are missing in {}, and {unnamed} there are named by no message. Backups hold the database only",
            counted(named.len() as u64, "file"),
            folder.display()
        )),
    };
    Some(Finding { name: "files", state })
}

/// Checks the free disk space: a write needs space for itself, its journal and a checkpoint.
fn space(home: &Path) -> Finding {
    const LEAST: u64 = 64 * 1024 * 1024;
    let state = match rustix::fs::statvfs(home) {
        Ok(data) => {
            let free = data.f_bavail.saturating_mul(data.f_frsize);
            let said = format!("{:.1} GB free", free as f64 / 1e9);
            if free < LEAST {
                State::Broken(format!("{said}; make room before the disk is full"))
            } else {
                State::Fine(said)
            }
        }
        Err(error) => State::Note(format!("the free space is unknown: {error}")),
    };
    Finding { name: "disk", state }
}

/// Sends a test request to the model.
async fn model(app: &App) -> Finding {
    let state = match app.models().await {
        Err(failure) => State::Broken(failure.into_sentence()),
        Ok(models) => {
            let found = models.found.as_ref().map(|found| format!("; {found}")).unwrap_or_default();
            match &models.small {
                None if models.model.name() == "offline" => State::Note(format!(
                    "offline: the built-in model answers from memory, without a network{found}"
                )),
                _ => match models.probe().await {
                    Ok(cost) => {
                        let cost = cost.map(|usd| format!(" (asking it cost ${usd:.5})")).unwrap_or_default();
                        State::Fine(format!("{} answers{found}{cost}", models.model.name()))
                    }
                    Err(error) if app.settings.model == ModelChoice::Auto => {
                        State::Note(format!("{error}; until then the built-in model answers{found}"))
                    }
                    Err(error) => State::Broken(error.to_string()),
                },
            }
        }
    };
    Finding { name: "model", state }
}

/// Checks that vectors can be made, and that every message has one.
async fn embedder(app: &App, fix: bool) -> Finding {
    let name = &app.settings.embedder;
    let state = match BuiltIn::new().map(|builtin| app.embedder(builtin)) {
        Ok(None) => State::Note(format!("{name}: search goes by words")),
        Ok(Some(embedder)) => match embedder.embed_question("hello").await {
            Ok(_) => match vectors(app, fix).await {
                Ok(state) => state,
                Err(failure) => State::Note(format!("{name} answers, but {}", failure.into_sentence())),
            },
            Err(error @ embed::Error::Unavailable { .. }) => {
                State::Note(format!("{error}; until then, search goes by words"))
            }
            Err(error @ embed::Error::Missing(_)) if *name == EmbedderChoice::MiniLm => {
                State::Broken(format!("{error}; `throughline embedder use minilm` does so"))
            }
            Err(error) => State::Broken(format!("{error}; until then, search goes by words")),
        },
        Err(error) => State::Broken(error.to_string()),
    };
    Finding { name: "embedder", state }
}

/// Tests the embedder, and counts the messages with vectors.
async fn vectors(app: &App, fix: bool) -> Result<State, Failure> {
    if has_no_database(app) {
        return Ok(State::Fine(format!("{}; nothing to embed yet", app.settings.embedder)));
    }
    let engine = app.engine().await?;
    let look = async || -> Result<_, Failure> {
        let figures = engine.store.figures().await?;
        Ok((figures.messages.saturating_sub(figures.embedded(engine.embedder_id())), figures.job_problem))
    };
    let name = &app.settings.embedder;
    let (without, problem) = look().await?;
    let Some(problem) = problem.filter(|_| without > 0) else {
        return Ok(State::Fine(match without {
            0 => format!("{name}; every message has its vector"),
            more => format!("{name}; {} to be embedded", counted(more, "message")),
        }));
    };
    if !fix {
        return Ok(State::Broken(format!(
            "{} without a vector, since a job fails: {problem}. Try again at once with `throughline doctor --fix`",
            counted(without, "message")
        )));
    }
    engine.store.retry_vectors().await?;
    app.run_jobs(&engine).await;
    Ok(match look().await? {
        (left, Some(problem)) if left > 0 => {
            State::Broken(format!("{} still without a vector: {problem}", counted(left, "message")))
        }
        (left, _) => State::Mended(format!(
            "{name}; {} got a vector",
            counted(without.saturating_sub(left), "message")
        )),
    })
}

/// Checks the bot in the settings, and looks for anything that prevents it from receiving messages.
async fn telegram(app: &App, fix: bool) -> Finding {
    let state = match &app.settings.telegram.bot_token {
        None => State::Note("off; `throughline onboard` connects a bot".to_owned()),
        Some(token) => match connect(app, token) {
            Ok(api) => match tokio::time::timeout(TELEGRAM_TIMEOUT, bot(&api, app, fix)).await {
                Ok(Ok(state)) => state,
                Ok(Err(failure)) => State::Broken(failure.to_string()),
                Err(_) => {
                    State::Broken(format!("Telegram did not answer within {} s", TELEGRAM_TIMEOUT.as_secs()))
                }
            },
            Err(failure) => State::Broken(failure.into_sentence()),
        },
    };
    Finding { name: "telegram", state }
}

async fn bot(api: &Api, app: &App, fix: bool) -> Result<State, ApiError> {
    let me = api.me().await?;
    let webhook = api.call("getWebhookInfo", &json!({})).await?;
    if webhook.get("url").and_then(Value::as_str).is_some_and(|url| !url.is_empty()) {
        if !fix {
            return Ok(State::Broken(format!(
                "@{} sends what it hears to a webhook, so nothing arrives here; `throughline doctor --fix` removes it",
                me.username
            )));
        }
        api.call("deleteWebhook", &json!({ "drop_pending_updates": false })).await?;
        return Ok(State::Mended(format!("@{} sent what it heard to a webhook; it is removed", me.username)));
    }
    Ok(match serves_anyone(app).await {
        Ok(true) => State::Fine(format!("@{} answers", me.username)),
        Ok(false) => State::Note(format!(
            "@{} answers, but serves nobody: set telegram.user_id to your number, or telegram.pairing to \"on\"",
            me.username
        )),
        Err(failure) => State::Broken(failure.into_sentence()),
    })
}

/// Whether anyone is on the list, was paired, or can request pairing.
async fn serves_anyone(app: &App) -> Result<bool, Failure> {
    let telegram = &app.settings.telegram;
    let listed = telegram.user_id.is_some() || !telegram.allowed_users.is_empty();
    if listed || telegram.pairing == Pairing::On || has_no_database(app) {
        return Ok(listed || telegram.pairing == Pairing::On);
    }
    Ok(!app.store().await?.paired_people().await?.is_empty())
}
