//! Message builders for tests: each test sets the fields it is about.

use jiff::Timestamp;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_store::messages::{Append, Origin, Purpose};
use uuid::Uuid;

/// A message in the making.
#[derive(Debug, Clone)]
#[must_use]
pub struct MessageBuilder(Message);

/// Begins a message of a chat: of a person, in the root lane, with the id 1, at nine on 18 February 2026.
pub fn message(chat: &ChatId) -> MessageBuilder {
    let at = "2026-02-18T09:00:00Z".parse().expect("a moment");
    MessageBuilder(Message {
        id: MessageId(Uuid::from_u128(1)),
        chat: chat.clone(),
        lane: Lane::Root,
        role: Role::User,
        text: "words".to_owned(),
        channel: chat.channel().to_owned(),
        speaker: None,
        agent: None,
        occurred_at: at,
        recorded_at: at,
        external_ids: Vec::new(),
        reply_to: None,
        metadata: serde_json::Map::new(),
    })
}

impl MessageBuilder {
    /// Its id, as a number.
    pub fn id(mut self, id: u128) -> Self {
        self.0.id = MessageId(Uuid::from_u128(id));
        self
    }

    /// Its words.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.0.text = text.into();
        self
    }

    /// When it was said and recorded.
    pub fn at(mut self, at: Timestamp) -> Self {
        (self.0.occurred_at, self.0.recorded_at) = (at, at);
        self
    }

    /// When it was recorded, if that was later. Call it after [`Self::at`].
    pub fn recorded_at(mut self, at: Timestamp) -> Self {
        self.0.recorded_at = at;
        self
    }

    /// Its lane.
    pub fn lane(mut self, lane: Lane) -> Self {
        self.0.lane = lane;
        self
    }

    /// Who or what it comes from.
    pub fn role(mut self, role: Role) -> Self {
        self.0.role = role;
        self
    }

    /// The name of the person who spoke.
    pub fn speaker(mut self, name: &str) -> Self {
        self.0.speaker = Some(name.to_owned());
        self
    }

    /// The agent that answered.
    pub fn agent(mut self, name: &str) -> Self {
        self.0.agent = Some(name.to_owned());
        self
    }

    /// One more id that the channel knows it by.
    pub fn external(mut self, id: impl Into<String>) -> Self {
        self.0.external_ids.push(id.into());
        self
    }

    /// The message it answers, by its id as a number.
    pub fn reply_to(mut self, id: u128) -> Self {
        self.0.reply_to = Some(MessageId(Uuid::from_u128(id)));
        self
    }

    /// One entry of its metadata.
    pub fn metadata(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.metadata.insert(key.to_owned(), value.into());
        self
    }

    /// The message.
    #[must_use]
    pub fn build(self) -> Message {
        self.0
    }

    /// The message as a channel hands it over to be remembered.
    #[must_use]
    pub fn to_record(self) -> Append {
        self.append(Purpose::Record, Origin::Channel)
    }

    /// The message as a channel hands it over to be answered: it waits for a turn.
    #[must_use]
    pub fn to_answer(self) -> Append {
        self.append(Purpose::Answer, Origin::Channel)
    }

    /// The message as a line of a file, known again by its fingerprint, that is to be found and nothing more.
    #[must_use]
    pub fn to_import(self, fingerprint: [u8; 16]) -> Append {
        self.append(Purpose::Import(fingerprint), Origin::File { learn: false, dated: true })
    }

    fn append(self, purpose: Purpose, origin: Origin) -> Append {
        Append { purpose, origin, ..Append::record(self.0) }
    }
}
