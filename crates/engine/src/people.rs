//! Maps chats to people. The memories of a person's private chat are visible in all of that person's private chats.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use throughline_domain::channel::{BelongsTo, ChannelKind, is_group};
use throughline_domain::chat::ChatId;
use throughline_domain::memory::Reach;

/// The people in the settings.
#[derive(Debug, Clone, Default)]
pub struct People {
    /// The owner: the person of all chats on the owner's channels, and of the owner's chats elsewhere.
    pub here: Option<String>,
    /// The persons of individual chats.
    pub chats: HashMap<ChatId, String>,
    /// The owner's private chats on other channels.
    pub owners: HashSet<ChatId>,
    /// The chats that people have claimed.
    pub claims: Claims,
}

/// The chats that people have claimed, shared between clones.
#[derive(Debug, Clone, Default)]
pub struct Claims(Arc<RwLock<HashMap<ChatId, String>>>);

impl Claims {
    /// Adds a claim.
    pub(crate) fn add(&self, chat: ChatId, person: String) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(chat, person);
    }

    fn of(&self, chat: &ChatId) -> Option<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(chat).cloned()
    }
}

impl People {
    /// The person of a private chat, if known; `None` for a group.
    #[must_use]
    pub fn of(&self, chat: &ChatId) -> Option<String> {
        if is_group(chat) {
            return None;
        }
        self.named(chat).or_else(|| {
            let kind = ChannelKind::of(chat)?;
            let own_name = || kind.person(chat.name());
            match kind.belongs_to() {
                BelongsTo::Owner => self.here.clone(),
                BelongsTo::NamedPerson if self.owners.contains(chat) => {
                    Some(self.here.clone().unwrap_or_else(own_name))
                }
                BelongsTo::NamedPerson => Some(own_name()),
            }
        })
    }

    /// The person named by the settings or a claim.
    fn named(&self, chat: &ChatId) -> Option<String> {
        self.chats.get(chat).cloned().or_else(|| self.claims.of(chat))
    }

    /// Returns true if a chat is the owner's. A chat on an unknown channel is not, unless the settings name the owner
    /// as its person.
    #[must_use]
    pub fn is_owners(&self, chat: &ChatId) -> bool {
        if is_group(chat) {
            return false;
        }
        let is_named = self.named(chat).zip(self.here.as_ref()).map(|(person, owner)| person == *owner);
        let belongs_to = ChannelKind::of(chat).map(ChannelKind::belongs_to);
        self.owners.contains(chat) || is_named.unwrap_or(belongs_to == Some(BelongsTo::Owner))
    }

    /// The scope in which a memory from a chat is visible.
    #[must_use]
    pub fn reach(&self, chat: &ChatId) -> Reach {
        self.of(chat).map_or(Reach::Chat, Reach::Person)
    }
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
            owners: HashSet::from([chat("telegram:chat:4711")]),
            claims: Claims::default(),
        };
        people.claims.add(chat("api:chat:phone"), "bob".to_owned());
        people.claims.add(chat("api:chat:desk"), "bob".to_owned());
        let cases = [
            ("cli:chat:main", Some("ana")),
            ("cli:chat:other", Some("ana")),
            ("api:chat:desk", Some("ana")),
            ("api:chat:phone", Some("bob")),
            ("api:chat:elsewhere", None),
            ("telegram:chat:4711", Some("ana")),
            ("telegram:chat:815", Some("telegram:815")),
            ("telegram:chat:-1004711", None),
            ("telegram-export:chat:815", Some("ana")),
            ("telegram-export:chat:-815", None),
            ("whatsapp:chat:Ben", Some("ana")),
            ("whatsapp:chat:-Family", None),
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
