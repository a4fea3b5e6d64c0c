//! JSON lines: one message a line, as `export` writes them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_domain::time::read_moment;
use throughline_engine::{Exported, Inbound};

/// One line. Only chat, role and text are needed; the rest comes from an export.
#[derive(Debug, Serialize, Deserialize)]
pub struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<MessageId>,
    chat: ChatId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lane: Option<String>,
    role: Role,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    /// All of them, where a message has more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    external_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recorded_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
}

/// Reads one line; the error says what is wrong with it.
pub fn read(line: &str, zone: &TimeZone) -> Result<Inbound, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| explain(&error))?;
    let lane = line
        .lane
        .map(|lane| Lane::parse(&lane, &line.chat))
        .transpose()
        .map_err(|error| error.to_string())?;
    let at = line.at.map(|at| read_moment(&at, zone)).transpose().map_err(|error| error.to_string())?;
    let reply_to = line.reply_to.as_deref().and_then(|id| id.parse().ok());
    let external_ids =
        if line.external_ids.is_empty() { line.external_id.into_iter().collect() } else { line.external_ids };
    Ok(Inbound {
        lane,
        role: line.role,
        text: line.text,
        speaker: line.speaker,
        agent: line.agent,
        at,
        external_ids,
        exported: line.id.map(|id| Exported { id, recorded_at: line.recorded_at, reply_to }),
        metadata: line.metadata.unwrap_or_default(),
        ..Inbound::in_chat(line.chat)
    })
}

/// What the JSON reader says, without its place inside a line that people do not see.
fn explain(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let (what, column) = match said.rsplit_once(" at line ") {
        Some((what, _)) => (what.to_owned(), error.column()),
        None => (said, error.column()),
    };
    // A pair of escapes of which one is missing.
    if what.contains("surrogate") || what == "unexpected end of hex escape" {
        return format!("a lone surrogate, half of a \\u pair, is no character (column {column})");
    }
    format!("{what} (column {column}); a line needs chat, role and text")
}

/// Writes one message as a line.
pub fn write(message: &Message) -> serde_json::Result<String> {
    let (external_id, external_ids) = match message.external_ids.as_slice() {
        [] => (None, Vec::new()),
        [only] => (Some(only.clone()), Vec::new()),
        several => (None, several.to_vec()),
    };
    serde_json::to_string(&Line {
        id: Some(message.id),
        lane: Some(message.lane.key(&message.chat)),
        chat: message.chat.clone(),
        role: message.role,
        text: message.text.clone(),
        at: Some(message.occurred_at.to_string()),
        speaker: message.speaker.clone(),
        agent: message.agent.clone(),
        external_id,
        external_ids,
        reply_to: message.reply_to.map(|id| id.to_string()),
        recorded_at: Some(message.recorded_at),
        metadata: Some(message.metadata.clone()).filter(|metadata| !metadata.is_empty()),
    })
}
