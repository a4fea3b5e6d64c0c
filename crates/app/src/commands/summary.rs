//! `summary`: the summaries of a chat, and the messages that have none yet.

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::time;
use throughline_engine::overview::Summaries;

use super::lane;
use crate::cli::OfChat;
use crate::output::{Failure, Output, Style, counted};
use crate::wire::App;

pub async fn run(what: &OfChat, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    // Conversations that have ended are compacted first, without waiting for a model.
    if engine.small.is_none() {
        app.run_jobs(&engine).await;
    }
    let lane = lane(what.lane.as_deref(), &what.chat)?.unwrap_or(Lane::Root);
    let summaries = engine.summaries(&what.chat, &lane).await?;
    output.print(|| document(&summaries, &what.chat), |style| text(&summaries, &app.settings.zone, style))?;
    app.run_jobs(&engine).await;
    Ok(())
}

fn document(summaries: &Summaries, chat: &ChatId) -> Value {
    let summary = |(lane, summary): &(Lane, throughline_domain::summary::Summary)| {
        json!({
            "id": summary.id,
            "scope": summary.scope.as_str(),
            "lane": lane.key(chat),
            "from": summary.first.position.at.to_string(),
            "to": summary.last.position.at.to_string(),
            "messages": summary.messages,
            "version": summary.version,
            "stale": summary.stale,
            "sections": summary.sections,
            "text": summary.text,
        })
    };
    let routine = |(name, at, text): &(String, jiff::Timestamp, String)| json!({ "name": name, "at": at.to_string(), "text": text });
    json!({
        "summaries": summaries.summaries.iter().map(summary).collect::<Vec<_>>(),
        "ongoing": { "messages": summaries.ongoing },
        "routines": summaries.routines.iter().map(routine).collect::<Vec<_>>(),
    })
}

/// The same for the chat command.
pub fn text(summaries: &Summaries, zone: &TimeZone, style: Style) -> String {
    let mut parts = Vec::new();
    for (_, summary) in &summaries.summaries {
        let (from, to) =
            (time::day(summary.first.position.at, zone), time::day(summary.last.position.at, zone));
        let range = if from == to { from.to_string() } else { format!("{from} to {to}") };
        let count = counted(summary.messages, "message");
        let head = style.bold(&format!("{range} ({count}, {})", summary.scope.as_str()));
        parts.push(format!("{head}\n{}", summary.text));
    }
    if !summaries.routines.is_empty() {
        let line = |(name, at, text): &(String, jiff::Timestamp, String)| {
            format!("  {} {name}: {text}", style.dim(&time::clock(*at, zone)))
        };
        let lines: Vec<String> = summaries.routines.iter().map(line).collect();
        parts.push(format!("{}\n{}", style.bold("Routines today"), lines.join("\n")));
    }
    if summaries.ongoing > 0 {
        let head = style.bold("Running conversation");
        parts.push(format!("{head} ({}, ongoing)", counted(summaries.ongoing, "message")));
    }
    if parts.is_empty() { "There are no summaries in this chat yet.".to_owned() } else { parts.join("\n\n") }
}
