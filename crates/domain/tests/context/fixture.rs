//! Lanes, summaries and material for these tests.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use throughline_domain::context::{
    Context, ContextInputs, Current, Focus, Format, History, LayerName, Plan, Preset, Recalled,
    StoredMessage, assemble,
};
use throughline_domain::conversation::{GAP, Thread, opens};
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId, Role};
use throughline_domain::summary::{End, Scope, Summary, follows};
use throughline_text::summarize::sections::Sections;
use throughline_text::tokens::estimate;
use uuid::Uuid;

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

pub fn singapore() -> TimeZone {
    TimeZone::get("Asia/Singapore").unwrap()
}

pub fn message_id(n: usize) -> MessageId {
    MessageId(Uuid::from_u128(n as u128 + 1))
}

pub fn said(role: Role, text: &str, when: Timestamp) -> Message {
    Message {
        id: message_id(0),
        chat: "cli:chat:main".parse().unwrap(),
        lane: Lane::Root,
        role,
        text: text.to_owned(),
        channel: "cli".to_owned(),
        speaker: None,
        agent: None,
        occurred_at: when,
        recorded_at: when,
        external_ids: Vec::new(),
        reply_to: None,
        metadata: serde_json::Map::new(),
    }
}

pub fn user(text: &str, when: &str) -> Message {
    said(Role::User, text, at(when))
}

pub fn assistant(text: &str, when: &str) -> Message {
    said(Role::Assistant, text, at(when))
}

pub fn routine(mut message: Message, name: &str, summary: &str) -> Message {
    message.metadata.insert("source".into(), "routine".into());
    message.metadata.insert("routine".into(), name.into());
    message.metadata.insert("summary".into(), summary.into());
    message
}

/// So many short messages of both sides in turn, a minute apart, the last one at `until`.
pub fn talk(count: usize, until: Timestamp) -> Vec<Message> {
    let line = |n: usize| {
        let role = if n.is_multiple_of(2) { Role::User } else { Role::Assistant };
        said(role, &format!("line {n} of the talk"), until - minutes((count - 1 - n) as i64))
    };
    (0..count).map(line).collect()
}

/// The messages as one lane at the times they carry, with ids by their number.
pub fn place(messages: Vec<Message>) -> Vec<StoredMessage> {
    let mut before: Option<Timestamp> = None;
    let place = |(n, mut message): (usize, Message)| {
        message.id = message_id(n);
        let opens = before.is_none_or(|before| opens(before, message.occurred_at, GAP));
        before = Some(message.occurred_at);
        let tokens = estimate(&message.text);
        StoredMessage { message, seq: n as i64 + 1, ordinal: n as u64, opens, tokens }
    };
    messages.into_iter().enumerate().map(place).collect()
}

/// A summary of the messages `first..=last` of the lane, made half an hour after the last of them.
pub fn summary(scope: Scope, lane: &[StoredMessage], first: usize, last: usize, text: &str) -> Summary {
    let end = |index: usize| End { id: lane[index].message.id, position: lane[index].position() };
    follows(None, end(first).position, end(last).position, 0).unwrap();
    Summary {
        id: Uuid::from_u128(1_000_000 + (scope as u128) * 1_000 + first as u128),
        scope,
        text: text.to_owned(),
        sections: Sections::default(),
        made_after: 0,
        messages: (last - first + 1) as u64,
        first: end(first),
        last: end(last),
        version: 1,
        updated_at: lane[last].message.occurred_at + GAP,
        stale: false,
    }
}

pub fn hit(n: u128, text: &str, when: &str) -> Recalled {
    Recalled {
        kind: "memory",
        id: Uuid::from_u128(2_000_000 + n).to_string(),
        messages: Vec::new(),
        conversation: None,
        lane: None,
        role: Role::User,
        speaker: None,
        at: at(when),
        seq: 0,
        text: text.to_owned(),
        score: 0.8,
        question: None,
    }
}

pub fn current(text: &str) -> Current {
    Current { ids: Vec::new(), text: text.to_owned(), speaker: None }
}

/// Nothing but history, in Singapore.
pub fn inputs(lane: Vec<StoredMessage>, now: Timestamp) -> ContextInputs {
    let last_reply = lane.iter().rev().find(|stored| stored.message.role == Role::Assistant);
    ContextInputs {
        now,
        zone: singapore(),
        person: None,
        policy: Default::default(),
        identity: Vec::new(),
        profile: None,
        summaries: Vec::new(),
        recalled: Vec::new(),
        match_is_certain: true,
        focus: Focus::Present,
        quoted: None,
        last_reply: last_reply.map(|stored| stored.message.clone()),
        message: Some(current("And now?")),
        notices: Vec::new(),
        history: History { messages: lane, head: Vec::new() },
    }
}

pub fn thread(inputs: &ContextInputs) -> Thread {
    let last = inputs.history.messages.iter().rev().find(|stored| stored.message.role != Role::System);
    Thread::at(inputs.now, last.map(|stored| stored.message.occurred_at), GAP)
}

pub fn context(inputs: &ContextInputs, plan: Plan, format: Format) -> Context {
    assemble(inputs, &plan, format, thread(inputs)).unwrap()
}

pub fn shown(inputs: &ContextInputs, preset: Preset, format: Format) -> Context {
    context(inputs, preset.plan(), format)
}

pub fn layer(context: &Context, name: LayerName) -> &str {
    &context.layer(name).unwrap().text
}

/// The numbers of the messages in the window.
pub fn window(context: &Context) -> Vec<usize> {
    let ids = context.said.iter().flat_map(|said| &said.ids);
    ids.map(|id| id.0.as_u128() as usize - 1).collect()
}
