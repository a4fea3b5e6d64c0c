//! `summary`: the summaries of a chat, and the messages that have none yet.

use jiff::tz::TimeZone;
use serde_json::json;
use throughline_domain::lane::Lane;
use throughline_domain::summary::{Summary, ranges};
use throughline_domain::time;
use throughline_engine::overview::{Summaries, TOPICS};
use throughline_text::summarize::topics;

use super::lane_named as lane;
use crate::api::SummariesDocument;
use crate::cli::ChatArgs;
use crate::output::{Failure, Output, Style, counted};
use crate::wire::App;

pub async fn run(args: &ChatArgs, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    // Ended conversations are compacted first if that needs no model.
    if engine.small.is_none() {
        app.run_jobs(&engine).await;
    }
    let lane = lane(args.lane.as_deref(), &args.chat)?.unwrap_or(Lane::Root);
    let summaries = engine.summaries(&args.chat, &lane).await?;
    output.print(
        || json!(SummariesDocument::new(&summaries, &args.chat)),
        |style| text(&summaries, &app.settings.zone, style),
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

/// Renders the summaries, also for the chat command.
pub fn text(summaries: &Summaries, zone: &TimeZone, style: Style) -> String {
    let mut parts = vec![style.bold("📜 CONVERSATION SUMMARY")];
    parts.extend(ranges_of_lanes(summaries).into_iter().map(|summary| range(&summary, zone, style)));
    let said = |(who, at, text): &(String, jiff::Timestamp, String)| {
        format!("  {} {who}: {text}", style.dim(&time::clock(*at, zone)))
    };
    let listed = |head: &str, all: &[(String, jiff::Timestamp, String)]| {
        let lines: Vec<String> = all.iter().map(said).collect();
        (!lines.is_empty()).then(|| format!("{}\n{}", style.bold(head), lines.join("\n")))
    };
    parts.extend(summaries.chat_wide.iter().map(|of_chat| {
        let head = style.bold(&format!("All topics ({})", counted(of_chat.messages, "message")));
        format!("{head}\n{}", of_chat.text)
    }));
    parts.extend(listed("Routines today", &summaries.routines));
    if summaries.ongoing > 0 {
        let about =
            if summaries.about.is_empty() { "small talk".to_owned() } else { summaries.about.join(", ") };
        let head =
            style.bold(&format!("💬 Current session ({}, ongoing):", counted(summaries.ongoing, "message")));
        parts.push(format!("{head} {about}"));
    }
    parts.extend(listed("Recent messages", &summaries.recent));
    if parts.len() == 1 { "There are no summaries in this chat yet.".to_owned() } else { parts.join("\n\n") }
}

/// The summaries of each lane that do not overlap.
fn ranges_of_lanes(summaries: &Summaries) -> Vec<Summary> {
    let mut lanes: Vec<&Lane> = Vec::new();
    for (lane, _) in &summaries.summaries {
        if !lanes.contains(&lane) {
            lanes.push(lane);
        }
    }
    let mut all = Vec::new();
    for lane in lanes {
        let own = summaries.summaries.iter().filter(|(of, _)| of == lane);
        let own: Vec<Summary> = own.map(|(_, summary)| summary.clone()).collect();
        all.extend(ranges(&own).into_iter().cloned());
    }
    all.sort_by_key(|summary| summary.first.position);
    all
}

/// Renders a summary: dates, count, topics and text.
fn range(summary: &Summary, zone: &TimeZone, style: Style) -> String {
    let (from, to) = (time::day(summary.first.position.at, zone), time::day(summary.last.position.at, zone));
    let days = if from == to { from.to_string() } else { format!("{from} to {to}") };
    let head = style.bold(&format!("{days} ({})", counted(summary.messages, "message")));
    let named = topics(&summary.sections, TOPICS);
    let named = if named.is_empty() { String::new() } else { format!(": {}", named.join(", ")) };
    format!("{head}{named}\n{}", summary.text)
}
