//! The assistant's identity: the agent's files, most specific first. They are read for each turn, so an edit takes
//! effect at once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use throughline_domain::chat::ChatId;

use crate::{Error, Result};

/// The files of an identity, in the order in which a model reads them.
const FILES: [&str; 4] = ["SOUL.md", "IDENTITY.md", "USER.md", "REMINDERS.md"];
/// While this file exists, it replaces the whole identity and the policy.
pub(crate) const BOOTSTRAP: &str = "BOOTSTRAP.md";
/// The identity of an agent without files.
const BUILT_IN: &str = include_str!("../prompts/identity.md");

/// The identities of the agents used by built-in routines.
const BUILT_IN_AGENTS: [(&str, &str); 2] = [
    ("aws-architect", include_str!("../prompts/agents/aws-architect.md")),
    ("security-analyst", include_str!("../prompts/agents/security-analyst.md")),
];

/// The rules that apply to every agent.
pub(crate) const POLICY: &str = include_str!("../prompts/policy.md");

/// The sources of identities.
#[derive(Debug, Clone, Default)]
pub struct Identities {
    /// The folder with one subfolder for each agent.
    pub agents: PathBuf,
    /// The identities of single chats.
    pub chats: HashMap<ChatId, ChatIdentity>,
}

/// The identity of one chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatIdentity {
    /// The agent that answers there.
    pub agent: Option<String>,
    /// A text in place of the agent's files.
    pub identity: Option<String>,
}

/// The files about the owner.
pub(crate) const OF_THE_OWNER: [&str; 2] = ["USER.md", "REMINDERS.md"];

impl Identities {
    /// The agent that answers in a chat.
    #[must_use]
    pub fn agent<'a>(&'a self, chat: &ChatId, asked: Option<&'a str>) -> &'a str {
        let chats = || self.chats.get(chat).and_then(|chat| chat.agent.as_deref());
        asked.or_else(chats).unwrap_or("default")
    }

    /// The identity as named texts: the chat's own, else the agent's files, each falling back to the default agent's.
    ///
    /// # Errors
    /// If a file is there but cannot be read.
    pub fn read(&self, chat: &ChatId, asked: Option<&str>) -> Result<Vec<(String, String)>> {
        if let Some(own) = self.chats.get(chat).and_then(|chat| chat.identity.clone()) {
            return Ok(vec![("chat".to_owned(), own)]);
        }
        let agent = self.agents.join(self.agent(chat, asked));
        let default = self.agents.join("default");
        for folder in [&agent, &default] {
            if let Some(text) = read(&folder.join(BOOTSTRAP))? {
                return Ok(vec![(BOOTSTRAP.to_owned(), text)]);
            }
        }
        let mut found = Vec::new();
        let built_in = self.built_in(chat, asked)?;
        found.extend(built_in.map(|text| ("built-in".to_owned(), text.to_owned())));
        for name in FILES {
            let text = match read(&agent.join(name))? {
                Some(text) => Some(text),
                // An agent with its own built-in identity does not inherit the default agent's.
                None if built_in.is_some() && !OF_THE_OWNER.contains(&name) => None,
                None => read(&default.join(name))?,
            };
            found.extend(text.map(|text| (name.to_owned(), text)));
        }
        if found.is_empty() {
            found.push(("built-in".to_owned(), BUILT_IN.to_owned()));
        }
        Ok(found)
    }
}

impl Identities {
    /// The built-in identity of an agent, unless its folder contains files.
    fn built_in(&self, chat: &ChatId, asked: Option<&str>) -> Result<Option<&'static str>> {
        let name = self.agent(chat, asked);
        let Some((_, text)) = BUILT_IN_AGENTS.into_iter().find(|(agent, _)| *agent == name) else {
            return Ok(None);
        };
        for file in FILES.iter().filter(|file| !OF_THE_OWNER.contains(file)) {
            if read(&self.agents.join(name).join(file))?.is_some() {
                return Ok(None);
            }
        }
        Ok(Some(text))
    }
}

fn read(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(Error::File { path: path.to_owned(), why: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f2_the_most_specific_identity_wins() {
        let home = tempfile::tempdir().unwrap();
        let write = |agent: &str, name: &str, text: &str| {
            std::fs::create_dir_all(home.path().join(agent)).unwrap();
            std::fs::write(home.path().join(agent).join(name), text).unwrap();
        };
        let [plain, with_agent, with_text]: [ChatId; 3] =
            ["cli:chat:a", "cli:chat:b", "cli:chat:c"].map(|id| id.parse().unwrap());
        let chats = HashMap::from([
            (with_agent.clone(), ChatIdentity { agent: Some("aws".into()), identity: None }),
            (with_text.clone(), ChatIdentity { agent: None, identity: Some("You are terse.".into()) }),
        ]);
        let identities = Identities { agents: home.path().to_owned(), chats };
        let names = |chat: &ChatId| identities.read(chat, None).unwrap();

        assert_eq!(names(&plain), [("built-in".to_owned(), BUILT_IN.to_owned())]);
        write("default", "SOUL.md", "kind");
        write("default", "USER.md", "Ana");
        write("aws", "SOUL.md", "exact");
        assert_eq!(
            names(&plain),
            [("SOUL.md".to_owned(), "kind".to_owned()), ("USER.md".to_owned(), "Ana".to_owned())]
        );
        assert_eq!(
            names(&with_agent),
            [("SOUL.md".to_owned(), "exact".to_owned()), ("USER.md".to_owned(), "Ana".to_owned())]
        );
        assert_eq!(names(&with_text), [("chat".to_owned(), "You are terse.".to_owned())]);
        let of_agent = identities.read(&plain, Some("security-analyst")).unwrap();
        assert!(
            of_agent[0].1.starts_with("You are a security analyst"),
            "k1: it ships with one: {of_agent:?}"
        );
        assert_eq!(of_agent[1..], [("USER.md".to_owned(), "Ana".to_owned())]);
        write("security-analyst", "SOUL.md", "stern");
        assert_eq!(
            identities.read(&plain, Some("security-analyst")).unwrap(),
            [("SOUL.md".to_owned(), "stern".to_owned()), ("USER.md".to_owned(), "Ana".to_owned())]
        );
        write("default", "BOOTSTRAP.md", "Ask who you are.");
        assert_eq!(names(&plain), [("BOOTSTRAP.md".to_owned(), "Ask who you are.".to_owned())]);
    }
}
