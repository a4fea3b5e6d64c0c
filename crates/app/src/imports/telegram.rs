//! Telegram Desktop's `result.json`: one chat, or all chats of an account. Service messages are left out, but topics
//! become lanes. An exported chat is between people, so it differs from the bot's chat with one of them.

mod entry;

use std::collections::HashMap;
use std::io::BufRead;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_engine::Inbound;

use super::stream::{Position, read_documents};
use super::{Defaults, Importer, LONGEST_ENTRY, Sink};
use crate::output::Failure;

/// The types of private chats: between the owner and at most one other.
const PRIVATE: [&str; 5] = ["personal_chat", "bot_chat", "saved_messages", "replies", "verification_codes"];
/// The types of groups and channels.
const GROUPS: [&str; 5] =
    ["private_group", "private_supergroup", "public_supergroup", "private_channel", "public_channel"];

/// Chats that Telegram Desktop exported.
pub struct Telegram;

impl Importer for Telegram {
    fn name(&self) -> &'static str {
        "telegram"
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        head.starts_with(b"{") && Signs::of(head).are_telegram()
    }

    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        let needs = "a file needs a chat with messages, or an account with chats";
        read_documents(input, 0, sink, LONGEST_ENTRY, needs, |json, position, sink, failure| {
            Chat::new(&mut Walk { position, defaults, sink, failure }).deserialize(json)
        })
    }
}

/// The keys at the beginning of a file by which an export is recognized.
#[derive(Default)]
struct Signs {
    chat_type: Option<String>,
    has_messages: bool,
    is_account: bool,
}

impl Signs {
    fn of(head: &[u8]) -> Self {
        let mut signs = Self::default();
        // The truncated end is a JSON error, but the keys before it were read.
        let _ = serde_json::Deserializer::from_slice(head).deserialize_map(&mut signs);
        signs
    }

    fn are_telegram(&self) -> bool {
        let known = |kind: &str| PRIVATE.contains(&kind) || GROUPS.contains(&kind);
        self.is_account || self.has_messages && self.chat_type.as_deref().is_some_and(known)
    }
}

impl<'de> Visitor<'de> for &mut Signs {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "type" => self.chat_type = map.next_value::<Value>()?.as_str().map(str::to_owned),
                "chats" => map.next_value_seed(ListSign(&mut self.is_account))?,
                _ => {
                    self.has_messages |= key == "messages";
                    self.is_account |= key == "personal_information";
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Detects whether an object has a `list`.
struct ListSign<'a>(&'a mut bool);

impl<'de> DeserializeSeed<'de> for ListSign<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ListSign<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            *self.0 |= key == "list";
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// The state of reading a file.
struct Walk<'s, 'a> {
    position: &'s Position,
    defaults: &'s Defaults,
    sink: &'s mut Sink<'a>,
    failure: &'s mut Option<Failure>,
}

impl Walk<'_, '_> {
    fn pass_on<E: serde::de::Error>(&mut self, line: u64, entry: Result<Inbound, String>) -> Result<(), E> {
        (self.sink)(line, entry).map_err(|failure| {
            *self.failure = Some(failure);
            E::custom("the sink takes no more")
        })
    }
}

/// A chat or an account with chats, whose messages are passed on while it is read.
struct Chat<'w, 's, 'a> {
    walk: &'w mut Walk<'s, 'a>,
    id: Option<i64>,
    kind: Option<String>,
}

impl<'w, 's, 'a> Chat<'w, 's, 'a> {
    fn new(walk: &'w mut Walk<'s, 'a>) -> Self {
        Self { walk, id: None, kind: None }
    }

    /// This program's id of the chat; groups and channels have a leading minus, as on Telegram.
    fn chat(&self) -> Result<ChatId, String> {
        let (Some(id), Some(kind)) = (self.id, &self.kind) else {
            let missing = "the chat needs `id` and `type` before its messages; they were not read";
            return Err(missing.to_owned());
        };
        let sign = if PRIVATE.contains(&kind.as_str()) { "" } else { "-" };
        let name = format!("{sign}{}", id.unsigned_abs());
        ChannelKind::TelegramExport.chat(&name).ok_or_else(|| format!("{name} cannot be a chat"))
    }
}

impl<'de> DeserializeSeed<'de> for Chat<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        self.walk.position.begin_entry();
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Chat<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a chat, or an account with chats")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let line = self.walk.position.line();
            self.walk.position.begin_entry();
            match key.as_str() {
                "id" => self.id = map.next_value::<Value>()?.as_i64(),
                "type" => self.kind = map.next_value::<Value>()?.as_str().map(str::to_owned),
                "messages" => match self.chat() {
                    Ok(chat) => map.next_value_seed(Messages::of(self.walk, chat))?,
                    Err(why) => {
                        self.walk.pass_on(line, Err(why))?;
                        map.next_value_seed(Skipped(self.walk.position))?;
                    }
                },
                "chats" | "left_chats" => map.next_value_seed(Chats(self.walk))?,
                _ => map.next_value_seed(Skipped(self.walk.position))?,
            }
        }
        Ok(())
    }
}

/// The chats of an account: an array, alone or as `list` of an object.
struct Chats<'w, 's, 'a>(&'w mut Walk<'s, 'a>);

impl<'de> DeserializeSeed<'de> for Chats<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Chats<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of chats")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut chats: A) -> Result<(), A::Error> {
        while chats.next_element_seed(Chat::new(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.position.begin_entry();
            match key.as_str() {
                "list" => map.next_value_seed(Chats(&mut *self.0))?,
                _ => map.next_value_seed(Skipped(self.0.position))?,
            }
        }
        Ok(())
    }
}

/// A skipped part of the file, of any size.
struct Skipped<'p>(&'p Position);

impl<'de> DeserializeSeed<'de> for Skipped<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        self.0.unlimited();
        IgnoredAny::deserialize(json)?;
        self.0.begin_entry();
        Ok(())
    }
}

/// The messages of a chat.
struct Messages<'w, 's, 'a> {
    walk: &'w mut Walk<'s, 'a>,
    chat: ChatId,
    topics: Topics,
}

impl<'w, 's, 'a> Messages<'w, 's, 'a> {
    fn of(walk: &'w mut Walk<'s, 'a>, chat: ChatId) -> Self {
        Self { walk, chat, topics: Topics::default() }
    }
}

impl<'de> DeserializeSeed<'de> for Messages<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Messages<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_element_seed(Entry(&mut self))?.is_some() {}
        Ok(())
    }
}

/// One message of the current array.
struct Entry<'m, 'w, 's, 'a>(&'m mut Messages<'w, 's, 'a>);

impl<'de> DeserializeSeed<'de> for Entry<'_, '_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        let Messages { walk, chat, topics } = self.0;
        walk.position.begin_entry();
        let line = walk.position.line();
        // The entry is read as raw text first, so that an invalid entry does not end the file.
        let raw = Box::<RawValue>::deserialize(json).map_err(D::Error::custom)?;
        match entry::read(raw.get(), chat, topics, walk.defaults).transpose() {
            Some(entry) => walk.pass_on(line, entry),
            None => Ok(()),
        }
    }
}

/// The topics of messages, for replies that do not name their topic.
#[derive(Default)]
struct Topics(HashMap<i64, i64>);

impl Topics {
    fn open(&mut self, topic: i64) {
        self.0.insert(topic, topic);
    }

    /// The topic of a message: the named one, or that of the answered message.
    fn of(&mut self, message: i64, named: Option<i64>, reply_to: Option<i64>) -> Option<i64> {
        let topic = named.or_else(|| self.0.get(&reply_to?).copied())?;
        self.0.insert(message, topic);
        Some(topic)
    }

    fn is_opening(&self, message: i64) -> bool {
        self.0.get(&message) == Some(&message)
    }
}

#[cfg(test)]
mod tests;
