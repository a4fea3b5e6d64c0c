//! What a line that begins with a slash does in the terminal's chat. What a person saw of it is recorded like a reply.

use jiff::SignedDuration;
use serde_json::{Map, Value, json};
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::redact::redact;
use throughline_engine::forget::What;
use throughline_engine::recall::Question;
use throughline_engine::turn::gather::Wish;
use throughline_engine::{Engine, Inbound};
use throughline_store::messages::Purpose;

use super::forget::{clean_typed_lines, done_text, preview_text};
use super::memory::remembered_text;
use super::{backup, conversation_rows, cost, explanation, export, search_table, status_report, summary};
use crate::cli::Chat;
use crate::output::{Failure, Style};
use crate::wire::Place;

/// What a person saw of a command is recorded up to so many characters.
const RECORDED: usize = 500;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Help,
    New,
    Memory,
    Remember(String),
    Forget(String),
    Summary,
    Search(String),
    Why,
    Context(String),
    Conversations,
    Export,
    Status,
    Routines,
    Cost,
    Quit,
    Unknown(String),
}

pub const HELP: &str = "\
/memory           what I know about you
/remember FACT    remember something
/forget [TOPIC]   forget what was said about something, or all of this chat
/summary          what of this chat is condensed
/search WORDS     find what was said in this chat
/new              begin a new conversation
/why              what went into the last reply
/context [TEXT]   the context that TEXT would be answered from
/conversations    the conversations of this chat
/cost             what models took and cost here
/routines         what was sent here by routines today
/export           this chat as Markdown
/status           what is stored, what waits
/help             this list
/quit             leave (or Ctrl-D)";

impl Command {
    /// Reads a line; nothing where it is not a command.
    pub fn read(line: &str) -> Option<Self> {
        let line = line.strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim().to_owned();
        Some(match name {
            "help" | "start" => Self::Help,
            "new" => Self::New,
            "memory" | "profile" => Self::Memory,
            "remember" => Self::Remember(rest),
            "forget" => Self::Forget(rest),
            "summary" => Self::Summary,
            "search" => Self::Search(rest),
            "why" => Self::Why,
            "context" => Self::Context(rest),
            "conversations" => Self::Conversations,
            "export" => Self::Export,
            "status" => Self::Status,
            "routines" => Self::Routines,
            "cost" => Self::Cost,
            "quit" | "exit" => Self::Quit,
            _ => Self::Unknown(name.to_owned()),
        })
    }

    /// The line that is recorded, with what was seen of the result. What was to be forgotten is not named again. What
    /// only shows what is stored is not stored once more.
    fn on_record(&self) -> Option<String> {
        match self {
            Self::Memory => Some("/memory".to_owned()),
            Self::Remember(text) => Some(format!("/remember {text}")),
            Self::Forget(_) => Some("/forget".to_owned()),
            Self::Summary => Some("/summary".to_owned()),
            Self::New => Some("/new".to_owned()),
            Self::Cost => Some("/cost".to_owned()),
            Self::Search(_)
            | Self::Why
            | Self::Context(_)
            | Self::Conversations
            | Self::Export
            | Self::Status
            | Self::Routines
            | Self::Help
            | Self::Quit
            | Self::Unknown(_) => None,
        }
    }
}

/// A terminal's chat, for commands.
pub struct Slash<'a> {
    pub what: &'a Chat,
    pub place: &'a Place,
    pub engine: &'a Engine,
    pub style: Style,
}

impl Slash<'_> {
    /// Runs a command and gives what is to be shown. `confirm` asks the person.
    pub async fn run(
        &self,
        command: Command,
        confirm: &mut dyn FnMut(&str) -> bool,
    ) -> Result<String, Failure> {
        let (line, opens) = (command.on_record(), command == Command::New);
        let (seen, shown) = self.result(command, confirm).await?;
        if let Some(line) = line {
            self.record(&line, seen.as_deref().unwrap_or(&shown), opens).await?;
        }
        Ok(shown)
    }

    /// What is recorded in place of the result, where that differs, and the result.
    async fn result(
        &self,
        command: Command,
        confirm: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(Option<String>, String), Failure> {
        let Self { what, place, engine, style } = self;
        let zone = &place.settings.zone;
        let text = match command {
            Command::Help | Command::Quit => HELP.to_owned(),
            Command::Unknown(name) => format!("There is no /{name}.\n{HELP}"),
            Command::New => "A new conversation begins. What was said before is still remembered.".to_owned(),
            Command::Memory => engine.overview(&what.chat, &Lane::Root).await?.text(),
            Command::Remember(text) if text.is_empty() => {
                "Say what to remember: /remember I am allergic to peanuts".to_owned()
            }
            Command::Remember(text) => match engine.remember(&what.chat, &text, None).await {
                Ok(remembered) => remembered_text(&remembered),
                Err(error) => error.to_string(),
            },
            Command::Forget(topic) => return self.forget(&topic, confirm).await,
            Command::Summary => {
                summary::text(&engine.condensed(&what.chat, &Lane::Root).await?, zone, *style)
            }
            Command::Routines => {
                let mut condensed = engine.condensed(&what.chat, &Lane::Root).await?;
                condensed.summaries.clear();
                condensed.ongoing = 0;
                match condensed.routines.is_empty() {
                    true => "No routine has written here today.".to_owned(),
                    false => summary::text(&condensed, zone, *style),
                }
            }
            Command::Search(words) if words.is_empty() => {
                "Say what to look for: /search spare key".to_owned()
            }
            Command::Search(words) => {
                let question = Question { text: words, limit: 5, ..Question::default() };
                search_table(&engine.recall(&what.chat, question).await?, zone, engine.now(), *style)
            }
            Command::Why => self.why().await?,
            Command::Context(text) => {
                let message = (!text.is_empty()).then(|| throughline_domain::context::Current {
                    ids: Vec::new(),
                    text: redact(&text).into_owned(),
                    speaker: None,
                });
                engine.preview(Wish { message, ..Wish::new(what.chat.clone(), Lane::Root) }).await?.text()
            }
            Command::Conversations => {
                let found = engine.store.chat(&what.chat).conversations(None, 20).await?;
                conversation_rows(&found, zone, engine.now(), *style)
            }
            Command::Export => export::markdown(&what.chat, place, engine).await?,
            Command::Status => status_report(place, engine, *style).await?,
            Command::Cost => {
                let since = engine.now().saturating_sub(SignedDuration::from_hours(24 * 30));
                let since = since.unwrap_or(jiff::Timestamp::MIN);
                cost::text(&engine.store.chat(&what.chat).spent(since).await?, *style)
            }
        };
        Ok((None, text))
    }

    async fn forget(
        &self,
        topic: &str,
        confirm: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(Option<String>, String), Failure> {
        let target = if topic.is_empty() { What::All } else { What::Topic(topic.to_owned()) };
        let preview = self.engine.forget_preview(&self.what.chat, &target).await?;
        let certain = preview.iter().filter(|found| found.certain).count();
        if certain == 0 {
            return Ok((Some("Nothing was forgotten.".to_owned()), preview_text(&preview, self.style)));
        }
        let question = match &target {
            What::All => format!("Forget everything of this chat, {certain} memories and messages?"),
            _ => format!("{}\nForget these {certain}?", preview_text(&preview, self.style)),
        };
        if !confirm(&question) {
            return Ok((None, "Nothing was forgotten.".to_owned()));
        }
        let Some(done) = self.engine.forget(&self.what.chat, &target, false).await? else {
            return Ok((None, "Nothing was forgotten.".to_owned()));
        };
        clean_typed_lines(&self.what.chat, &target, self.place, self.engine).await?;
        let held = backup::holding(self.place, &done.sentences);
        let count = done.receipt.memories + done.receipt.messages;
        Ok((Some(format!("Forgot {count}.")), done_text(&done, &held, self.style)))
    }

    async fn why(&self) -> Result<String, Failure> {
        let last = self.engine.store.chat(&self.what.chat).last_turn(&Lane::Root).await?;
        let Some(receipt) = last.and_then(|turn| turn.receipt) else {
            return Ok("Nothing was answered here yet.".to_owned());
        };
        let mut text = format!(
            "{} · {} · {} of {} tokens · {:.1} ms before the model\n{}",
            receipt.model,
            receipt.thread,
            receipt.tokens,
            receipt.budget,
            receipt.own_ms,
            explanation(&receipt.layers, self.style)
        );
        for trouble in &receipt.degraded {
            text.push_str(&format!("\n{} {trouble}", self.style.bad("!")));
        }
        Ok(text)
    }

    /// Records the line and what was seen of its result; it can be found, and teaches nothing.
    async fn record(&self, line: &str, seen: &str, opens: bool) -> Result<(), Failure> {
        let mut metadata: Map<String, Value> = Map::new();
        metadata.insert("source".to_owned(), json!("command"));
        let said = |role: Role, text: &str, metadata: Map<String, Value>| Inbound {
            role,
            text: text.chars().take(RECORDED).collect(),
            metadata,
            ..Inbound::in_chat(self.what.chat.clone())
        };
        let mut first = metadata.clone();
        if opens {
            first.insert("new".to_owned(), json!(true));
        }
        self.engine.hear(said(Role::User, line, first), Purpose::Record).await?;
        self.engine.hear(said(Role::Assistant, seen, metadata), Purpose::Record).await?;
        Ok(())
    }
}
