//! The summaries of a chat, and what has none yet.

use jiff::Timestamp;
use serde::Serialize;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::summary::Summary;
use throughline_engine::overview::Summaries;
use utoipa::ToSchema;

/// The summaries of a chat, and what has none yet.
#[derive(Debug, Serialize, ToSchema)]
pub struct SummariesDocument {
    /// The summaries of the lanes, oldest first, and that of the whole chat.
    pub summaries: Vec<SummaryDocument>,
    /// The live conversation.
    pub ongoing: OngoingDocument,
    /// The newest messages, shortened.
    pub recent: Vec<RecentDocument>,
    /// Today's messages of routines.
    pub routines: Vec<RoutineDocument>,
}

/// A summary.
#[derive(Debug, Serialize, ToSchema)]
pub struct SummaryDocument {
    /// Its id.
    pub id: String,
    /// conversation, chunk, lane or chat.
    pub scope: String,
    /// The lane; none for the whole chat.
    pub lane: Option<String>,
    /// The time of its first message.
    pub from: String,
    /// The time of its last message.
    pub to: String,
    /// The number of messages that it represents.
    pub messages: u64,
    /// Its version.
    pub version: u32,
    /// Whether a message came late and it will be written again.
    pub stale: bool,
    /// goals, decisions, facts, outcomes and pending, each a list of lines.
    #[schema(value_type = Object)]
    pub sections: serde_json::Value,
    /// The text.
    pub text: String,
}

/// The live conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct OngoingDocument {
    /// Its messages that no summary covers; 0 if it has ended.
    pub messages: u64,
    /// What it is about.
    pub about: Vec<String>,
}

/// A recent message, shortened.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecentDocument {
    /// Who said it.
    pub who: String,
    /// When.
    pub at: String,
    /// The text.
    pub text: String,
}

/// A message of a routine.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoutineDocument {
    /// The routine.
    pub name: String,
    /// When it was sent.
    pub at: String,
    /// Its summary, or its text.
    pub text: String,
}

impl SummariesDocument {
    /// The document of a chat's summaries.
    pub fn new(summaries: &Summaries, chat: &ChatId) -> Self {
        let of_lanes = summaries.summaries.iter().map(|(lane, of)| document(Some(lane), of, chat));
        let of_chat = summaries.chat_wide.iter().map(|summary| document(None, summary, chat));
        type Said = (String, Timestamp, String);
        let recent = |(who, at, text): &Said| RecentDocument {
            who: who.clone(),
            at: at.to_string(),
            text: text.clone(),
        };
        let routine = |(name, at, text): &Said| RoutineDocument {
            name: name.clone(),
            at: at.to_string(),
            text: text.clone(),
        };
        Self {
            summaries: of_lanes.chain(of_chat).collect(),
            ongoing: OngoingDocument { messages: summaries.ongoing, about: summaries.about.clone() },
            recent: summaries.recent.iter().map(recent).collect(),
            routines: summaries.routines.iter().map(routine).collect(),
        }
    }
}

fn document(lane: Option<&Lane>, summary: &Summary, chat: &ChatId) -> SummaryDocument {
    SummaryDocument {
        id: summary.id.to_string(),
        scope: summary.scope.as_str().to_owned(),
        lane: lane.map(|lane| lane.key(chat)),
        from: summary.first.position.at.to_string(),
        to: summary.last.position.at.to_string(),
        messages: summary.messages,
        version: summary.version,
        stale: summary.stale,
        sections: serde_json::json!(summary.sections),
        text: summary.text.clone(),
    }
}
