//! `backup` and `restore`, the daily backups, and the search for backups that contain a text.

use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::json;
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_store::Error;
use throughline_store::forget::Suppressed;
use throughline_store::grants::RevokedAccess;
use throughline_store::restore::{self, BackupCopy, Restore, Restored};

use crate::cli::Backup;
use crate::output::{Failure, Output};
use crate::wire::App;

/// The prefix of a daily backup's name; the date follows.
const DAILY: &str = "daily-";

pub async fn run(args: &Backup, app: &App, output: Output) -> Result<(), Failure> {
    let file = match (&args.file, args.daily) {
        (Some(file), _) => {
            let file = std::path::absolute(file)?;
            if file.exists() {
                return Err(Failure::failed(
                    "exists",
                    format!(
                        "{} exists; choose another name, for a backup never replaces a file",
                        file.display()
                    ),
                ));
            }
            if let Some(folder) = file.parent().filter(|folder| !folder.is_dir()) {
                return Err(Failure::failed(
                    "no_folder",
                    format!("there is no folder {}; make it, or choose another place", folder.display()),
                ));
            }
            let store = app.store().await?;
            store.back_up(&file).await.map_err(|error| not_written(&file, error))?;
            if !store.is_read_only() {
                record_path(app, &file)?;
            }
            file
        }
        (None, Some(kept)) => daily(app, &app.engine().await?, kept).await?,
        (None, None) => return Err(Failure::Usage("name a file, or say --daily N".to_owned())),
    };
    let bytes = std::fs::metadata(&file)?.len();
    output.print(
        || json!({ "file": file, "bytes": bytes }),
        |style| format!("{} {} ({:.1} MB)", style.good("✓"), file.display(), bytes as f64 / 1e6),
    )
}

/// Names the backup's file, for it is not the database that cannot be used.
fn not_written(file: &Path, error: Error) -> Failure {
    match error {
        Error::Unavailable { .. } | Error::ReadOnly(_) => {
            Failure::failed("not_written", format!("{} cannot be written: {error}", file.display()))
        }
        error => error.into(),
    }
}

/// Makes today's backup in the home, unless it exists, and deletes all but the newest `kept` daily backups.
pub async fn daily(app: &App, engine: &Engine, kept: u32) -> Result<PathBuf, Failure> {
    let folder = folder(app);
    std::fs::create_dir_all(&folder)?;
    let today = time::day(engine.now(), &app.settings.zone);
    let file = folder.join(format!("{DAILY}{today}.db"));
    if !file.exists() {
        engine.store.back_up(&file).await?;
        tracing::info!(backup = %file.display(), "daily backup written");
    }
    let mut daily: Vec<PathBuf> = in_home(app).into_iter().filter(|file| is_daily(file)).collect();
    daily.sort();
    let surplus = daily.len().saturating_sub(kept.max(1) as usize);
    for old in daily.into_iter().take(surplus) {
        std::fs::remove_file(&old)?;
        let _ = std::fs::remove_file(checksum(&old));
    }
    Ok(file)
}

/// Removes forgotten texts from the daily backups. Backups that a person made are left alone and only named.
pub async fn clean_daily(app: &App, engine: &Engine) -> Result<(), Failure> {
    let forgotten = engine.store.all_suppressions().await?;
    for file in in_home(app).into_iter().filter(|file| is_daily(file)) {
        if let Err(failure) = clean(&file, &forgotten, app, engine).await {
            tracing::warn!(?failure, backup = %file.display(), "cleaning a daily backup failed; retrying later");
        }
    }
    Ok(())
}

async fn clean(file: &Path, forgotten: &[Suppressed], app: &App, engine: &Engine) -> Result<(), Failure> {
    let Some(name) = file.file_name() else { return Ok(()) };
    let copy = BackupCopy::of(file, app.store_options().await?).await?;
    let held = copy.store().await?;
    let known = held.all_suppressions().await?;
    let is_clean = forgotten.iter().all(|forgetting| known.contains(forgetting));
    let cleaner = Engine { store: held.clone(), ..engine.clone() };
    let mut is_changed = held.purge_forgotten(engine.now()).await? > 0;
    if !is_clean {
        cleaner.forget_again(forgotten).await?;
        is_changed = true;
    }
    if is_changed {
        let folder = folder(app).join("cleaning");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let clean = folder.join(name);
        held.back_up(&clean).await?;
        std::fs::rename(checksum(&clean), checksum(file))?;
        std::fs::rename(&clean, file)?;
        std::fs::remove_dir(&folder)?;
    }
    Ok(())
}

/// Returns true if a file is one of the daily backups.
pub fn is_daily(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(DAILY))
}

pub async fn restore(file: &Path, app: &App, output: Output) -> Result<(), Failure> {
    let done = replace_database(file, app).await?;
    let Restored { messages, kept } = &done.restored;
    output.print(
        || {
            let RevokedAccess { tokens, people } = &done.ended;
            let ended = json!({ "tokens": tokens, "people": people });
            json!({ "restored": file, "messages": messages, "kept": kept, "forgotten_again": done.forgotten, "ended": ended })
        },
        |style| {
            let kept = kept.as_ref().map_or_else(String::new, |kept| {
                format!("; what was there before is in {}", kept.display())
            });
            let forgotten = match done.forgotten {
                None => "\nWhat was forgotten since could not be read from the damaged database, so it may be back.",
                Some(_) => "",
            };
            let ended = done.ended_access().map_or_else(String::new, |ended| format!("\n{ended}"));
            format!("{} {messages} messages restored{kept}{forgotten}{ended}", style.good("✓"))
        },
    )
}

/// A restored backup. Restoring brings back neither forgotten texts nor revoked access.
struct RestoredHome {
    restored: Restored,
    /// The number of forgettings that were repeated; `None` if the damaged database could not be read.
    forgotten: Option<u64>,
    /// The access that was ended.
    ended: RevokedAccess,
    /// Whether the replaced database could be read for revoked access.
    is_known: bool,
}

impl RestoredHome {
    /// A sentence about the access that was ended, if any.
    fn ended_access(&self) -> Option<String> {
        let tokens = self.ended.tokens.iter().map(|name| format!("the token {name}"));
        let names: Vec<String> = tokens.chain(self.ended.people.iter().cloned()).collect();
        let names = Some(names.join(", ")).filter(|names| !names.is_empty())?;
        Some(match self.is_known {
            true => format!("Still revoked: {names}."),
            false => format!(
                "Nobody can tell who was revoked since the backup was made, so these have no access any more: {names}. \
                 Give it again with `throughline token add`; people can ask for it again."
            ),
        })
    }
}

/// Replaces the database by a backup.
async fn replace_database(file: &Path, app: &App) -> Result<RestoredHome, Failure> {
    let restore = Restore::prepare(app.store_options().await?, file).await?;
    let forgotten = restore.suppressions_before().await;
    let granted = restore.grants_before().await;
    let is_known = granted.is_some();
    let ended = restore.store().await?.revoke_all_except(granted.unwrap_or_default()).await?;
    let forgotten = match &forgotten {
        Some(forgotten) if !forgotten.is_empty() => {
            let engine = app.engine_on(restore.store().await?, app.models().await?)?;
            Some(engine.forget_again(forgotten).await?)
        }
        Some(_) => Some(0),
        None => None,
    };
    Ok(RestoredHome { restored: restore.carry_out().await?, forgotten, ended, is_known })
}

/// The newest intact backup, by modification time.
pub async fn newest_intact(app: &App) -> Option<PathBuf> {
    let key = app.store_options().await.ok()?.key;
    let mut files = known(app);
    files.sort_by_key(|file| std::fs::metadata(file).and_then(|data| data.modified()).ok());
    for file in files.into_iter().rev() {
        if restore::check(&file, key.as_ref()).await.is_ok() {
            return Some(file);
        }
    }
    None
}

/// Replaces a damaged database by the newest intact backup, and returns a sentence about it.
pub async fn restore_newest(file: &Path, app: &App) -> Result<String, Failure> {
    let done = replace_database(file, app).await?;
    let ended = done.ended_access().map_or_else(String::new, |ended| format!(". {ended}"));
    let Restored { messages, kept } = done.restored;
    let kept = kept.map_or_else(String::new, |kept| format!("; the damaged one is in {}", kept.display()));
    Ok(format!("restored from {} ({messages} messages){kept}{ended}", file.display()))
}

/// The backups that contain one of these texts: those in the home, and those that `backup` wrote elsewhere and that
/// still exist.
pub fn containing(app: &App, texts: &[String]) -> Vec<PathBuf> {
    // Metadata and undo data are stored as JSON.
    let as_json = |text: &String| Some(serde_json::to_string(text).ok()?.trim_matches('"').to_owned());
    let written: Vec<String> =
        texts.iter().flat_map(|text| [Some(text.clone()), as_json(text)]).flatten().collect();
    let finders: Vec<memmem::Finder<'_>> = written
        .iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| memmem::Finder::new(text.as_bytes()))
        .collect();
    let holds = |file: &PathBuf| {
        match restore::content(file, app.known_key()) {
            Ok(bytes) => finders.iter().any(|finder| finder.find(&bytes).is_some()),
            // A backup with another key might contain the text.
            Err(error) => matches!(error, Error::Locked { .. }),
        }
    };
    known(app).into_iter().filter(holds).collect()
}

/// All backups that this home knows of.
fn known(app: &App) -> Vec<PathBuf> {
    let mut backups = in_home(app);
    let noted = std::fs::read_to_string(noted(app)).unwrap_or_default();
    backups.extend(noted.lines().map(PathBuf::from));
    backups.sort();
    backups.dedup();
    backups
}

/// The existing backups, divided into plain and encrypted ones.
pub fn plain_and_encrypted(app: &App) -> (Vec<PathBuf>, Vec<PathBuf>) {
    known(app).into_iter().filter(|file| file.exists()).partition(|file| !restore::is_encrypted(file))
}

fn in_home(app: &App) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder(app)).into_iter().flatten().flatten().map(|entry| entry.path());
    // A backup that is still being written has another extension, and is cleaned once it is complete.
    files.filter(|file| file.is_file() && file.extension().is_some_and(|end| end == "db")).collect()
}

fn checksum(file: &Path) -> PathBuf {
    file.with_extension("db.sha256")
}

fn folder(app: &App) -> PathBuf {
    app.home.join("backups")
}

/// Records the path of a backup, so that forgetting can name it.
fn record_path(app: &App, file: &Path) -> Result<(), Failure> {
    let mut known = std::fs::read_to_string(noted(app)).unwrap_or_default();
    known.push_str(&format!("{}\n", file.display()));
    Ok(std::fs::write(noted(app), known)?)
}

fn noted(app: &App) -> PathBuf {
    app.home.join("backups.txt")
}
