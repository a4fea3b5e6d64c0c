//! What a channel heard by itself, taken in once: a message in its lane, an edit of one, something to be done, a move.

use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Message;
use throughline_store::arrivals::{Arrival, Ingested, Mark, PairingRequest};
use throughline_store::messages::{Append, Origin, Purpose, Reference};
use throughline_store::outbox::NewOutboxItem;
use throughline_text::erase::FORGOTTEN;

use crate::{Engine, Inbound, Result};

/// What an update of a channel says.
#[derive(Debug, Clone)]
pub enum Heard {
    /// Somebody said something, to be answered or only to be remembered.
    Said(Box<Inbound>, Attention),
    /// Somebody changed what they had said. It is remembered and never answered.
    Edited(Box<Inbound>),
    /// Something is to be done where somebody spoke.
    InboundAction {
        /// Where: only the place of it counts.
        at: Box<Inbound>,
        /// What, as the channel writes it down.
        what: String,
    },
    /// The chat goes on under another id.
    Moved {
        /// The id so far.
        from: ChatId,
        /// The id from now on.
        to: ChatId,
    },
    /// Somebody who is not served asks to be.
    Knocked(PairingRequest, NewOutboxItem),
    /// Nothing that concerns us.
    Nothing,
}

/// What is wanted of something said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// An answer.
    Answer,
    /// To be remembered.
    Remember,
}

impl Engine {
    /// Takes in what an update says, and gives the lane in which there is something to do now.
    ///
    /// # Errors
    /// When the store cannot be read or written; then the update is to be taken in again.
    pub async fn ingest(&self, mark: Mark, heard: Heard) -> Result<Option<(ChatId, Lane)>> {
        let (arrival, place) = match heard {
            Heard::Said(inbound, attention) => {
                let chat = inbound.chat.clone();
                let purpose = match attention {
                    Attention::Answer => Purpose::Answer,
                    Attention::Remember => Purpose::Record,
                };
                match self.stored(*inbound, purpose).await {
                    Ok(append) => {
                        let place = (chat, append.message.lane.clone());
                        (
                            Arrival::Message(Box::new(append)),
                            (attention == Attention::Answer).then_some(place),
                        )
                    }
                    // It can never be recorded, so it must not come again.
                    Err(error @ crate::Error::Unrecordable(_)) => {
                        tracing::warn!(%error, update = mark.update, "something that was heard is not kept");
                        (Arrival::Nothing, None)
                    }
                    Err(error) => return Err(error),
                }
            }
            Heard::Edited(inbound) => (self.edit(*inbound).await?, None),
            Heard::InboundAction { at, what } => {
                let chat = at.chat.clone();
                let (lane, _) = self.place(&at).await?;
                let arrival = Arrival::InboundAction { chat: chat.clone(), lane: lane.clone(), what };
                (arrival, Some((chat, lane)))
            }
            Heard::Moved { from, to } => (Arrival::Move { from, to }, None),
            Heard::Knocked(request, post) => (Arrival::PairingRequest(request, post), None),
            Heard::Nothing => (Arrival::Nothing, None),
        };
        match self.store.ingest(mark, arrival).await? {
            Ingested::Known => Ok(None),
            Ingested::Message(_) | Ingested::Done => Ok(place),
        }
    }

    /// An edit is a message of its own behind the one it changes, which stays. One that changes no words is none.
    async fn edit(&self, mut inbound: Inbound) -> Result<Arrival> {
        let Some(id) = inbound.external_ids.first().cloned() else { return Ok(Arrival::Nothing) };
        let in_chat = self.store.chat(&inbound.chat);
        let found = in_chat.find(Reference::External(id.clone())).await?;
        let Some(original) = found.map(|stored| stored.message) else { return Ok(Arrival::Nothing) };
        let edit_of = Value::String(original.id.to_string());
        // Edits are counted: several may fall into one second, and each changes the one before.
        let (mut newest, mut count) = (original.text.clone(), 1);
        while let Some(edit) = in_chat.find(Reference::External(edit_id(&id, count))).await? {
            if edit.message.metadata.get("edit_of") == Some(&edit_of) {
                newest = edit.message.text;
            }
            count += 1;
        }
        inbound.external_ids = vec![edit_id(&id, count)];
        inbound.metadata.insert("edit_of".to_owned(), edit_of);
        let Append { message, .. } = match self.stored(inbound, Purpose::Record).await {
            Ok(append) => append,
            Err(crate::Error::Unrecordable(_)) => return Ok(Arrival::Nothing),
            Err(error) => return Err(error),
        };
        if is_known(&message.text, &newest) {
            return Ok(Arrival::Nothing);
        }
        let message = Message { lane: original.lane, reply_to: original.reply_to, ..message };
        Ok(Arrival::Message(Box::new(self.append(message, Purpose::Record, Origin::Heard))))
    }
}

/// What an edit of a message is called.
fn edit_id(message: &str, count: u32) -> String {
    format!("{message}/edit/{count}")
}

/// Whether an edit says nothing new. Where something was forgotten since, the channel still has it: what fits around it is
/// taken for the old words, so that they do not come back.
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
