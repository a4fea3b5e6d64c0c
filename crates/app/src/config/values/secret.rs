//! Secrets, which are never shown.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::plain::place;
use super::{Given, Raw, Value};

/// The prefix in `config.toml` of the path of a file that contains the secret.
pub const FILE: &str = "file:";

/// Printed instead of a secret.
pub const HIDDEN: &str = "(set)";

/// A token, key or password. It can be neither printed nor serialized.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value, for the service that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Value for Secret {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let written = given.text()?;
        let text = match given.raw {
            // A variable or an answer contains the secret itself.
            Raw::Text(_) => match written.strip_prefix(FILE) {
                Some(path) => &in_file(path, given.folder)?,
                None => written,
            },
            _ => written,
        };
        // Tokens are sent in headers and paths, where these characters would truncate them or inject lines.
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("holds white space or control characters; copy it again".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    fn shown(&self) -> Json {
        json!(HIDDEN)
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": 1, "writeOnly": true})
    }
}

/// The path of a file with a key, relative to the folder of the config file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFile(pub PathBuf);

impl Value for KeyFile {
    fn read(given: Given<'_>) -> Result<Self, String> {
        place(given.text()?, given.folder).map(Self)
    }

    fn shown(&self) -> Json {
        json!(self.0.to_string_lossy())
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}

/// Reads a secret from a file, whose path is relative to the folder of the config file.
fn in_file(path: &str, folder: &Path) -> Result<String, String> {
    let path = place(path.trim(), folder)?;
    let text = fs::read_to_string(&path).map_err(|error| {
        format!(
            "names the file {}, which cannot be read: {error}; write the secret there, or remove the setting",
            path.display()
        )
    })?;
    match text.trim() {
        "" => Err(format!("names the file {}, which is empty; write the secret there", path.display())),
        secret => Ok(secret.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{read_text, read_words};
    use super::*;

    #[test]
    fn c6_a_secret_is_kept_but_never_printed() {
        let secret: Secret = read_text("4711:AAF-x").unwrap();
        assert_eq!(secret.0, "4711:AAF-x");
        assert_eq!((format!("{secret:?}"), secret.shown()), ("(set)".to_owned(), json!("(set)")));
    }

    #[test]
    fn c6_a_malformed_secret_is_not_repeated_in_the_error() {
        let why = read_text::<Secret>("sk-live with space").unwrap_err();
        assert!(!why.contains("sk-live"), "{why}");
    }

    #[test]
    fn c6_a_secret_may_be_in_a_file_that_the_config_file_names() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("key"), "sk-live\n").unwrap();
        fs::write(folder.path().join("empty"), "\n").unwrap();
        let read =
            |text: &str| Secret::read(Given { raw: &Raw::Text(text.to_owned()), folder: folder.path() });
        assert_eq!(read("file:key").map(|secret| secret.0), Ok("sk-live".to_owned()));
        for (text, why) in [
            ("file:missing", "missing, which cannot be read"),
            ("file:empty", "empty, which is empty"),
            ("file:~/key", "cannot start with ~"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
        assert_eq!(read_words::<Secret>("file:key").unwrap().0, "file:key", "a variable names no file");
    }
}
