//! Telegram: polling, the types and formats of the Bot API, and its rate limits. The rest is shared by all channels.
//!
//! | file | does |
//! |---|---|
//! | [`poll`] | polls for updates, and ingests each together with the number of the next |
//! | [`wire`], [`update`], [`lane`], [`media`] | interprets an update |
//! | [`unread`] | answers messages that cannot be read |
//! | [`live`], [`stream`] | shows typing, confirmed buttons, and a reply while it is written |
//! | [`target`], [`format`] | renders texts as Telegram messages |
//! | [`files`] | downloads the files of recorded messages |
//! | [`send`], [`pace`] | sends an outbox item within the rate limits |
//! | [`api`] | the Bot API |

pub mod api;
mod files;
pub mod format;
mod lane;
mod live;
pub mod media;
mod pace;
mod poll;
mod send;
mod stream;
pub mod target;
pub mod unread;
pub mod update;
pub mod wire;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use throughline_domain::channel::ChannelKind;
use throughline_engine::Engine;
use throughline_engine::commands::{COMMANDS, Offered};
use throughline_store::arrivals::Account;

use super::Host;
use super::access::Access;
use super::lanes::Worker;
use super::notices::{Audience, Problem};
use crate::config::values::choice::{Groups, Pairing};
use crate::config::values::secret::Secret;
use crate::output::Failure;
use crate::tasks::Tasks;
use crate::wire::App;
use api::{Api, ApiError, Me};
use files::Fetcher;
use live::LiveChats;
use pace::Pace;
use send::BotOutbound;
pub use target::compose;

/// The state without a bot, in words.
pub const OFF: &str = "off; set TELEGRAM_BOT_TOKEN, or run `throughline onboard`";

/// The gateway of one bot.
pub struct Gateway {
    api: Arc<Api>,
    engine: Engine,
    app: Arc<App>,
    worker: Arc<Worker>,
    live: Arc<LiveChats>,
    files: Arc<Fetcher>,
    tasks: Tasks,
    access: Access,
    groups: Groups,
    /// The state of polling that was last written to disk.
    noted: Mutex<Option<(String, Option<String>)>>,
    commands_set: AtomicBool,
    /// The error that prevents polling, and its number of consecutive occurrences.
    failed: Mutex<Option<(ApiError, u32)>>,
    /// Whether the owner was notified that nothing can be written to disk.
    disk_notified: AtomicBool,
    /// The update that could not be ingested, and its number of failures.
    failing: Mutex<(i64, u32)>,
}

impl Gateway {
    /// Connects the bot in the settings; `None` if there is none.
    pub fn connect(host: &Host) -> Result<Option<Arc<Self>>, Failure> {
        let Host { app, engine, tasks, .. } = host;
        let telegram = &app.settings.telegram;
        let Some(token) = &telegram.bot_token else { return Ok(None) };
        let (kind, api) = (ChannelKind::Telegram, Arc::new(connect(app, token)?));
        let pace = Arc::new(Pace::default());
        let live = Arc::new(LiveChats::new(&api, &pace));
        let outbound =
            BotOutbound { api: Arc::clone(&api), engine: engine.clone(), app: Arc::clone(app), pace };
        let owner = telegram.user_id.map(|user| user.0.to_string());
        let pause = Duration::from_millis(telegram.pause_ms.0.into());
        let listed = telegram.user_id.iter().chain(&telegram.allowed_users).map(|user| user.0.to_string());
        Ok(Some(Arc::new(Self {
            worker: Worker::new(kind, host, Arc::<LiveChats>::clone(&live), Box::new(outbound), pause),
            files: Fetcher::new(&api, engine, tasks),
            access: Access::new(kind, owner, listed, telegram.pairing == Pairing::On),
            api,
            engine: engine.clone(),
            app: Arc::clone(app),
            live,
            tasks: tasks.clone(),
            groups: telegram.groups,
            noted: Mutex::default(),
            commands_set: AtomicBool::new(false),
            failed: Mutex::default(),
            disk_notified: AtomicBool::new(false),
            failing: Mutex::default(),
        })))
    }

    fn account(&self) -> String {
        ChannelKind::Telegram.person(&self.api.bot())
    }

    async fn note_listening(&self, me: &Me) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.note("listening", None, Some(me.username.clone())).await;
    }

    async fn note_error(&self, error: &ApiError) {
        tracing::warn!(%error, "polling Telegram failed; retrying");
        {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            let before = failed.take().filter(|(known, _)| known == error).map_or(0, |(_, count)| count);
            *failed = Some((error.clone(), before + 1));
        }
        self.note("failing", Some(error.to_string()), None).await;
    }

    /// Writes the state of polling to disk, if it has changed.
    async fn note(&self, state: &str, problem: Option<String>, name: Option<String>) {
        let now = Some((state.to_owned(), problem.clone()));
        {
            let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
            if *noted == now {
                return;
            }
            *noted = now;
        }
        let account = Account {
            id: self.account(),
            name,
            next: 0,
            heard_at: None,
            state: state.to_owned(),
            problem,
            changed_at: self.engine.now(),
            owner: Some(self.engine.owner.to_string()),
        };
        if let Err(error) = self.engine.store.note_account(account).await {
            tracing::warn!(%error, "writing the state of listening failed; `throughline status` shows the old one");
        }
    }

    /// Switches to the token in the settings, if it has changed.
    async fn reload_token(&self) {
        match self.app.telegram_token() {
            Ok(Some(token)) if !self.api.uses(token.expose()) => {
                tracing::info!("the settings have another bot token; using it");
                // The new token may belong to another bot, and then nobody polls for the old one any more.
                self.note("stopped", None, None).await;
                self.api.use_token(token.expose());
                self.commands_set.store(false, Ordering::Relaxed);
            }
            Ok(_) => {}
            Err(_) => tracing::warn!("reading the settings again failed; keeping the bot token"),
        }
    }

    /// Sends the list of commands to Telegram, once.
    async fn set_commands(&self) {
        if self.commands_set.load(Ordering::Relaxed) {
            return;
        }
        let offered = COMMANDS.iter().filter(|spec| spec.offered != Offered::AtPrompt);
        let commands: Vec<_> =
            offered.map(|spec| json!({ "command": spec.name, "description": spec.does })).collect();
        match self.api.call("setMyCommands", &json!({ "commands": commands })).await {
            Ok(_) => self.commands_set.store(true, Ordering::Relaxed),
            Err(error) => {
                tracing::warn!(%error, "setting the list of commands failed; retrying when polling restarts")
            }
        }
    }
}

#[async_trait]
impl super::Gateway for Gateway {
    fn worker(&self) -> &Arc<Worker> {
        &self.worker
    }

    fn listen(self: Arc<Self>, loops: &Tasks) {
        loops.spawn(Arc::clone(&self.files).watch());
        loops.spawn(self.poll());
    }

    async fn state(&self) -> throughline_store::Result<&'static str> {
        Ok(match self.access.serves_nobody(&self.engine).await? {
            true => {
                "on, but serves nobody: set TELEGRAM_USER_ID to your number, or telegram.pairing to \"on\""
            }
            false => "on",
        })
    }

    fn problems(&self) -> Vec<Problem> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.as_ref().and_then(|(error, count)| problem_of(error, *count)).into_iter().collect()
    }

    fn subjects(&self) -> Vec<String> {
        vec![LISTENING.to_owned()]
    }

    async fn stop(&self) {
        self.note("stopped", None, None).await;
    }
}

/// The subject of errors that prevent polling.
const LISTENING: &str = "telegram";
/// Number of consecutive conflicts, three seconds apart, after which another program must be polling.
const MAX_CONFLICTS: u32 = 25;

/// The problem to report to the owner after this many consecutive errors, if any.
fn problem_of(error: &ApiError, count: u32) -> Option<Problem> {
    let (text, audience) = match error {
        ApiError::Unauthorized => (error.to_string(), Audience::TerminalOnly),
        ApiError::Conflict(_) if count >= MAX_CONFLICTS => (
            "Another program is using this bot's token, so that I miss some of what you write. Stop it, or give this bot a new token at @BotFather.".to_owned(),
            Audience::Everywhere,
        ),
        _ => return None,
    };
    Some(Problem { subject: LISTENING.to_owned(), text, audience })
}

/// Creates a client for the Bot API at the address in the settings.
pub fn connect(app: &App, token: &Secret) -> Result<Api, Failure> {
    let address = app.settings.telegram.api_url.expose();
    let client = throughline_models::http_client(address).ok_or_else(|| {
        Failure::failed("telegram", "Telegram cannot be reached safely: check this machine's certificates")
    })?;
    Ok(Api::new(client, address, token.expose()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_hears_of_a_wrong_token_at_once_and_of_another_program_when_it_stays() {
        let conflict = ApiError::Conflict("terminated by other getUpdates request".to_owned());
        let audience = |error: &ApiError, count| problem_of(error, count).map(|problem| problem.audience);
        assert_eq!(audience(&ApiError::Unauthorized, 1), Some(Audience::TerminalOnly));
        assert_eq!(audience(&conflict, 24), None, "the end of a connection is noticed within a minute");
        assert_eq!(audience(&conflict, 25), Some(Audience::Everywhere));
        assert_eq!(audience(&ApiError::NotDone("Telegram cannot be reached".to_owned()), 99), None);
    }
}
