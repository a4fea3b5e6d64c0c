//! The changes that onboarding will write. Nothing is written before all questions are answered.

use std::path::{Path, PathBuf};

use crate::config::edit::{self, Edit};
use crate::config::values::secret::{FILE, Secret};
use crate::config::{Settings, routines};
use crate::output::Failure;
use crate::wire::{self, App};

/// The beginning of a new file, where the settings outside of tables belong.
const HEAD: &str = "\
# Settings that stand outside of every table belong up here, for example:
# user_name = \"Ana\"
# zone = \"Europe/Lisbon\"
# quiet_hours = \"22:00-07:00\"
# capture = \"suggest\"
# `throughline config schema` lists them all.
";

/// The folder of secrets in the home.
const SECRETS: &str = "secrets";

/// A setting whose value is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKey {
    Anthropic,
    OpenAi,
    Telegram,
}

impl SecretKey {
    /// The secret with this key in `config.toml`.
    pub fn at(path: &str) -> Option<Self> {
        [Self::Anthropic, Self::OpenAi, Self::Telegram].into_iter().find(|key| key.path() == path)
    }

    /// The key in `config.toml`.
    pub fn path(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic.api_key",
            Self::OpenAi => "openai.api_key",
            Self::Telegram => "telegram.bot_token",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic_api_key",
            Self::OpenAi => "openai_api_key",
            Self::Telegram => "telegram_bot_token",
        }
    }

    /// The secret in the settings.
    pub fn of(self, settings: &Settings) -> Option<&Secret> {
        match self {
            Self::Anthropic => settings.anthropic.api_key.as_ref(),
            Self::OpenAi => settings.openai.api_key.as_ref(),
            Self::Telegram => settings.telegram.bot_token.as_ref(),
        }
    }
}

/// The changes so far.
pub struct Draft {
    home: PathBuf,
    edit: Edit,
    /// The settings in the file, without the environment.
    file_settings: Settings,
    secrets: Vec<(PathBuf, Secret)>,
    wrote: Vec<&'static str>,
}

impl Draft {
    pub fn new(app: &App, file: &Path) -> Result<Self, Failure> {
        let file_settings = app.file_settings()?;
        let edit = Edit::open(file)?;
        Ok(Self { home: app.home.clone(), edit, file_settings, secrets: Vec::new(), wrote: Vec::new() })
    }

    /// The path of the file.
    pub fn file(&self) -> &Path {
        self.edit.path()
    }

    /// The keys of the changed settings.
    pub fn wrote(&self) -> &[&'static str] {
        &self.wrote
    }

    /// The settings in the file, without this run's changes.
    pub fn file_settings(&self) -> &Settings {
        &self.file_settings
    }

    /// Sets a key, unless it already has that value.
    pub fn set(&mut self, key: &'static str, value: impl Into<toml_edit::Value>) -> Result<(), Failure> {
        if self.edit.set(key, value)? {
            self.wrote.push(key);
        }
        Ok(())
    }

    /// Stores a secret in a separate file that the settings name, unless they contain it already.
    pub fn store(&mut self, key: SecretKey, secret: &Secret) -> Result<(), Failure> {
        if key.of(&self.file_settings) == Some(secret) {
            return Ok(());
        }
        let path = self.home.join(SECRETS).join(key.file());
        let is_beside = self.file().parent() == Some(&self.home);
        let named = match is_beside {
            true => format!("{FILE}{SECRETS}/{}", key.file()),
            false => format!("{FILE}{}", path.display()),
        };
        self.edit.set(key.path(), named)?;
        self.secrets.push((path, secret.clone()));
        self.wrote.push(key.path());
        Ok(())
    }

    /// Adds the built-in routines as commented examples.
    pub fn add_ready_routines(&mut self) {
        if !self.edit.text().contains("[routines.") {
            self.edit.append(&examples());
            self.wrote.push("routines");
        }
    }

    /// Writes all changes: secrets first, so that the settings never name a missing file.
    pub fn save(mut self) -> Result<Vec<&'static str>, Failure> {
        wire::make_home(&self.home)?;
        for (path, secret) in &self.secrets {
            edit::store_secret(path, secret)?;
        }
        if self.edit.is_new() {
            self.edit.prepend(HEAD);
        }
        self.edit.save()?;
        Ok(self.wrote)
    }
}

/// The built-in routines as comments; uncommenting one turns it on.
fn examples() -> String {
    let mut text = "\n# Routines that are ready to be turned on: take the # away.\n".to_owned();
    for line in routines::READY.lines().skip_while(|line| !line.starts_with('[')) {
        let line = if line == "enabled = false" { "enabled = true" } else { line };
        text += format!("# {line}").trim_end();
        text.push('\n');
    }
    text
}
