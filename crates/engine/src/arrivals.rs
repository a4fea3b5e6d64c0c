//! Ingests each update of a channel exactly once: a message, an edit, a command, a pressed button or a chat's new id.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Message;
use throughline_store::arrivals::{Arrival, Ingested, Mark, PairingRequest, Reaction};
use throughline_store::messages::{Append, Origin, Purpose, Reference};
use throughline_store::outbox::NewOutboxItem;
use throughline_store::pairing::OwnerNotice;
use throughline_text::erase::FORGOTTEN;

use crate::commands::{Command, Request};
use crate::{Engine, Inbound, Result};

/// An update of a channel, parsed.
#[derive(Debug, Clone)]
pub enum InboundUpdate {
    /// A message to answer, or only to record.
    Message(Box<Inbound>, Attention),
    /// An edited message. Before the answer, it replaces the original; afterwards it is recorded and never answered.
    Edit(Box<Inbound>),
    /// A command or a pressed button, in the lane of `at`.
    Action {
        /// The place of the action; only chat, lane and `reply_to` are used.
        at: Box<Inbound>,
        /// The action.
        action: InboundAction,
    },
    /// The chat has a new id.
    Move {
        /// The old id.
        from: ChatId,
        /// The new id.
        to: ChatId,
    },
    /// An unknown person receives a pairing code; the owner may be notified.
    Pairing(PairingRequest, Vec<NewOutboxItem>, Option<OwnerNotice>),
    /// A notice to send; the update itself is not recorded.
    Notice(Vec<NewOutboxItem>),
    /// A person changed their reactions to a message. Reactions are recorded and never answered.
    Reaction(Box<Reaction>),
    /// Nothing to do.
    Nothing,
}

/// How to handle a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// Answer it.
    Answer,
    /// Record it without an answer.
    Remember,
}

/// A command or a pressed button, as stored until it is handled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InboundAction {
    /// A line with a command.
    Command {
        /// The line, redacted.
        line: String,
        /// The channel's id of the sender.
        #[serde(deserialize_with = "text_or_number")]
        from: String,
        /// The sender's name, in a group.
        speaker: Option<String>,
        /// The channel's id of the message.
        #[serde(deserialize_with = "text_or_number")]
        message: String,
        /// When it was written.
        at: Timestamp,
    },
    /// A pressed button.
    Press {
        /// The channel's id of the press, for the confirmation.
        query: String,
        /// The button's id.
        button: String,
        /// The channel's id of the person who pressed it.
        #[serde(deserialize_with = "text_or_number")]
        from: String,
        /// The channel's id of the message that shows the button.
        #[serde(deserialize_with = "text_or_number")]
        message: String,
    },
}

/// Earlier versions wrote ids as numbers.
fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

impl InboundAction {
    /// Returns true if the action stops the reply in progress.
    #[must_use]
    pub fn is_stop(&self) -> bool {
        let Self::Command { line, .. } = self else { return false };
        Request::parse(line).is_some_and(|request| request.command == Command::Stop)
    }

    /// Parses a stored action; `None` if another version wrote it in an unknown form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Serializes the action for the store.
    #[must_use]
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Engine {
    /// Ingests an update, and returns the lane that now has work.
    ///
    /// # Errors
    /// If the message can never be recorded; or if the store fails, and then the update must be ingested again.
    pub async fn ingest(&self, mark: Mark, update: InboundUpdate) -> Result<Option<(ChatId, Lane)>> {
        let (arrival, place) = match update {
            InboundUpdate::Message(inbound, attention) => {
                let chat = inbound.chat.clone();
                let purpose = match attention {
                    Attention::Answer => Purpose::Answer,
                    Attention::Remember => Purpose::Record,
                };
                let append = self.stored(*inbound, purpose).await?;
                let place = (chat, append.message.lane.clone());
                (Arrival::Message(Box::new(append)), (attention == Attention::Answer).then_some(place))
            }
            InboundUpdate::Edit(inbound) => (self.edit(*inbound).await?, None),
            InboundUpdate::Action { at, action } => {
                let (chat, what) = (at.chat.clone(), action.write());
                let lane = self.lane_of_action(&at, &action).await?;
                let arrival = Arrival::InboundAction { chat: chat.clone(), lane: lane.clone(), what };
                (arrival, Some((chat, lane)))
            }
            InboundUpdate::Move { from, to } => (Arrival::Move { from, to }, None),
            InboundUpdate::Notice(items) => (Arrival::Notice(items), None),
            InboundUpdate::Pairing(request, items, notice) => match items.into_iter().next() {
                Some(item) => (Arrival::PairingRequest(request, item, notice), None),
                None => (Arrival::Nothing, None),
            },
            InboundUpdate::Reaction(reaction) => (Arrival::Reaction(reaction), None),
            InboundUpdate::Nothing => (Arrival::Nothing, None),
        };
        match self.store.ingest(mark, arrival).await? {
            Ingested::Known => Ok(None),
            Ingested::Message(_) | Ingested::Done => Ok(place),
        }
    }

    /// The lane of a command, or of the message that shows the pressed button.
    pub async fn lane_of_action(&self, at: &Inbound, action: &InboundAction) -> Result<Lane> {
        let InboundAction::Press { message, .. } = action else { return Ok(self.place(at).await?.0) };
        let asked = self.store.chat(&at.chat).find(Reference::External(message.clone())).await?;
        let lane = asked.map(|stored| stored.message.lane);
        Ok(lane.or_else(|| at.lane.clone()).unwrap_or_default())
    }

    /// Records an edit as a message of its own and keeps the original. Drops an edit that leaves the words unchanged.
    async fn edit(&self, mut inbound: Inbound) -> Result<Arrival> {
        let Some(id) = inbound.external_ids.first().cloned() else { return Ok(Arrival::Nothing) };
        let in_chat = self.store.chat(&inbound.chat);
        let found = in_chat.find(Reference::External(id.clone())).await?;
        let Some(original) = found.map(|stored| stored.message) else {
            tracing::info!(chat = %inbound.chat, "edit of an unrecorded message skipped");
            return Ok(Arrival::Nothing);
        };
        let edit_of = Value::String(original.id.to_string());
        // Edits are numbered: several can happen within one second, and each replaces the one before.
        let (mut newest_text, mut newest_id, mut count) = (original.text.clone(), original.id, 1);
        while let Some(edit) = in_chat.find(Reference::External(edit_id(&id, count))).await? {
            if edit.message.metadata.get("edit_of") == Some(&edit_of) {
                (newest_text, newest_id) = (edit.message.text, edit.message.id);
            }
            count += 1;
        }
        inbound.external_ids = vec![edit_id(&id, count)];
        inbound.metadata.insert("edit_of".to_owned(), edit_of);
        let Append { message, .. } = self.stored(inbound, Purpose::Record).await?;
        if is_known(&message.text, &newest_text) {
            return Ok(Arrival::Nothing);
        }
        let message = Message { lane: original.lane, reply_to: original.reply_to, ..message };
        let edit = Box::new(self.append(message, Purpose::Record, Origin::Channel));
        Ok(Arrival::Edit { edit, replaces: newest_id })
    }
}

/// The external id of an edit.
fn edit_id(message: &str, count: u32) -> String {
    format!("{message}/edit/{count}")
}

/// Returns true if an edit adds nothing new. The channel still has words that were forgotten here since; text that
/// matches around the gap counts as known, or the forgotten words would come back.
fn is_known(edit: &str, kept: &str) -> bool {
    let Some((first, behind)) = kept.split_once(FORGOTTEN) else { return edit == kept };
    let Some(mut rest) = edit.strip_prefix(first) else { return false };
    let (between, last) = behind.rsplit_once(FORGOTTEN).unwrap_or(("", behind));
    for part in between.split(FORGOTTEN) {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_with_numbers_for_ids_is_still_read() {
        let press = r#"{"press":{"query":"q","button":"b","from":4711,"message":5}}"#;
        let (from, message) = ("4711".to_owned(), "5".to_owned());
        let read = InboundAction::Press { query: "q".to_owned(), button: "b".to_owned(), from, message };
        assert_eq!(InboundAction::read(press), Some(read.clone()));
        assert_eq!(InboundAction::read(&read.write()), Some(read));
    }

    #[test]
    fn j2_an_edit_around_what_was_forgotten_says_nothing_new() {
        let cases = [
            ("We meet on Monday.", "We meet on Monday.", true),
            ("We meet on Monday.", "We meet on Tuesday.", false),
            ("I am ill. My dog is old.", "[forgotten] My dog is old.", true),
            ("I am ill. My dog is young.", "[forgotten] My dog is old.", false),
            ("Hi. I am ill. My dog is old.", "Hi. [forgotten]", true),
            ("Ho. I am ill. My dog is old.", "Hi. [forgotten]", false),
            ("A. B. C. D. E.", "A. [forgotten] C. [forgotten] E.", true),
            ("A. B. X. D. E.", "A. [forgotten] C. [forgotten] E.", false),
            ("Ä. Ö. 🌱", "[forgotten]", true),
        ];
        for (edit, kept, expected) in cases {
            assert_eq!(is_known(edit, kept), expected, "{edit:?} over {kept:?}");
        }
    }
}
