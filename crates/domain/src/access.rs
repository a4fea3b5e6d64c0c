//! The access of a connection.

use crate::chat::ChatId;

/// The access of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Everything, for the owner.
    Everything,
    /// The private chats of one person.
    Person(String),
    /// One chat.
    Chat(ChatId),
}
