//! What a connection may see.

use crate::chat::ChatId;

/// What a connection may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Everything: it is the owner's.
    Everything,
    /// The private chats of one person.
    Person(String),
    /// One chat.
    Chat(ChatId),
}
