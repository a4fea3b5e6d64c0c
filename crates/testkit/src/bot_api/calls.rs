//! Records for tests: the bot's calls, and the contents of people's screens.

use std::time::Instant;

use serde_json::Value;

use super::fields::{id_of, number, text_of, words, writer};
use super::world::{BOT_ID, Chat, Posted};

/// One request of the bot.
#[derive(Debug, Clone)]
pub struct Call {
    /// The method, spelled as in Telegram's documentation.
    pub method: String,
    /// Its parameters; files as their name and size.
    pub params: Value,
    /// When it arrived.
    pub at: Instant,
    /// The body of the answer; `None` while the call is open or if it was never answered.
    pub answered: Option<Value>,
}

/// A message of the bot, as a person sees it now.
#[derive(Debug, Clone, PartialEq)]
pub struct BotMessage {
    /// Its id in the chat.
    pub message_id: i64,
    /// The text or caption, without markup.
    pub text: String,
    /// The entities of the text.
    pub entities: Vec<Value>,
    /// The rows of buttons under it.
    pub keyboard: Vec<Vec<Button>>,
    /// The topic it is in.
    pub topic: Option<i64>,
    /// The message it replies to, unless that is a topic's beginning.
    pub reply_to: Option<i64>,
}

/// A button under a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// Its label.
    pub text: String,
    /// The data that the bot receives when it is pressed.
    pub data: Option<String>,
}

/// A draft in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The bot's id of it.
    pub draft_id: i64,
    /// The text so far, without markup.
    pub text: String,
    /// The topic it is in.
    pub topic: Option<i64>,
}

/// An action shown by the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatAction {
    /// The action, such as `typing`.
    pub action: String,
    /// The topic, as it was sent.
    pub topic: Option<i64>,
}

/// A file sent by the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The message it came with.
    pub message_id: i64,
    /// Its name.
    pub file_name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its caption.
    pub caption: String,
}

/// The bot's messages in a chat, in order.
pub(super) fn shown(chat: &Chat) -> Vec<BotMessage> {
    let is_by_bot = |posted: &&Posted| writer(&posted.message) == Some(BOT_ID);
    chat.messages.values().filter(is_by_bot).map(|posted| bot_message(chat, &posted.message)).collect()
}

/// The buttons of a message.
pub(super) fn keyboard(message: &Value) -> Vec<Vec<Button>> {
    let button = |button: &Value| Button {
        text: words(button, "text").unwrap_or_default().to_owned(),
        data: words(button, "callback_data").map(str::to_owned),
    };
    let rows = message.pointer("/reply_markup/inline_keyboard").and_then(Value::as_array);
    let rows = rows.into_iter().flatten().filter_map(Value::as_array);
    rows.map(|row| row.iter().map(button).collect()).collect()
}

fn bot_message(chat: &Chat, message: &Value) -> BotMessage {
    let message_id = id_of(message);
    let topic = chat.topic_of(message_id);
    let entities = message.get("entities").or_else(|| message.get("caption_entities"));
    let replied = message.get("reply_to_message");
    BotMessage {
        message_id,
        text: text_of(message),
        entities: entities.and_then(Value::as_array).cloned().unwrap_or_default(),
        keyboard: keyboard(message),
        topic,
        reply_to: replied.and_then(|replied| number(replied, "message_id")).filter(|id| Some(*id) != topic),
    }
}
