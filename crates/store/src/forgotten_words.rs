//! The words removed by a forgetting, kept for a while so that it can be undone.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throughline_domain::forget::Aim;
use throughline_domain::memory::MemoryId;
use throughline_domain::message::{Message, MessageId};
use throughline_domain::metadata::change_each_piece;
use throughline_text::erase::blank;
use uuid::Uuid;

use crate::intake::shown_tokens;
use crate::messages::read_one;
use crate::tx::{MemoryBefore, Place, Tx};
use crate::{Error, Result};

const MESSAGE: &str = "message";
const MEMORY: &str = "memory";

/// A message before any forgetting, and the sentences that one forgetting removed.
#[derive(Serialize, Deserialize)]
pub(crate) struct MessageBefore {
    pub text: String,
    pub metadata: Map<String, Value>,
    pub gone: Vec<String>,
}

impl MessageBefore {
    /// The message without these sentences.
    fn without(&self, gone: &[String]) -> (String, Map<String, Value>) {
        let mut metadata = self.metadata.clone();
        change_each_piece(&mut metadata, &|piece| {
            let left = take_from(piece, gone);
            (left != piece).then_some(left)
        });
        (take_from(&self.text, gone), metadata)
    }
}

fn take_from(text: &str, gone: &[String]) -> String {
    let found = gone
        .iter()
        .filter(|sentence| !sentence.is_empty())
        .flat_map(|sentence| text.match_indices(sentence.as_str()).map(|(at, found)| at..at + found.len()));
    blank(text, &found.collect::<Vec<_>>())
}

/// A message or a memory before one forgetting.
pub(crate) enum ForgottenWords {
    Message(MessageId, MessageBefore),
    Memory(MemoryId, MemoryBefore),
}

impl ForgottenWords {
    /// Returns true if it contains words that match an aim.
    pub fn holds(&self, aim: &Aim) -> bool {
        match self {
            Self::Message(_, before) => before.gone.iter().any(|sentence| aim.is_in(sentence)),
            Self::Memory(_, before) => aim.is_in(&before.text),
        }
    }
}

/// Deletes the words of a forgetting, which makes it permanent.
pub(crate) fn make_permanent(tx: &Tx<'_>, id: Uuid) -> Result<()> {
    for kept in kept_by(tx, id)? {
        if let ForgottenWords::Message(message, before) = kept {
            take_from_others(tx, id, message, &before.gone)?;
        }
    }
    tx.unlink_attachments_set_aside(id)?;
    tx.make_permanent(id)?;
    tx.request_scrub()
}

pub(crate) fn keep_message(
    tx: &Tx<'_>,
    forgetting: Uuid,
    id: MessageId,
    before: &MessageBefore,
) -> Result<()> {
    tx.put_forgotten_words(forgetting, MESSAGE, id.0, &to_text(before)?)
}

pub(crate) fn keep_memory(tx: &Tx<'_>, forgetting: Uuid, id: MemoryId, before: &MemoryBefore) -> Result<()> {
    tx.put_forgotten_words(forgetting, MEMORY, id.0, &to_text(before)?)
}

/// The words kept by a forgetting.
pub(crate) fn kept_by(tx: &Tx<'_>, forgetting: Uuid) -> Result<Vec<ForgottenWords>> {
    let read = |(kind, id, before): (String, Uuid, String)| {
        Ok(match kind.as_str() {
            MESSAGE => ForgottenWords::Message(MessageId(id), from_text(&before)?),
            _ => ForgottenWords::Memory(MemoryId(id), from_text(&before)?),
        })
    };
    tx.forgotten_words(forgetting)?.into_iter().map(read).collect()
}

/// Removes permanently deleted sentences from the copies that other forgettings keep of the message.
pub(crate) fn take_from_others(tx: &Tx<'_>, own: Uuid, id: MessageId, gone: &[String]) -> Result<()> {
    for (forgetting, before) in kept_by_others(tx, own, id)? {
        let (text, metadata) = before.without(gone);
        keep_message(tx, forgetting, id, &MessageBefore { text, metadata, gone: before.gone })?;
    }
    Ok(())
}

/// The copies that other forgettings keep of a message.
pub(crate) fn kept_by_others(tx: &Tx<'_>, own: Uuid, id: MessageId) -> Result<Vec<(Uuid, MessageBefore)>> {
    let kept = tx.words_kept_by_others(own, id.0)?.into_iter();
    kept.map(|(forgetting, before)| Ok((forgetting, from_text(&before)?))).collect()
}

/// Restores what one forgetting removed from a message; other forgettings stay in effect.
pub(crate) fn restore_message(
    tx: &Tx<'_>,
    own: Uuid,
    id: MessageId,
    before: &MessageBefore,
) -> Result<Place> {
    let still_gone: Vec<String> =
        kept_by_others(tx, own, id)?.into_iter().flat_map(|(_, other)| other.gone).collect();
    let (text, metadata) = before.without(&still_gone);
    let (place, message) = self::message(tx, id)?;
    rewrite(tx, &place, message, text, metadata)?;
    Ok(place)
}

/// A message of any chat, and its place.
pub(crate) fn message(tx: &Tx<'_>, id: MessageId) -> Result<(Place, Message)> {
    let not_found = || Error::NotFound { what: "message", id: id.to_string() };
    let place = tx.message_place(id)?.ok_or_else(not_found)?;
    let stored = read_one(tx, &tx.chat_key(place.chat)?, place.position.seq)?;
    Ok((place, stored.message))
}

/// Replaces the text and metadata of a message, and updates its token count.
pub(crate) fn rewrite(
    tx: &Tx<'_>,
    place: &Place,
    message: Message,
    text: String,
    metadata: Map<String, Value>,
) -> Result<()> {
    let message = Message { text, metadata, ..message };
    let tokens = shown_tokens(&message);
    tx.rewrite_message(place.position.seq, &message.text, &message.metadata, tokens)
}

fn to_text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Unreadable(error.to_string()))
}

fn from_text<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::Unreadable(error.to_string()))
}
