//! A chat's id: a durable place on a channel, such as `telegram:chat:4711` or `cli:chat:main`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throughline_text::printable::is_unprintable;

/// Maximum length of a name, in bytes: enough for a project path, short enough for an index key.
const MAX_NAME_BYTES: usize = 300;

/// The id of a chat, always `<channel>:chat:<name>`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChatId {
    /// Shared: every message that is read carries it.
    whole: Arc<str>,
    name_at: usize,
}

/// Why a text is not a chat id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a chat id: {1}. Write it as <channel>:chat:<name>, for example cli:chat:main")]
pub struct MalformedChat(pub String, pub &'static str);

impl ChatId {
    /// The default chat of the terminal.
    #[must_use]
    pub fn terminal() -> Self {
        Self { whole: "cli:chat:main".into(), name_at: "cli:chat:".len() }
    }

    /// The chat's channel, such as `telegram`.
    #[must_use]
    pub fn channel(&self) -> &str {
        self.whole.split(':').next().unwrap_or_default()
    }

    /// The part after `:chat:`, which lane keys repeat.
    #[must_use]
    pub fn name(&self) -> &str {
        self.whole.get(self.name_at..).unwrap_or_default()
    }

    /// The whole id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.whole
    }
}

impl FromStr for ChatId {
    type Err = MalformedChat;

    fn from_str(text: &str) -> Result<Self, MalformedChat> {
        let malformed = |why| MalformedChat(text.chars().take(80).collect(), why);
        let (channel, name) = text.split_once(":chat:").ok_or_else(|| malformed("it has no \":chat:\""))?;
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !channel.starts_with(|c: char| c.is_ascii_lowercase()) || !channel.chars().all(word) {
            return Err(malformed("the channel is a lower-case word"));
        }
        if name.is_empty() {
            return Err(malformed("the name is empty"));
        }
        if name.chars().any(|c| c.is_whitespace() || is_unprintable(c)) {
            return Err(malformed("the name holds white space or control characters"));
        }
        if text.len() > MAX_NAME_BYTES {
            return Err(malformed("it is longer than 300 bytes"));
        }
        Ok(Self { whole: text.into(), name_at: channel.len() + ":chat:".len() })
    }
}

impl TryFrom<String> for ChatId {
    type Error = MalformedChat;
    fn try_from(text: String) -> Result<Self, MalformedChat> {
        text.parse()
    }
}

impl From<ChatId> for String {
    fn from(chat: ChatId) -> Self {
        chat.whole.to_string()
    }
}

impl fmt::Display for ChatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.whole)
    }
}

impl fmt::Debug for ChatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_a_chat_id_names_its_channel_and_place() {
        let chat: ChatId = "telegram:chat:-100123".parse().unwrap();
        assert_eq!((chat.channel(), chat.name()), ("telegram", "-100123"));
        assert_eq!("cli:chat:main".parse(), Ok(ChatId::terminal()));
        let project: ChatId = "claude-code:chat:/home/ana/a:b".parse().unwrap();
        assert_eq!((project.channel(), project.name()), ("claude-code", "/home/ana/a:b"));
    }

    #[test]
    fn a_malformed_chat_id_says_what_is_wrong() {
        for text in [
            "",
            "main",
            "telegram:1",
            "cli:chat:",
            "Cli:chat:a",
            ":chat:a",
            "c i:chat:a",
            "cli:chat:a b",
            "cli:chat:a\n",
            "cli:chat:a\u{202e}b",
        ] {
            let error = text.parse::<ChatId>().unwrap_err().to_string();
            assert!(error.contains("for example cli:chat:main"), "{error}");
        }
        assert!(format!("cli:chat:{}", "x".repeat(400)).parse::<ChatId>().is_err());
    }
}
