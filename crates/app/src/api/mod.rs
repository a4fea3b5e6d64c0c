//! Requests and JSON documents that the command line, MCP and HTTP share. Each document is one type, from which its
//! schema is derived.

mod chats;
mod context;
mod conversation;
mod forget;
mod memory;
mod profile;
mod record;
mod routine;
mod search;
mod summary;
mod turn;
mod usage;

pub use chats::ChatsDocument;
pub use context::{
    ContextDocument, ContextQuery, Provider, document as context_document, prepare as prepare_context, shape,
};
pub use conversation::{ConversationPage, ConversationsDocument, MessageDocument, MessagesPage};
pub use forget::{ForgetDocument, ForgetQuery, UndoneDocument, forget};
pub use memory::{MemoriesDocument, MemoryDocument, MemoryEdit, RememberQuery, RememberedDocument};
pub use profile::ProfileDocument;
pub use record::{NewMessage, RecordDocument};
pub use routine::{RoutineDocument, RunDocument};
pub use search::{SearchDocument, SearchQuery};
pub use summary::SummariesDocument;
pub use turn::{NewTurn, ReceiptDocument, TurnDocument, TurnEntryDocument, TurnsDocument};
pub use usage::SpentDocument;
