//! The command line: its commands, arguments and help. `commands` runs them.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use jiff::tz::TimeZone;
use strum::IntoStaticStr;
use throughline_domain::chat::{ChatId, MalformedChat};
use throughline_domain::context::{Format, Preset};
use throughline_domain::message::Role;

use crate::api::Provider;
use crate::config::values::embedder::EmbedderChoice;
use crate::config::values::model::ModelChoice;
use crate::config::values::plain::AgentName;
use crate::config::values::{Given, Raw, Value};
use crate::imports::{self, IMPORTERS, Importer};

/// One continuous memory for chat assistants.
#[derive(Debug, Parser)]
#[command(name = "throughline", version, about, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// The folder that holds config, memory and logs [default: ~/.throughline]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// A config file to use instead of the home's config.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON document on stdout and nothing else
    #[arg(long, global = true)]
    pub json: bool,
    /// Fix the clock at this moment
    #[arg(long, global = true, value_name = "RFC3339")]
    pub now: Option<String>,
    /// Show the log on stderr; twice for all of it
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Returns true if events are printed as they come, instead of one document.
    pub fn streams(&self) -> bool {
        matches!(&self.command, Command::Chat(chat) if chat.stream)
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Talk in the terminal, or run one turn
    Chat(Chat),
    /// Connect a model and Telegram, and write the settings; safe to run again
    Onboard(Onboard),
    /// Run Telegram, HTTP, routines and background jobs until stopped
    Serve(Serve),
    /// Serve the memory to other programs over MCP, on stdin and stdout
    Mcp(Mcp),
    /// Send a message in a routine's name, for other schedulers
    Send(Send),
    /// List routines, run one now, or list their runs
    #[command(subcommand)]
    Routine(Routine),
    /// Control who may use the bot on Telegram
    #[command(subcommand)]
    Pairing(Pairing),
    /// Make, list or revoke tokens for the HTTP API
    #[command(subcommand)]
    Token(Token),
    /// Print a link that signs a browser in to the dashboard, once
    Open,
    /// Append one message
    Record(Record),
    /// Show the exact context of the next turn, and why each piece is there
    Context(Context),
    /// Search the messages of a chat, or of all your chats
    Search(Search),
    /// List, show or edit memories, or see their history
    #[command(subcommand)]
    Memory(Memory),
    /// Remember a statement
    Remember(Remember),
    /// Forget a topic; shows the matches and asks first
    Forget(Forget),
    /// Show the profile of a chat's people, as a context shows it
    Profile(ChatArgs),
    /// Show the summaries of a chat, and what has none yet
    Summary(ChatArgs),
    /// Write a copy of the database to a file
    Backup(Backup),
    /// Replace the database by a backup; what is there is kept
    Restore {
        /// A file written by `backup`
        file: PathBuf,
    },
    /// Encrypt the database with the key that the settings name
    Encrypt,
    /// Decrypt the database, so that it is a plain SQLite file again
    Decrypt,
    /// List conversations, or show one
    #[command(subcommand)]
    Conversations(Conversations),
    /// Import messages from files; skips what is already stored
    Import(Import),
    /// Write everything that is stored, to import it elsewhere or to read it
    Export(Export),
    /// Show what is stored, pending and uncertain
    Status,
    /// Find problems, and repair them with --fix
    Doctor(Doctor),
    /// Rebuild the word index from the messages
    Reindex,
    /// List the embedders for search by meaning, or choose one
    #[command(subcommand)]
    Embedder(Embedder),
    /// Show, check or describe the settings
    #[command(subcommand)]
    Config(Config),
    /// Measure the quality of search or extraction, in a temporary store
    Eval(Eval),
    /// Measure speed on this machine, in a temporary store
    Bench(Bench),
    /// Connect Claude Code: its hooks and the MCP server
    Install(Install),
    /// Answer one of Claude Code's hooks
    Hook(HookCommand),
    /// Run the background jobs that are due
    #[command(hide = true)]
    Work {
        /// Transcripts of Claude Code to import first
        transcripts: Vec<PathBuf>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub struct Chat {
    /// The chat
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// The agent that answers
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub agent: Option<String>,
    /// The model of this run, such as claude-cli/haiku or ollama/gemma3:4b [default: the setting `model`]
    #[arg(long, value_name = "MODEL", value_parser = setting::<ModelChoice>)]
    pub model: Option<ModelChoice>,
    /// Send this message, print the reply and exit; - reads stdin, @FILE a file
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub message: Option<String>,
    /// The same without -m, word for word
    #[arg(value_name = "TEXT", conflicts_with = "message")]
    pub text: Option<String>,
    /// With --json: print one event on a line, the words as they come and the whole document last
    #[arg(long)]
    pub stream: bool,
}

/// The chat of every command, unless another is named.
pub const MAIN: &str = "cli:chat:main";

/// Reads a chat id. A bare word names a chat of the terminal.
pub fn chat_id(text: &str) -> Result<ChatId, MalformedChat> {
    if text.is_empty() || text.contains(':') { text.parse() } else { format!("cli:chat:{text}").parse() }
}

/// Reads a text as the settings do.
fn setting<T: Value>(text: &str) -> Result<T, String> {
    let raw = Raw::Words(text.to_owned());
    T::read(Given { raw: &raw, folder: Path::new("") })
}

/// An agent's name is never a path.
fn agent_name(text: &str) -> Result<String, String> {
    setting::<AgentName>(text).map(|name| name.0)
}

#[derive(Debug, Args)]
pub struct Onboard {
    /// Ask nothing; use the settings, the environment and the other flags
    #[arg(long)]
    pub yes: bool,
    /// The model that answers; it is asked for one word first
    #[arg(long, value_name = "MODEL", value_parser = setting::<ModelChoice>)]
    pub model: Option<ModelChoice>,
    /// Your name, as the assistant uses it
    #[arg(long, value_name = "NAME", value_parser = setting::<String>)]
    pub name: Option<String>,
    /// Your time zone, such as Europe/Lisbon
    #[arg(long, value_name = "ZONE", value_parser = setting::<TimeZone>)]
    pub zone: Option<TimeZone>,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// The model of this run [default: the setting `model`]
    #[arg(long, value_name = "MODEL", value_parser = setting::<ModelChoice>)]
    pub model: Option<ModelChoice>,
    /// The address of the HTTP server [default: 127.0.0.1:7717]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
}

#[derive(Debug, Args)]
pub struct Mcp {
    /// The chat [default: THROUGHLINE_CHAT, else cli:chat:main]
    #[arg(long, value_name = "ID", value_parser = chat_id)]
    pub chat: Option<ChatId>,
    /// The chat of the folder that it is started in, as Claude Code's hooks record it
    #[arg(long, conflicts_with = "chat")]
    pub here: bool,
    /// Let the model name another of your chats
    #[arg(long)]
    pub any_chat: bool,
    /// Offer only the tools that read
    #[arg(long)]
    pub read_only: bool,
}

#[derive(Debug, Args)]
pub struct Send {
    /// The chat
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// root or topic:N [default: root]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// The name of the routine
    #[arg(long, value_name = "NAME")]
    pub routine: String,
    /// The text, or - to read it from stdin
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Routine {
    /// List the routines, built-in ones included, and when they run next
    List,
    /// Run a routine now
    Run {
        /// Its name
        name: String,
        /// The model of this run [default: the setting `model`]
        #[arg(long, value_name = "MODEL", value_parser = setting::<ModelChoice>)]
        model: Option<ModelChoice>,
    },
    /// List the runs of routines, newest first
    Runs {
        /// Only this routine
        name: Option<String>,
        /// Maximum number of runs
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
}

impl Routine {
    /// The model that is named for this run.
    pub fn model(&self) -> Option<&ModelChoice> {
        match self {
            Self::Run { model, .. } => model.as_ref(),
            Self::List | Self::Runs { .. } => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Pairing {
    /// List pending requests and paired people
    List,
    /// Approve the request with this code
    Approve {
        /// The code
        code: String,
    },
    /// Reject the request with this code
    Reject {
        /// The code
        code: String,
    },
    /// Revoke a person's access
    Revoke {
        /// The person, such as telegram:4711
        person: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum Token {
    /// Make a token and print it; it is shown only now
    Add {
        /// Its name, by which it is listed and revoked
        #[arg(long, value_name = "NAME")]
        name: String,
        /// Open only the private chats of this person [default: everything]
        #[arg(long, value_name = "PERSON", conflicts_with = "chat")]
        person: Option<String>,
        /// Open only this chat
        #[arg(long, value_name = "ID", value_parser = chat_id)]
        chat: Option<ChatId>,
    },
    /// List the tokens, by name
    List,
    /// Revoke a token, at once
    Revoke {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Args)]
pub struct Record {
    /// The chat
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// root, topic:N or reply:ID [default: where --reply-to points, else root]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// user, assistant, tool_use, tool_result or system
    #[arg(long, value_name = "ROLE", default_value = "user")]
    pub role: Role,
    /// The time of the message [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// The speaker's name
    #[arg(long, value_name = "NAME")]
    pub speaker: Option<String>,
    /// The message that it answers, by our id, the beginning of it, or the channel's id
    #[arg(long, value_name = "ID")]
    pub reply_to: Option<String>,
    /// The channel's own id of the message; the same id twice is one message
    #[arg(long, value_name = "ID")]
    pub external_id: Option<String>,
    /// A JSON object to store with the message
    #[arg(long, value_name = "JSON")]
    pub metadata: Option<String>,
    /// The text, or - to read it from stdin
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
}

#[derive(Debug, Args)]
pub struct Context {
    /// The chat
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// root, topic:N or reply:ID [default: where --reply-to points, else root]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// standard, tiered, rolling, lane, full or pairs
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<Preset>,
    /// Maximum tokens of everything but the message
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<u32>,
    /// xml, text, roles or messages
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// The provider whose array shape --format messages has
    #[arg(long, value_enum, default_value = "anthropic")]
    pub provider: Provider,
    /// The current message
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub message: Option<String>,
    /// The message that it answers, by our id, the beginning of it, or the channel's id
    #[arg(long, value_name = "ID")]
    pub reply_to: Option<String>,
    /// Leave out the tags by which a model asks to keep something
    #[arg(long)]
    pub no_tags: bool,
    /// Explain why each piece is there or left out
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, Args)]
pub struct Search {
    /// The query; any text is valid
    pub query: String,
    /// The chat
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// All of your chats; never those of other people
    #[arg(long, conflicts_with_all = ["chat", "lane"])]
    pub all: bool,
    /// Only this lane: root, topic:N or reply:ID
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// Only this kind
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// Only messages at this time or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only messages before this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Maximum number of hits
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub limit: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Message,
    Memory,
    Summary,
}

#[derive(Debug, Args)]
pub struct ChatArgs {
    /// The chat
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// root, topic:N or reply:ID [default: root]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Memory {
    /// List the current memories; with --all also replaced, done and forgotten ones
    List {
        /// The chat
        #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
        chat: ChatId,
        /// Only this kind: fact, preference, goal, date or outcome
        #[arg(long, value_name = "KIND")]
        kind: Option<throughline_domain::memory::Kind>,
        /// Also memories that are no longer current
        #[arg(long)]
        all: bool,
    },
    /// Show one memory and its sources
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// The chat
        #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
        chat: ChatId,
    },
    /// Edit a memory; its history keeps the old version
    Edit {
        /// Its id, or the beginning of it
        id: String,
        /// The chat
        #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
        chat: ChatId,
        /// The new statement
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
        /// The new kind: fact, preference, goal, date or outcome
        #[arg(long, value_name = "KIND")]
        kind: Option<throughline_domain::memory::Kind>,
        /// active (also to accept a suggestion) or done
        #[arg(long, value_name = "STATUS")]
        status: Option<throughline_domain::memory::Status>,
    },
    /// Show what a memory replaced, and what replaced it
    History {
        /// Its id, or the beginning of it; without one, every memory
        id: Option<String>,
        /// The chat
        #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
        chat: ChatId,
    },
}

#[derive(Debug, Args)]
pub struct Remember {
    /// The statement, such as "I am allergic to peanuts"
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// The chat
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// fact, preference, goal, date or outcome [default: derived from the text]
    #[arg(long, value_name = "KIND")]
    pub kind: Option<throughline_domain::memory::Kind>,
}

#[derive(Debug, Args)]
pub struct Forget {
    /// The topic to forget
    #[arg(value_name = "TOPIC", conflicts_with_all = ["id", "all", "undo"])]
    pub topic: Option<String>,
    /// The chat
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// Forget one memory or message, by its id or the beginning of it
    #[arg(long, value_name = "ID", conflicts_with_all = ["all", "undo"])]
    pub id: Option<String>,
    /// Forget the whole chat
    #[arg(long, conflicts_with = "undo")]
    pub all: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    pub yes: bool,
    /// Forget at once and for good; there is no undo
    #[arg(long)]
    pub permanently: bool,
    /// Undo the forgetting that has this receipt, or the beginning of it
    #[arg(long, value_name = "RECEIPT")]
    pub undo: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Conversations {
    /// List the conversations of a chat, newest first
    List {
        /// The chat
        #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
        chat: ChatId,
        /// Only this lane: root, topic:N or reply:ID
        #[arg(long, value_name = "LANE")]
        lane: Option<String>,
        /// Maximum number of conversations
        #[arg(long, default_value_t = 20)]
        limit: u16,
    },
    /// Show the messages of one conversation
    Show {
        /// The id of any message of the conversation, or the beginning of it
        id: String,
        /// The chat
        #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
        chat: ChatId,
    },
}

#[derive(Debug, Args)]
pub struct Import {
    /// The files, or - for stdin; for claude-code also folders, by default those of all your projects
    #[arg(required_unless_present = "format", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The format of the files; auto recognizes it by content
    #[arg(long, default_value = "auto", value_parser = import_format())]
    pub format: ImportFormat,
    /// The chat of messages that name none
    #[arg(long, value_name = "ID", default_value = MAIN, value_parser = chat_id)]
    pub chat: ChatId,
    /// Also extract memories from the messages and summarize them; says first what a model may cost
    #[arg(long)]
    pub learn: bool,
    /// Do not ask before a model is asked
    #[arg(long, requires = "learn")]
    pub yes: bool,
    /// Your name in the chats of a Telegram or WhatsApp export: only your messages teach about you. USER_NAME if left out
    #[arg(long, value_name = "NAME")]
    pub me: Option<String>,
}

/// A file format, or none when each file's content decides.
#[derive(Clone, Copy)]
pub struct ImportFormat(pub Option<&'static dyn Importer>);

impl fmt::Debug for ImportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.map_or("auto", Importer::name))
    }
}

fn import_format() -> impl TypedValueParser<Value = ImportFormat> {
    let names = IMPORTERS.iter().map(|importer| importer.name());
    PossibleValuesParser::new(std::iter::once("auto").chain(names))
        .map(|name| ImportFormat(imports::named(&name)))
}

#[derive(Debug, Args)]
pub struct Export {
    /// Export only this chat
    #[arg(long, value_name = "ID", value_parser = chat_id)]
    pub chat: Option<ChatId>,
    /// jsonl can be imported again; markdown is for reading
    #[arg(long, value_enum, default_value = "jsonl")]
    pub format: ExportFormat,
    /// Write markdown into this new folder, one file for each chat and month
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    Jsonl,
    Markdown,
}

#[derive(Debug, Args)]
pub struct Install {
    /// The program to connect
    #[arg(value_enum, value_name = "PROGRAM")]
    pub program: Program,
    /// Show the change and make none
    #[arg(long)]
    pub dry_run: bool,
    /// Take out what was installed
    #[arg(long)]
    pub uninstall: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Program {
    ClaudeCode,
}

#[derive(Debug, Args)]
pub struct HookCommand {
    /// session-start, user-prompt-submit, pre-compact, stop or session-end; its JSON is read from stdin
    pub event: String,
    /// Only record, however long it takes
    #[arg(long, hide = true)]
    pub late: bool,
}

#[derive(Debug, Args)]
pub struct Backup {
    /// The file; it must not exist
    pub file: Option<PathBuf>,
    /// Write today's backup into the home instead, and keep the newest N of the daily ones
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub daily: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Repair what can be repaired
    #[arg(long)]
    pub fix: bool,
}

#[derive(Debug, Subcommand)]
pub enum Embedder {
    /// List the embedders, what each needs, and which one is in use
    List,
    /// Test an embedder, write it into config.toml and rebuild the vectors
    Use {
        /// builtin, minilm, openai/NAME, ollama/NAME or none
        #[arg(value_parser = embedder_choice)]
        name: EmbedderChoice,
        /// For minilm: a folder with config.json, model.safetensors and vocab.txt, instead of a download
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
    },
}

fn embedder_choice(text: &str) -> Result<EmbedderChoice, String> {
    setting(text).map_err(|why| format!("an embedder {why}"))
}

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Show every setting, its value and its source
    Show,
    /// Report problems in config.toml and the environment
    Check,
    /// Print a JSON Schema of config.toml
    Schema,
}

#[derive(Debug, Args)]
pub struct Eval {
    /// The format of the file
    #[arg(long, value_enum, value_name = "NAME")]
    pub dataset: Dataset,
    /// The questions, and the chats that answer them
    pub file: PathBuf,
    /// Also measure the contexts of turns at these budgets, in tokens: `2000,4000,8000`
    #[arg(long, value_name = "N,N…", value_delimiter = ',')]
    pub budget: Vec<u32>,
    /// Extract memories and write summaries before asking, as `import --learn` does
    #[arg(long)]
    pub learn: bool,
    /// The model of this run, which also extracts unless `small_model` is set [default: the setting `model`]
    #[arg(long, value_name = "MODEL", value_parser = setting::<ModelChoice>)]
    pub model: Option<ModelChoice>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Dataset {
    Locomo,
    Longmemeval,
    Recall,
    Extraction,
}

#[derive(Debug, Args)]
pub struct Bench {
    /// Number of messages in the large store
    #[arg(long, default_value_t = 1_000_000)]
    pub messages: u64,
    /// The folder for the stores, on a real disk [default: a folder in the home]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Number of messages in the store of ten chats that searches are timed in
    #[arg(long, default_value_t = 100_000, value_name = "MESSAGES")]
    pub search_messages: u64,
    /// The LoCoMo file with the messages and questions to time searches with [default:
    /// ../shared/data/locomo-dev.json if it exists, else generated messages]
    #[arg(long, value_name = "FILE")]
    pub locomo: Option<PathBuf>,
    /// Run only these: record, import, cold, embedder, search, memory, turn, embed, search_large, context, http
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub only: Vec<String>,
    /// Only answer the questions on stdin, and report the peak memory
    #[arg(long, hide = true)]
    pub answer: bool,
}
