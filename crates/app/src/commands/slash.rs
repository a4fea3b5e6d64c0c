//! What a line that begins with a slash does in a chat. What a person saw of it is recorded like a reply.

use jiff::SignedDuration;
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::forget::What;
use throughline_engine::recall::Question;
use throughline_engine::turn::gather::ContextRequest;
use throughline_engine::{Engine, Inbound};
use throughline_store::messages::Purpose;
use throughline_text::redact::redact;

use super::forget::{clean_typed_lines, done_text, preview_text};
use super::memory::remembered_text;
use super::{
    backup, conversation_rows, cost, explanation, export, routine, search_table, status_report, summary,
};
use crate::output::{Failure, Style};
use crate::wire::App;

/// What a person saw of a command is recorded up to so many characters.
const RECORDED: usize = 500;
const QUIT: &str = "/quit             leave (or Ctrl-D)";
const WELCOME: &str = "\
I am your assistant, and I remember what we talk about: across days and topics, and after a restart.\n\
Just write to me. You can always see what I know with /memory, and take it back with /forget.";

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Start,
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

/// A command as people are told of it.
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// What is written behind it.
    pub with: &'static str,
    /// What it does.
    pub does: &'static str,
}

const fn listed(name: &'static str, with: &'static str, does: &'static str) -> Listed {
    Listed { name, with, does }
}

/// The commands of every chat.
pub const COMMANDS: &[Listed] = &[
    listed("memory", "", "what I know about you"),
    listed("remember", "FACT", "remember something"),
    listed("forget", "[TOPIC]", "forget what was said about something, or all of this chat"),
    listed("summary", "", "what of this chat is condensed"),
    listed("search", "WORDS", "find what was said in this chat"),
    listed("new", "", "begin a new conversation"),
    listed("why", "", "what went into the last reply"),
    listed("context", "[TEXT]", "the context that TEXT would be answered from"),
    listed("conversations", "", "the conversations of this chat"),
    listed("routines", "", "what routines are there, and what they sent here today"),
    listed("cost", "", "what models took and cost here"),
    listed("export", "", "this chat as Markdown"),
    listed("status", "", "what is stored, what waits"),
    listed("help", "", "this list"),
];

/// The list of commands.
pub fn help() -> String {
    let line =
        |one: &Listed| format!("{:<17} {}", format!("/{} {}", one.name, one.with).trim_end(), one.does);
    COMMANDS.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What is recorded of a command.
pub struct Noted {
    /// The line.
    pub line: String,
    /// What stands for the result; nothing where the result itself does.
    pub seen: Option<&'static str>,
}

impl Command {
    /// Reads a line; nothing where it is not a command.
    pub fn read(line: &str) -> Option<Self> {
        let line = line.strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim().to_owned();
        Some(match name {
            "start" => Self::Start,
            "help" => Self::Help,
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

    /// What is recorded of it. What was to be forgotten is not named again, and what only shows what is stored is not
    /// stored once more.
    pub fn noted(&self) -> Option<Noted> {
        let noted = |line: &str, seen| Some(Noted { line: line.to_owned(), seen });
        match self {
            Self::Memory => noted("/memory", None),
            Self::Remember(text) => noted(&format!("/remember {text}"), None),
            Self::Forget(_) => noted("/forget", None),
            Self::Summary => noted("/summary", None),
            Self::New => noted("/new", None),
            Self::Cost => noted("/cost", None),
            Self::Search(words) => noted(&format!("/search {words}"), Some("(showed what was found)")),
            Self::Why => noted("/why", Some("(showed what went into the last reply)")),
            Self::Context(_) => noted("/context", Some("(showed the context)")),
            Self::Conversations => noted("/conversations", Some("(listed the conversations of this chat)")),
            Self::Export => noted("/export", Some("(gave everything that was said in this chat)")),
            Self::Status => noted("/status", Some("(showed what is stored and what waits)")),
            Self::Routines => noted("/routines", Some("(listed the routines)")),
            Self::Help | Self::Start => noted("/help", Some("(listed the commands)")),
            Self::Quit | Self::Unknown(_) => None,
        }
    }
}

/// What a command and what was seen of it are recorded as: found by a search, and teaching nothing.
pub fn recorded(chat: &ChatId, lane: &Lane, noted: &Noted, seen: &str, opens: bool) -> [Inbound; 2] {
    let said = |role: Role, text: &str| Inbound {
        lane: Some(lane.clone()),
        role,
        text: text.chars().take(RECORDED).collect(),
        metadata: [("source".to_owned(), json!("command"))].into_iter().collect(),
        ..Inbound::in_chat(chat.clone())
    };
    let mut line = said(Role::User, &noted.line);
    if opens {
        line.metadata.insert("new".to_owned(), json!(true));
    }
    [line, said(Role::Assistant, noted.seen.unwrap_or(seen))]
}

/// A lane of a chat, for commands.
pub struct Slash<'a> {
    pub chat: &'a ChatId,
    pub lane: &'a Lane,
    pub app: &'a App,
    pub engine: &'a Engine,
    pub style: Style,
}

impl Slash<'_> {
    /// Runs a command in the terminal and gives what is to be shown. `confirm` asks the person.
    pub async fn run(
        &self,
        command: Command,
        confirm: &mut dyn FnMut(&str) -> bool,
    ) -> Result<String, Failure> {
        let (noted, opens) = (command.noted(), command == Command::New);
        let (seen, shown) = match command {
            Command::Forget(topic) => self.forget(&topic, confirm).await?,
            Command::Help => (None, format!("{}\n{QUIT}", help())),
            other => (None, self.answer(other).await?),
        };
        if let Some(noted) = noted {
            for inbound in recorded(self.chat, self.lane, &noted, seen.as_deref().unwrap_or(&shown), opens) {
                self.engine.hear(inbound, Purpose::Record).await?;
            }
        }
        Ok(shown)
    }

    /// The result of a command that asks nothing back.
    pub async fn answer(&self, command: Command) -> Result<String, Failure> {
        let Self { chat, lane, app, engine, style } = self;
        let zone = &app.settings.zone;
        Ok(match command {
            Command::Start => format!("{WELCOME}\n\n{}", help()),
            Command::Help | Command::Quit => help(),
            Command::Unknown(name) => format!("There is no /{name}.\n{}", help()),
            Command::New => "A new conversation begins. What was said before is still remembered.".to_owned(),
            Command::Memory => engine.overview(chat, lane).await?.text(),
            Command::Remember(text) if text.is_empty() => {
                "Say what to remember: /remember I am allergic to peanuts".to_owned()
            }
            Command::Remember(text) => match engine.remember(chat, &text, None).await {
                Ok(remembered) => remembered_text(&remembered),
                Err(error) => error.to_string(),
            },
            Command::Forget(_) => "Say what to forget: /forget TOPIC".to_owned(),
            Command::Summary => summary::text(&engine.summaries(chat, lane).await?, zone, *style),
            Command::Routines => self.routines().await?,
            Command::Search(words) if words.is_empty() => {
                "Say what to look for: /search spare key".to_owned()
            }
            Command::Search(words) => {
                let question = Question { text: words, limit: 5, ..Question::default() };
                search_table(&engine.recall(chat, question).await?, zone, engine.now(), *style)
            }
            Command::Why => self.why().await?,
            Command::Context(text) => {
                let message = (!text.is_empty()).then(|| throughline_domain::context::Current {
                    ids: Vec::new(),
                    text: redact(&text).into_owned(),
                    speaker: None,
                });
                let request =
                    ContextRequest { message, ..ContextRequest::new((*chat).clone(), (*lane).clone()) };
                engine.preview(request).await?.text()
            }
            Command::Conversations => {
                let found = engine.store.chat(chat).conversations(None, 20).await?;
                conversation_rows(&found, zone, engine.now(), *style)
            }
            Command::Export => export::markdown(chat, app, engine).await?,
            Command::Status => status_report(app, engine, chat, lane, *style).await?,
            Command::Cost => {
                let since = engine.now().saturating_sub(SignedDuration::from_hours(24 * 30));
                let since = since.unwrap_or(jiff::Timestamp::MIN);
                cost::text(&engine.store.chat(chat).spent(since).await?, *style)
            }
        })
    }

    /// The routines, and what they sent here today.
    async fn routines(&self) -> Result<String, Failure> {
        let mut summaries = self.engine.summaries(self.chat, self.lane).await?;
        summaries.summaries.clear();
        summaries.ongoing = 0;
        let listed = routine::listed(self.app, self.engine, self.chat);
        let today = match summaries.routines.is_empty() {
            true => "No routine has written here today.".to_owned(),
            false => summary::text(&summaries, &self.app.settings.zone, self.style),
        };
        Ok([listed, today].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"))
    }

    async fn forget(
        &self,
        topic: &str,
        confirm: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(Option<String>, String), Failure> {
        let target = if topic.is_empty() { What::All } else { What::Topic(topic.to_owned()) };
        let preview = self.engine.forget_preview(self.chat, &target).await?;
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
        let Some(done) = self.engine.forget(self.chat, &target, false).await? else {
            return Ok((None, "Nothing was forgotten.".to_owned()));
        };
        clean_typed_lines(self.chat, &target, self.app, self.engine).await?;
        let held = backup::holding(self.app, &done.sentences);
        let count = done.receipt.memories + done.receipt.messages;
        Ok((Some(format!("Forgot {count}.")), done_text(&done, &held, self.style)))
    }

    async fn why(&self) -> Result<String, Failure> {
        let last = self.engine.store.chat(self.chat).last_turn(self.lane).await?;
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
}
