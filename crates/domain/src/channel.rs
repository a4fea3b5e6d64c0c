//! The known channels: the owners of their chats, how they send, and how a chat's name shows a group. A chat on any
//! other channel is private and has no known person.

use strum::VariantArray;

use crate::chat::ChatId;

/// A channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
pub enum ChannelKind {
    /// The terminal.
    Cli,
    /// Claude Code on this machine.
    ClaudeCode,
    /// Telegram.
    Telegram,
    /// ChatGPT conversations, imported from its data export.
    ChatGpt,
    /// claude.ai conversations, imported from its data export.
    Claude,
    /// mem0 memories, imported from its export.
    Mem0,
    /// Chats exported by Telegram Desktop. The bot's own chats are on Telegram.
    TelegramExport,
    /// Chats exported by WhatsApp.
    WhatsApp,
}

/// The rules of a channel.
#[derive(Debug, Clone, Copy)]
struct Rules {
    name: &'static str,
    belongs_to: BelongsTo,
    sends: Sends,
    /// Returns true if a chat with this name is a group.
    is_group: fn(&str) -> bool,
}

impl Rules {
    /// A channel on this machine, or imported by its owner.
    const fn of_owner(name: &'static str) -> Self {
        Self { name, belongs_to: BelongsTo::Owner, sends: Sends::Directly, is_group: |_| false }
    }

    /// The same, with groups whose names begin with a minus sign.
    const fn with_groups(name: &'static str) -> Self {
        Self { is_group: |name| name.starts_with('-'), ..Self::of_owner(name) }
    }
}

/// The owner of a channel's private chats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BelongsTo {
    /// The owner of the home, because anybody who can write there can read the home.
    Owner,
    /// The person whom the chat is named after.
    NamedPerson,
}

/// How messages are sent on a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sends {
    /// A reply is shown directly; other messages are only recorded.
    Directly,
    /// Each message waits in the outbox until the channel has accepted it.
    ByOutbox,
}

impl ChannelKind {
    const fn rules(self) -> Rules {
        match self {
            Self::Cli => Rules::of_owner("cli"),
            Self::ClaudeCode => Rules::of_owner("claude-code"),
            Self::ChatGpt => Rules::of_owner("chatgpt"),
            Self::Claude => Rules::of_owner("claude"),
            Self::Mem0 => Rules::of_owner("mem0"),
            Self::Telegram => Rules {
                belongs_to: BelongsTo::NamedPerson,
                sends: Sends::ByOutbox,
                ..Rules::with_groups("telegram")
            },
            Self::TelegramExport => Rules::with_groups("telegram-export"),
            Self::WhatsApp => Rules::with_groups("whatsapp"),
        }
    }

    /// The channel of a chat, if it is known.
    #[must_use]
    pub fn of(chat: &ChatId) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|kind| kind.name() == chat.channel())
    }

    /// The name that chat ids begin with.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.rules().name
    }

    /// The owner of its private chats.
    #[must_use]
    pub const fn belongs_to(self) -> BelongsTo {
        self.rules().belongs_to
    }

    /// How it sends messages.
    #[must_use]
    pub const fn sends(self) -> Sends {
        self.rules().sends
    }

    /// The chat with this name, if the name is valid.
    #[must_use]
    pub fn chat(self, name: &str) -> Option<ChatId> {
        format!("{}:chat:{name}", self.name()).parse().ok()
    }

    /// The id of the person with this name, such as `telegram:4711`.
    #[must_use]
    pub fn person(self, name: &str) -> String {
        format!("{}:{name}", self.name())
    }
}

/// Returns true if several people write in a chat.
#[must_use]
pub fn is_group(chat: &ChatId) -> bool {
    ChannelKind::of(chat).is_some_and(|kind| (kind.rules().is_group)(chat.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_known_by_the_beginning_of_a_chat_id_and_makes_such_ids() {
        for &kind in ChannelKind::VARIANTS {
            let chat = kind.chat("4711").unwrap();
            assert_eq!((ChannelKind::of(&chat), chat.name()), (Some(kind), "4711"));
            assert!(!is_group(&chat), "{chat}");
        }
        assert_eq!(ChannelKind::of(&"api:chat:desk".parse().unwrap()), None);
        assert_eq!(ChannelKind::Telegram.chat("two words"), None);
        let with_groups = [ChannelKind::Telegram, ChannelKind::TelegramExport, ChannelKind::WhatsApp];
        for &kind in ChannelKind::VARIANTS {
            assert_eq!(is_group(&kind.chat("-5").unwrap()), with_groups.contains(&kind), "{kind:?}");
        }
        for kind in ChannelKind::VARIANTS.iter().filter(|kind| **kind != ChannelKind::Telegram) {
            assert_eq!((kind.belongs_to(), kind.sends()), (BelongsTo::Owner, Sends::Directly), "{kind:?}");
        }
    }
}
