//! Connections, which determine the engine and the chat of a call. The engine can touch nothing else.

use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::model::{Extensions, JsonObject};
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::access::Access;
use tokio::sync::Notify;

use super::stdio::Process;
use super::tools::{CHAT, MemoryTool};
use crate::channels::Host;
use crate::cli::MAIN;
use crate::http::Caller;
use crate::wire::App;

/// The header with which an HTTP client names its chat.
const CHAT_HEADER: &str = "x-throughline-chat";

/// The origin of calls.
#[derive(Clone)]
pub enum Connection {
    /// The program that started this process.
    Stdio(Arc<Process>),
    /// HTTP clients, which the guard has authenticated.
    Http(Arc<Host>),
}

/// Whether a model may name the chat of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// The connection has one chat.
    Fixed,
    /// The model may name another chat of the same person.
    Free,
}

/// The engine and the chat of a call.
pub struct Scope {
    pub app: Arc<App>,
    /// The engine over a handle of the store that can touch only what the connection may.
    pub engine: Engine,
    /// The chat.
    pub chat: ChatId,
    /// Wakes the worker of background jobs.
    pub jobs: Arc<Notify>,
}

impl Connection {
    /// Returns true if the connection offers a tool.
    pub fn offers(&self, tool: MemoryTool) -> bool {
        match self {
            Self::Stdio(process) => process.writes || tool.only_reads(),
            Self::Http(_) => true,
        }
    }

    /// Whether a model may name the chat of a call.
    pub fn naming(&self) -> Naming {
        match self {
            Self::Stdio(process) => process.naming,
            Self::Http(_) => Naming::Fixed,
        }
    }

    /// The scope of a call. Removes the argument that names a chat, if the connection allows it.
    pub async fn scope(&self, arguments: &mut JsonObject, extensions: &Extensions) -> Result<Scope, String> {
        match self {
            Self::Stdio(process) => {
                let named = match process.naming {
                    Naming::Free => arguments.remove(CHAT),
                    Naming::Fixed => None,
                };
                let named = named.as_ref().map(|chat| chat.as_str().unwrap_or_default());
                process.scope(named).await
            }
            Self::Http(host) => {
                let parts = extensions.get::<Parts>().ok_or("the request cannot be read")?;
                of_request(host, parts).await
            }
        }
    }
}

/// The scope of an HTTP request: the chat of the token, or else the chat in the header.
async fn of_request(host: &Host, parts: &Parts) -> Result<Scope, String> {
    let caller: &Caller = parts.extensions.get().ok_or("the caller is not known")?;
    let named = parts.headers.get(CHAT_HEADER).map(|header| header.to_str());
    let named = named.transpose().map_err(|_| format!("{CHAT_HEADER} is not text"))?;
    let chat = match (named, &caller.access) {
        (None, Access::Everything | Access::Person(_)) => caller.chat(Some(MAIN)).await,
        (named, _) => caller.chat(named).await,
    };
    let chat = chat
        .map_err(|failure| format!("{}; the header {CHAT_HEADER} names the chat", failure.into_sentence()))?;
    let engine = caller.engine.narrowed(&Access::Chat(chat.clone()));
    Ok(Scope { app: Arc::clone(&host.app), engine, chat, jobs: Arc::clone(&host.jobs) })
}
