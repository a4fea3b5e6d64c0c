//! `export`: writes the content of a home as JSON Lines for `import`, or as Markdown for people. The export is a
//! snapshot.

mod folder;
mod markdown;

use std::io::Write;

use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_store::Store;
use throughline_store::attachments::StoredAttachment;
use throughline_store::carried::Exported;
use tokio::sync::mpsc;

use self::folder::Folder;
use self::markdown::Days;
use crate::cli::{Export, ExportFormat};
use crate::imports::carried;
use crate::imports::jsonl::{self, ExportedFile};
use crate::output::{Failure, Output, counted, escaped_json};
use crate::wire::App;

/// Maximum number of pieces that are read ahead.
const AHEAD: usize = 1_000;

pub async fn run(args: &Export, app: &App, output: Output) -> Result<(), Failure> {
    if args.to.is_some() && args.format != ExportFormat::Markdown {
        return Err(Failure::Usage(
            "--to writes Markdown: add --format markdown, or send JSON Lines to a file with > FILE"
                .to_owned(),
        ));
    }
    let store = app.store().await?;
    if let Some(path) = &args.to {
        let mut folder = Folder::create(path, app.settings.zone.clone())?;
        each(&store, args.chat.clone(), |piece| folder.add(piece)).await?;
        let (files, chats) = folder.finish()?;
        return output.print(
            || json!({ "folder": path, "files": files, "chats": chats }),
            |style| {
                let (files, chats) = (counted(files, "file"), counted(chats, "chat"));
                format!("{} {files} of {chats} in {}; begin with index.md", style.good("✓"), path.display())
            },
        );
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match args.format {
        ExportFormat::Jsonl => each(&store, args.chat.clone(), |piece| write_line(piece, &mut out)).await?,
        ExportFormat::Markdown => write_markdown(args.chat.as_ref(), app, &store, &mut out).await?,
    }
    out.flush()?;
    Ok(())
}

/// Renders a chat as Markdown, for the chat command.
pub async fn markdown(chat: &ChatId, app: &App, engine: &Engine) -> Result<String, Failure> {
    let mut out = Vec::new();
    write_markdown(Some(chat), app, &engine.store, &mut out).await?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Reads the export, and passes each piece to `take`.
async fn each(
    store: &Store,
    chat: Option<ChatId>,
    mut take: impl FnMut(Exported) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (send, mut pieces) = mpsc::channel(AHEAD);
    let taking = async move {
        while let Some(piece) = pieces.recv().await {
            take(piece)?;
        }
        Ok::<(), Failure>(())
    };
    let (read, taken) = tokio::join!(store.export(chat, send), taking);
    taken?;
    Ok(read?)
}

fn write_line(piece: Exported, out: &mut impl Write) -> Result<(), Failure> {
    let line = match piece {
        Exported::Message(stored, files) => {
            jsonl::write(&stored.message, &files.iter().filter_map(named).collect::<Vec<_>>())
        }
        Exported::Carried(carried) => carried::write(carried),
    };
    let line = line.map_err(|error| Failure::failed("export", error.to_string()))?;
    Ok(writeln!(out, "{}", escaped_json(line))?)
}

async fn write_markdown(
    only: Option<&ChatId>,
    app: &App,
    store: &Store,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut shown = only.cloned();
    if let Some(chat) = only {
        markdown::title(chat.as_str(), out)?;
    }
    let mut days = Days::default();
    each(store, only.cloned(), |piece| {
        let Exported::Message(stored, files) = piece else { return Ok(()) };
        let chat = &stored.message.chat;
        if shown.as_ref() != Some(chat) {
            markdown::title(chat.as_str(), out)?;
            days = Days::default();
            shown = Some(chat.clone());
        }
        let files: Vec<ExportedFile> = files.iter().filter_map(named).collect();
        Ok(days.write(&stored.message, &files, &app.settings.zone, out)?)
    })
    .await
}

/// The stored file of a message: its path below the home, its type, and its original name.
fn named(file: &StoredAttachment) -> Option<ExportedFile> {
    let hash = file.hash.as_deref()?;
    Some(ExportedFile {
        path: format!("files/{}/{hash}", hash.get(..2).unwrap_or_default()),
        media_type: file.file.media_type.clone(),
        name: file.file.name.clone(),
    })
}
