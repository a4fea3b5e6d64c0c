//! Changes single keys of `config.toml` and leaves the rest of the file as the person wrote it.

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
    change(path, |text| Some(with(text, key, value))).map(drop)
}

/// Writes a key of a table, such as `telegram.bot_token`, and says whether that changed anything.
///
/// # Errors
/// When the file cannot be read or written.
pub fn set_in_table(path: &Path, key: &str, value: &toml::Value) -> io::Result<bool> {
    change(path, |text| with_in_table(text, key, value))
}

/// Writes lines at the end of the file.
///
/// # Errors
/// When the file cannot be read or written.
pub fn append(path: &Path, lines: &str) -> io::Result<()> {
    change(path, |text| {
        let apart = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Some(format!("{text}{apart}{lines}"))
    })
    .map(drop)
}

/// Writes lines at the beginning of the file, outside of every table.
///
/// # Errors
/// When the file cannot be read or written.
pub fn prepend(path: &Path, lines: &str) -> io::Result<()> {
    let apart = |text: &str| if text.is_empty() { "" } else { "\n" };
    change(path, |text| Some(format!("{lines}{}{text}", apart(text)))).map(drop)
}

/// Replaces the text of the file by what becomes of it, unless that is nothing.
fn change(path: &Path, change: impl FnOnce(&str) -> Option<String>) -> io::Result<bool> {
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
    let Some(changed) = change(&text) else { return Ok(false) };
    let draft = path.with_extension(format!("toml.{}", std::process::id()));
    let written = write(&draft, &changed, permissions).and_then(|()| fs::rename(&draft, &path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written.map(|()| true)
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

/// The text with the value of a table's key in place of what stood there, or with a line for it below the table's head,
/// or with the table. Nothing where the value stands there already.
fn with_in_table(text: &str, key: &str, value: &toml::Value) -> Option<String> {
    let (table, name) = key.split_once('.')?;
    let (document, _) = DeTable::parse_recoverable(text);
    let held = document.get_ref().get(table).and_then(|held| held.get_ref().as_table());
    if let Some(old) = held.and_then(|held| held.get(name)) {
        let same = text.get(old.span()).and_then(|old| format!("x = {old}").parse::<toml::Table>().ok());
        if same.is_some_and(|same| same.get("x") == Some(value)) {
            return None;
        }
        let mut changed = text.to_owned();
        changed.replace_range(old.span(), &value.to_string());
        return Some(changed);
    }
    let head = format!("[{table}]");
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.split('#').next().is_some_and(|line| line.trim() == head) {
            let apart = if line.ends_with('\n') { "" } else { "\n" };
            let mut changed = text.to_owned();
            changed.insert_str(at, &format!("{apart}{name} = {value}\n"));
            return Some(changed);
        }
    }
    if held.is_some() {
        // The table is written as dotted keys, and goes on so.
        return Some(format!("{key} = {value}\n{text}"));
    }
    let apart = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some(format!("{text}{apart}\n{head}\n{name} = {value}\n").trim_start_matches('\n').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_a_table_goes_where_the_table_is() {
        let cases = [
            ("", "[telegram]\nbot_token = \"7:x\"\n"),
            ("zone = 'UTC'\n", "zone = 'UTC'\n\n[telegram]\nbot_token = \"7:x\"\n"),
            (
                "[telegram] # mine\nuser_id = 1\n[logs]\n",
                "[telegram] # mine\nbot_token = \"7:x\"\nuser_id = 1\n[logs]\n",
            ),
            ("[telegram]\nbot_token = 'old' # kept\n", "[telegram]\nbot_token = \"7:x\" # kept\n"),
            ("telegram.user_id = 1\n", "telegram.bot_token = \"7:x\"\ntelegram.user_id = 1\n"),
            ("[telegram]", "[telegram]\nbot_token = \"7:x\"\n"),
        ];
        let value = toml::Value::from("7:x");
        for (before, after) in cases {
            assert_eq!(with_in_table(before, "telegram.bot_token", &value).as_deref(), Some(after));
            assert_eq!(with_in_table(after, "telegram.bot_token", &value), None, "{after}");
            let table: toml::Table = after.parse().unwrap();
            assert_eq!(table["telegram"]["bot_token"].as_str(), Some("7:x"));
        }
    }

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
