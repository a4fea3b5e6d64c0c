//! JSON Lines: one message per line, as `export` writes them. [`carried`] has the lines of other kinds.

use std::io::BufRead;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_domain::time::read_moment;
use throughline_engine::{Exported, Inbound};

use super::stream::each_line;
use super::{Defaults, Entry, HomeSink, Importer, Sink, carried, explain};
use crate::output::Failure;

/// One line. Only chat, role and text are required; `export` writes the rest.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
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
    /// Replaces `external_id` if a message has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    external_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recorded_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
    /// The attached files, which an import ignores.
    #[serde(default, skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    files: Vec<ExportedFile>,
}

/// An attached file.
#[derive(Debug, Clone, Serialize)]
pub struct ExportedFile {
    /// The path below the home.
    pub path: String,
    /// Its media type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The original name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// One message per line.
pub struct Jsonl;

impl Importer for Jsonl {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        head.starts_with(b"{")
    }

    fn read(&self, input: &mut dyn BufRead, defaults: &Defaults, sink: &mut Sink<'_>) -> Result<(), Failure> {
        self.read_home(input, defaults, &mut |line, entry| match entry {
            Ok(Entry::Message(message)) => sink(line, Ok(message)),
            Ok(Entry::Carried(_)) => Ok(()),
            Err(why) => sink(line, Err(why)),
        })
    }

    fn read_home(
        &self,
        source: &mut dyn BufRead,
        defaults: &Defaults,
        sink: &mut HomeSink<'_>,
    ) -> Result<(), Failure> {
        each_line(source, sink, &mut |number, line, sink| match read_line(line, defaults).transpose() {
            Some(entry) => sink(number, entry),
            None => Ok(()),
        })
    }
}

/// Parses one line; `None` if it is empty.
fn read_line(line: &[u8], defaults: &Defaults) -> Result<Option<Entry>, String> {
    let text =
        std::str::from_utf8(line).map_err(|error| format!("not UTF-8 (byte {})", error.valid_up_to()))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    let line: Line = match serde_json::from_str(text) {
        Ok(line) => line,
        Err(error) => {
            return match carried::read(text) {
                Some(carried) => carried.map(|carried| Some(Entry::Carried(carried))),
                None => Err(explain(&error, "a line needs chat, role and text")),
            };
        }
    };
    let lane = line
        .lane
        .map(|lane| Lane::parse(&lane, &line.chat))
        .transpose()
        .map_err(|error| error.to_string())?;
    let at =
        line.at.map(|at| read_moment(&at, &defaults.zone)).transpose().map_err(|error| error.to_string())?;
    let reply_to = line.reply_to.as_deref().and_then(|id| id.parse().ok());
    let external_ids =
        if line.external_ids.is_empty() { line.external_id.into_iter().collect() } else { line.external_ids };
    let mut inbound = Inbound {
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
    };
    // An export of this program already contains the message as it was recorded.
    if inbound.exported.is_none() {
        defaults.mark_own(&mut inbound);
    }
    Ok(Some(Entry::Message(inbound)))
}

/// Writes one message as a line.
pub fn write(message: &Message, files: &[ExportedFile]) -> serde_json::Result<String> {
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
        files: files.to_vec(),
    })
}
