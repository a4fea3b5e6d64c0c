//! Buttons: what they do is kept on disk until one is pressed or they expire.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use throughline_domain::chat::ChatId;
use throughline_domain::message::MessageId;
use throughline_store::effects::Effect;
use throughline_store::outbox::Button;
use uuid::Uuid;

use crate::{Engine, Result};

/// What a button does: ids, no words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Forgets memories and messages.
    Forget {
        /// Their ids.
        ids: Vec<String>,
        /// The message that asked about them. If all of them are forgotten, its other questions change too.
        asked: Option<String>,
        /// The buttons of the other questions, which are used up too.
        bundles: Vec<Uuid>,
    },
    /// Forgets everything of the chat.
    ForgetAll,
    /// Leaves everything as it is.
    Keep,
    /// Restores what was forgotten.
    Undo {
        /// The receipts.
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
    /// Pairs a person who asked to be.
    Approve {
        /// The person.
        person: String,
    },
    /// Rejects a person who asked to be paired.
    Reject {
        /// The person.
        person: String,
    },
    /// Sends a message again that may not have arrived.
    SendAgain {
        /// The message.
        message: String,
    },
}

/// Stands for the person of a button that everybody in the chat may press.
pub(super) const ANYONE: &str = "";

/// A button as a channel shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The label.
    pub text: String,
    /// The id that the channel gives back when it is pressed.
    pub id: String,
}

/// A text with buttons under it.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The text.
    pub text: String,
    /// The buttons, in one row.
    pub choices: Vec<Choice>,
    /// The buttons as they are kept.
    pub buttons: Vec<Button>,
}

/// A pressed button, as a channel hears of it.
#[derive(Debug, Clone)]
pub struct Press {
    /// Where it stands.
    pub chat: ChatId,
    /// Who pressed it.
    pub person: String,
    /// The message it stands under, by the channel's id.
    pub message: String,
    /// The button.
    pub button: String,
}

/// What a pressed button does, once everything of it is written as one.
#[derive(Debug, Default)]
pub struct Pressed {
    /// The text that replaces the question, with its buttons.
    pub question: Question,
    /// The text that is recorded, if something was done.
    pub recorded: Option<String>,
    /// The buttons that are used up.
    pub used: Vec<Uuid>,
    /// Other messages, by the channel's ids, that change to the first line of the text.
    pub also: Vec<String>,
    /// The sentences that are forgotten, to be looked for outside of the store.
    pub forgotten: Vec<String>,
    /// The changes to the store, which are made together with everything else.
    pub effects: Vec<Effect>,
    /// The button.
    pub button: Option<Button>,
    /// Texts to other chats.
    pub told: Vec<(ChatId, String)>,
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

/// Buttons for one person that are used up together.
pub(super) struct Bundle<'a> {
    pub engine: &'a Engine,
    pub chat: &'a ChatId,
    pub person: &'a str,
    pub id: Uuid,
    pub holds: SignedDuration,
}

impl Bundle<'_> {
    pub fn question(&self, text: String, choices: &[(&str, Action)]) -> Question {
        let (choices, buttons) = choices.iter().map(|(text, action)| self.button(text, action)).unzip();
        Question { text, choices, buttons }
    }

    fn button(&self, text: &str, action: &Action) -> (Choice, Button) {
        // The end of an id is random, and short enough for any channel.
        let id = format!("{:016x}", self.engine.ids.next().as_u128() as u64);
        let button = Button {
            id: id.clone(),
            bundle: self.id,
            chat: self.chat.clone(),
            person: self.person.to_owned(),
            action: serde_json::to_string(action).unwrap_or_default(),
            until: self.engine.now().saturating_add(self.holds).unwrap_or(Timestamp::MAX),
        };
        (Choice { text: text.to_owned(), id }, button)
    }
}

impl Engine {
    /// Reads what a pressed button does, or says why it does nothing. Nothing is changed yet.
    ///
    /// # Errors
    /// When the store cannot be read.
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
            Action::Forget { ids, asked, bundles } => {
                self.forget_chosen(press, ids, asked.as_deref(), bundles).await?
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
