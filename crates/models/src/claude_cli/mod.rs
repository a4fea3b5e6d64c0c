//! The `claude` program as a model: one run per answer. Each run gets the whole context; no session is resumed.

mod ability;
mod dialect;
mod environment;
mod failure;
mod find;
mod folder;
mod process;
mod text;
mod tools;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout};

use crate::anthropic;
use crate::attachments::Carries;
use crate::limits::Limits;
use crate::prompt::Prompt;
use crate::wire::{Outlet, PARAGRAPH};
use crate::{Answer, ChatModel, Error, Request, Toolbox};
use ability::Ability;
use dialect::StreamJson;
use process::{Process, Run};

pub use find::find;
pub use folder::neutral;
pub use tools::ToolServer;

/// How long a started program waits for its prompt before it is discarded.
const MAX_IDLE: Duration = Duration::from_secs(2);

/// Extra output tokens for reasoning, which counts as output.
const REASONING_TOKENS: u32 = 4096;

/// The settings of the program.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// The program's path.
    pub path: PathBuf,
    /// A model name that the program knows; `None` for its default.
    pub model: Option<String>,
    /// This process's environment. Only the variables that the program needs are passed on.
    pub environment: Vec<(String, String)>,
    /// Empty folders to run in, created if missing, because the program reads the files around it and tells its model
    /// the path. The first one that belongs to this user alone is used.
    pub folders: Vec<PathBuf>,
    /// The file that caches the program's abilities.
    pub abilities: PathBuf,
    /// Time and size limits of an answer.
    pub limits: Limits,
    /// The server of a turn's tools; without it, the program has no tools.
    pub tool_server: Option<ToolServer>,
}

/// A model behind the `claude` program.
pub struct ClaudeCli {
    settings: Settings,
    name: String,
    ability: OnceLock<Ability>,
    ready: Mutex<Option<Process>>,
    /// True once tools were refused, while this process runs.
    refuses_tools: AtomicBool,
}

impl ClaudeCli {
    /// Creates the model. Nothing runs before it is needed.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let name = match &settings.model {
            Some(model) => format!("claude-cli/{model}"),
            None => "claude-cli".to_owned(),
        };
        Self {
            settings,
            name,
            ability: OnceLock::new(),
            ready: Mutex::new(None),
            refuses_tools: AtomicBool::new(false),
        }
    }

    /// The program's abilities: from memory, from the cache file, or detected now.
    async fn ability(&self) -> Result<Ability, Error> {
        let ability = match self.known_ability() {
            Some(ability) => ability,
            None => {
                let ability = Ability::detect(&self.settings).await?;
                ability.remember(&self.settings);
                *self.ability.get_or_init(|| ability)
            }
        };
        if ability.discreet { Ok(ability) } else { Err(failure::too_old()) }
    }

    fn known_ability(&self) -> Option<Ability> {
        let remembered =
            || Ability::remembered(&self.settings).map(|ability| *self.ability.get_or_init(|| ability));
        self.ability.get().copied().or_else(remembered)
    }

    /// The prepared process, if it is still fresh and has these tools.
    fn take_ready(&self, tools: Option<(&ToolServer, &Toolbox)>) -> Option<Process> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        let config = tools.map(|(server, toolbox)| server.config(toolbox));
        ready.and_then(|mut process| {
            (process.is_fresh(MAX_IDLE) && process.tools == config).then_some(process)
        })
    }

    /// The tools of a turn, if the program supports them.
    fn tools<'a>(
        &'a self,
        toolbox: Option<&'a Toolbox>,
        ability: Ability,
    ) -> Option<(&'a ToolServer, &'a Toolbox)> {
        let can = ability.tool_server && !self.refuses_tools.load(Ordering::Relaxed);
        self.settings.tool_server.as_ref().zip(toolbox).filter(|_| can)
    }
}

#[async_trait]
impl ChatModel for ClaudeCli {
    fn name(&self) -> &str {
        &self.name
    }

    /// Starts the program if its abilities are known; it then waits for its prompt.
    fn get_ready(&self, toolbox: Option<&Toolbox>) {
        // The first question detects the abilities, and child processes need a runtime.
        let (Some(ability), Ok(_)) =
            (self.known_ability().filter(|ability| ability.discreet), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let tools = self.tools(toolbox, ability);
        let process = Process::start(&self.settings, ability, self.settings.limits.reply_tokens, tools).ok();
        *self.ready.lock().unwrap_or_else(PoisonError::into_inner) = process;
    }

    async fn answer(&self, request: &Request, words: Sender<String>) -> Result<Answer, Error> {
        let limits = &self.settings.limits;
        let asked = Instant::now();
        // Detecting the abilities counts towards the time until the first word.
        let ability =
            timeout(limits.first, self.ability()).await.map_err(|_| failure::late(limits.first))??;
        // Without blocks, it accepts text only.
        let carries = if ability.blocks { anthropic::CARRIES } else { Carries::NOTHING };
        let mut asking =
            CliRequest { request, ability, carries, tools: self.tools(request.tools(), ability) };
        match self.ask(&asking, asked, &words).await {
            Err(Error::Refused(why)) if asking.tools.is_some() && why.contains("tool") => {
                self.refuses_tools.store(true, Ordering::Relaxed);
                asking.tools = None;
            }
            // The tool results may have made the prompt too long.
            Err(Error::TooLong(_)) if asking.has_called() => asking.tools = None,
            Err(Error::Refused(_) | Error::TooLong(_)) if asking.has_files() => {
                asking.carries = Carries::NOTHING;
            }
            answer => return answer,
        }
        self.ask(&asking, Instant::now(), &words).await
    }
}

/// A request to the program.
#[derive(Clone, Copy)]
struct CliRequest<'a> {
    request: &'a Request,
    ability: Ability,
    carries: Carries,
    tools: Option<(&'a ToolServer, &'a Toolbox)>,
}

impl CliRequest<'_> {
    fn has_called(&self) -> bool {
        self.tools.is_some_and(|(_, toolbox)| !toolbox.receipts().is_empty())
    }

    fn has_files(&self) -> bool {
        !self.carries.split(self.request.attachments()).0.is_empty()
    }
}

impl ClaudeCli {
    /// Asks for an answer. If calls used up the model's turns, it is asked once more without tools.
    async fn ask(
        &self,
        asking: &CliRequest<'_>,
        asked: Instant,
        words: &Sender<String>,
    ) -> Result<Answer, Error> {
        let (run, is_unanswered) = self.run(asking, asked, Outlet { words, before: "" }).await?;
        if !is_unanswered {
            return run.into_answer(&self.name);
        }
        let before = if run.spoke() { PARAGRAPH } else { "" };
        let without = CliRequest { tools: None, ..*asking };
        let (last, _) = self.run(&without, Instant::now(), Outlet { words, before }).await?;
        run.then(last).into_answer(&self.name)
    }

    /// Runs the program once. Returns whether it ended with calls instead of an answer.
    async fn run(
        &self,
        asking: &CliRequest<'_>,
        asked: Instant,
        outlet: Outlet<'_>,
    ) -> Result<(Run, bool), Error> {
        let limits = &self.settings.limits;
        let toolbox = asking.tools.map(|(_, toolbox)| toolbox);
        let prompt = Prompt::new(asking.request, limits, &asking.carries, toolbox)?;
        let (ready, most) = match asking.request {
            Request::Turn(_) => (self.take_ready(asking.tools), limits.reply_tokens),
            // The prepared process is reserved for a person who waits.
            Request::Work(work) => (None, work.most_tokens.saturating_add(REASONING_TOKENS)),
        };
        let process = match ready {
            Some(process) => process,
            None => Process::start(&self.settings, asking.ability, most, asking.tools)?,
        };
        let mut dialect = StreamJson::new(toolbox);
        let texts = text::format_prompt(&prompt, asking.ability);
        let run = process.run(&texts, &mut dialect, limits, &prompt, asked, outlet).await;
        Ok((run, dialect.is_unanswered()))
    }
}
