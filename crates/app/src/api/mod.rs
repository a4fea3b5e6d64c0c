//! What commands, MCP and HTTP have in common: requests, what answers them, and the JSON documents of the answers. Each
//! document is one type, and its schema is made from it.

mod context;
mod conversation;
mod forget;
mod memory;
mod search;

pub use context::{
    ContextDocument, ContextQuery, Provider, document as context_document, prepare as prepare_context, shape,
};
pub use conversation::ConversationPage;
pub use forget::{ForgetDocument, forget};
pub use memory::{MemoryDocument, RememberedDocument};
pub use search::SearchDocument;
