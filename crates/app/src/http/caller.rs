//! The caller of a request. The guard adds it to the request's extensions; handlers extract it from there.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::access::Access;

use super::error::ApiError;
use crate::output::Failure;

/// The sender of a request, and what they may touch.
#[derive(Clone)]
pub struct Caller {
    /// The engine over a handle of the store that can touch only what the caller may.
    pub engine: Engine,
    /// The chats that the caller may touch.
    pub access: Access,
    /// The name in logs and rate limits, such as `token:phone`.
    pub name: Arc<str>,
}

impl Caller {
    /// Narrows the engine to what the caller may touch.
    pub fn new(engine: &Engine, access: Access, name: &str) -> Self {
        Self { engine: engine.narrowed(&access), access, name: name.into() }
    }

    /// The chat that a request is about: the one that it names, or else the caller's only one. An empty chat of a
    /// program becomes the property of the first person who uses it.
    pub async fn chat(&self, named: Option<&str>) -> Result<ChatId, Failure> {
        let named = named.map(str::parse::<ChatId>).transpose();
        let named = named.map_err(|error| Failure::Usage(format!("chat: {error}")))?;
        let chat = match (named, &self.access) {
            (Some(chat), _) => chat,
            (None, Access::Chat(chat)) => chat.clone(),
            (None, _) => {
                return Err(Failure::Usage("chat: name the chat, for example \"api:chat:main\"".to_owned()));
            }
        };
        let may_touch = match &self.access {
            Access::Person(person) => self.engine.claim(&chat, person).await?,
            Access::Everything | Access::Chat(_) => self.engine.store.may_touch(&chat),
        };
        if may_touch { Ok(chat) } else { Err(throughline_store::Error::OutOfScope(chat).into()) }
    }

    /// The chat that a list is limited to, if the request names one.
    pub async fn chat_filter(&self, named: Option<&str>) -> Result<Option<ChatId>, Failure> {
        Ok(if named.is_some() { Some(self.chat(named).await?) } else { None })
    }

    /// Refuses everybody but the owner.
    pub fn require_owner(&self, refusal: &str) -> Result<(), ApiError> {
        if self.is_owner() { Ok(()) } else { Err(ApiError::forbidden(refusal)) }
    }

    /// Returns true if the caller is the owner, who may see what concerns the whole program.
    pub fn is_owner(&self) -> bool {
        self.access == Access::Everything
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    /// The guard is missing.
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        parts.extensions.get().cloned().ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}
