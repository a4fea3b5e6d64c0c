//! The `claude` program as a model: one run for one answer. Each run is given the whole context; no session is resumed.

mod ability;
mod dialect;
mod environment;
mod find;
mod folder;
mod process;
mod text;
mod trouble;

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout};

use crate::anthropic;
use crate::attachments::Carries;
use crate::limits::Limits;
use crate::prompt::Prompt;
use crate::{Answer, ChatModel, Error, Request};
use ability::Ability;
use dialect::StreamJson;
use process::Process;

pub use find::find;
pub use folder::neutral;

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
}

/// A model behind the `claude` program.
pub struct ClaudeCli {
    settings: Settings,
    name: String,
    ability: OnceLock<Ability>,
    ready: Mutex<Option<Process>>,
}

impl ClaudeCli {
    /// The program by its settings. Nothing runs before it is asked for.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let name = match &settings.model {
            Some(model) => format!("claude-cli/{model}"),
            None => "claude-cli".to_owned(),
        };
        Self { settings, name, ability: OnceLock::new(), ready: Mutex::new(None) }
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

    /// The one that was made ready, if it can still be used.
    fn take_ready(&self) -> Option<Process> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        ready.and_then(|mut process| process.is_fresh(FRESH).then_some(process))
    }
}

#[async_trait]
impl ChatModel for ClaudeCli {
    fn name(&self) -> &str {
        &self.name
    }

    /// Starts the program if its abilities are known; it then waits for its prompt.
    fn get_ready(&self) {
        // The very first question finds out what the program can do, and children need a runtime that looks after them.
        let (Some(ability), Ok(_)) =
            (self.known_ability().filter(|ability| ability.discreet), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let process = Process::start(&self.settings, ability, self.settings.limits.reply_tokens).ok();
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
        let prompt = Prompt::new(request, limits, &carries)?;
        let answer = self.run(request, &prompt, ability, asked, &words).await;
        match answer {
            Err(Error::Refused(_) | Error::TooLong(_)) if !prompt.attachments.is_empty() => {
                let prompt = Prompt::new(request, limits, &Carries::NOTHING)?;
                self.run(request, &prompt, ability, Instant::now(), &words).await
            }
            answer => answer,
        }
    }
}

impl ClaudeCli {
    /// One run of the program.
    async fn run(
        &self,
        request: &Request,
        prompt: &Prompt<'_>,
        ability: Ability,
        asked: Instant,
        words: &Sender<String>,
    ) -> Result<Answer, Error> {
        let limits = &self.settings.limits;
        let (ready, most) = match request {
            Request::Turn(_) => (self.take_ready(), limits.reply_tokens),
            // The run that is ready is for the person who waits.
            Request::Work(work) => (None, work.most_tokens.saturating_add(THOUGHT)),
        };
        let process = match ready {
            Some(process) => process,
            None => Process::start(&self.settings, ability, most)?,
        };
        let mut dialect = StreamJson::default();
        let run = process
            .run(&text::of(prompt, ability), &mut dialect, limits, prompt.most_tokens, asked, words)
            .await;
        run.into_answer(&self.name, prompt)
    }
}
