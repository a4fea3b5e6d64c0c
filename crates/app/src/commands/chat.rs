//! `chat`: talk in the terminal, or one turn with -m.

use std::time::{Duration, Instant};

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::redact::redact;
use throughline_engine::recall::Question;
use throughline_engine::turn::Channel;
use throughline_engine::turn::gather::Wish;
use throughline_engine::{Engine, Inbound};

use super::{conversation_rows, explanation, search_table, status_report};
use crate::channels::terminal::{Document, Terminal};
use crate::cli::Chat;
use crate::output::{Failure, Output, Style};
use crate::wire::Place;

/// How long the next prompt may wait for background jobs.
const BETWEEN_TURNS: Duration = Duration::from_millis(300);

pub async fn run(what: &Chat, place: &Place, output: Output) -> Result<(), Failure> {
    let engine = place.engine().await?;
    match &what.message {
        Some(text) => one_turn(what, text, &engine, output).await?,
        None if output.is_json() => {
            return Err(Failure::Usage("--json needs -m: one turn, one document".to_owned()));
        }
        None => talk(what, place, &engine, output).await?,
    }
    place.run_jobs(&engine).await;
    Ok(())
}

fn inbound(what: &Chat, text: &str) -> Inbound {
    Inbound { text: text.to_owned(), agent: what.agent.clone(), ..Inbound::in_chat(what.chat.clone()) }
}

async fn one_turn(what: &Chat, text: &str, engine: &Engine, output: Output) -> Result<(), Failure> {
    let terminal = Terminal::default();
    let channel: &dyn Channel = if output.is_json() { &Document } else { &terminal };
    engine.take_turn(inbound(what, text), channel).await?;
    Ok(())
}

async fn talk(what: &Chat, place: &Place, engine: &Engine, output: Output) -> Result<(), Failure> {
    let config =
        Config::builder().auto_add_history(false).max_history_size(1_000).map_err(line_editor)?.build();
    let mut editor: Editor<(), FileHistory> = Editor::with_config(config).map_err(line_editor)?;
    let history = place.home.join("chat-history");
    let _ = editor.load_history(&history);
    let style = output.style();
    output.write(&format!(
        "{} {}",
        style.bold("Throughline"),
        style.dim(&format!(
            "{} · model {} · /help for commands, Ctrl-D to leave",
            what.chat,
            engine.model.name()
        ))
    ))?;
    loop {
        let line = match editor.readline("› ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(line_editor(error)),
        };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        // What goes into the history file is redacted like everything else that is written.
        let _ = editor.add_history_entry(redact(line).as_ref());
        let _ = editor.save_history(&history);
        match Command::read(line) {
            Some(Command::Quit) => break,
            Some(command) => {
                output.write(run_command(command, what, place, engine, style).await?.trim_end())?
            }
            None => {
                if let Err(error) = engine.take_turn(inbound(what, line), &Terminal::default()).await {
                    output.write(&style.bad(&error.to_string()))?;
                }
                if let Err(error) = engine.run_jobs(Instant::now() + BETWEEN_TURNS).await {
                    tracing::warn!(%error, "background jobs wait");
                }
            }
        }
    }
    Ok(())
}

fn line_editor(error: ReadlineError) -> Failure {
    Failure::failed(
        "terminal",
        format!("the terminal cannot be read: {error}. Use `throughline chat -m TEXT` instead"),
    )
}

/// What a line that begins with a slash asks for.
enum Command<'a> {
    Help,
    Search(&'a str),
    Why,
    Context(&'a str),
    Conversations,
    Status,
    Quit,
    Unknown(&'a str),
}

const HELP: &str = "\
/search WORDS     find what was said in this chat
/why              what went into the last reply
/context [TEXT]   the context that TEXT would be answered from
/conversations    the conversations of this chat
/status           what is stored, what waits
/help             this list
/quit             leave (or Ctrl-D)";

impl<'a> Command<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let line = line.strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Some(match name {
            "help" | "start" => Self::Help,
            "search" => Self::Search(rest.trim()),
            "why" => Self::Why,
            "context" => Self::Context(rest.trim()),
            "conversations" => Self::Conversations,
            "status" => Self::Status,
            "quit" | "exit" => Self::Quit,
            _ => Self::Unknown(name),
        })
    }
}

async fn run_command(
    command: Command<'_>,
    what: &Chat,
    place: &Place,
    engine: &Engine,
    style: Style,
) -> Result<String, Failure> {
    Ok(match command {
        Command::Help | Command::Quit => HELP.to_owned(),
        Command::Unknown(name) => format!("There is no /{name}.\n{HELP}"),
        Command::Search("") => "Say what to look for: /search spare key".to_owned(),
        Command::Search(words) => search(&what.chat, words, place, engine, style).await?,
        Command::Why => {
            match engine.store.chat(&what.chat).last_turn(&Lane::Root).await?.and_then(|turn| turn.receipt) {
                Some(receipt) => format!(
                    "{} · {} · {} of {} tokens · {:.1} ms before the model\n{}",
                    receipt.model,
                    receipt.thread,
                    receipt.tokens,
                    receipt.budget,
                    receipt.own_ms,
                    explanation(&receipt.layers, style)
                ),
                None => "Nothing was answered here yet.".to_owned(),
            }
        }
        Command::Context(text) => {
            let message = (!text.is_empty()).then(|| throughline_domain::context::Current {
                ids: Vec::new(),
                text: redact(text).into_owned(),
                speaker: None,
            });
            engine.preview(Wish { message, ..Wish::new(what.chat.clone(), Lane::Root) }).await?.text()
        }
        Command::Conversations => {
            let found = engine.store.chat(&what.chat).conversations(None, 20).await?;
            conversation_rows(&found, &place.settings.zone, engine.now(), style)
        }
        Command::Status => status_report(place, engine, style).await?,
    })
}

async fn search(
    chat: &ChatId,
    words: &str,
    place: &Place,
    engine: &Engine,
    style: Style,
) -> Result<String, Failure> {
    let question = Question { text: words.to_owned(), limit: 5, ..Question::default() };
    Ok(search_table(&engine.recall(chat, question).await?, &place.settings.zone, engine.now(), style))
}
