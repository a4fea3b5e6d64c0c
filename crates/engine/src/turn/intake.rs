//! Intake of messages: cleaned, redacted, assigned to a lane, and on disk before anything acts on them.

use jiff::Timestamp;
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role, admit, routine_stand_in};
use throughline_store::attachments::NewAttachment;
use throughline_store::messages::{Append, Appended, Origin, Purpose, Reference};
use throughline_text::printable::{printable, without_controls};
use throughline_text::redact::{LOOK_BACK, may_answer, redact, redact_after, redact_json};

use crate::{Engine, Result};

/// A message as a channel passes it in.
#[derive(Debug, Clone)]
pub struct Inbound {
    /// The chat.
    pub chat: ChatId,
    /// The lane, if the channel knows it; otherwise it follows from `reply_to`.
    pub lane: Option<Lane>,
    /// The author: the person or the assistant.
    pub role: Role,
    /// The text.
    pub text: String,
    /// The speaker's name.
    pub speaker: Option<String>,
    /// The requested agent.
    pub agent: Option<String>,
    /// The time of writing; `None` means now.
    pub at: Option<Timestamp>,
    /// The message it replies to, by our id or the channel's.
    pub reply_to: Option<String>,
    /// The channel's ids; several if a reply was split.
    pub external_ids: Vec<String>,
    /// Fields of an exported message, if it comes from an export.
    pub exported: Option<Exported>,
    /// Other metadata of the channel.
    pub metadata: Map<String, Value>,
    /// The attached files, to be fetched.
    pub attachments: Vec<NewAttachment>,
}

/// Fields of an exported message that make import the inverse of export.
#[derive(Debug, Clone)]
pub struct Exported {
    /// Its id.
    pub id: MessageId,
    /// When it was first recorded.
    pub recorded_at: Option<Timestamp>,
    /// The message it replied to.
    pub reply_to: Option<MessageId>,
}

impl Inbound {
    /// An empty message of a person in a chat, for the channel to fill in.
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
            attachments: Vec::new(),
        }
    }
}

impl Engine {
    /// Records a message.
    ///
    /// # Errors
    /// If it cannot be a message, or the store fails; then nothing was recorded.
    pub async fn record_message(&self, inbound: Inbound, purpose: Purpose) -> Result<Appended> {
        let append = self.stored(inbound, purpose).await?;
        let mut appended = self.store.append(vec![append]).await?;
        appended.pop().ok_or(crate::Error::Store(throughline_store::Error::Ending))
    }

    /// Prepares a message in its lane for recording.
    ///
    /// # Errors
    /// If it cannot be a message, or the store fails.
    pub async fn stored(&self, mut inbound: Inbound, purpose: Purpose) -> Result<Append> {
        let (lane, reply_to) = self.place(&inbound).await?;
        let attachments = std::mem::take(&mut inbound.attachments).into_iter().map(cleaned).collect();
        let mut message = self.message(inbound, lane, reply_to)?;
        if may_answer(&message.text) {
            let before = self.last_texts(&message.chat, &message.lane, message.occurred_at).await?;
            answer_redacted(&mut message, &before);
        }
        if reply_to.is_some() && message.quote().is_some_and(|quote| !quote.picked) {
            // The quoted message is stored, so the copy is redundant.
            message.metadata.remove("quote");
        }
        if message.routine().is_some_and(|routine| routine.summary.is_none()) {
            let stand_in = routine_stand_in(&message.text).into_owned();
            message.metadata.insert("summary".to_owned(), Value::String(stand_in));
        }
        Ok(Append { attachments, ..self.append(message, purpose, Origin::Channel) })
    }

    /// The texts of a lane's last messages up to a time, the oldest first: as many as an answer may look back at.
    pub async fn last_texts(&self, chat: &ChatId, lane: &Lane, at: Timestamp) -> Result<Vec<String>> {
        let said = self.store.chat(chat).last_messages(lane, at, LOOK_BACK).await?;
        Ok(said.into_iter().rev().map(|said| said.message.text).collect())
    }

    /// The lane of a message, and the message it replies to.
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

    /// A message to append, with its person.
    pub(crate) fn append(&self, message: Message, purpose: Purpose, origin: Origin) -> Append {
        let person = self.settings.people.of(&message.chat);
        Append { person, purpose, origin, ..Append::record(message) }
    }

    /// Builds a message, with every part cleaned and redacted.
    ///
    /// # Errors
    /// If the text is empty or too long.
    pub fn message(&self, inbound: Inbound, lane: Lane, reply_to: Option<MessageId>) -> Result<Message> {
        let now = self.now();
        let text = admit(inbound.text, inbound.role)?;
        let text = match redact(&text) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(redacted) => redacted,
        };
        let mut metadata = Value::Object(inbound.metadata);
        clean_json(&mut metadata);
        redact_json(&mut metadata);
        let Value::Object(metadata) = metadata else { return Err(throughline_store::Error::Ending.into()) };
        let clean = |text: String| redact(printable(&text).trim()).into_owned();
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

/// A file's name is foreign text, so it is cleaned too.
fn cleaned(file: NewAttachment) -> NewAttachment {
    let name = file.name.map(|name| redact(printable(&name).trim()).into_owned());
    NewAttachment { name: name.filter(|name| !name.is_empty()), ..file }
}

/// Redacts the secret that one of the messages before asked for or announced.
pub(crate) fn answer_redacted(message: &mut Message, before: &[String]) {
    if let std::borrow::Cow::Owned(clean) = redact_after(before, &message.text) {
        message.text = clean;
    }
}

/// Removes control characters and escape sequences from every string in a value, including keys.
fn clean_json(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(clean) = without_controls(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_json),
        Value::Object(members) => {
            for (name, mut value) in std::mem::take(members) {
                clean_json(&mut value);
                members.insert(without_controls(&name).into_owned(), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
