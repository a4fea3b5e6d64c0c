//! `backup` and `restore`, and which backups hold a text.

use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::json;

use crate::output::{Failure, Output};
use crate::wire::App;

pub async fn run(file: &Path, app: &App, output: Output) -> Result<(), Failure> {
    if file.exists() {
        return Err(Failure::failed(
            "exists",
            format!("{} exists; choose another name, for a backup never replaces a file", file.display()),
        ));
    }
    let store = app.store().await?;
    let file = std::path::absolute(file)?;
    store.back_up(&file).await?;
    note(app, &file)?;
    let bytes = std::fs::metadata(&file)?.len();
    output.print(
        || json!({ "file": file, "bytes": bytes }),
        |style| format!("{} {} ({:.1} MB)", style.good("✓"), file.display(), bytes as f64 / 1e6),
    )
}

pub async fn restore(file: &Path, app: &App, output: Output) -> Result<(), Failure> {
    let store = app.store().await?;
    let forgotten = store.all_suppressions().await?;
    let messages = store.restore(file).await?;
    // What was forgotten since the backup was made does not come back with it.
    let again = app.engine().await?.forget_again(&forgotten).await?;
    output.print(
        || json!({ "restored": file, "messages": messages, "forgotten_again": again }),
        |style| {
            format!(
                "{} {messages} messages restored; what was there before is in {}",
                style.good("✓"),
                app.home.join("backups").display()
            )
        },
    )
}

/// The backups that hold one of these texts: those of the home, and those that `backup` wrote and that are still there.
pub fn holding(app: &App, texts: &[String]) -> Vec<PathBuf> {
    let files = std::fs::read_dir(app.home.join("backups")).into_iter().flatten().flatten();
    let mut backups: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    let noted = std::fs::read_to_string(noted(app)).unwrap_or_default();
    backups.extend(noted.lines().map(PathBuf::from));
    backups.sort();
    backups.dedup();
    // Metadata and what can be undone are stored as JSON.
    let as_json = |text: &String| Some(serde_json::to_string(text).ok()?.trim_matches('"').to_owned());
    let written: Vec<String> =
        texts.iter().flat_map(|text| [Some(text.clone()), as_json(text)]).flatten().collect();
    let finders: Vec<memmem::Finder<'_>> = written
        .iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| memmem::Finder::new(text.as_bytes()))
        .collect();
    let holds = |file: &PathBuf| {
        std::fs::read(file).is_ok_and(|bytes| finders.iter().any(|finder| finder.find(&bytes).is_some()))
    };
    backups.into_iter().filter(holds).collect()
}

/// Records the path of a backup, so that forgetting can name it.
fn note(app: &App, file: &Path) -> Result<(), Failure> {
    let mut known = std::fs::read_to_string(noted(app)).unwrap_or_default();
    known.push_str(&format!("{}\n", file.display()));
    Ok(std::fs::write(noted(app), known)?)
}

fn noted(app: &App) -> PathBuf {
    app.home.join("backups.txt")
}
