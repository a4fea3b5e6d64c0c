//! `status`: what is stored, what waits, what is uncertain. And `reindex`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_store::chats::ChatCount;
use throughline_store::health::Figures;

use crate::output::{Failure, Output, Style, counted};
use crate::wire::Place;

pub async fn run(place: &Place, output: Output) -> Result<(), Failure> {
    let engine = place.engine().await?;
    let (figures, chats) = (engine.store.figures().await?, engine.store.chats().await?);
    output.print(
        || document(place, &engine, &figures, &chats),
        |style| text(place, &engine, &figures, &chats, style),
    )
}

pub async fn reindex(place: &Place, output: Output) -> Result<(), Failure> {
    let engine = place.engine().await?;
    engine.store.reindex().await?;
    let messages = engine.store.figures().await?.messages;
    output.print(
        || json!({ "indexed": messages }),
        |style| format!("{} {messages} messages indexed anew; their vectors follow", style.good("✓")),
    )?;
    place.run_jobs(&engine).await;
    Ok(())
}

/// The same report for the chat command.
pub async fn report(place: &Place, engine: &Engine, style: Style) -> Result<String, Failure> {
    let (figures, chats) = (engine.store.figures().await?, engine.store.chats().await?);
    Ok(text(place, engine, &figures, &chats, style))
}

fn document(place: &Place, engine: &Engine, figures: &Figures, chats: &[ChatCount]) -> Value {
    let rows: Vec<Value> = chats
        .iter()
        .map(|count| json!({ "chat": count.chat, "messages": count.messages, "lanes": count.lanes, "last_at": count.last_at.map(|at| at.to_string()) }))
        .collect();
    json!({
        "home": place.home,
        "database": { "path": place.database(), "format": figures.format, "bytes": figures.bytes },
        "model": engine.model.name(),
        "embedder": {
            "id": engine.embedder_id(),
            "embedded": figures.embedded(engine.embedder_id()),
            "vectors": figures.vectors,
        },
        "zone": time::zone_name(&place.settings.zone, engine.now()),
        "messages": figures.messages,
        "summaries": figures.summaries,
        "waiting": figures.waiting,
        "turns_running": figures.running,
        "replies": { "pending": figures.pending_replies, "uncertain": figures.uncertain_replies },
        "jobs": { "waiting": figures.jobs, "failing": figures.failing_jobs, "problem": figures.job_problem },
        "index": { "beside": figures.unindexed },
        "chats": rows,
    })
}

fn text(place: &Place, engine: &Engine, figures: &Figures, chats: &[ChatCount], style: Style) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "{} {value}", style.bold(&format!("{name:<10}")));
    };
    row("home", place.home.display().to_string());
    row("model", engine.model.name().to_owned());
    row("embedder", embedder(engine, figures));
    row("zone", time::zone_name(&place.settings.zone, engine.now()));
    row(
        "messages",
        format!("{} in {}, {}", figures.messages, counted(figures.chats, "chat"), megabytes(figures.bytes)),
    );
    row("turns", format!("{} running, {} waiting", figures.running, counted(figures.waiting, "message")));
    row("replies", format!("{} pending, {} uncertain", figures.pending_replies, figures.uncertain_replies));
    let why = figures.job_problem.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    row("jobs", format!("{} waiting, {} failing{why}", figures.jobs, figures.failing_jobs));
    for count in chats.iter().take(20) {
        let last = count
            .last_at
            .map(|at| time::relative(at, engine.now(), &place.settings.zone))
            .unwrap_or_default();
        let _ =
            writeln!(out, "  {:<40} {:>16}  {last}", count.chat.as_str(), counted(count.messages, "message"));
    }
    if chats.len() > 20 {
        let _ = writeln!(out, "  … and {} more", chats.len() - 20);
    }
    out
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
