//! The `claude` program as a model: one run for one answer. Each run is given the whole context; no session is resumed.

mod ability;
mod dialect;
mod environment;
mod find;
mod folder;
mod process;
mod text;
mod tools;
mod trouble;

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

/// How long the program waits for its prompt.
const FRESH: Duration = Duration::from_secs(2);

/// Room for reasoning, which counts as output, in tokens.
const THOUGHT: u32 = 4096;

/// How the program is run.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// The program.
    pub path: PathBuf,
    /// A model by a name the program knows, or the one it chooses itself.
    pub model: Option<String>,
    /// This process's environment. Only what the program needs of it is passed on.
    pub environment: Vec<(String, String)>,
    /// Empty folders to run in, made if missing: the program reads the files around it and tells its model the path. The
    /// first that belongs to this user alone is taken.
    pub folders: Vec<PathBuf>,
    /// The file that remembers what the program can do, so that it is not asked again each time.
    pub abilities: PathBuf,
    /// Time and size of an answer.
    pub limits: Limits,
    /// The server of a turn's tools; without one the program has none.
    pub tool_server: Option<ToolServer>,
}

/// A model behind the `claude` program.
pub struct ClaudeCli {
    settings: Settings,
    name: String,
    ability: OnceLock<Ability>,
    ready: Mutex<Option<Process>>,
    /// Whether tools were refused, for as long as this process runs.
    refuses_tools: AtomicBool,
}

impl ClaudeCli {
    /// The program by its settings. Nothing runs before it is asked for.
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

    /// What the program can do: known, read from the file, or asked now.
    async fn ability(&self) -> Result<Ability, Error> {
        let ability = match self.known_ability() {
            Some(ability) => ability,
            None => {
                let ability = Ability::find_out(&self.settings).await?;
                ability.remember(&self.settings);
                *self.ability.get_or_init(|| ability)
            }
        };
        if ability.discreet { Ok(ability) } else { Err(trouble::too_old()) }
    }

    fn known_ability(&self) -> Option<Ability> {
        let remembered =
            || Ability::remembered(&self.settings).map(|ability| *self.ability.get_or_init(|| ability));
        self.ability.get().copied().or_else(remembered)
    }

    /// The one that was made ready, if it can still be used and has these tools.
    fn take_ready(&self, tools: Option<(&ToolServer, &Toolbox)>) -> Option<Process> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        let config = tools.map(|(server, toolbox)| server.config(toolbox));
        ready.and_then(|mut process| (process.is_fresh(FRESH) && process.tools == config).then_some(process))
    }

    /// The tools of a turn, if the program can have them.
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
        // The very first question finds out what the program can do, and children need a runtime that looks after them.
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
        // Finding out what the program can do is part of the time until its first word.
        let ability =
            timeout(limits.first, self.ability()).await.map_err(|_| trouble::late(limits.first))??;
        // Without blocks it takes words alone.
        let carries = if ability.blocks { anthropic::CARRIES } else { Carries::NOTHING };
        let mut asking = Asking { request, ability, carries, tools: self.tools(request.tools(), ability) };
        match self.ask(&asking, asked, &words).await {
            Err(Error::Refused(why)) if asking.tools.is_some() && why.contains("tool") => {
                self.refuses_tools.store(true, Ordering::Relaxed);
                asking.tools = None;
            }
            // What the tools found may be too much.
            Err(Error::TooLong(_)) if asking.has_called() => asking.tools = None,
            Err(Error::Refused(_) | Error::TooLong(_)) if asking.has_files() => {
                asking.carries = Carries::NOTHING;
            }
            answer => return answer,
        }
        self.ask(&asking, Instant::now(), &words).await
    }
}

/// What the program is asked with.
#[derive(Clone, Copy)]
struct Asking<'a> {
    request: &'a Request,
    ability: Ability,
    carries: Carries,
    tools: Option<(&'a ToolServer, &'a Toolbox)>,
}

impl Asking<'_> {
    fn has_called(&self) -> bool {
        self.tools.is_some_and(|(_, toolbox)| !toolbox.receipts().is_empty())
    }

    fn has_files(&self) -> bool {
        !self.carries.sort(self.request.attachments()).0.is_empty()
    }
}

impl ClaudeCli {
    /// Asks for an answer. If the model used up its turns with calls, it is asked once more without tools.
    async fn ask(
        &self,
        asking: &Asking<'_>,
        asked: Instant,
        words: &Sender<String>,
    ) -> Result<Answer, Error> {
        let (run, is_unanswered) = self.run(asking, asked, Outlet { words, before: "" }).await?;
        if !is_unanswered {
            return run.into_answer(&self.name);
        }
        let before = if run.spoke() { PARAGRAPH } else { "" };
        let without = Asking { tools: None, ..*asking };
        let (last, _) = self.run(&without, Instant::now(), Outlet { words, before }).await?;
        run.then(last).into_answer(&self.name)
    }

    /// One run of the program, and whether it ended with calls instead of an answer.
    async fn run(
        &self,
        asking: &Asking<'_>,
        asked: Instant,
        outlet: Outlet<'_>,
    ) -> Result<(Run, bool), Error> {
        let limits = &self.settings.limits;
        let toolbox = asking.tools.map(|(_, toolbox)| toolbox);
        let prompt = Prompt::new(asking.request, limits, &asking.carries, toolbox)?;
        let (ready, most) = match asking.request {
            Request::Turn(_) => (self.take_ready(asking.tools), limits.reply_tokens),
            // The run that is ready is for the person who waits.
            Request::Work(work) => (None, work.most_tokens.saturating_add(THOUGHT)),
        };
        let process = match ready {
            Some(process) => process,
            None => Process::start(&self.settings, asking.ability, most, asking.tools)?,
        };
        let mut dialect = StreamJson::new(toolbox);
        let texts = text::of(&prompt, asking.ability);
        let run = process.run(&texts, &mut dialect, limits, &prompt, asked, outlet).await;
        Ok((run, dialect.is_unanswered()))
    }
}
