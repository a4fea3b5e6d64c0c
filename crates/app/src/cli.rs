//! What may be written on the command line. What it means is in `commands`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{Format, Preset};
use throughline_domain::message::Role;

use crate::config::values::embedder::EmbedderChoice;
use crate::config::values::plain::AgentName;
use crate::config::values::{Given, Raw, Value};

/// One continuous memory for chat assistants.
#[derive(Debug, Parser)]
#[command(name = "throughline", version, about, after_help = EXAMPLES, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// The folder that holds config, memory and logs [default: ~/.throughline]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Another config file than the home's config.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// One JSON document on stdout, nothing else there
    #[arg(long, global = true)]
    pub json: bool,
    /// StatusReport the calendar at this moment
    #[arg(long, global = true, value_name = "RFC3339")]
    pub now: Option<String>,
    /// Say more on stderr; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

pub const EXAMPLES: &str = "\
Examples:
  throughline chat                                   talk in the terminal
  throughline chat -m \"What did I say about Berlin?\"  one turn
  throughline record --chat cli:chat:main \"The spare key is with Ana\"
  throughline search \"spare key\" --chat cli:chat:main
  throughline context --chat cli:chat:main -m \"Where is the key?\" --explain
  throughline serve                                  Telegram, routines and HTTP
  throughline import history.jsonl                   bring in what was said elsewhere";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Talk in the terminal, or run one turn with -m
    Chat(Chat),
    /// Find models, connect Telegram, and write the settings; safe to run again
    Onboard(Onboard),
    /// Serve Telegram and HTTP, run routines and background jobs, until stopped
    Serve(Serve),
    /// Say something in a chat in a routine's name, for schedulers outside
    Send(Send),
    /// List routines, run one now, or see what they did
    #[command(subcommand)]
    Routine(Routine),
    /// Who asks to be let in on Telegram: list, approve, reject, revoke
    #[command(subcommand)]
    Pairing(Pairing),
    /// Append one message
    Record(Record),
    /// Show the exact context of the next turn, and why each piece is there
    Context(Context),
    /// Find what was said
    Search(Search),
    /// What was learned: list it, look at one, change it, see what it was before
    #[command(subcommand)]
    Memory(Memory),
    /// Remember a statement
    Remember(Remember),
    /// Forget what was said and learned about something; shows it first, and asks
    Forget(Forget),
    /// The portrait of those who speak in a chat, as a context shows it
    Profile(OfChat),
    /// What of a chat is condensed, and what is not yet
    Summary(OfChat),
    /// Write a copy of the database to a file
    Backup {
        /// The file; it must not exist
        file: PathBuf,
    },
    /// Put a backup in the place of the database, which is itself backed up first
    Restore {
        /// The file that `backup` wrote
        file: PathBuf,
    },
    /// List conversations, or show one
    #[command(subcommand)]
    Conversations(Conversations),
    /// Bring in messages from files; what is there already is skipped
    Import(Import),
    /// Write messages to stdout
    Export(Export),
    /// Show what is stored, what waits and what is uncertain
    Status,
    /// Look for what is broken, and mend it with --fix
    Doctor(Doctor),
    /// Make the word index anew from the messages
    Reindex,
    /// List what can make vectors for search by meaning, or choose one
    #[command(subcommand)]
    Embedder(Embedder),
    /// Show, check or describe the settings
    #[command(subcommand)]
    Config(Config),
    /// Measure how well search finds what it should, in a store of its own
    Eval(Eval),
    /// Measure speed on this machine, in a store of its own
    Bench(Bench),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub struct Chat {
    /// The chat
    #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
    pub chat: ChatId,
    /// Who answers
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub agent: Option<String>,
    /// Say this, print the reply, and end
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub message: Option<String>,
}

/// An agent's name as the settings read it: never a path.
fn agent_name(text: &str) -> Result<String, String> {
    let raw = Raw::Words(text.to_owned());
    AgentName::read(Given { raw: &raw, folder: Path::new("") }).map(|name| name.0)
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  throughline onboard          ask, step by step\n  TELEGRAM_BOT_TOKEN=… TELEGRAM_USER_ID=… throughline onboard --yes"
)]
pub struct Onboard {
    /// Ask nothing: take what the environment and the settings say
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  TELEGRAM_BOT_TOKEN=… TELEGRAM_USER_ID=… throughline serve\n  throughline serve --listen 127.0.0.1:0    on any free port"
)]
pub struct Serve {
    /// Where HTTP is answered [default: 127.0.0.1:7717]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  throughline send --chat telegram:chat:4711 --routine backup \"The backup is done.\"\n  df -h | throughline send --chat telegram:chat:4711 --routine disk -"
)]
pub struct Send {
    /// The chat
    #[arg(long, value_name = "ID")]
    pub chat: ChatId,
    /// root or topic:N [default: root]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// The routine in whose name it is said
    #[arg(long, value_name = "NAME")]
    pub routine: String,
    /// The words, or - to read them from stdin
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Routine {
    /// The routines, when they run next, and those that come with the program
    List,
    /// Run one now
    Run {
        /// Its name
        name: String,
    },
    /// What routines did, newest first
    Runs {
        /// Only this one
        name: Option<String>,
        /// The most that are shown
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
}

#[derive(Debug, Subcommand)]
pub enum Pairing {
    /// Who asks to be let in, and who was
    List,
    /// Let in whoever holds the code
    Approve {
        /// The code
        code: String,
    },
    /// Turn away whoever holds the code
    Reject {
        /// The code
        code: String,
    },
    /// Serve somebody no longer
    Revoke {
        /// Who, such as telegram:4711
        person: String,
    },
}

#[derive(Debug, Args)]
pub struct Record {
    /// The chat
    #[arg(long, value_name = "ID")]
    pub chat: ChatId,
    /// root, topic:N or reply:ID [default: where --reply-to points, else root]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// Who it comes from: user, assistant, tool_use, tool_result or system
    #[arg(long, value_name = "ROLE", default_value = "user")]
    pub role: Role,
    /// When it was said [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// The speaker's name
    #[arg(long, value_name = "NAME")]
    pub speaker: Option<String>,
    /// The message it answers, by our id or the channel's
    #[arg(long, value_name = "ID")]
    pub reply_to: Option<String>,
    /// The channel's own id of the message; the same id twice is one message
    #[arg(long, value_name = "ID")]
    pub external_id: Option<String>,
    /// A JSON object kept with the message
    #[arg(long, value_name = "JSON")]
    pub metadata: Option<String>,
    /// The words, or - to read them from stdin
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
}

#[derive(Debug, Args)]
pub struct Context {
    /// The chat
    #[arg(long, value_name = "ID")]
    pub chat: ChatId,
    /// root, topic:N or reply:ID [default: where --reply-to points, else root]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// standard, tiered, rolling, lane, full or pairs
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<Preset>,
    /// The most tokens of everything but the message
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<u32>,
    /// xml, text, roles or messages
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Whose array shape --format messages has
    #[arg(long, value_enum, default_value = "anthropic")]
    pub provider: Provider,
    /// What the person says
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub message: Option<String>,
    /// The message it answers, by our id or the channel's
    #[arg(long, value_name = "ID")]
    pub reply_to: Option<String>,
    /// Say why each piece is there, or is not
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Provider {
    Anthropic,
    Openai,
}

#[derive(Debug, Args)]
pub struct Search {
    /// What to look for; any text will do
    pub query: String,
    /// The chat
    #[arg(long, value_name = "ID")]
    pub chat: ChatId,
    /// Only this lane: root, topic:N or reply:ID
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
    /// Only this kind
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// Only what was said at this time or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only what was said before this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// At most so many hits
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
pub struct OfChat {
    /// The chat
    #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
    pub chat: ChatId,
    /// root, topic:N or reply:ID [default: root]
    #[arg(long, value_name = "LANE")]
    pub lane: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Memory {
    /// What holds; with --all also what was replaced, done or forgotten
    List {
        /// The chat
        #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
        chat: ChatId,
        /// Only this kind: fact, preference, goal, date or outcome
        #[arg(long, value_name = "KIND")]
        kind: Option<throughline_domain::memory::Kind>,
        /// Also what no longer holds
        #[arg(long)]
        all: bool,
    },
    /// One memory and what proves it
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// The chat
        #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
        chat: ChatId,
    },
    /// Change a memory; what it was before stays in its history
    Edit {
        /// Its id, or the beginning of it
        id: String,
        /// The chat
        #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
        chat: ChatId,
        /// Another statement
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
        /// Another kind: fact, preference, goal, date or outcome
        #[arg(long, value_name = "KIND")]
        kind: Option<throughline_domain::memory::Kind>,
        /// active (also to accept a suggestion) or done
        #[arg(long, value_name = "STATUS")]
        status: Option<throughline_domain::memory::Status>,
    },
    /// What a memory took the place of, and what took its place
    History {
        /// Its id, or the beginning of it; without one, everything that ever changed
        id: Option<String>,
        /// The chat
        #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
        chat: ChatId,
    },
}

#[derive(Debug, Args)]
pub struct Remember {
    /// The statement, such as "I am allergic to peanuts"
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// The chat
    #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
    pub chat: ChatId,
    /// fact, preference, goal, date or outcome [default: found in the words]
    #[arg(long, value_name = "KIND")]
    pub kind: Option<throughline_domain::memory::Kind>,
}

#[derive(Debug, Args)]
pub struct Forget {
    /// What to forget: whatever speaks of these words
    #[arg(value_name = "TOPIC", conflicts_with_all = ["id", "all", "undo"])]
    pub topic: Option<String>,
    /// The chat
    #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
    pub chat: ChatId,
    /// One memory or message
    #[arg(long, value_name = "ID", conflicts_with_all = ["all", "undo"])]
    pub id: Option<String>,
    /// Everything of the chat
    #[arg(long, conflicts_with = "undo")]
    pub all: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// At once and for good, without a day to undo it
    #[arg(long)]
    pub permanently: bool,
    /// Bring back what a receipt stands for
    #[arg(long, value_name = "RECEIPT")]
    pub undo: Option<uuid::Uuid>,
}

#[derive(Debug, Subcommand)]
pub enum Conversations {
    /// The conversations of a chat, newest first
    List {
        /// The chat
        #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
        chat: ChatId,
        /// Only this lane: root, topic:N or reply:ID
        #[arg(long, value_name = "LANE")]
        lane: Option<String>,
        /// At most so many
        #[arg(long, default_value_t = 20)]
        limit: u16,
    },
    /// The messages of one conversation
    Show {
        /// The conversation's id: that of its first message, or of any of its messages
        id: String,
        /// The chat
        #[arg(long, value_name = "ID", default_value = "cli:chat:main")]
        chat: ChatId,
    },
}

#[derive(Debug, Args)]
pub struct Import {
    /// The files, or - for stdin
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What the files hold
    #[arg(long, value_enum, default_value = "auto")]
    pub format: ImportFormat,
    /// Also learn from the messages and condense them, in the background
    #[arg(long)]
    pub learn: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImportFormat {
    Auto,
    Jsonl,
}

#[derive(Debug, Args)]
pub struct Export {
    /// Only this chat
    #[arg(long, value_name = "ID")]
    pub chat: Option<ChatId>,
    /// jsonl can be imported again; markdown is for reading
    #[arg(long, value_enum, default_value = "jsonl")]
    pub format: ExportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    Jsonl,
    Markdown,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Mend what can be mended
    #[arg(long)]
    pub fix: bool,
}

#[derive(Debug, Subcommand)]
pub enum Embedder {
    /// What there is, what each needs, and which one is in use
    List,
    /// Try an embedder, write it into config.toml and make the vectors anew
    Use {
        /// builtin, minilm, openai/NAME, ollama/NAME or none
        #[arg(value_parser = embedder_choice)]
        name: EmbedderChoice,
        /// For minilm: the folder with its config.json, model.safetensors and vocab.txt, in place of a download
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
    },
}

/// An embedder's name as the settings read it.
fn embedder_choice(text: &str) -> Result<EmbedderChoice, String> {
    let raw = Raw::Words(text.to_owned());
    EmbedderChoice::read(Given { raw: &raw, folder: Path::new("") })
        .map_err(|why| format!("an embedder {why}"))
}

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Every setting, its value and where it came from
    Show,
    /// Say what is wrong with config.toml and the environment
    Check,
    /// A JSON Schema of config.toml
    Schema,
}

#[derive(Debug, Args)]
pub struct Eval {
    /// What the file holds
    #[arg(long, value_enum, value_name = "NAME")]
    pub dataset: Dataset,
    /// The questions, with the chats that answer them
    pub file: PathBuf,
    /// Also measure the contexts of turns at these budgets, in tokens: `2000,4000,8000`
    #[arg(long, value_name = "N,N…", value_delimiter = ',')]
    pub budget: Vec<u32>,
    /// Extract memories and write summaries before asking, as `import --learn` does
    #[arg(long)]
    pub learn: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dataset {
    Locomo,
    Longmemeval,
    Recall,
    Extraction,
}

impl Dataset {
    /// The name as it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Locomo => "locomo",
            Self::Longmemeval => "longmemeval",
            Self::Recall => "recall",
            Self::Extraction => "extraction",
        }
    }
}

#[derive(Debug, Args)]
pub struct Bench {
    /// How many messages the large store holds
    #[arg(long, default_value_t = 1_000_000)]
    pub messages: u64,
    /// Where the stores are made: a real disk [default: a folder in the home]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// How many messages the store of ten chats holds, in which searches are timed
    #[arg(long, default_value_t = 100_000, value_name = "MESSAGES")]
    pub search_messages: u64,
    /// LoCoMo, whose talk and questions searches are timed with [default:
    /// ../shared/data/locomo-dev.json where it is, else made-up talk]
    #[arg(long, value_name = "FILE")]
    pub locomo: Option<PathBuf>,
    /// Only these: record, import, cold, embedder, search, memory, turn, embed, search_large, context
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub only: Vec<String>,
    /// Only answer the questions on stdin, and tell the most memory that took
    #[arg(long, hide = true)]
    pub answer: bool,
}
