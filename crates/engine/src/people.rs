//! Who a chat belongs to. Where the person is known, what is learned in one private chat is seen in the others.

use std::collections::HashMap;

use throughline_domain::chat::ChatId;
use throughline_domain::memory::Reach;

/// What the settings say of people.
#[derive(Debug, Clone, Default)]
pub struct People {
    /// Who speaks in the chats of this machine: the terminal and the programs on it.
    pub here: Option<String>,
    /// Who speaks in single chats.
    pub chats: HashMap<ChatId, String>,
    /// The name of the owner's private chat on Telegram, where it is known.
    pub owner: Option<String>,
}

impl People {
    /// The person of a private chat, where one is known. A group has none.
    #[must_use]
    pub fn of(&self, chat: &ChatId) -> Option<String> {
        if is_group(chat) {
            return None;
        }
        let named = self.chats.get(chat).cloned();
        named.or_else(|| match chat.channel() {
            "telegram" => Some(format!("telegram:{}", chat.name())),
            "cli" | "claude-code" => self.here.clone(),
            _ => None,
        })
    }

    /// Whether a chat is known to be the owner's. A chat on an unknown channel is not, unless the settings name the
    /// owner as its person.
    #[must_use]
    pub fn is_owners(&self, chat: &ChatId) -> bool {
        if is_group(chat) {
            return false;
        }
        let is_named = self.chats.get(chat).zip(self.here.as_ref()).map(|(person, owner)| person == owner);
        match chat.channel() {
            "cli" | "claude-code" => is_named.unwrap_or(true),
            "telegram" if self.owner.as_deref() == Some(chat.name()) => true,
            _ => is_named.unwrap_or(false),
        }
    }

    /// Where a memory learned in a chat may be seen.
    #[must_use]
    pub fn reach(&self, chat: &ChatId) -> Reach {
        self.of(chat).map_or(Reach::Chat, Reach::Person)
    }
}

/// Whether several people speak in a chat. Telegram numbers its groups below zero.
#[must_use]
pub fn is_group(chat: &ChatId) -> bool {
    chat.channel() == "telegram" && chat.name().starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a5_a_person_is_known_by_the_settings_or_the_channel_and_a_group_has_none() {
        let chat = |id: &str| -> ChatId { id.parse().unwrap() };
        let people = People {
            here: Some("ana".to_owned()),
            chats: HashMap::from([
                (chat("api:chat:desk"), "ana".to_owned()),
                (chat("api:chat:bob"), "bob".to_owned()),
                (chat("cli:chat:bob"), "bob".to_owned()),
                (chat("telegram:chat:-7"), "ana".to_owned()),
            ]),
            owner: Some("4711".to_owned()),
        };
        let cases = [
            ("cli:chat:main", Some("ana")),
            ("cli:chat:other", Some("ana")),
            ("api:chat:desk", Some("ana")),
            ("api:chat:elsewhere", None),
            ("telegram:chat:4711", Some("telegram:4711")),
            ("telegram:chat:-1004711", None),
        ];
        for (id, person) in cases {
            assert_eq!(people.of(&chat(id)).as_deref(), person, "{id}");
        }
        for (id, owners) in [
            ("cli:chat:main", true),
            ("cli:chat:bob", false),
            ("claude-code:chat:project", true),
            ("api:chat:desk", true),
            ("api:chat:bob", false),
            ("api:chat:elsewhere", false),
            ("carrier-pigeon:chat:main", false),
            ("telegram:chat:4711", true),
            ("telegram:chat:-7", false),
            ("telegram:chat:815", false),
            ("telegram:chat:-5", false),
        ] {
            assert_eq!(people.is_owners(&chat(id)), owners, "{id}");
        }
        let nobody = People::default();
        assert_eq!(nobody.of(&chat("cli:chat:main")), None, "each chat is its own person");
        assert!(nobody.is_owners(&chat("cli:chat:main")));
        for id in ["telegram:chat:4711", "api:chat:4711", "carrier-pigeon:chat:4711"] {
            assert!(!nobody.is_owners(&chat(id)), "{id}");
        }
    }
}
