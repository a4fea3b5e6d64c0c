//! Changes one key of `config.toml` and leaves the rest of the file as the person wrote it.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use toml::de::DeTable;

/// Writes `key = "value"` into the file at `path`, for a key that stands outside of every table. The file is made where
/// it is missing, keeps its permissions, and is never half written.
///
/// # Errors
/// When the file cannot be read or written.
pub fn set(path: &Path, key: &str, value: &str) -> io::Result<()> {
    // Who keeps the file elsewhere, behind a link, wants it changed there.
    let path = match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
        found => found?,
    };
    let (text, permissions) = match fs::read_to_string(&path) {
        Ok(text) => (text, fs::metadata(&path)?.permissions()),
        Err(error) if error.kind() == ErrorKind::NotFound => (String::new(), Permissions::from_mode(0o600)),
        Err(error) => return Err(error),
    };
    let draft = path.with_extension(format!("toml.{}", std::process::id()));
    let written =
        write(&draft, &with(&text, key, value), permissions).and_then(|()| fs::rename(&draft, &path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn write(path: &Path, text: &str, permissions: Permissions) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    // Before the first byte: the file may hold keys.
    file.set_permissions(permissions)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The text with the key's value in place of what stood there, or with a line for it at the top, where no table has
/// begun.
fn with(text: &str, key: &str, value: &str) -> String {
    let value = toml::Value::from(value).to_string();
    let (document, _) = DeTable::parse_recoverable(text);
    let mut changed = text.to_owned();
    if let Some(old) = document.get_ref().get(key) {
        changed.replace_range(old.span(), &value);
    } else {
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        changed.insert_str(mark, &format!("{key} = {value}{end}"));
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_changes_and_everything_else_stays() {
        let cases = [
            ("", "embedder = \"minilm\"\n"),
            (
                "# mine\nzone = 'UTC'\n\n[openai]\napi_key = 'k'\n",
                "embedder = \"minilm\"\n# mine\nzone = 'UTC'\n\n[openai]\napi_key = 'k'\n",
            ),
            (
                "zone='UTC'\nembedder   = 'openai/é'   # dear\n[logs]\n",
                "zone='UTC'\nembedder   = \"minilm\"   # dear\n[logs]\n",
            ),
            ("\"embedder\" = \"\"\"\nnone\"\"\"", "\"embedder\" = \"minilm\""),
            // The same word in a table, a comment or a text is another thing.
            (
                "user_name = 'embedder = 1' # embedder = 2\n[chats.'cli:chat:embedder']\n",
                "embedder = \"minilm\"\nuser_name = 'embedder = 1' # embedder = 2\n[chats.'cli:chat:embedder']\n",
            ),
            ("zone = 'UTC'\r\n", "embedder = \"minilm\"\r\nzone = 'UTC'\r\n"),
        ];
        for (before, after) in cases {
            assert_eq!(with(before, "embedder", "minilm"), after);
            assert_eq!(with(after, "embedder", "minilm"), after);
        }
    }

    #[test]
    fn a_value_is_quoted_so_that_it_reads_back() {
        for value in ["openai/a\"b", "ollama/a\\b'c", "ollama/日本"] {
            let text = with("embedder = 1\n", "embedder", value);
            let table: toml::Table = text.parse().unwrap();
            assert_eq!(table["embedder"].as_str(), Some(value), "{text}");
        }
    }

    #[test]
    fn c6_the_file_keeps_its_permissions_and_a_new_one_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (new, old) = (folder.path().join("new.toml"), folder.path().join("old.toml"));
        let link = folder.path().join("link.toml");
        fs::write(&old, "zone = 'UTC'\n").unwrap();
        fs::set_permissions(&old, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&old, &link).unwrap();
        set(&new, "embedder", "none").unwrap();
        set(&link, "embedder", "none").unwrap();
        assert_eq!((mode(&new), mode(&old)), (0o600, 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&old).unwrap(), "embedder = \"none\"\nzone = 'UTC'\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no draft is left behind");
    }
}
