//! `encrypt` and `decrypt`: rewrite the database with the key in the settings, or without one.

use std::path::PathBuf;

use serde_json::json;
use throughline_store::restore::{convert, is_encrypted};
use throughline_store::{Key, Options};

use super::backup::plain_and_encrypted;
use crate::output::{Failure, Output, Style, counted};
use crate::wire::App;

const NO_KEY: &str = "no key is set. Make one with `openssl rand -hex 32 > KEY_FILE`, close it with `chmod 600 KEY_FILE`, and \
     name it with key_file = \"KEY_FILE\" under [encryption] in config.toml";

pub async fn encrypt(app: &App, output: Output) -> Result<(), Failure> {
    let (options, key) = with_key(app).await?;
    if is_encrypted(&options.path) {
        // A wrong key is reported first.
        app.store().await?;
        return Err(Failure::failed("conflict", format!("{} is already encrypted", options.path.display())));
    }
    let messages = convert(Options { key: None, ..options }, Some(key)).await?;
    let (plain, _) = plain_and_encrypted(app);
    let file = app.database().display();
    output.print(
        || json!({ "encrypted": true, "messages": messages, "plain_backups": plain }),
        |style| {
            let done = format!("{} {file} is encrypted ({})", style.good("✓"), counted(messages, "message"));
            let then = "Delete them once you have an encrypted one";
            done + &about_backups(&plain, "are not encrypted", then, style)
        },
    )
}

pub async fn decrypt(app: &App, output: Output) -> Result<(), Failure> {
    let (options, _) = with_key(app).await?;
    let file = app.database().display();
    if !is_encrypted(&options.path) {
        return Err(Failure::failed(
            "conflict",
            format!("{file} is not encrypted; remove the key from the settings"),
        ));
    }
    let messages = convert(options, None).await?;
    let (_, encrypted) = plain_and_encrypted(app);
    output.print(
        || json!({ "encrypted": false, "messages": messages, "encrypted_backups": encrypted }),
        |style| {
            let done = format!(
                "{} {file} is a plain SQLite file ({})\nRemove the key from the settings: while one is set, no command opens a plain file",
                style.good("✓"),
                counted(messages, "message")
            );
            done + &about_backups(&encrypted, "are encrypted", "Keep the key as long as you keep them", style)
        },
    )
}

/// A line about the backups that were not converted, if there are any.
fn about_backups(backups: &[PathBuf], are: &str, then: &str, style: Style) -> String {
    if backups.is_empty() {
        return String::new();
    }
    let names: Vec<String> = backups.iter().map(|file| file.display().to_string()).collect();
    format!("\n{} backups from before {are}: {}. {then}", style.bad("!"), names.join(", "))
}

/// The location of the database, and the key.
async fn with_key(app: &App) -> Result<(Options, Key), Failure> {
    let options = app.store_options().await?;
    let Some(key) = options.key.clone() else { return Err(Failure::failed("locked", NO_KEY)) };
    if !options.path.exists() {
        let sentence = "there is no database yet; the first message creates it, encrypted since a key is set";
        return Err(Failure::failed("not_found", sentence));
    }
    Ok((options, key))
}
