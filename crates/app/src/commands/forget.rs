//! `forget`: shows the matches, asks for confirmation, forgets, and names the backups that still contain them.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_engine::forget::{Done, Found, Match, What};
use throughline_engine::{Engine, ShortIds};
use throughline_text::erase::Topic;
use uuid::Uuid;

use crate::api::{self, ForgetDocument, UndoneDocument};
use crate::cli::Forget;
use crate::logs;
use crate::output::{Failure, Output, Style, counted};
use crate::wire::App;

pub async fn run(args: &Forget, app: &App, output: Output) -> Result<(), Failure> {
    let engine = app.engine().await?;
    if let Some(receipt) = &args.undo {
        let receipt = engine.receipt_named(&args.chat, receipt).await?;
        undo(&args.chat, receipt, &engine, output).await?;
    } else {
        let target = target(args)?;
        // With --yes there is no preview.
        let preview = if args.yes { Vec::new() } else { engine.forget_preview(&args.chat, &target).await? };
        let short = engine.short_ids(&args.chat, match_ids(&preview)).await?;
        if args.yes || (!output.is_json() && confirmed(&preview, &target, &short, output)?) {
            forget(args, &target, app, &engine, output).await?;
        } else if output.is_json() || !std::io::stdin().is_terminal() {
            output.print(
                || json!(ForgetDocument::preview(&preview)),
                |style| preview_text(&preview, &target, &short, style),
            )?;
        }
    }
    app.run_jobs(&engine).await;
    Ok(())
}

fn target(args: &Forget) -> Result<What, Failure> {
    match (&args.topic, &args.id, args.all) {
        (Some(topic), None, false) if !topic.trim().is_empty() => Ok(What::Topic(topic.clone())),
        (None, Some(id), false) => Ok(What::Id(id.clone())),
        (None, None, true) => Ok(What::All),
        _ => Err(Failure::Usage(
            "say what to forget: a topic, --id ID, or --all for everything of the chat".to_owned(),
        )),
    }
}

async fn forget(
    args: &Forget,
    target: &What,
    app: &App,
    engine: &Engine,
    output: Output,
) -> Result<(), Failure> {
    let Some((done, held)) = api::forget(&args.chat, target, args.permanently, app, engine).await? else {
        let near = engine.forget_preview(&args.chat, target).await?;
        let short = engine.short_ids(&args.chat, match_ids(&near)).await?;
        return output.print(
            || json!(ForgetDocument::preview(&near)),
            |style| match near.is_empty() {
                true => "Nothing found about that, so nothing was forgotten.".to_owned(),
                false => format!(
                    "Nothing was forgotten, for nothing is surely about that.\n{}",
                    preview_text(&near, target, &short, style)
                ),
            },
        );
    };
    let short = engine.short_ids(&args.chat, [done.receipt.id]).await?;
    output.print(|| json!(ForgetDocument::done(&done, &held)), |style| done_text(&done, &held, &short, style))
}

async fn undo(chat: &ChatId, receipt: Uuid, engine: &Engine, output: Output) -> Result<(), Failure> {
    let undone = engine.undo_forgetting(chat, receipt).await?;
    output.print(
        || json!(UndoneDocument::new(receipt, &undone)),
        |style| {
            format!(
                "{} Brought back: {}, {}",
                style.good("✓"),
                counted(undone.memories, "memory"),
                counted(undone.messages, "message")
            )
        },
    )
}

/// Removes forgotten texts from the chat's input history, and from the log, which may quote them in an error.
pub async fn clean_lines(chat: &ChatId, target: &What, app: &App, engine: &Engine) -> Result<(), Failure> {
    let file = typed_lines(app);
    if *target == What::All {
        // Log lines do not name their chat, so all of them are blanked.
        logs::blank(&app.home, |_| false)?;
        return match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        };
    }
    let suppressions = engine.forgotten_in(chat).await?;
    let topic = match target {
        What::Topic(topic) => Some(Topic::read(topic)),
        What::Id(_) | What::Part(..) | What::All => None,
    };
    let is_about = |line: &str| topic.as_ref().is_some_and(|topic| topic.covers(line));
    let is_kept = |line: &str| suppressions.suppressed(line).is_none() && !is_about(line);
    logs::blank(&app.home, is_kept)?;
    let Ok(text) = std::fs::read_to_string(&file) else { return Ok(()) };
    let kept: Vec<&str> = text.lines().filter(|line| is_kept(line) && !line.starts_with("/forget")).collect();
    if kept.len() < text.lines().count() {
        let mut left = kept.join("\n");
        left.push('\n');
        std::fs::write(&file, left)?;
    }
    Ok(())
}

/// The chat's input history.
pub fn typed_lines(app: &App) -> PathBuf {
    app.home.join("chat-history")
}

/// Asks a person for confirmation; a program gets only the preview.
fn confirmed(preview: &[Match], target: &What, short: &ShortIds, output: Output) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Ok(false);
    }
    output.write(&preview_text(preview, target, short, output.style()))?;
    let certain = preview.iter().filter(|found| found.certain).count() as u64;
    if certain == 0 {
        return Ok(false);
    }
    let mut stdout = std::io::stdout().lock();
    write!(stdout, "Forget {}? It can be undone for a day. [y/N] ", counted(certain, "match"))?;
    stdout.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    let yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if !yes {
        writeln!(stdout, "Nothing was forgotten.")?;
    }
    Ok(yes)
}

/// The ids of matches, for their short forms.
pub fn match_ids(matches: &[Match]) -> impl Iterator<Item = Uuid> {
    matches.iter().map(|found| match &found.found {
        Found::Memory(memory) => memory.id.0,
        Found::Message(id, _) => id.0,
    })
}

/// The preview as text, with the command that forgets what it lists.
pub fn preview_text(preview: &[Match], target: &What, short: &ShortIds, style: Style) -> String {
    if preview.is_empty() {
        return "Nothing found about that.".to_owned();
    }
    let row = |found: &Match| match &found.found {
        Found::Memory(memory) if !found.certain => {
            format!("  {} {} {}", style.dim("memory "), memory.text, style.dim(&short.of(memory.id.0)))
        }
        Found::Memory(memory) => format!("  {} {}", style.dim("memory "), memory.text),
        Found::Message(id, sentences) if !found.certain => {
            let id = style.dim(&short.of(id.0));
            format!("  {} {} {id}", style.dim("message"), sentences.join(" "))
        }
        Found::Message(_, sentences) => format!("  {} {}", style.dim("message"), sentences.join(" ")),
    };
    let rows = |certain: bool| -> Vec<String> {
        preview.iter().filter(|found| found.certain == certain).map(row).collect()
    };
    let (certain, offered) = (rows(true), rows(false));
    let mut parts = Vec::new();
    if !certain.is_empty() {
        let how = match target {
            What::Topic(topic) => format!("throughline forget {} --yes", quoted(topic)),
            What::Id(id) => format!("throughline forget --id {id} --yes"),
            What::Part(id, _) => format!("throughline forget --id {id} --yes"),
            What::All => "throughline forget --all --yes".to_owned(),
        };
        let heading = style.bold("To be forgotten, once you confirm it:");
        parts.push(format!("{heading} {}\n{}", style.dim(&how), certain.join("\n")));
    }
    if !offered.is_empty() {
        let how = style.dim("throughline forget --id ID");
        parts.push(format!(
            "{} {how}\n{}",
            style.bold("Near to it; kept unless you name it:"),
            offered.join("\n")
        ));
    }
    parts.join("\n")
}

/// A topic as a shell takes it for one word.
fn quoted(topic: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if topic.chars().all(is_plain) { topic.to_owned() } else { format!("'{}'", topic.replace('\'', r"'\''")) }
}

/// The result as text, without the forgotten words.
pub fn done_text(done: &Done, backups: &[PathBuf], short: &ShortIds, style: Style) -> String {
    let receipt = &done.receipt;
    let mut lines = vec![format!(
        "{} Forgotten: {}, {}, {}",
        style.good("✓"),
        counted(receipt.memories, "memory"),
        counted(receipt.messages, "message"),
        counted(receipt.summaries, "summary")
    )];
    if receipt.undo_until.is_some() {
        lines.push(
            style.dim(&format!("Undo within a day: throughline forget --undo {}", short.of(receipt.id))),
        );
    }
    if done.finished > 0 {
        let earlier = counted(done.finished, "earlier forgetting");
        lines.push(format!("{} no longer to be undone, since it held the same: {earlier}", style.bad("!")));
    }
    if let Some(why) = &done.unscrubbed {
        lines.push(format!(
            "{} its bytes are taken out of the files as soon as that is possible: {why}",
            style.bad("!")
        ));
    }
    if !backups.is_empty() {
        let names: Vec<String> = backups.iter().map(|file| file.display().to_string()).collect();
        lines.push(format!("{} still in backups: {}", style.bad("!"), names.join(", ")));
    }
    lines.join("\n")
}
