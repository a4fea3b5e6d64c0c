//! The environment: the one list of variables that the program reads, and the one place that reads them.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::keys::{KEYS, Key};
use super::problem::{Problem, Source};

/// A variable that the program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The key of `config.toml` that it overrides.
    pub key: Option<&'static str>,
    /// The purpose.
    pub doc: &'static str,
}

/// The person's home folder, which contains ours by default.
pub const HOME: &str = "HOME";
/// The program's folder.
pub const THROUGHLINE_HOME: &str = "THROUGHLINE_HOME";
/// The moment at which the clock is fixed.
pub const THROUGHLINE_NOW: &str = "THROUGHLINE_NOW";
/// The chat of an MCP connection.
pub const THROUGHLINE_CHAT: &str = "THROUGHLINE_CHAT";
/// The folder of Claude Code's settings and transcripts.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// The folder in which Claude Code was started, which Claude Code sets for its hooks.
pub const CLAUDE_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
/// Whether the hooks of Claude Code are turned off.
pub const THROUGHLINE_HOOKS: &str = "THROUGHLINE_HOOKS";
/// Whether output is without colors.
pub const NO_COLOR: &str = "NO_COLOR";

/// The variables without a key in `config.toml`, because they are needed before it is found or concern only one run.
const WITHOUT_KEY: [Variable; 8] = [
    Variable { name: HOME, key: None, doc: "Your home folder, which contains .throughline." },
    Variable {
        name: THROUGHLINE_HOME,
        key: None,
        doc: "The folder of config and data, instead of ~/.throughline.",
    },
    Variable {
        name: THROUGHLINE_NOW,
        key: None,
        doc: "Fixes the clock at a moment, such as 2026-02-18T07:02:00Z.",
    },
    Variable {
        name: THROUGHLINE_CHAT,
        key: None,
        doc: "The chat of `throughline mcp`, instead of cli:chat:main.",
    },
    Variable {
        name: THROUGHLINE_HOOKS,
        key: None,
        doc: "The value off keeps the hooks of Claude Code silent.",
    },
    Variable {
        name: CLAUDE_CONFIG_DIR,
        key: None,
        doc: "The folder of Claude Code's settings and transcripts, instead of ~/.claude.",
    },
    Variable {
        name: CLAUDE_PROJECT_DIR,
        key: None,
        doc: "The project's folder, as Claude Code tells its hooks.",
    },
    Variable { name: NO_COLOR, key: None, doc: "Any value turns colors off." },
];

/// Every variable that the program reads.
pub fn variables() -> impl Iterator<Item = Variable> {
    let of_key = |key: &Key| key.variable.map(|name| Variable { name, key: Some(key.path), doc: key.doc });
    WITHOUT_KEY.into_iter().chain(KEYS.iter().filter_map(of_key))
}

/// The help text about the variables.
#[must_use]
pub fn help() -> String {
    let width = variables().map(|variable| variable.name.len()).max().unwrap_or_default();
    variables().map(|variable| format!("{:width$}  {}\n", variable.name, variable.doc)).collect()
}

/// The variables at the start of the program. An empty variable counts as not set.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    set: BTreeMap<&'static str, OsString>,
    /// All variables that are valid UTF-8, for child processes.
    everything: Vec<(String, String)>,
}

impl Environment {
    /// Reads the environment of this process.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn of_this_process() -> Self {
        let text =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        let everything = std::env::vars_os().filter_map(text).collect();
        Self { everything, ..Self::read(|name| std::env::var_os(name)) }
    }

    /// Reads every variable of the list through `read`.
    pub fn read(read: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = variables().filter_map(|variable| Some((variable.name, read(variable.name)?)));
        Self { set: set.filter(|(_, value)| !value.is_empty()).collect(), everything: Vec::new() }
    }

    /// An environment in which exactly these variables are set.
    #[cfg(test)]
    pub fn of(set: &[(&str, &str)]) -> Self {
        Self::read(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    /// A variable's value as the system gave it, for paths.
    pub fn raw(&self, name: &str) -> Option<&OsString> {
        self.set.get(name)
    }

    /// The same environment without `THROUGHLINE_HOME`, to find the default home.
    pub fn without_home(&self) -> Self {
        let mut other = self.clone();
        other.set.remove(THROUGHLINE_HOME);
        other
    }

    /// All variables that are valid UTF-8, for child processes.
    pub fn everything(&self) -> &[(String, String)] {
        &self.everything
    }

    /// The variables of settings that are not secret, for a process of this program that another program starts.
    pub fn without_secrets(&self) -> Vec<(String, String)> {
        let plain = self.set.iter().filter(|(name, _)| !is_secret(name));
        let of_key = plain.filter(|(name, _)| !WITHOUT_KEY.iter().any(|variable| variable.name == **name));
        of_key.filter_map(|(name, value)| Some(((*name).to_owned(), value.to_str()?.to_owned()))).collect()
    }

    /// A variable's value as text.
    pub fn text(&self, name: &'static str) -> Result<Option<&str>, Problem> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        let not_text =
            || Problem::with_place(Source::Variable(name), "is not UTF-8 text; set it again, or unset it");
        value.to_str().map(Some).ok_or_else(not_text)
    }

    /// Returns true if output may have colors.
    #[must_use]
    pub fn allows_color(&self) -> bool {
        self.raw(NO_COLOR).is_none()
    }
}

/// Returns true if a variable contains a secret, judged by the end of its name.
fn is_secret(name: &str) -> bool {
    ["_KEY", "_TOKEN"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;
    use std::path::Path;

    use jiff::tz::TimeZone;

    use super::*;
    use crate::config::Settings;

    #[test]
    fn a_variable_is_a_secret_if_its_key_is_one() {
        let mut defaults = Settings::defaults(Path::new("/h"), TimeZone::UTC);
        let mut secrets = 0;
        for key in KEYS.iter() {
            let Some(name) = key.variable else { continue };
            let is_write_only = key.describe(&mut defaults).0["writeOnly"] == true;
            assert_eq!(is_secret(name), is_write_only, "{name}");
            secrets += usize::from(is_write_only);
        }
        assert!(secrets > 3);
        let set = [("HOME", "/h"), ("USER_TIMEZONE", "UTC"), ("OPENAI_API_KEY", "secret")];
        assert_eq!(Environment::of(&set).without_secrets(), [("USER_TIMEZONE".to_owned(), "UTC".to_owned())]);
    }

    #[test]
    fn every_documented_variable_has_a_key() {
        let documented = [
            "THROUGHLINE_DATABASE_URL",
            "THROUGHLINE_REDIS_URL",
            "THROUGHLINE_ENCRYPTION_KEY",
            "THROUGHLINE_MODEL",
            "THROUGHLINE_SMALL_MODEL",
            "THROUGHLINE_EMBEDDER",
            "THROUGHLINE_API_TOKEN",
            "USER_TIMEZONE",
            "USER_NAME",
            "TELEGRAM_BOT_TOKEN",
            "TELEGRAM_USER_ID",
            "TELEGRAM_ALLOWED_USERS",
            "TELEGRAM_API_URL",
            "TRANSCRIPTION_API_KEY",
            "TELEGRAM_PAUSE_MS",
            "CLAUDE_PATH",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
            "OLLAMA_API_URL",
            "FALLBACK_MODEL",
            "CONTEXT_RELEVANCE_MODEL",
        ];
        for name in documented {
            assert!(variables().any(|variable| variable.name == name && variable.key.is_some()), "{name}");
        }
        let with_key = variables().filter(|variable| variable.key.is_some()).count();
        assert_eq!(with_key, documented.len(), "a variable with a key is missing from the documentation");
    }

    #[test]
    fn a_variable_set_to_nothing_counts_as_not_set() {
        let environment = Environment::read(|_| Some(OsString::new()));
        assert!(variables().all(|variable| environment.raw(variable.name).is_none()));
        assert!(environment.allows_color());
    }

    #[test]
    fn only_listed_variables_are_read() {
        let asked = std::cell::RefCell::new(Vec::new());
        Environment::read(|name| {
            asked.borrow_mut().push(name.to_owned());
            None
        });
        assert_eq!(
            asked.into_inner(),
            variables().map(|variable| variable.name.to_owned()).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_value_that_is_not_utf8_is_a_clear_error() {
        let environment = Environment::read(|_| Some(OsString::from_vec(vec![0xff, b'x'])));
        let problem = environment.text("USER_NAME").unwrap_err();
        assert_eq!(problem.to_string(), "USER_NAME: is not UTF-8 text; set it again, or unset it");
        assert!(!environment.allows_color(), "any value at all will do");
    }
}
