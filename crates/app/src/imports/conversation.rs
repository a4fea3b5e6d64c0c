//! Converts a conversation of an export to the messages of one chat, with missing dates, the title and the source
//! filled in.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Map, Value};
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::message::Role;
use throughline_domain::time::read_moment;
use throughline_engine::Inbound;
use uuid::Uuid;

use crate::percent;

/// Maximum length of a chat's name in bytes; a longer one is cut and gets a hash.
const LONGEST_NAME: usize = 200;

/// A time as exports write it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "a time is a number of seconds or a date")]
pub enum Written {
    /// Seconds since 1970.
    Seconds(f64),
    /// A date.
    Text(String),
}

impl Written {
    /// The time, to the microsecond.
    pub fn moment(&self, zone: &TimeZone) -> Result<Timestamp, String> {
        let text = match self {
            Self::Text(text) => text.clone(),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a number that is too large is no moment either way"
            )]
            Self::Seconds(seconds) => Timestamp::from_microsecond((seconds * 1e6).round() as i64)
                .map_or_else(|_| seconds.to_string(), |at| at.to_string()),
        };
        read_moment(&text, zone).map_err(|error| error.to_string())
    }
}

impl From<Written> for Value {
    fn from(written: Written) -> Self {
        match written {
            Written::Seconds(seconds) => seconds.into(),
            Written::Text(text) => text.into(),
        }
    }
}

/// A message of an export.
pub struct Said {
    pub role: Role,
    pub text: String,
    pub id: Option<String>,
    pub at: Option<Written>,
    pub metadata: Map<String, Value>,
}

/// The conversation that is being read, oldest message first.
pub struct Conversation<'a> {
    chat: ChatId,
    source: &'static str,
    title: Option<&'a str>,
    /// The newest time so far, for messages without one.
    last: Option<Timestamp>,
    zone: &'a TimeZone,
}

impl<'a> Conversation<'a> {
    /// Begins a conversation.
    pub fn begin(
        channel: ChannelKind,
        id: Option<&str>,
        title: Option<&'a str>,
        created: Option<&Written>,
        zone: &'a TimeZone,
    ) -> Result<Self, String> {
        let chat = id.and_then(|id| chat_named(channel, id)).ok_or("the conversation has no id")?;
        let last = created.map(|created| created.moment(zone)).transpose()?;
        let title = title.filter(|title| !title.trim().is_empty());
        Ok(Self { chat, source: channel.name(), title, last, zone })
    }

    /// The message to record; `None` if it has no text.
    pub fn message(&mut self, said: Said) -> Result<Option<Inbound>, String> {
        if said.text.trim().is_empty() {
            return Ok(None);
        }
        if let Some(at) = &said.at {
            self.last = Some(at.moment(self.zone)?);
        }
        let mut metadata = said.metadata;
        metadata.insert("source".to_owned(), self.source.into());
        if let Some(title) = self.title.take() {
            metadata.insert("title".to_owned(), title.into());
        }
        Ok(Some(Inbound {
            role: said.role,
            text: said.text,
            at: self.last,
            external_ids: said.id.into_iter().collect(),
            metadata,
            ..Inbound::in_chat(self.chat.clone())
        }))
    }
}

/// The chat with this name, in which characters that a chat id does not allow are percent-encoded, so that different
/// names are different chats. `None` for an empty name.
pub fn chat_named(channel: ChannelKind, name: &str) -> Option<ChatId> {
    let mut written =
        percent::encode(name, |c| c != '%' && channel.chat(c.encode_utf8(&mut [0; 4])).is_some());
    if written.len() > LONGEST_NAME {
        let digest = Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes());
        written.truncate(written.floor_char_boundary(LONGEST_NAME));
        written = format!("{written}%{digest}");
    }
    channel.chat(&written)
}

/// A short description of an attached file.
pub fn file_line(name: Option<&str>) -> String {
    match name.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => format!("[file: {name}]"),
        None => "[file]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_a_chat_of_its_own() {
        let long = "é".repeat(300);
        let names =
            ["ana", "ana b", "ana%20b", "ana\u{7}b", "a:b@c/d", "Ana", "李", &long, &format!("{long}2")];
        let chats: Vec<ChatId> =
            names.iter().map(|name| chat_named(ChannelKind::Mem0, name).unwrap()).collect();
        assert_eq!(chats[0].as_str(), "mem0:chat:ana");
        assert_eq!(chats[1].as_str(), "mem0:chat:ana%20b");
        assert_eq!(chats[2].as_str(), "mem0:chat:ana%2520b");
        assert_eq!(chats[4].as_str(), "mem0:chat:a:b@c/d");
        let different: std::collections::HashSet<_> = chats.iter().collect();
        assert_eq!(different.len(), names.len());
        assert_eq!(chat_named(ChannelKind::Mem0, ""), None);
    }

    #[test]
    fn times_are_kept_to_the_microsecond_and_impossible_ones_are_refused() {
        let read = |json: &str| serde_json::from_str::<Written>(json).unwrap().moment(&TimeZone::UTC);
        let at = |text: &str| Ok(text.parse::<Timestamp>().unwrap());
        assert_eq!(read("1700000000.123456"), at("2023-11-14T22:13:20.123456Z"));
        assert_eq!(read("1700000000"), at("2023-11-14T22:13:20Z"));
        assert_eq!(read("\"2024-03-05T12:34:56.789012+01:00\""), at("2024-03-05T11:34:56.789012Z"));
        for wrong in ["-5.5", "1e300", "\"yesterday\"", "\"\""] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
