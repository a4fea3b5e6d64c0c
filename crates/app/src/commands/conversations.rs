//! `conversations`: lists conversations, or shows the messages of one.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::conversation::Conversation;
use throughline_domain::message::Role;
use throughline_domain::short_id::IdPrefix;
use throughline_domain::time;
use throughline_engine::ShortIds;

use super::lane_named as lane;
use crate::api::{ConversationPage, ConversationsDocument};
use crate::cli::Conversations;
use crate::output::{Failure, Output, Style, counted};
use crate::wire::App;

pub async fn run(args: &Conversations, app: &App, output: Output) -> Result<(), Failure> {
    match args {
        Conversations::List { chat, lane: written, limit } => {
            list(chat, written.as_deref(), *limit, app, output).await
        }
        Conversations::Show { id, chat } => show(chat, id, app, output).await,
    }
}

async fn list(
    chat: &ChatId,
    written: Option<&str>,
    limit: u16,
    app: &App,
    output: Output,
) -> Result<(), Failure> {
    let lane = lane(written, chat)?;
    let engine = app.engine().await?;
    let found = engine.store.chat(chat).conversations(lane.as_ref(), usize::from(limit)).await?;
    let (zone, now) = (&app.settings.zone, engine.now());
    let short = engine.short_ids(chat, found.iter().map(|conversation| conversation.id.0)).await?;
    output.print(
        || json!(ConversationsDocument::new(chat, &found)),
        |style| rows(&found, &short, zone, now, style),
    )
}

/// The conversations as a table with short ids.
pub fn rows(
    found: &[Conversation],
    short: &ShortIds,
    zone: &TimeZone,
    now: Timestamp,
    style: Style,
) -> String {
    if found.is_empty() {
        return "No conversation yet.".to_owned();
    }
    found.iter().fold(String::new(), |mut out, one| {
        let when = format!("{}  {:<12}", time::stamp(one.from, zone), time::relative(one.to, now, zone));
        let _ = writeln!(
            out,
            "{}  {:>14}  {}  {}",
            when,
            counted(one.messages, "message"),
            one.lane,
            style.dim(&short.of(one.id.0))
        );
        out
    })
}

async fn show(chat: &ChatId, id: &str, app: &App, output: Output) -> Result<(), Failure> {
    if IdPrefix::read(id).is_none() {
        return Err(Failure::failed(
            "not_found",
            format!(
                "{id:?} is not the id of a message or conversation; `throughline conversations list` shows them"
            ),
        ));
    }
    let engine = app.engine().await?;
    let unknown = || throughline_store::Error::NotFound { what: "conversation", id: id.to_owned() };
    let message = engine.message_named(chat, id).await?.ok_or_else(unknown)?;
    let messages = engine.store.chat(chat).conversation(message).await?;
    output.print(
        || {
            let first = messages.first().map(|stored| stored.message.id);
            json!(ConversationPage::new(chat, first, &messages))
        },
        |style| transcript(&messages, &app.settings.zone, style),
    )
}

/// The messages as text, with a header for each day.
fn transcript(messages: &[StoredMessage], zone: &TimeZone, style: Style) -> String {
    let mut out = String::new();
    let mut day = None;
    for stored in messages {
        let message = &stored.message;
        let today = time::day(message.occurred_at, zone);
        if day != Some(today) {
            let _ = writeln!(out, "{}", style.bold(&time::long_date(message.occurred_at, zone)));
            day = Some(today);
        }
        let who = message.speaker.as_deref().unwrap_or(message.role.as_str());
        let who = if message.role == Role::User { style.person(who) } else { style.bold(who) };
        let _ =
            writeln!(out, "{} {}: {}", style.dim(&time::clock(message.occurred_at, zone)), who, message.text);
    }
    out
}
