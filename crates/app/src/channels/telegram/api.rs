//! Telegram's Bot API: a dozen methods over HTTP, and the errors sorted by what the caller can do. Crates that wrap
//! the whole API lag behind (drafts, topics in private chats) or bring a framework, and the few methods used here are
//! plain JSON.

use std::error::Error;
use std::fmt;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use reqwest::multipart::{Form, Part};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

/// Time-out of an ordinary call.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time that Telegram keeps a request for updates open if there are none.
pub const LONG_POLL: Duration = Duration::from_secs(50);

/// Telegram's error for a file that is larger than a bot may download.
pub const TOO_BIG: &str = "file is too big";

/// Why a call failed, by what the caller can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiError {
    /// Rate limited: wait this long, then try again.
    TooMany(Duration),
    /// Another program polls with this token, or a webhook is set.
    Conflict(String),
    /// The token is not valid, or no longer.
    Unauthorized,
    /// The group has another id now.
    Moved(i64),
    /// Telegram refused the request: correct it or give up.
    Refused(String),
    /// The request certainly had no effect: try again later.
    NotDone(String),
    /// The request was sent but got no response: it may or may not have had an effect.
    Ambiguous(String),
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany(wait) => write!(f, "Telegram asks to wait {} s", wait.as_secs()),
            Self::Conflict(why) => write!(f, "{why}"),
            Self::Unauthorized => {
                f.write_str("Telegram does not know the bot token; set telegram.bot_token to the one that @BotFather shows")
            }
            Self::Moved(to) => write!(f, "the group has become the supergroup {to}"),
            Self::Refused(why) | Self::NotDone(why) | Self::Ambiguous(why) => f.write_str(why),
        }
    }
}

/// A client of the Bot API with one bot's token, which can be replaced.
pub struct Api {
    client: Client,
    base: String,
    token: RwLock<String>,
}

#[derive(Deserialize)]
struct Answer {
    ok: bool,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    error_code: u16,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Deserialize, Default)]
struct Parameters {
    retry_after: Option<u64>,
    migrate_to_chat_id: Option<i64>,
}

/// The bot, as `getMe` returns it.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Me {
    /// The bot's numeric id.
    pub id: i64,
    /// The user name, with a leading @.
    #[serde(default)]
    pub username: String,
    /// Whether the bot receives every message of its groups.
    #[serde(default)]
    pub can_read_all_group_messages: bool,
}

impl Api {
    /// Creates a client for an address. The HTTP client comes from the caller, because it must know the certificates
    /// that this machine trusts.
    pub fn new(client: Client, base: &str, token: &str) -> Self {
        Self { client, base: base.trim_end_matches('/').to_owned(), token: RwLock::new(token.to_owned()) }
    }

    /// Returns true if this is the token in use.
    pub fn uses(&self, token: &str) -> bool {
        *self.token.read().unwrap_or_else(PoisonError::into_inner) == token
    }

    /// Replaces the token.
    pub fn use_token(&self, token: &str) {
        token.clone_into(&mut self.token.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The bot's numeric id, with which its token begins.
    pub fn bot(&self) -> String {
        let token = self.token.read().unwrap_or_else(PoisonError::into_inner);
        token.split(':').next().unwrap_or_default().to_owned()
    }

    /// Calls `getMe`.
    pub async fn me(&self) -> Result<Me, ApiError> {
        let me = self.call("getMe", &json!({})).await?;
        serde_json::from_value(me)
            .map_err(|error| ApiError::NotDone(format!("getMe cannot be read: {error}")))
    }

    /// Waits for updates, starting with the update number `offset`.
    pub async fn updates(&self, offset: Option<i64>, wait: Duration) -> Result<Vec<Value>, ApiError> {
        let mut question = json!({
            "timeout": wait.as_secs(),
            "allowed_updates": ["message", "edited_message", "callback_query", "message_reaction"],
        });
        if let (Some(offset), Some(fields)) = (offset, question.as_object_mut()) {
            fields.insert("offset".to_owned(), json!(offset));
        }
        let request = self.request("getUpdates").json(&question).timeout(wait + PATIENCE);
        match self.answer(request).await? {
            Value::Array(updates) => Ok(updates),
            _ => Err(ApiError::NotDone("getUpdates gave no list".to_owned())),
        }
    }

    /// Calls a method.
    pub async fn call(&self, method: &str, parameters: &Value) -> Result<Value, ApiError> {
        self.answer(self.request(method).json(parameters).timeout(PATIENCE)).await
    }

    /// Sends a file.
    pub async fn send_document(
        &self,
        fields: &Value,
        name: &str,
        content: String,
    ) -> Result<Value, ApiError> {
        let mut form = Form::new();
        for (field, value) in fields.as_object().into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            form = form.text(field.clone(), text);
        }
        let file = Part::text(content).file_name(name.to_owned());
        let file = file.mime_str("text/plain; charset=utf-8").map_err(|error| unanswered(&error))?;
        let form = form.part("document", file);
        let request = self.request("sendDocument").multipart(form).timeout(PATIENCE * 2);
        self.answer(request).await
    }

    /// Downloads a file of at most `most` bytes by its file id.
    pub async fn download(&self, file_id: &str, most: u64) -> Result<Vec<u8>, ApiError> {
        let file = self.call("getFile", &json!({ "file_id": file_id })).await?;
        let path = file.get("file_path").and_then(Value::as_str).unwrap_or_default();
        if path.is_empty() {
            return Err(ApiError::NotDone("getFile gave no path".to_owned()));
        }
        let request = {
            let token = self.token.read().unwrap_or_else(PoisonError::into_inner);
            self.client.get(format!("{}/file/bot{token}/{path}", self.base)).timeout(PATIENCE * 4)
        };
        let mut response = request.send().await.map_err(|error| unanswered(&error))?;
        match response.status() {
            status if status.is_success() => {}
            StatusCode::TOO_MANY_REQUESTS => return Err(ApiError::TooMany(Duration::from_secs(5))),
            status => {
                return Err(ApiError::Refused(format!(
                    "Telegram does not give the file ({})",
                    status.as_u16()
                )));
            }
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| unanswered(&error))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > most {
                return Err(ApiError::Refused(TOO_BIG.to_owned()));
            }
        }
        Ok(bytes)
    }

    fn request(&self, method: &str) -> RequestBuilder {
        let token = self.token.read().unwrap_or_else(PoisonError::into_inner);
        self.client.post(format!("{}/bot{token}/{method}", self.base))
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Value, ApiError> {
        let response = request.send().await.map_err(|error| unanswered(&error))?;
        let status = response.status();
        let body = response.text().await.map_err(|error| unanswered(&error))?;
        read(status, &body)
    }
}

/// Classifies a request without a response. The text leaves out the URL, which contains the token.
fn unanswered(error: &reqwest::Error) -> ApiError {
    if error.is_connect() || error.is_builder() || was_never_written(error) {
        ApiError::NotDone("Telegram cannot be reached".to_owned())
    } else if error.is_timeout() {
        ApiError::Ambiguous("Telegram did not answer in time".to_owned())
    } else {
        ApiError::Ambiguous("the connection to Telegram broke".to_owned())
    }
}

/// Returns true if the connection closed before the request was written.
fn was_never_written(error: &reqwest::Error) -> bool {
    std::iter::successors(Some(error as &(dyn Error + 'static)), |error| (*error).source())
        .any(|error| error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled))
}

fn read(status: StatusCode, body: &str) -> Result<Value, ApiError> {
    let Ok(answer) = serde_json::from_str::<Answer>(body) else {
        // A proxy between this machine and Telegram responded.
        return Err(ApiError::Ambiguous(format!("the answer ({status}) is none of Telegram's")));
    };
    if answer.ok {
        return Ok(answer.result);
    }
    if let Some(to) = answer.parameters.migrate_to_chat_id {
        return Err(ApiError::Moved(to));
    }
    let description = answer.description;
    Err(match if answer.error_code == 0 { status.as_u16() } else { answer.error_code } {
        401 | 404 => ApiError::Unauthorized,
        409 => ApiError::Conflict(description),
        429 => {
            ApiError::TooMany(Duration::from_secs(answer.parameters.retry_after.unwrap_or(1).clamp(1, 3600)))
        }
        // The message was sent and then deleted by a rule of the chat; sending it again would only repeat that.
        500.. if description.contains("immediately deleted") => ApiError::Refused(description),
        // A server behind the one that responded may have carried out the request.
        500.. => ApiError::Ambiguous(description),
        _ => ApiError::Refused(description),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_can_be_done_about_it() {
        let body = |code: u16, description: &str, parameters: Value| {
            json!({ "ok": false, "error_code": code, "description": description, "parameters": parameters })
                .to_string()
        };
        let cases = [
            (
                429,
                body(429, "Too Many Requests", json!({ "retry_after": 7 })),
                ApiError::TooMany(Duration::from_secs(7)),
            ),
            (409, body(409, "Conflict: x", json!({})), ApiError::Conflict("Conflict: x".to_owned())),
            (401, body(401, "Unauthorized", json!({})), ApiError::Unauthorized),
            (400, body(400, "upgraded", json!({ "migrate_to_chat_id": -1001 })), ApiError::Moved(-1001)),
            (
                400,
                body(400, "Bad Request: chat not found", json!({})),
                ApiError::Refused("Bad Request: chat not found".to_owned()),
            ),
            (500, body(500, "Internal", json!({})), ApiError::Ambiguous("Internal".to_owned())),
            (504, body(504, "Gateway Timeout", json!({})), ApiError::Ambiguous("Gateway Timeout".to_owned())),
        ];
        for (status, body, expected) in cases {
            assert_eq!(read(StatusCode::from_u16(status).unwrap(), &body), Err(expected));
        }
        assert!(matches!(read(StatusCode::BAD_GATEWAY, "<html>"), Err(ApiError::Ambiguous(_))));
        assert_eq!(read(StatusCode::OK, r#"{"ok":true,"result":5}"#), Ok(json!(5)));
    }
}
