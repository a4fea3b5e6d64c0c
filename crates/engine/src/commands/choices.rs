//! Buttons. Their actions are stored until one is pressed or they expire.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;
use throughline_store::effects::Effect;
use throughline_store::outbox::Button;
use uuid::Uuid;

use super::forget::Chosen;
use crate::{Engine, Result};

/// The action of a button. It contains ids and no message text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Forgets memories and parts of messages.
    Forget {
        /// The ids of the memories.
        ids: Vec<String>,
        /// The parts of messages.
        #[serde(default)]
        parts: Vec<Part>,
        /// The message whose `/forget` asked. If everything it found is forgotten, its other questions are edited,
        /// too.
        asked: Option<String>,
        /// The buttons of the other questions, which expire with this one.
        bundles: Vec<Uuid>,
    },
    /// Forgets the whole chat.
    ForgetAll,
    /// Changes nothing.
    Keep,
    /// Undoes forgettings.
    Undo {
        /// Their receipts.
        receipts: Vec<Uuid>,
    },
    /// Keeps a suggested memory.
    Save {
        /// The memory.
        memory: String,
    },
    /// Drops a suggested memory.
    Skip {
        /// The memory.
        memory: String,
    },
    /// Approves a pairing request.
    Approve {
        /// The person.
        person: String,
    },
    /// Rejects a pairing request.
    Reject {
        /// The person.
        person: String,
    },
    /// Sends a message of uncertain delivery again.
    SendAgain {
        /// The message.
        message: String,
    },
}

/// Sentences of a message, without their text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The message.
    pub message: MessageId,
    /// A keyed hash of each sentence.
    pub sentences: Vec<[u8; 16]>,
}

/// The person of a button that anyone in the chat may press.
pub(super) const ANYONE: &str = "";

/// A button as a channel shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The label.
    pub text: String,
    /// The id that the channel sends back when the button is pressed.
    pub id: String,
}

/// A text with buttons under it.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The text.
    pub text: String,
    /// The buttons, in one row.
    pub choices: Vec<Choice>,
    /// The buttons as stored.
    pub buttons: Vec<Button>,
}

/// A pressed button, as the channel reports it.
#[derive(Debug, Clone)]
pub struct Press {
    /// The chat of the button.
    pub chat: ChatId,
    /// The person who pressed it.
    pub person: String,
    /// The channel's id of the message that shows it.
    pub message: String,
    /// The button's id.
    pub button: String,
}

/// The result of a pressed button, to be written in one transaction.
#[derive(Debug, Default)]
pub struct Pressed {
    /// The text and buttons that replace the question.
    pub question: Question,
    /// The text to record, if something changed.
    pub recorded: Option<String>,
    /// The buttons that are used up.
    pub used: Vec<Uuid>,
    /// The channel's ids of other messages, whose text becomes the first line of this one.
    pub also: Vec<String>,
    /// The forgotten sentences, to be searched for outside of the store.
    pub forgotten: Vec<String>,
    /// The changes to the store, made in the same transaction.
    pub effects: Vec<Effect>,
    /// The button.
    pub button: Option<Button>,
    /// Messages to other chats.
    pub messages_to_others: Vec<(ChatId, String)>,
    /// The message whose uncertain pieces are sent again.
    pub send_again: Option<MessageId>,
}

impl Pressed {
    pub(super) fn text(text: &str) -> Self {
        Self { question: Question { text: text.to_owned(), ..Question::default() }, ..Self::default() }
    }

    pub(super) fn and_recorded(self) -> Self {
        Self { recorded: Some(self.question.text.clone()), ..self }
    }
}

/// Buttons for one person; pressing one uses up all of them.
pub(super) struct Bundle<'a> {
    pub engine: &'a Engine,
    pub chat: &'a ChatId,
    pub person: &'a str,
    pub id: Uuid,
    pub lifetime: SignedDuration,
}

impl Bundle<'_> {
    pub fn question(&self, text: String, choices: &[(&str, Action)]) -> Question {
        let (choices, buttons) = choices.iter().map(|(text, action)| self.button(text, action)).unzip();
        Question { text, choices, buttons }
    }

    fn button(&self, text: &str, action: &Action) -> (Choice, Button) {
        // The low bits of an id are random, and 16 digits are short enough for every channel.
        let id = format!("{:016x}", self.engine.ids.next().as_u128() as u64);
        let button = Button {
            id: id.clone(),
            bundle: self.id,
            chat: self.chat.clone(),
            person: self.person.to_owned(),
            action: serde_json::to_string(action).unwrap_or_default(),
            until: self.engine.now().saturating_add(self.lifetime).unwrap_or(Timestamp::MAX),
        };
        (Choice { text: text.to_owned(), id }, button)
    }
}

impl Engine {
    /// Returns the result of a pressed button, or the reason why it does nothing. Changes nothing yet.
    pub async fn press(&self, press: &Press) -> Result<std::result::Result<Pressed, &'static str>> {
        let found = self.store.chat(&press.chat).button(&press.button, self.now()).await?;
        let Some(button) = found else { return Ok(Err("This has expired.")) };
        if button.person != press.person && button.person != ANYONE {
            return Ok(Err("This is not for you."));
        }
        let Ok(action) = serde_json::from_str::<Action>(&button.action) else {
            return Ok(Err("This button is from another version and does nothing."));
        };
        let mut pressed = match action {
            Action::Keep => Pressed::text("Kept."),
            Action::Save { memory } => self.save_suggestion(&press.chat, &memory).await?,
            Action::Skip { memory } => self.skip_suggestion(&press.chat, &memory).await?,
            Action::ForgetAll => self.forget_everything(press).await?,
            Action::Forget { ids, parts, asked, bundles } => {
                let asked = asked.as_deref();
                self.forget_chosen(press, Chosen { ids, parts }, asked, bundles).await?
            }
            Action::Undo { receipts } => self.undo_chosen(&press.chat, receipts).await?,
            Action::Approve { person } => match self.approve_by_button(&person).await? {
                Ok(pressed) => pressed,
                Err(why) => return Ok(Err(why)),
            },
            Action::Reject { person } => match self.reject_by_button(&person).await? {
                Ok(pressed) => pressed,
                Err(why) => return Ok(Err(why)),
            },
            Action::SendAgain { message } => self.chosen_to_send_again(&press.chat, &message).await?,
        };
        pressed.used.push(button.bundle);
        pressed.button = Some(button);
        Ok(Ok(pressed))
    }
}
