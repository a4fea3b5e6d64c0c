//! Numbers, words, lists and paths.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::{Given, Raw, Value, excerpt};

impl Value for u32 {
    fn read(given: Given<'_>) -> Result<Self, String> {
        given.number(0)
    }

    fn shown(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({"type": "integer", "minimum": 0, "maximum": Self::MAX})
    }
}

impl Value for NonZeroU32 {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let number = given.number(1_u32)?;
        Self::new(number).ok_or_else(|| "takes a whole number of 1 or more".to_owned())
    }

    fn shown(&self) -> Json {
        json!(self.get())
    }

    fn schema() -> Json {
        json!({"type": "integer", "minimum": 1, "maximum": u32::MAX})
    }
}

impl Value for bool {
    fn read(given: Given<'_>) -> Result<Self, String> {
        match given.raw {
            Raw::Switch(on) => Ok(*on),
            Raw::Text(text) if ["true", "false"].contains(&text.trim()) => {
                Err("takes true or false; write it without the quotes".to_owned())
            }
            Raw::Words(text) if text.trim() == "true" => Ok(true),
            Raw::Words(text) if text.trim() == "false" => Ok(false),
            other => Err(format!("takes true or false, not {}", other.kind())),
        }
    }

    fn shown(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({"type": "boolean"})
    }
}

/// The address of a server.
impl Value for SocketAddr {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let text = given.text()?;
        // Host names are refused, because a name may resolve to several addresses, some of them public.
        text.parse().map_err(|_| {
            format!("cannot be \"{}\"; write an address and a port, such as 127.0.0.1:7717", excerpt(text))
        })
    }

    fn shown(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^\S+:\d{1,5}$"})
    }
}

/// A pause of at most a minute, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseMs(pub u32);

impl PauseMs {
    const MOST: u32 = 60_000;
}

impl Value for PauseMs {
    fn read(given: Given<'_>) -> Result<Self, String> {
        match given.number(0)? {
            ms if ms <= Self::MOST => Ok(Self(ms)),
            ms => Err(format!("cannot be {ms}; the longest pause is {} milliseconds", Self::MOST)),
        }
    }

    fn shown(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        json!({"type": "integer", "minimum": 0, "maximum": Self::MOST})
    }
}

/// A numeric user id of Telegram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TelegramUser(pub u64);

impl Value for TelegramUser {
    fn read(given: Given<'_>) -> Result<Self, String> {
        given.number(1).map(Self)
    }

    fn shown(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        json!({"type": "integer", "minimum": 1})
    }
}

impl<T: Value> Value for Vec<T> {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let read = |(at, raw)| {
            T::read(Given { raw: &raw, ..given })
                .map_err(|why| format!("has a wrong item {}: it {why}", at + 1))
        };
        given.items()?.into_iter().enumerate().map(read).collect()
    }

    fn shown(&self) -> Json {
        self.iter().map(Value::shown).collect()
    }

    fn schema() -> Json {
        json!({"type": "array", "items": T::schema()})
    }
}

/// One line of text: a name.
impl Value for String {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let text = given.text()?;
        if text.chars().any(char::is_control) {
            return Err("takes one line without control characters".to_owned());
        }
        Ok(text.to_owned())
    }

    fn shown(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}

/// Text of any number of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prose(pub String);

impl Value for Prose {
    fn read(given: Given<'_>) -> Result<Self, String> {
        given.text().map(|text| Self(text.replace('\0', "")))
    }

    fn shown(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}

/// The name of an agent. It is also a folder's name under `agents/`, and therefore never a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentName(pub String);

impl Value for AgentName {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let name = given.text()?;
        if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            return Ok(Self(name.to_owned()));
        }
        Err(format!(
            "cannot be \"{}\": an agent's name has the letters a to z, digits, - and _ only",
            excerpt(name)
        ))
    }

    fn shown(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"})
    }
}

/// A program: a path, or a bare name that is looked up on the PATH.
impl Value for PathBuf {
    fn read(given: Given<'_>) -> Result<Self, String> {
        let text = given.text()?;
        if Path::new(text).components().count() == 1 && !text.starts_with('~') {
            return Ok(Self::from(text));
        }
        place(text, given.folder)
    }

    fn shown(&self) -> Json {
        json!(self.to_string_lossy())
    }

    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}

/// A path relative to `folder`.
pub(super) fn place(text: &str, folder: &Path) -> Result<PathBuf, String> {
    // Only a shell expands `~`; here it would become a folder of that name.
    if text.starts_with('~') {
        return Err("cannot start with ~; write the path out".to_owned());
    }
    Ok(folder.join(text))
}

#[cfg(test)]
mod tests {
    use super::super::Raw;
    use super::super::testing::{read, read_text, read_words};
    use super::*;

    #[test]
    fn numbers_say_what_they_take() {
        assert_eq!(read::<u32>(&Raw::Number(0)), Ok(0));
        assert_eq!(read_words::<u32>(" 12 "), Ok(12));
        let cases = [
            (read::<u32>(&Raw::Number(-1)), "takes a whole number of 0 or more, not -1"),
            (read::<u32>(&Raw::Number(1 << 40)), "takes a smaller whole number than 1099511627776"),
            (read_text::<u32>("12"), "takes a whole number; write it without the quotes"),
            (read_text::<u32>("many"), "takes a whole number, not text"),
            (read_words::<u32>("many"), "takes a whole number, not text"),
            (
                read::<u32>(&Raw::Other("a number with a fraction")),
                "takes a whole number, not a number with a fraction",
            ),
            (read::<NonZeroU32>(&Raw::Number(0)).map(u32::from), "takes a whole number of 1 or more, not 0"),
        ];
        for (outcome, why) in cases {
            assert_eq!(outcome, Err(why.to_owned()));
        }
    }

    #[test]
    fn a_switch_is_true_or_false_without_quotes() {
        assert_eq!((read(&Raw::Switch(true)), read_words("false")), (Ok(true), Ok(false)));
        assert_eq!(
            read_text::<bool>("true"),
            Err("takes true or false; write it without the quotes".to_owned())
        );
        assert_eq!(read::<bool>(&Raw::Number(1)), Err("takes true or false, not a whole number".to_owned()));
    }

    #[test]
    fn a_server_listens_at_an_address_and_a_port() {
        for text in ["127.0.0.1:7717", "0.0.0.0:80", "[::1]:7717"] {
            assert_eq!(read_text::<SocketAddr>(text).map(|at| at.shown()), Ok(json!(text)));
        }
        for text in ["localhost:7717", "127.0.0.1", ":7717", "7717", "127.0.0.1:70000"] {
            let why = read_words::<SocketAddr>(text).unwrap_err();
            assert!(why.ends_with("; write an address and a port, such as 127.0.0.1:7717"), "{why}");
        }
    }

    #[test]
    fn a2_allowed_users_are_a_list_in_the_file_and_words_in_a_variable() {
        let users = vec![TelegramUser(4711), TelegramUser(815)];
        assert_eq!(read(&Raw::List(vec![Raw::Number(4711), Raw::Number(815)])), Ok(users.clone()));
        for words in ["4711,815", "4711, 815", " 4711 815 ", ",4711,,815,"] {
            assert_eq!(read_words(words), Ok(users.clone()), "{words}");
        }
        assert_eq!(
            read_words::<Vec<TelegramUser>>("4711,ana"),
            Err("has a wrong item 2: it takes a whole number, not text".to_owned())
        );
        assert_eq!(
            read::<Vec<TelegramUser>>(&Raw::Number(4711)),
            Err("takes a list in brackets, such as [1, 2], not a whole number".to_owned())
        );
        assert!(read_words::<TelegramUser>("-100123").is_err(), "a group is not a person");
    }

    #[test]
    fn a_name_is_one_line_and_prose_is_not() {
        assert_eq!(read_text(" Ana María "), Ok("Ana María".to_owned()));
        assert!(read_text::<String>("Ana\n[assistant]: hello").is_err());
        assert_eq!(
            read_text("You are terse.\nYou are kind."),
            Ok(Prose("You are terse.\nYou are kind.".to_owned()))
        );
        assert_eq!(read_text::<String>("  "), Err("is empty; write a value or remove it".to_owned()));
    }

    #[test]
    fn an_agent_is_never_a_path() {
        assert_eq!(read_text("aws-architect"), Ok(AgentName("aws-architect".to_owned())));
        for name in ["..", "../secret", "a/b", "/etc", "a b", "a.md"] {
            assert!(read_text::<AgentName>(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_relative_path_starts_where_it_was_written() {
        let cases = [
            ("claude", "claude", "claude"),
            ("bin/claude", "/home/ana/.throughline/bin/claude", "bin/claude"),
            ("/opt/claude", "/opt/claude", "/opt/claude"),
        ];
        for (text, in_file, in_variable) in cases {
            assert_eq!(read_text(text), Ok(PathBuf::from(in_file)));
            assert_eq!(read_words(text), Ok(PathBuf::from(in_variable)));
        }
        assert!(read_text::<PathBuf>("~/bin/claude").is_err());
    }
}
