//! Reads the key of an encrypted database from the source in the settings.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use throughline_store::Key;

use crate::config::settings::Encryption;
use crate::output::Failure;

/// The key, from the variable, the file or the program in the settings; `None` if there is none.
pub fn read(settings: &Encryption) -> Result<Option<Key>, Failure> {
    let (from, bytes) = match (&settings.key, &settings.key_file, &settings.key_command) {
        (Some(key), ..) => ("encryption.key", key.expose().as_bytes().to_vec()),
        (None, Some(file), _) => ("encryption.key_file", in_file(&file.0)?),
        (None, None, Some(command)) => ("encryption.key_command", printed(&command.0)?),
        (None, None, None) => return Ok(None),
    };
    let unusable =
        |why| failed(format!("{from} gives no key: {why}. A key is 64 hexadecimal digits, or a passphrase"));
    Key::read(&bytes).map(Some).map_err(unusable)
}

fn in_file(file: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: std::io::Error| {
        failed(format!("encryption.key_file names {}, which cannot be read: {error}", file.display()))
    };
    let mode = std::fs::metadata(file).map_err(unreadable)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let file = file.display();
        return Err(failed(format!(
            "encryption.key_file names {file}, which is open to others ({mode:o}); close it with `chmod 600 {file}`"
        )));
    }
    std::fs::read(file).map_err(unreadable)
}

/// The output of a program, which reports its own errors on stderr.
fn printed(words: &[String]) -> Result<Vec<u8>, Failure> {
    let (program, arguments) =
        words.split_first().map_or(("", words), |(first, rest)| (first.as_str(), rest));
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::inherit());
    match command.output() {
        Ok(ran) if ran.status.success() => Ok(ran.stdout),
        Ok(ran) => Err(failed(format!("encryption.key_command: {program} ended with {}", ran.status))),
        Err(error) => Err(failed(format!("encryption.key_command: {program} cannot be run: {error}"))),
    }
}

fn failed(sentence: String) -> Failure {
    Failure::failed("locked", sentence)
}
