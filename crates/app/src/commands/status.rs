//! `status`: the numbers of stored, waiting and uncertain items. Also `reindex`.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_engine::commands::upkeep::StatusReport;
use throughline_engine::work::DailyCap;
use throughline_models::Offline;
use throughline_store::arrivals::Account;
use throughline_store::health::Figures;
use throughline_store::ledger::Spent;

use crate::output::{Failure, Output, Style, counted};
use crate::wire::App;

pub async fn run(app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    let report = engine.status_report().await?;
    output.print(|| document(app, &engine, &report), |style| text(app, &engine, &report, style))
}

pub async fn reindex(app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    engine.store.reindex().await?;
    let messages = engine.store.figures().await?.messages;
    output.print(
        || json!({ "indexed": messages }),
        |style| format!("{} {messages} messages reindexed; their vectors follow", style.good("✓")),
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

/// The report as JSON.
pub fn document(app: &App, engine: &Engine, report: &StatusReport) -> Value {
    let StatusReport { figures, outbox, accounts, chats, spent, replies, problem } = report;
    let rows: Vec<Value> = chats
        .iter()
        .map(|count| json!({ "chat": count.chat, "messages": count.messages, "lanes": count.lanes, "last_at": count.last_at.map(|at| at.to_string()) }))
        .collect();
    json!({
        "home": app.home,
        "database": { "path": app.database(), "format": figures.format, "bytes": figures.bytes },
        "model": engine.model.name(),
        "small_model": engine.small.as_ref().map(|model| model.name().to_owned()),
        "embedder": {
            "id": engine.embedder_id(),
            "embedded": figures.embedded(engine.embedder_id()),
            "vectors": figures.vectors,
        },
        "zone": time::zone_name(&app.settings.zone, engine.now()),
        "messages": figures.messages,
        "files": { "count": figures.files, "bytes": figures.file_bytes },
        "summaries": figures.summaries,
        "memories": figures.memories,
        "waiting": figures.waiting,
        "turns_running": figures.running,
        "replies": {
            "pending": figures.pending_replies,
            "uncertain": figures.uncertain_replies,
        },
        "answering": {
            "today_usd": replies.cost_usd,
            "today_tokens": replies.input_tokens + replies.output_tokens,
            "daily_usd": engine.settings.reply_cap.usd,
            "daily_tokens": engine.settings.reply_cap.tokens,
        },
        "jobs": {
            "waiting": figures.jobs,
            "by_kind": figures.jobs_by_kind,
            "failing": figures.failing_jobs,
            "set_aside": figures.set_aside_jobs,
            "problem": figures.job_problem,
        },
        "problem": problem.as_ref().map(|found| json!({
            "at": found.at.to_string(), "model": found.model, "problem": found.problem,
        })),
        "background": {
            "today_usd": spent.cost_usd,
            "today_tokens": spent.input_tokens + spent.output_tokens,
            "daily_usd": engine.settings.daily_cap.usd,
            "daily_tokens": engine.settings.daily_cap.tokens,
        },
        "outbox": { "pending": outbox.pending, "uncertain": outbox.uncertain, "failed": outbox.failed },
        "accounts": accounts.iter().map(account_document).collect::<Vec<_>>(),
        "index": { "unindexed": figures.unindexed },
        "chats": rows,
    })
}

fn account_document(account: &Account) -> Value {
    json!({
        "id": account.id,
        "name": account.name,
        "state": account.state,
        "problem": account.problem,
        "since": account.changed_at.to_string(),
        "heard_at": account.heard_at.map(|at| at.to_string()),
    })
}

/// The report as text.
pub fn text(app: &App, engine: &Engine, report: &StatusReport, style: Style) -> String {
    let StatusReport { figures, outbox, accounts, chats, spent, replies, problem } = report;
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "{} {value}", style.bold(&format!("{name:<10}")));
    };
    row("home", app.home.display().to_string());
    row("model", engine.model.name().to_owned());
    if let Some(found) = problem {
        let when = time::relative(found.at, engine.now(), &app.settings.zone);
        row("problem", format!("{when}: {}", found.problem));
    }
    if engine.model.name() != Offline::NAME {
        row("answering", spent_of(replies, engine.settings.reply_cap));
    }
    row("learning", learning(engine, spent));
    row("embedder", embedder(engine, figures));
    row("zone", time::zone_name(&app.settings.zone, engine.now()));
    row(
        "messages",
        format!("{} in {}, {}", figures.messages, counted(figures.chats, "chat"), megabytes(figures.bytes)),
    );
    if figures.files > 0 {
        row("files", format!("{}, {}", counted(figures.files, "file"), megabytes(figures.file_bytes)));
    }
    row(
        "memories",
        format!("{}, {}", counted(figures.memories, "statement"), counted(figures.summaries, "summary")),
    );
    row("turns", format!("{} running, {} waiting", figures.running, counted(figures.waiting, "message")));
    row("replies", format!("{} pending, {} uncertain", figures.pending_replies, figures.uncertain_replies));
    if outbox.pending + outbox.failed > 0 {
        row("sending", format!("{} waiting, {} refused", counted(outbox.pending, "message"), outbox.failed));
    }
    for account in accounts {
        let channel = account.id.split(':').next().unwrap_or_default();
        row(channel, listening(account, engine, &app.settings.zone));
    }
    let why = figures.job_problem.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let kinds: Vec<String> =
        figures.jobs_by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let aside = match figures.set_aside_jobs {
        0 => String::new(),
        count => format!(", {count} set aside (`throughline doctor --fix` retries them)"),
    };
    row("jobs", format!("{} waiting{kinds}, {} failing{why}{aside}", figures.jobs, figures.failing_jobs));
    for count in chats.iter().take(20) {
        let last =
            count.last_at.map(|at| time::relative(at, engine.now(), &app.settings.zone)).unwrap_or_default();
        let _ =
            writeln!(out, "  {:<40} {:>16}  {last}", count.chat.as_str(), counted(count.messages, "message"));
    }
    if chats.len() > 20 {
        let _ = writeln!(out, "  … and {} more", chats.len() - 20);
    }
    out
}

/// The state of polling for an account.
fn listening(account: &Account, engine: &Engine, zone: &TimeZone) -> String {
    let name = account.name.as_ref().map(|name| format!("@{name}")).unwrap_or_else(|| account.id.clone());
    let since = time::relative(account.changed_at, engine.now(), zone);
    match (account.state.as_str(), &account.problem) {
        ("listening", _) => format!("{name}, listening since {since}"),
        ("failing", Some(why)) => format!("{name}, interrupted ({since}): {why}"),
        _ => format!("{name}, stopped; start it with `throughline serve`"),
    }
}

/// The model for background work, and its costs today.
fn learning(engine: &Engine, spent: &Spent) -> String {
    match &engine.small {
        None => "by rules".to_owned(),
        Some(model) => format!("{}, {}", model.name(), spent_of(spent, engine.settings.daily_cap)),
    }
}

/// The daily usage, with the cap.
fn spent_of(spent: &Spent, cap: DailyCap) -> String {
    format!(
        "${:.4} of ${:.2} and {} of {} tokens in the last day",
        spent.cost_usd,
        cap.usd,
        spent.input_tokens + spent.output_tokens,
        cap.tokens
    )
}

fn embedder(engine: &Engine, figures: &Figures) -> String {
    let id = engine.embedder_id();
    match engine.embedder {
        Some(_) => {
            format!("{id}, {} of {} embedded", figures.embedded(id), counted(figures.messages, "message"))
        }
        None => format!("{id}, search goes by words"),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
