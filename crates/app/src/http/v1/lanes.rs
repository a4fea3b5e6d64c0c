//! The lanes of a chat, and the messages of a lane.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_domain::turn::TurnId;
use throughline_store::InChat;
use throughline_store::messages::Reference;
use utoipa::{IntoParams, ToSchema};

use super::ChatParams;
use super::page::page_size;
use crate::api::MessageDocument;
use crate::commands::lane_named;
use crate::http::error::ApiError;
use crate::http::extract::Params;
use crate::http::{Caller, Web};

/// The lanes of a chat, the most recent first.
#[derive(Debug, Serialize, ToSchema)]
pub struct LanesDocument {
    /// The chat.
    chat: String,
    /// The lanes.
    lanes: Vec<LaneDocument>,
    /// Whether the chat's channel is connected, such as Telegram: replies are sent there as well.
    connected: bool,
}

/// A lane and how much is in it.
#[derive(Debug, Serialize, ToSchema)]
struct LaneDocument {
    /// root, topic:N or reply:ID.
    lane: String,
    /// Its messages.
    messages: u64,
    /// The time of the newest message.
    last_at: Option<String>,
}

/// List the lanes of a chat, the most recent first.
#[utoipa::path(
    get,
    path = "/v1/lanes",
    operation_id = "list_lanes",
    params(ChatParams),
    responses((status = 200, description = "The lanes.", body = LanesDocument))
)]
pub async fn list(
    State(web): State<Web>,
    caller: Caller,
    Params(params): Params<ChatParams>,
) -> Result<Json<LanesDocument>, ApiError> {
    let chat = caller.chat(params.chat.as_deref()).await?;
    let lanes = caller.engine.store.chat(&chat).lanes().await?.into_iter();
    let lanes = lanes.map(|count| LaneDocument {
        lane: count.lane.to_string(),
        messages: count.messages,
        last_at: count.last_at.map(|at| at.to_string()),
    });
    let connected = web.channels.sender(&chat).is_some();
    Ok(Json(LanesDocument { chat: chat.to_string(), lanes: lanes.collect(), connected }))
}

/// The messages to read: the newest, or those before, after or around one.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LaneRange {
    /// The chat, unless the token is bound to one.
    chat: Option<String>,
    /// root, topic:N or reply:ID; root unless given.
    lane: Option<String>,
    /// The messages before this one.
    before: Option<String>,
    /// The messages after this one.
    after: Option<String>,
    /// The messages around this one, with it.
    around: Option<String>,
    /// Maximum number of messages; 50 unless given.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

/// A part of a lane.
#[derive(Debug, Serialize, ToSchema)]
pub struct LanePart {
    /// The chat.
    chat: String,
    /// root, topic:N or reply:ID.
    lane: String,
    /// The messages, oldest first.
    messages: Vec<LaneMessage>,
    /// Whether there are messages before these.
    before: bool,
    /// Whether there are messages after these.
    after: bool,
}

/// A message of a lane.
#[derive(Debug, Serialize, ToSchema)]
struct LaneMessage {
    #[serde(flatten)]
    message: MessageDocument,
    /// The turn whose reply it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    /// How a reply falls short: stopped, cut, unanswered, stand-in or replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    shortfall: Option<&'static str>,
}

/// Read a part of a lane, oldest first.
///
/// The lane of a message that is named is found by it, unless a lane is given.
#[utoipa::path(
    get,
    path = "/v1/lanes/messages",
    operation_id = "read_lane",
    params(LaneRange),
    responses((status = 200, description = "The messages.", body = LanePart))
)]
pub async fn messages(caller: Caller, Params(range): Params<LaneRange>) -> Result<Json<LanePart>, ApiError> {
    let chat = caller.chat(range.chat.as_deref()).await?;
    let in_chat = caller.engine.store.chat(&chat);
    let named = [&range.before, &range.after, &range.around].into_iter().flatten().collect::<Vec<_>>();
    let at = match named.as_slice() {
        [] => None,
        [id] => Some(message(&in_chat, id).await?),
        _ => return Err(ApiError::invalid("name one message: before, after or around")),
    };
    let lane = match (lane_named(range.lane.as_deref(), &chat)?, &at) {
        (Some(lane), _) => lane,
        (None, Some(at)) => at.message.lane.clone(),
        (None, None) => Lane::Root,
    };
    let limit = page_size(range.limit);
    let page = match at {
        None => messages_before(&in_chat, &lane, None, limit).await?,
        Some(at) if range.before.is_some() => {
            messages_before(&in_chat, &lane, Some(at.message.id), limit).await?
        }
        Some(at) if range.after.is_some() => messages_after(&in_chat, &lane, &at, limit).await?,
        Some(at) => {
            let earlier = messages_before(&in_chat, &lane, Some(at.message.id), limit / 2).await?;
            let later = messages_after(&in_chat, &lane, &at, limit - limit / 2).await?;
            Range {
                messages: [earlier.messages, vec![at], later.messages].concat(),
                before: earlier.before,
                after: later.after,
            }
        }
    };
    let turns = in_chat.turns_of_replies(page.messages.iter().map(|stored| stored.seq).collect()).await?;
    Ok(Json(LanePart {
        chat: chat.to_string(),
        lane: lane.to_string(),
        messages: page.messages.iter().map(|stored| LaneMessage::new(stored, &turns)).collect(),
        before: page.before,
        after: page.after,
    }))
}

async fn message(in_chat: &InChat, id: &str) -> Result<StoredMessage, ApiError> {
    let unknown = || ApiError::not_found("message", id);
    let reference = Reference::Id(id.parse().map_err(|_| unknown())?);
    in_chat.find(reference).await?.ok_or_else(unknown)
}

/// A range of messages, oldest first, and whether there are more on each side.
struct Range {
    messages: Vec<StoredMessage>,
    before: bool,
    after: bool,
}

/// The messages before a message, or the last messages of the lane.
async fn messages_before(
    in_chat: &InChat,
    lane: &Lane,
    before: Option<MessageId>,
    limit: usize,
) -> Result<Range, ApiError> {
    let mut messages = in_chat.preceding(lane, before, limit + 1).await?;
    let has_more = messages.len() > limit;
    messages.truncate(limit);
    messages.reverse();
    Ok(Range { messages, before: has_more, after: before.is_some() })
}

/// The messages after a message.
async fn messages_after(
    in_chat: &InChat,
    lane: &Lane,
    at: &StoredMessage,
    limit: usize,
) -> Result<Range, ApiError> {
    let mut messages = in_chat.following(lane, Some(at.position()), limit + 1).await?;
    let has_more = messages.len() > limit;
    messages.truncate(limit);
    Ok(Range { messages, before: true, after: has_more })
}

impl LaneMessage {
    fn new(stored: &StoredMessage, turns: &HashMap<i64, TurnId>) -> Self {
        Self {
            message: stored.into(),
            turn: turns.get(&stored.seq).map(ToString::to_string),
            shortfall: stored.message.shortfall().map(Into::into),
        }
    }
}
