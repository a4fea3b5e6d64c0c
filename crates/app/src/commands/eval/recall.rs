//! A recall set: chats, and questions whose answering messages are known. Every other dataset is first made into one.

use serde::Deserialize;
use throughline_domain::message::Role;

/// The set as it is written.
#[derive(Debug, PartialEq, Deserialize)]
pub struct RecallSet {
    pub chats: Vec<Chat>,
    pub questions: Vec<Question>,
}

#[derive(Debug, PartialEq, Deserialize)]
pub struct Chat {
    pub id: String,
    pub messages: Vec<Message>,
}

#[derive(Debug, PartialEq, Deserialize)]
pub struct Message {
    pub id: String,
    pub at: String,
    pub role: Role,
    #[serde(default)]
    pub speaker: Option<String>,
    pub text: String,
    /// A label to score by; the memory never sees it.
    pub conversation: String,
}

#[derive(Debug, PartialEq, Deserialize)]
pub struct Question {
    pub id: String,
    pub chat: String,
    pub question: String,
    pub category: String,
    /// The messages that answer it, by their ids in the chat.
    #[serde(default)]
    pub gold: Vec<String>,
    /// The time of the question, if it is not right after the chat's last message.
    #[serde(default)]
    pub question_date: Option<String>,
}

/// Reads a set; the error says what is wrong with it.
pub fn read(json: &[u8]) -> Result<RecallSet, String> {
    super::set::parse(json)
}
