//! The format of a recall set: chats, and questions with the messages that answer them. Every other dataset is
//! converted to it.

use serde::Deserialize;
use throughline_domain::message::Role;

/// A recall set in JSON.
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
    /// A label for scoring, which is not imported.
    pub conversation: String,
}

#[derive(Debug, PartialEq, Deserialize)]
pub struct Question {
    pub id: String,
    pub chat: String,
    pub question: String,
    pub category: String,
    /// The ids of the messages that answer the question.
    #[serde(default)]
    pub gold: Vec<String>,
    /// The time of the question; right after the chat's last message if missing.
    #[serde(default)]
    pub question_date: Option<String>,
}

/// Parses a set.
pub fn read(json: &[u8]) -> Result<RecallSet, String> {
    super::set::parse(json)
}
