//! Renders the answers of slash commands for a phone: short lines, and no columns, scores, ids or paths.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use throughline_domain::chat::ChatId;
use throughline_domain::context::LayerName;
use throughline_domain::conversation::Conversation;
use throughline_domain::message::Role;
use throughline_domain::recall::score::Verdict;
use throughline_domain::time;
use throughline_domain::turn::{LayerReceipt, Receipt};
use throughline_engine::Engine;
use throughline_engine::commands::upkeep::{Status, StatusReport};
use throughline_engine::commands::{Answer, COMMANDS, Offered, Spec};
use throughline_engine::search::{Results, SearchHit};
use throughline_store::ledger::SpentOn;
use throughline_text::shorten::{beginning, one_line};

use super::answer;
use crate::commands::{next_runs, summary_text};
use crate::output::{Failure, Style, counted};
use crate::wire::App;

/// Maximum number of listed conversations.
const MAX_CONVERSATIONS: usize = 10;
/// Maximum length of a hit, in characters.
const LONGEST_HIT: usize = 300;

/// Renders an answer as text.
pub async fn text(answer: Answer, chat: &ChatId, app: &App, engine: &Engine) -> Result<String, Failure> {
    let (zone, now) = (&app.settings.zone, engine.now());
    Ok(match answer {
        Answer::Help => help(),
        Answer::Found(found) => hits(&found, zone, now),
        Answer::Receipt(receipt) => why(&receipt),
        Answer::Conversations(found) => conversations(&found, zone, now),
        Answer::Routines { all, today } => {
            let mut lines: Vec<String> = next_runs(app, now, (!all).then_some(chat))
                .into_iter()
                .map(|(name, at)| {
                    format!("• {name}: {}", at.map_or("off".to_owned(), |at| soon(at, now, zone)))
                })
                .collect();
            lines.insert(0, if lines.is_empty() { "No routine is on." } else { "Next runs" }.to_owned());
            let today = match today.routines.is_empty() {
                true => "No routine has written here today.".to_owned(),
                false => summary_text(&today, zone, Style::PLAIN),
            };
            format!("{}\n\n{today}", lines.join("\n"))
        }
        Answer::Status(Status::Home(report)) => status(&report, engine, zone),
        Answer::Cost(rows) => cost(&rows),
        other => answer::text(other, chat, app, engine, Style::PLAIN).await?,
    })
}

fn help() -> String {
    let line = |spec: &Spec| match spec.arguments {
        "" => format!("/{}: {}", spec.name, spec.does),
        arguments => format!("/{} {arguments}: {}", spec.name, spec.does),
    };
    let shown = COMMANDS.iter().filter(|spec| spec.offered == Offered::Everywhere);
    shown.map(line).collect::<Vec<_>>().join("\n")
}

fn hits(found: &Results, zone: &TimeZone, now: Timestamp) -> String {
    if found.hits.is_empty() {
        return "Nothing found.".to_owned();
    }
    let mut parts = Vec::new();
    if found.verdict == Verdict::Weak {
        parts.push("Nothing matches well. The nearest:".to_owned());
    }
    // To save space, hits that cover nothing of the query are left out, unless nothing matches well.
    let covers = |hit: &&SearchHit| hit.why.share() > 0.0 || found.verdict == Verdict::Weak;
    parts.extend(found.hits.iter().filter(covers).map(|hit| {
        let who = match (&hit.speaker, hit.role) {
            (Some(name), _) => name.as_str(),
            (None, Some(Role::User)) => "You",
            (None, _) => "Assistant",
        };
        let words = beginning(&one_line(&hit.text), LONGEST_HIT);
        format!("{who}, {}:\n“{words}”", past(hit.at, now, zone))
    }));
    parts.join("\n\n")
}

/// The parts of a reply's context, in everyday words.
fn why(receipt: &Receipt) -> String {
    let mut lines = vec![format!("Answered by {} from:", receipt.model)];
    lines.extend(receipt.layers.iter().filter_map(part));
    lines.extend(receipt.tools.iter().map(|call| format!("• looked up with {}", answer::tool_text(call))));
    let left_out: usize = receipt.layers.iter().map(|layer| layer.dropped.len()).sum();
    let left_out = if left_out == 0 {
        String::new()
    } else {
        format!(" Left out: {}.", counted(left_out as u64, "piece"))
    };
    lines.push(format!("Together {} of {} tokens.{left_out}", receipt.tokens, receipt.budget));
    lines.extend(receipt.degraded.iter().map(|failure| format!("⚠️ {failure}")));
    lines.join("\n")
}

fn part(layer: &LayerReceipt) -> Option<String> {
    let is = |name: LayerName| layer.name == name.as_str();
    let count = layer.items.len() as u64;
    if count == 0 && layer.tokens == 0 {
        return None;
    }
    let what = if is(LayerName::Profile) {
        "what I know about you".to_owned()
    } else if is(LayerName::Summaries) {
        counted(count, "summary")
    } else if is(LayerName::Memories) {
        let recalled = counted(count, "piece");
        format!("{recalled} that I recalled: {}", reasons(layer))
    } else if is(LayerName::Recent) {
        format!("{} before", counted(count, "message"))
    } else if is(LayerName::Quote) {
        "the message that you replied to".to_owned()
    } else if is(LayerName::Message) {
        return None;
    } else {
        return Some(format!("• {} ({} tokens)", layer.name, layer.tokens));
    };
    Some(format!("• {what} ({} tokens)", layer.tokens))
}

/// The distinct reasons in a layer.
fn reasons(layer: &LayerReceipt) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for item in &layer.items {
        // Only the terminal shows the figures of a reason.
        let reason = item.why.split([',', ':', '(']).next().unwrap_or_default().trim();
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons.join(", ")
}

fn conversations(found: &[Conversation], zone: &TimeZone, now: Timestamp) -> String {
    if found.is_empty() {
        return "No conversation yet.".to_owned();
    }
    let line = |one: &Conversation| {
        let place = match one.lane.split(':').next() {
            Some("topic") => ", in a topic",
            Some("reply") => ", in replies",
            _ => "",
        };
        format!("• {}, {}{place}", past(one.from, now, zone), counted(one.messages, "message"))
    };
    found.iter().take(MAX_CONVERSATIONS).map(line).collect::<Vec<_>>().join("\n")
}

fn status(report: &StatusReport, engine: &Engine, zone: &TimeZone) -> String {
    let StatusReport { figures, outbox, accounts, replies, problem, .. } = report;
    let mut lines = vec![
        format!("Model: {}", engine.model.name()),
        format!("{} in {}", counted(figures.messages, "message"), counted(figures.chats, "chat")),
        format!("{}, {}", counted(figures.memories, "memory"), counted(figures.summaries, "summary")),
    ];
    if replies.cost_usd > 0.0 {
        lines.push(format!("Replies cost ${:.2} in the last day", replies.cost_usd));
    }
    let mut waiting = |count: u64, one: &str, what: &str| {
        if count > 0 {
            lines.push(format!("{} {what}", counted(count, one)));
        }
    };
    waiting(figures.waiting, "message", "not answered yet");
    waiting(outbox.pending, "message", "to be sent");
    waiting(outbox.failed, "message", "refused by Telegram");
    waiting(figures.uncertain_replies, "reply", "that may not have arrived");
    waiting(figures.jobs, "background job", "waiting");
    waiting(figures.failing_jobs, "background job", "failing");
    for account in accounts {
        lines.extend(account.problem.as_ref().map(|why| format!("⚠️ {why}")));
    }
    if let Some(found) = problem {
        lines.push(format!(
            "⚠️ There was a problem {}: {}",
            past(found.at, engine.now(), zone),
            found.problem
        ));
    }
    lines.join("\n")
}

fn cost(rows: &[SpentOn]) -> String {
    if rows.is_empty() {
        return "No model was called here in the last 30 days.".to_owned();
    }
    let all: f64 = rows.iter().map(|row| row.spent.cost_usd).sum();
    let mut lines = vec![format!("${all:.2} in this chat in the last 30 days")];
    lines.extend(rows.iter().map(|row| {
        let tokens = row.spent.input_tokens + row.spent.output_tokens;
        format!(
            "• {} by {}: {}, {tokens} tokens, ${:.2}",
            row.purpose,
            row.model,
            counted(row.spent.calls, "call"),
            row.spent.cost_usd
        )
    }));
    lines.join("\n")
}

/// A past moment: `today at 09:15`, `yesterday at 09:15`, `18 Feb 2026`.
fn past(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    match time::days_before(at, now, zone) {
        0 => format!("today at {}", time::clock(at, zone)),
        1 => format!("yesterday at {}", time::clock(at, zone)),
        _ => time::date(at, zone),
    }
}

/// A future moment, in the same style.
fn soon(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    match time::days_before(at, now, zone) {
        0 => format!("today at {}", time::clock(at, zone)),
        -1 => format!("tomorrow at {}", time::clock(at, zone)),
        _ => format!("{} at {}", time::date(at, zone), time::clock(at, zone)),
    }
}
