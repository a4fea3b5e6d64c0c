//! Changes single keys of `config.toml` and leaves the rest of the file as the person wrote it.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError, Value};

use super::values::secret::Secret;

/// Sets a key, such as `embedder` or `telegram.bot_token`, and returns whether that changed anything. The file is
/// created if it is missing, keeps its permissions, and is replaced atomically.
pub fn set(path: &Path, key: &str, value: impl Into<Value>) -> io::Result<bool> {
    change(path, |text| with(text, key, value.into()).map_err(|_| not_toml()))
}

fn not_toml() -> io::Error {
    // The parser's error would quote the line, which may contain a secret.
    io::Error::new(ErrorKind::InvalidData, "the file is not valid TOML")
}

/// Changes to the file that are saved atomically.
pub struct Edit {
    path: PathBuf,
    /// The file as it was read; `None` if it did not exist.
    before: Option<String>,
    text: String,
}

impl Edit {
    /// Reads the file, which may be missing.
    pub fn open(path: &Path) -> io::Result<Self> {
        let before = match fs::read_to_string(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Self { path: path.to_owned(), text: before.clone().unwrap_or_default(), before })
    }

    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Sets a key, and returns whether that changes anything.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) -> io::Result<bool> {
        let changed = with(&self.text, key, value.into()).map_err(|_| not_toml())?;
        let has_changed = changed.is_some();
        self.text = changed.unwrap_or_else(|| std::mem::take(&mut self.text));
        Ok(has_changed)
    }

    /// Adds lines at the end.
    pub fn append(&mut self, lines: &str) {
        let apart = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { "\n" };
        self.text = format!("{}{apart}{lines}", self.text);
    }

    /// Adds lines at the beginning, outside of every table.
    pub fn prepend(&mut self, lines: &str) {
        let apart = if self.text.is_empty() { "" } else { "\n" };
        self.text = format!("{lines}{apart}{}", self.text);
    }

    /// Writes the changes, if there are any.
    ///
    /// # Errors
    /// When the file cannot be written, or another program has changed it since it was read.
    pub fn save(self) -> io::Result<()> {
        change(&self.path, |text| {
            if text != self.before.as_deref().unwrap_or_default() {
                return Err(io::Error::other(
                    "the config file was changed meanwhile, so it was left alone; try again",
                ));
            }
            Ok((self.text != text).then_some(self.text))
        })
        .map(drop)
    }
}

/// Atomically writes a secret to a file that only its owner can read, in a folder that only its owner can read.
pub fn store_secret(path: &Path, secret: &Secret) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    replace(path, &format!("{}\n", secret.expose()), Permissions::from_mode(0o600))
}

/// Replaces the text of the file by the result of `change`; `None` leaves it unchanged.
pub fn change(path: &Path, change: impl FnOnce(&str) -> io::Result<Option<String>>) -> io::Result<bool> {
    // A symbolic link stays a link, and its target is changed.
    let path = match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
        found => found?,
    };
    let (text, permissions) = match fs::read_to_string(&path) {
        Ok(text) => (text, fs::metadata(&path)?.permissions()),
        Err(error) if error.kind() == ErrorKind::NotFound => (String::new(), Permissions::from_mode(0o600)),
        Err(error) => return Err(error),
    };
    let Some(changed) = change(&text)? else { return Ok(false) };
    replace(&path, &changed, permissions).map(|()| true)
}

/// Writes a temporary file and renames it.
fn replace(path: &Path, text: &str, permissions: Permissions) -> io::Result<()> {
    let draft = path.with_extension(format!("draft.{}", std::process::id()));
    let written = write(&draft, text, permissions).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn write(path: &Path, text: &str, permissions: Permissions) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    // Permissions are set before the first byte is written, because the file may contain keys.
    file.set_permissions(permissions)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The text with the key set; `None` if the key has that value already.
fn with(text: &str, key: &str, value: Value) -> Result<Option<String>, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let (tables, name) = key.rsplit_once('.').map_or(("", key), |(tables, name)| (tables, name));
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for word in tables.split('.').filter(|word| !word.is_empty()) {
        let inner = table.entry(word).or_insert_with(|| Item::Table(Table::new()));
        if !inner.is_table_like() {
            *inner = Item::Table(Table::new());
        }
        match inner.as_table_like_mut() {
            Some(inner) => table = inner,
            None => return Ok(None),
        }
    }
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) if is_same(old, &value) => return Ok(None),
        Some(old) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(name, Item::Value(value));
        }
    }
    Ok(Some(as_before(text, &document.to_string())))
}

fn is_same(left: &Value, right: &Value) -> bool {
    plain(left) == plain(right)
}

/// The value without its comment, quotes and whitespace.
fn plain(value: &Value) -> Option<toml::Table> {
    let mut bare = value.clone();
    bare.decor_mut().clear();
    format!("value = {bare}").parse().ok()
}

/// `changed` with the byte order mark and the line ends of `text`, which a TOML document does not keep.
fn as_before(text: &str, changed: &str) -> String {
    let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let lines = changed.replace("\r\n", "\n");
    format!("{mark}{}", if text.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets the key, checks that it reads back and that setting it again changes nothing, and gives the text.
    fn set_in(before: &str, key: &str, value: &str) -> String {
        let after = with(before, key, value.into()).unwrap().unwrap();
        let table: toml::Table = after.parse().unwrap();
        let read =
            key.split('.').try_fold(&toml::Value::Table(table), |inside, word| inside.get(word)).cloned();
        assert_eq!(read.as_ref().and_then(toml::Value::as_str), Some(value), "{after}");
        assert_eq!(with(&after, key, value.into()).unwrap(), None, "{after}");
        after
    }

    #[test]
    fn a_key_of_a_table_goes_where_the_table_is() {
        let cases = [
            ("", "[telegram]\nbot_token = \"7:x\"\n"),
            ("zone = 'UTC'\n", "zone = 'UTC'\n\n[telegram]\nbot_token = \"7:x\"\n"),
            (
                "[ telegram ] # mine\nuser_id = 1\n[logs]\n",
                "[ telegram ] # mine\nuser_id = 1\nbot_token = \"7:x\"\n[logs]\n",
            ),
            ("[telegram]\nbot_token = 'old' # kept\n", "[telegram]\nbot_token = \"7:x\" # kept\n"),
            ("telegram.user_id = 1\n", "telegram.user_id = 1\ntelegram.bot_token = \"7:x\"\n"),
            ("telegram = { user_id = 1 }\n", "telegram = { user_id = 1 , bot_token = \"7:x\" }\n"),
            ("[telegram]", "[telegram]\nbot_token = \"7:x\"\n"),
        ];
        for (before, after) in cases {
            assert_eq!(set_in(before, "telegram.bot_token", "7:x"), after);
        }
    }

    #[test]
    fn one_value_changes_and_everything_else_stays() {
        let cases = [
            ("", "embedder = \"minilm\"\n"),
            (
                "# mine\nzone = 'UTC'\n\n[openai]\napi_key = 'k'\n",
                "# mine\nzone = 'UTC'\nembedder = \"minilm\"\n\n[openai]\napi_key = 'k'\n",
            ),
            (
                "zone='UTC'\nembedder   = 'openai/é'   # dear\n\n\n[logs]\n",
                "zone='UTC'\nembedder   = \"minilm\"   # dear\n\n\n[logs]\n",
            ),
            ("\"embedder\" = \"\"\"\nnone\"\"\"\n", "\"embedder\" = \"minilm\"\n"),
            // The same word in a table, a comment or a text is another thing.
            (
                "user_name = 'embedder = 1' # embedder = 2\n[chats.'cli:chat:embedder']\n",
                "user_name = 'embedder = 1' # embedder = 2\nembedder = \"minilm\"\n[chats.'cli:chat:embedder']\n",
            ),
            (
                "\u{feff}zone = 'UTC' # é\r\n\r\n[logs]\r\n",
                "\u{feff}zone = 'UTC' # é\r\nembedder = \"minilm\"\r\n\r\n[logs]\r\n",
            ),
        ];
        for (before, after) in cases {
            assert_eq!(set_in(before, "embedder", "minilm"), after);
        }
    }

    #[test]
    fn a_value_is_quoted_so_that_it_reads_back() {
        for value in ["openai/a\"b", "ollama/a\\b'c", "ollama/日本"] {
            set_in("embedder = 1\n", "embedder", value);
        }
        for kept in ["user_id = 4711 # me\n", "user_id = 4_711"] {
            assert_eq!(with(&format!("[telegram]\n{kept}"), "telegram.user_id", 4711.into()).unwrap(), None);
        }
        let listed = [1, 2].into_iter().collect::<Value>();
        assert_eq!(
            with("telegram.allowed_users = [1,2] # us", "telegram.allowed_users", listed).unwrap(),
            None
        );
        let text = with("[telegram]\n", "telegram.user_id", 4711.into()).unwrap();
        assert_eq!(text.as_deref(), Some("[telegram]\nuser_id = 4711\n"));
    }

    #[test]
    fn c6_a_file_that_is_not_toml_stays_as_it_is_and_is_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        fs::write(&file, "api_token = sk-hunter2\n").unwrap();
        assert_eq!(set(&file, "embedder", "none").unwrap_err().to_string(), "the file is not valid TOML");
        assert_eq!(fs::read_to_string(&file).unwrap(), "api_token = sk-hunter2\n");
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
        assert_eq!(fs::read_to_string(&old).unwrap(), "zone = 'UTC'\nembedder = \"none\"\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no draft is left behind");
    }
}
