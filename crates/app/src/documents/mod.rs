//! The JSON documents that commands, MCP and HTTP answer with: one type each, and a schema made from it.

mod conversation;
mod search;

pub use conversation::ConversationPage;
pub use search::SearchDocument;
