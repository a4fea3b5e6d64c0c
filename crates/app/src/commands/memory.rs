//! `memory`, `remember` and `profile`: shows and changes memories.

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::memory::{Kind, Memory as Statement, Status};
use throughline_domain::message::Role;
use throughline_domain::time;
use throughline_engine::ShortIds;
use throughline_engine::remember::{Edit, Quote};
use throughline_store::memories::StoredMemory;
use throughline_text::shorten::one_line;

use super::lane_named as lane;
use crate::api::{MemoriesDocument, MemoryDocument, ProfileDocument, RememberedDocument};
use crate::cli::{ChatArgs, Memory, Remember};
use crate::output::{Failure, Output, Style};
use crate::wire::App;

pub async fn run(args: &Memory, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    let zone = &app.settings.zone;
    match args {
        Memory::List { chat, kind, all } => {
            let mut known = engine.memories(chat).await?;
            known.retain(|stored| {
                let holds = matches!(stored.memory.status, Status::Active | Status::Suggested);
                (*all || holds) && kind.is_none_or(|kind| stored.memory.kind == kind)
            });
            let short = engine.short_ids(chat, known.iter().map(|stored| stored.memory.id.0)).await?;
            output.print(|| document(&known), |style| list(&known, &short, chat, style))?;
        }
        Memory::Show { id, chat } => {
            let stored = engine.memory(chat, id).await?;
            let quotes = engine.quotes(chat, &stored.memory).await?;
            let memory = &stored.memory;
            let shown = [Some(memory.id), memory.superseded_by].into_iter().flatten().map(|id| id.0);
            let short = engine.short_ids(chat, shown).await?;
            output.print(
                || json!({ "memories": [MemoryDocument::from(memory).with_quotes(&quotes)] }),
                |style| details(memory, &quotes, &short, zone, style),
            )?;
        }
        Memory::Edit { id, chat, text, kind, status } => {
            if text.is_none() && kind.is_none() && status.is_none() {
                return Err(Failure::Usage("say what to change: --text, --kind or --status".to_owned()));
            }
            let edit = Edit { text: text.clone(), kind: *kind, status: *status };
            let memory = engine.edit_memory(chat, id, edit).await?;
            let short = engine.short_ids(chat, [memory.id.0]).await?;
            output.print(
                || json!({ "memories": [MemoryDocument::from(&memory)] }),
                |style| format!("{} {}", style.good("✓"), row(&memory, &short, style)),
            )?;
        }
        Memory::History { id, chat } => {
            let known = match id {
                Some(id) => engine.history(chat, id).await?,
                None => engine.memories(chat).await?,
            };
            output.print(|| document(&known), |style| history(&known, zone, style))?;
        }
    }
    app.run_jobs(&engine).await;
    Ok(())
}

pub async fn remember(args: &Remember, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    let remembered = engine.remember(&args.chat, &args.text, args.kind).await?;
    output.print(
        || json!(RememberedDocument::from(&remembered)),
        |style| style.good(&remembered.to_string()),
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

pub async fn profile(args: &ChatArgs, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    let lane = lane(args.lane.as_deref(), &args.chat)?.unwrap_or(Lane::Root);
    let overview = engine.overview(&args.chat, &lane).await?;
    output.print(|| json!(ProfileDocument::from(&overview)), |_| overview.text())?;
    app.run_jobs(&engine).await;
    Ok(())
}

fn document(known: &[StoredMemory]) -> Value {
    json!(MemoriesDocument::new(known.iter().map(|stored| &stored.memory)))
}

fn list(known: &[StoredMemory], short: &ShortIds, chat: &ChatId, style: Style) -> String {
    if known.is_empty() {
        return format!(
            "Nothing is remembered in {chat} yet. Talk, or use: throughline remember \"I live in Oslo\""
        );
    }
    let mut parts = Vec::new();
    for kind in Kind::ALL {
        let rows: Vec<String> = known
            .iter()
            .filter(|stored| stored.memory.kind == kind)
            .map(|stored| format!("  {}", row(&stored.memory, short, style)))
            .collect();
        if !rows.is_empty() {
            parts.push(format!("{}\n{}", style.bold(heading(kind)), rows.join("\n")));
        }
    }
    parts.join("\n")
}

fn heading(kind: Kind) -> &'static str {
    match kind {
        Kind::Fact => "Facts",
        Kind::Preference => "Preferences",
        Kind::Goal => "Goals",
        Kind::Date => "Dates",
        Kind::Outcome => "Outcomes",
    }
}

fn row(memory: &Statement, short: &ShortIds, style: Style) -> String {
    let id = short.of(memory.id.0);
    let state = if memory.status == Status::Active {
        String::new()
    } else {
        format!(" ({})", memory.status.as_str())
    };
    format!("{}  {}{}", style.dim(&id), memory.text, style.dim(&state))
}

fn details(memory: &Statement, quotes: &[Quote], short: &ShortIds, zone: &TimeZone, style: Style) -> String {
    let mut rows = vec![
        ("id", short.of(memory.id.0)),
        ("kind", memory.kind.as_str().to_owned()),
        ("category", memory.category.clone()),
        ("status", memory.status.as_str().to_owned()),
        ("sure", format!("{:.0} %", memory.confidence * 100.0)),
        (
            "learned",
            if memory.extracted { "from what was said".to_owned() } else { "because you asked".to_owned() },
        ),
        ("holds", validity(memory, zone)),
    ];
    rows.extend(memory.superseded_by.iter().map(|id| ("now", short.of(id.0))));
    rows.extend(quotes.iter().map(|quote| ("proof", quoted(quote, zone))));
    let rows: Vec<String> = rows
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("  {} {value}", style.dim(&format!("{name:<9}"))))
        .collect();
    format!("{}\n{}", style.bold(&memory.text), rows.join("\n"))
}

/// A quote with its speaker and time.
fn quoted(quote: &Quote, zone: &TimeZone) -> String {
    let message = &quote.message;
    let who =
        message.speaker.as_deref().unwrap_or(if message.role == Role::User { "you" } else { "assistant" });
    let words = one_line(&quote.text);
    format!("“{words}” ({who}, {})", time::stamp(message.occurred_at, zone))
}

fn history(known: &[StoredMemory], zone: &TimeZone, style: Style) -> String {
    let rows: Vec<String> = known
        .iter()
        .map(|stored| {
            let memory = &stored.memory;
            format!(
                "{}  {} {}",
                style.dim(&validity(memory, zone)),
                memory.text,
                style.dim(&format!("({}, {})", memory.kind.as_str(), memory.status.as_str()))
            )
        })
        .collect();
    if rows.is_empty() { "Nothing was learned here yet.".to_owned() } else { rows.join("\n") }
}

fn validity(memory: &Statement, zone: &TimeZone) -> String {
    let day = |at| time::day(at, zone).to_string();
    match memory.valid_to {
        Some(end) => format!("{} to {}", day(memory.valid_from), day(end)),
        None => format!("since {}", day(memory.valid_from)),
    }
}
