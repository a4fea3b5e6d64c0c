//! Errors of the server.

use serde_json::{Value, json};

use super::fields::set;

/// An error answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub code: u16,
    pub description: String,
    /// Hints for the client: wait, or write to another chat.
    pub parameters: Option<Value>,
}

impl Refusal {
    pub fn new(code: u16, description: impl Into<String>) -> Self {
        Self { code, description: description.into(), parameters: None }
    }

    pub fn bad(reason: impl std::fmt::Display) -> Self {
        Self::new(400, format!("Bad Request: {reason}"))
    }

    pub fn not_found() -> Self {
        Self::new(404, "Not Found")
    }

    pub fn second_poll() -> Self {
        Self::new(
            409,
            "Conflict: terminated by other getUpdates request; \
             make sure that only one bot instance is running",
        )
    }

    pub fn too_many(retry_after: u64) -> Self {
        Self {
            parameters: Some(json!({ "retry_after": retry_after })),
            ..Self::new(429, format!("Too Many Requests: retry after {retry_after}"))
        }
    }

    pub fn moved(new: i64) -> Self {
        Self {
            parameters: Some(json!({ "migrate_to_chat_id": new })),
            ..Self::bad("group chat was upgraded to a supergroup chat")
        }
    }

    /// The answer's body.
    pub fn body(&self) -> Value {
        let mut body = json!({ "ok": false, "error_code": self.code, "description": self.description });
        if let Some(parameters) = &self.parameters {
            set(&mut body, "parameters", parameters.clone());
        }
        body
    }
}
