//! Who sends a request. The guard puts it into the request; what answers the request takes it from there.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::access::Access;

use crate::output::Failure;

/// Who sends a request.
#[derive(Clone)]
pub struct Caller {
    /// The engine over a handle of the store that can touch only what the caller may.
    pub engine: Engine,
    /// What that is.
    pub access: Access,
}

impl Caller {
    /// A caller, whose engine is narrowed to what they may touch.
    pub fn new(engine: &Engine, access: Access) -> Self {
        Self { engine: engine.narrowed(&access), access }
    }

    /// The chat that a request is about: the one that it names, or else the caller's only one.
    pub fn chat(&self, named: Option<&str>) -> Result<ChatId, Failure> {
        let named = named.map(str::parse::<ChatId>).transpose();
        let named = named.map_err(|error| Failure::Usage(format!("chat: {error}")))?;
        match (named, &self.access) {
            (Some(chat), _) if !self.engine.store.may_touch(&chat) => {
                Err(throughline_store::Error::OutOfScope(chat).into())
            }
            (Some(chat), _) => Ok(chat),
            (None, Access::Chat(chat)) => Ok(chat.clone()),
            (None, _) => Err(Failure::Usage("chat: name the chat, for example \"api:chat:main\"".to_owned())),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    /// The guard is missing.
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        parts.extensions.get().cloned().ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}
