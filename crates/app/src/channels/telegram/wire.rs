//! The used fields of Telegram's updates.

use serde::Deserialize;
use serde_json::Value;

/// An update.
#[derive(Debug, Clone, Deserialize)]
pub struct Update {
    /// A new message.
    pub message: Option<Message>,
    /// An edited message.
    pub edited_message: Option<Message>,
    /// A pressed button.
    pub callback_query: Option<CallbackQuery>,
    /// Changed reactions to a message.
    pub message_reaction: Option<MessageReaction>,
}

/// A message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Message {
    pub message_id: i64,
    pub message_thread_id: Option<i64>,
    pub is_topic_message: bool,
    pub from: Option<User>,
    /// The chat in whose name it was sent: a channel, or a group for an anonymous admin.
    pub sender_chat: Option<Chat>,
    pub date: i64,
    pub edit_date: Option<i64>,
    pub chat: Chat,
    pub reply_to_message: Option<Box<Message>>,
    pub quote: Option<TextQuote>,
    pub external_reply: Option<Value>,
    pub forward_origin: Option<ForwardOrigin>,
    pub text: Option<String>,
    pub caption: Option<String>,
    pub entities: Vec<Entity>,
    pub caption_entities: Vec<Entity>,
    pub forum_topic_created: Option<Value>,
    pub migrate_to_chat_id: Option<i64>,
    pub migrate_from_chat_id: Option<i64>,
    #[serde(flatten)]
    pub media: Media,
}

/// The contents of a message besides text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Media {
    pub photo: Option<Vec<File>>,
    pub animation: Option<File>,
    pub video: Option<File>,
    pub video_note: Option<File>,
    pub voice: Option<File>,
    pub audio: Option<File>,
    pub document: Option<File>,
    pub sticker: Option<Sticker>,
    pub location: Option<Location>,
    pub venue: Option<MapVenue>,
    pub contact: Option<Contact>,
    pub poll: Option<Poll>,
    pub dice: Option<Dice>,
    pub story: Option<Value>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct File {
    pub file_id: String,
    pub file_size: Option<u64>,
    pub mime_type: Option<String>,
    pub duration: Option<i64>,
    pub file_name: Option<String>,
    pub title: Option<String>,
    pub performer: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Sticker {
    pub file_id: String,
    pub file_size: Option<u64>,
    pub is_animated: bool,
    pub is_video: bool,
    pub emoji: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Location {
    pub latitude: f64,
    pub longitude: f64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MapVenue {
    pub title: String,
    pub address: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Contact {
    pub first_name: String,
    pub last_name: Option<String>,
    pub phone_number: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Poll {
    pub question: String,
    pub options: Vec<PollOption>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PollOption {
    pub text: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Dice {
    pub emoji: String,
    pub value: i64,
}

/// The part of a message that the person selected to reply to.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct TextQuote {
    pub text: String,
}

/// The origin of a forwarded message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ForwardOrigin {
    pub sender_user: Option<User>,
    pub sender_user_name: Option<String>,
    pub sender_chat: Option<Chat>,
    pub chat: Option<Chat>,
}

/// A person or a bot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct User {
    pub id: i64,
    pub is_bot: bool,
    pub first_name: String,
    pub last_name: Option<String>,
    pub username: Option<String>,
}

impl User {
    /// The display name, without control characters that could control a terminal.
    pub fn name(&self) -> String {
        let last = self.last_name.as_deref().unwrap_or_default();
        let whole: String =
            format!("{} {last}", self.first_name).chars().filter(|c| !c.is_control()).collect();
        let whole = whole.trim();
        if whole.is_empty() {
            self.username.clone().unwrap_or_else(|| self.id.to_string())
        } else {
            whole.to_owned()
        }
    }
}

/// A chat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Chat {
    pub id: i64,
    #[serde(rename = "type")]
    pub kind: String,
    pub title: Option<String>,
    pub is_forum: bool,
}

impl Chat {
    /// Returns true if the chat is between the bot and one person.
    pub fn is_private(&self) -> bool {
        self.kind == "private"
    }
}

/// A mention, a link or the like in a text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Entity {
    #[serde(rename = "type")]
    pub kind: String,
    /// In UTF-16 units.
    pub offset: usize,
    /// In UTF-16 units.
    pub length: usize,
    pub user: Option<User>,
}

/// A pressed button.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct CallbackQuery {
    pub id: String,
    pub from: User,
    pub message: Option<Message>,
    pub data: Option<String>,
}

/// The reactions of one person to a message, before and after a change.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MessageReaction {
    pub chat: Chat,
    pub message_id: i64,
    /// `None` if an anonymous admin reacted.
    pub user: Option<User>,
    pub date: i64,
    pub new_reaction: Vec<ReactionType>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ReactionType {
    #[serde(rename = "type")]
    pub kind: String,
    pub emoji: Option<String>,
}
