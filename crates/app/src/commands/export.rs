//! `export`: writes messages, as JSON Lines for `import` or as Markdown for people.

use std::io::Write;

use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::time;
use throughline_engine::Engine;
use throughline_store::Store;
use throughline_store::attachments::StoredAttachment;
use throughline_text::printable::printable;

use crate::cli::{Export, ExportFormat};
use crate::imports::jsonl::{self, ExportedFile};
use crate::output::{Failure, Output, escaped_json};
use crate::wire::App;

/// Number of messages read at a time.
const PAGE: usize = 1_000;

pub async fn run(what: &Export, app: &App, _: Output) -> Result<(), Failure> {
    let store = app.store().await?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for chat in chats(what, &store).await? {
        write(&chat, what.format, app, &store, &mut out).await?;
    }
    out.flush()?;
    Ok(())
}

/// A chat as Markdown, for the chat command.
pub async fn markdown(chat: &ChatId, app: &App, engine: &Engine) -> Result<String, Failure> {
    let mut out = Vec::new();
    write(chat, ExportFormat::Markdown, app, &engine.store, &mut out).await?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

async fn write(
    chat: &ChatId,
    format: ExportFormat,
    app: &App,
    store: &Store,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut page = MarkdownExport { app, format, day: None };
    page.begin(chat, out)?;
    let in_chat = store.chat(chat);
    let mut after = 0;
    loop {
        let messages = in_chat.recorded_after(after, PAGE).await?;
        let Some(last) = messages.last() else { return Ok(()) };
        after = last.seq;
        let ids = messages.iter().map(|stored| stored.message.id).collect();
        let files = in_chat.attachments(ids).await?;
        for stored in &messages {
            let its = files.iter().filter(|file| file.message == stored.message.id);
            page.write(stored, &its.filter_map(named).collect::<Vec<_>>(), out)?;
        }
    }
}

/// The chats to export, in an order that does not depend on when they were used.
async fn chats(what: &Export, store: &Store) -> Result<Vec<ChatId>, Failure> {
    if let Some(chat) = &what.chat {
        return Ok(vec![chat.clone()]);
    }
    let mut chats: Vec<ChatId> = store.chats().await?.into_iter().map(|count| count.chat).collect();
    chats.sort();
    Ok(chats)
}

/// The file of a message that is kept: where it lies below the home, its type, and the name that it came with.
fn named(file: &StoredAttachment) -> Option<ExportedFile> {
    let hash = file.hash.as_deref()?;
    Some(ExportedFile {
        path: format!("files/{}/{hash}", hash.get(..2).unwrap_or_default()),
        media_type: file.file.media_type.clone(),
        name: file.file.name.clone(),
    })
}

struct MarkdownExport<'a> {
    app: &'a App,
    format: ExportFormat,
    day: Option<jiff::civil::Date>,
}

impl MarkdownExport<'_> {
    fn begin(&self, chat: &ChatId, out: &mut impl Write) -> Result<(), Failure> {
        if self.format == ExportFormat::Markdown {
            writeln!(out, "# {}\n", printable(chat.as_str()))?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        stored: &StoredMessage,
        files: &[ExportedFile],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let message = &stored.message;
        match self.format {
            ExportFormat::Jsonl => {
                let line = jsonl::write(message, files)
                    .map_err(|error| Failure::failed("export", error.to_string()))?;
                writeln!(out, "{}", escaped_json(line))?;
            }
            ExportFormat::Markdown => {
                let zone = &self.app.settings.zone;
                let today = time::day(message.occurred_at, zone);
                if self.day != Some(today) {
                    writeln!(out, "## {}\n", time::long_date(message.occurred_at, zone))?;
                    self.day = Some(today);
                }
                let who = printable(message.speaker.as_deref().unwrap_or(message.role.as_str()));
                let text = printable(&message.text).replace('\n', "\n> ");
                writeln!(out, "**{who}** {}\n\n> {text}\n", time::clock(message.occurred_at, zone))?;
                for file in files {
                    writeln!(
                        out,
                        "> [{}]({})\n",
                        printable(file.name.as_deref().unwrap_or("file")),
                        file.path
                    )?;
                }
            }
        }
        Ok(())
    }
}
