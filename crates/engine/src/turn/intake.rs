//! Takes in what a door heard: cleaned, redacted, placed in its lane, and on disk before anything acts on it.

use jiff::Timestamp;
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role, admit, routine_stand_in};
use throughline_store::messages::{Append, Appended, Origin, Purpose, Reference};
use throughline_text::redact::{redact, redact_json};

use crate::{Engine, Result};

/// What a door heard.
#[derive(Debug, Clone)]
pub struct Inbound {
    /// Where.
    pub chat: ChatId,
    /// In which lane, where the door knows; otherwise what it replies to decides.
    pub lane: Option<Lane>,
    /// From whom.
    pub role: Role,
    /// The words.
    pub text: String,
    /// The speaker's name.
    pub speaker: Option<String>,
    /// The agent asked for.
    pub agent: Option<String>,
    /// When it was said; now, where the door does not know.
    pub at: Option<Timestamp>,
    /// The message it replies to, by our id or the channel's.
    pub reply_to: Option<String>,
    /// What the channel calls it; several where a reply was split.
    pub external_ids: Vec<String>,
    /// What an export knows of a message that was ours before.
    pub exported: Option<Exported>,
    /// Whatever else the door knows.
    pub metadata: Map<String, Value>,
}

/// What comes back with a message from an export, so that export and import are each other's inverse.
#[derive(Debug, Clone)]
pub struct Exported {
    /// Its id.
    pub id: MessageId,
    /// When it first reached a store.
    pub recorded_at: Option<Timestamp>,
    /// The message it replied to.
    pub reply_to: Option<MessageId>,
}

impl Inbound {
    /// Nothing yet, from a person, in a chat: for a door to fill in.
    #[must_use]
    pub fn in_chat(chat: ChatId) -> Self {
        Self {
            chat,
            lane: None,
            role: Role::User,
            text: String::new(),
            speaker: None,
            agent: None,
            at: None,
            reply_to: None,
            external_ids: Vec::new(),
            exported: None,
            metadata: Map::new(),
        }
    }
}

impl Engine {
    /// Records what was heard.
    ///
    /// # Errors
    /// When it cannot be a message, or the store cannot be written; then nothing was recorded.
    pub async fn hear(&self, inbound: Inbound, purpose: Purpose) -> Result<Appended> {
        let append = self.stored(inbound, purpose).await?;
        let mut appended = self.store.append(vec![append]).await?;
        appended.pop().ok_or(crate::Error::Store(throughline_store::Error::Ending))
    }

    /// What was heard as a message in its lane, ready to be recorded.
    ///
    /// # Errors
    /// When it cannot be a message, or the store cannot be read.
    pub async fn stored(&self, inbound: Inbound, purpose: Purpose) -> Result<Append> {
        let (lane, reply_to) = self.place(&inbound).await?;
        let mut message = self.message(inbound, lane, reply_to)?;
        if reply_to.is_some() && message.quote().is_some_and(|quote| !quote.picked) {
            // The message itself is here.
            message.metadata.remove("quote");
        }
        if message.routine().is_some_and(|routine| routine.summary.is_none()) {
            let stand_in = routine_stand_in(&message.text).into_owned();
            message.metadata.insert("summary".to_owned(), Value::String(stand_in));
        }
        Ok(self.append(message, purpose, Origin::Heard))
    }

    /// The lane that something heard belongs in, and the message it replies to.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn place(&self, inbound: &Inbound) -> Result<(Lane, Option<MessageId>)> {
        let in_chat = self.store.chat(&inbound.chat);
        let replied = match &inbound.reply_to {
            Some(target) => in_chat.find(Reference::from(target.as_str())).await?,
            None => None,
        };
        let reply_to = replied.as_ref().map(|stored| stored.message.id);
        let lane = match (&inbound.lane, &inbound.reply_to) {
            (Some(lane), _) => lane.clone(),
            (None, None) => Lane::Root,
            (None, Some(target)) => {
                let mut known = replied.map(|stored| stored.message.lane);
                if let Some(lane @ Lane::Topic(_)) = &known
                    && in_chat.is_closed(lane).await?
                {
                    known = Some(Lane::Root);
                }
                Lane::from_evidence(None, Some((target.clone(), known)))
            }
        };
        Ok((lane, reply_to))
    }

    /// A message to append, with whose it is.
    pub(crate) fn append(&self, message: Message, purpose: Purpose, origin: Origin) -> Append {
        Append { person: self.settings.people.of(&message.chat), message, purpose, origin }
    }

    /// What was heard as a message: cleaned and redacted, every part of it.
    ///
    /// # Errors
    /// When the text is empty or too long.
    pub fn message(&self, inbound: Inbound, lane: Lane, reply_to: Option<MessageId>) -> Result<Message> {
        let now = self.now();
        let text = admit(inbound.text, inbound.role)?;
        let text = match redact(&text) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(redacted) => redacted,
        };
        let mut metadata = Value::Object(inbound.metadata);
        redact_json(&mut metadata);
        let Value::Object(metadata) = metadata else { return Err(throughline_store::Error::Ending.into()) };
        let clean = |text: String| redact(text.replace('\0', "").trim()).into_owned();
        let mut external_ids: Vec<String> = Vec::new();
        for id in inbound.external_ids.into_iter().map(clean).filter(|id| !id.is_empty()) {
            if !external_ids.contains(&id) {
                external_ids.push(id);
            }
        }
        Ok(Message {
            id: inbound.exported.as_ref().map_or_else(|| MessageId(self.ids.next()), |exported| exported.id),
            channel: inbound.chat.channel().to_owned(),
            chat: inbound.chat,
            lane,
            role: inbound.role,
            text,
            speaker: inbound.speaker.map(clean).filter(|name| !name.is_empty()),
            agent: inbound.agent.map(clean),
            occurred_at: inbound.at.unwrap_or(now),
            recorded_at: inbound.exported.as_ref().and_then(|exported| exported.recorded_at).unwrap_or(now),
            external_ids,
            reply_to: reply_to.or(inbound.exported.and_then(|exported| exported.reply_to)),
            metadata,
        })
    }
}
