//! Telegram: polling, the Bot API's shapes and formats, and how fast may be sent. The rest is shared by all channels.
//!
//! | file | does |
//! |---|---|
//! | [`poll`] | asks for updates, and ingests each together with the number of the next |
//! | [`wire`], [`update`], [`lane`], [`media`] | what an update means |
//! | [`live`], [`stream`] | typing, confirmed buttons, a reply while it is written |
//! | [`target`], [`format`] | how a text is written for Telegram |
//! | [`send`], [`pace`] | sends an outbox item, and how fast |
//! | [`api`] | the Bot API |

pub mod api;
mod format;
mod lane;
mod live;
mod media;
mod pace;
mod poll;
mod send;
mod stream;
pub mod target;
pub mod update;
pub mod wire;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::json;
use throughline_domain::channel::ChannelKind;
use throughline_engine::Engine;
use throughline_engine::commands::{COMMANDS, Offered};
use throughline_store::arrivals::Account;

use super::Host;
use super::access::Access;
use super::lanes::Worker;
use crate::config::values::choice::{Groups, Pairing};
use crate::config::values::secret::Secret;
use crate::output::Failure;
use crate::tasks::Tasks;
use crate::wire::App;
use api::{Api, ApiError, Me};
use live::LiveChats;
use pace::Pace;
use send::BotOutbound;
pub use target::compose;

/// The state without a bot, as a person reads it.
pub const OFF: &str = "off; set TELEGRAM_BOT_TOKEN, or run `throughline onboard`";

/// The gateway of one bot.
pub struct Gateway {
    api: Arc<Api>,
    engine: Engine,
    app: Arc<App>,
    worker: Arc<Worker>,
    live: Arc<LiveChats>,
    tasks: Tasks,
    access: Access,
    groups: Groups,
    /// The state of listening as it was last written to disk.
    noted: Mutex<Option<(String, Option<String>)>>,
    commands_set: AtomicBool,
    /// The update that could not be ingested, and how many times.
    failing: Mutex<(i64, u32)>,
}

impl Gateway {
    /// A gateway, if the settings name a bot.
    pub fn connect(host: &Host) -> Result<Option<Arc<Self>>, Failure> {
        let Host { app, engine, tasks, .. } = host;
        let telegram = &app.settings.telegram;
        let Some(token) = &telegram.bot_token else { return Ok(None) };
        let (kind, api) = (ChannelKind::Telegram, Arc::new(connect(app, token)?));
        let pace = Arc::new(Pace::default());
        let live = Arc::new(LiveChats::new(&api, &pace));
        let outbound =
            BotOutbound { api: Arc::clone(&api), engine: engine.clone(), app: Arc::clone(app), pace };
        let listed = telegram.user_id.iter().chain(&telegram.allowed_users).map(|user| user.0.to_string());
        Ok(Some(Arc::new(Self {
            worker: Worker::new(kind, host, Arc::<LiveChats>::clone(&live), Box::new(outbound)),
            access: Access::new(kind, listed, telegram.pairing == Pairing::On),
            api,
            engine: engine.clone(),
            app: Arc::clone(app),
            live,
            tasks: tasks.clone(),
            groups: telegram.groups,
            noted: Mutex::default(),
            commands_set: AtomicBool::new(false),
            failing: Mutex::default(),
        })))
    }

    fn account(&self) -> String {
        ChannelKind::Telegram.person(&self.api.bot())
    }

    async fn note_listening(&self, me: &Me) {
        self.note("listening", None, Some(me.username.clone())).await;
    }

    async fn note_error(&self, error: &ApiError) {
        tracing::warn!(%error, "polling Telegram failed; retrying");
        self.note("trouble", Some(error.to_string()), None).await;
    }

    /// Writes the state of listening to disk, if it has changed.
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

    /// Takes up another token, if the settings have one by now.
    async fn look_for_another_token(&self) {
        match self.app.telegram_token() {
            Ok(Some(token)) if !self.api.uses(token.expose()) => {
                tracing::info!("the settings have another bot token; using it");
                // It may be another bot's, and then nobody listens for this one any more.
                self.note("stopped", None, None).await;
                self.api.use_token(token.expose());
                self.commands_set.store(false, Ordering::Relaxed);
            }
            Ok(_) => {}
            Err(_) => tracing::warn!("reading the settings again failed; keeping the bot token"),
        }
    }

    /// Tells Telegram the list of commands, once.
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

    async fn stop(&self) {
        self.note("stopped", None, None).await;
    }
}

/// The Bot API at the address of the settings.
pub fn connect(app: &App, token: &Secret) -> Result<Api, Failure> {
    let address = app.settings.telegram.api_url.expose();
    let client = throughline_models::http_client(address).ok_or_else(|| {
        Failure::failed("telegram", "Telegram cannot be reached safely: check this machine's certificates")
    })?;
    Ok(Api::new(client, address, token.expose()))
}
