//! The Telegram gateway: listens, works off each lane in order, sends. Nothing it holds in memory matters: what arrived
//! and what is to be sent is on disk, and the next process goes on with it.
//!
//! | file | does |
//! |---|---|
//! | [`poll`] | asks for updates, and takes each in together with the place to listen on from |
//! | [`access`] | who may speak |
//! | [`wire`], [`update`], [`lane`], [`media`] | what an update means |
//! | [`lanes`] | one thing at a time in a lane: turns, commands, pressed buttons |
//! | [`stream`] | a reply while it is written |
//! | [`post`], [`format`] | how a text is put to Telegram |
//! | [`send`], [`pace`] | sends, and how fast |
//! | [`commands`], [`forget`], [`suggest`] | what commands and buttons do here |
//! | [`api`] | the Bot API |

mod access;
pub mod api;
mod commands;
mod forget;
mod format;
mod lane;
mod lanes;
mod media;
mod pace;
mod poll;
mod send;
mod stream;
mod suggest;
pub mod target;
pub mod update;
pub mod wire;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_store::arrivals::Account;
use tokio::sync::Notify;

use crate::config::values::choice::{Groups, Pairing};
use crate::config::values::secret::Secret;
use crate::output::Failure;
use crate::tasks::{KeyedTasks, Tasks};
use crate::wire::App;
use access::Access;
use api::{Api, ApiError, Me};
use pace::Pace;
use send::Sender;

/// How often it is looked whether another process has left something to do.
const LOOK_AROUND: Duration = Duration::from_secs(1);

/// The gateway of one bot.
pub struct Gateway {
    pub api: Arc<Api>,
    pub engine: Engine,
    pub app: Arc<App>,
    pub sender: Arc<Sender>,
    tasks: Tasks,
    lanes: KeyedTasks<(ChatId, Lane)>,
    access: Access,
    groups: Groups,
    /// Asks for background jobs.
    jobs: Arc<Notify>,
    drafts: Arc<AtomicBool>,
    /// Chats that have topics.
    forums: Mutex<HashSet<i64>>,
    /// What was last noted of how listening goes.
    noted: Mutex<Option<(String, Option<String>)>>,
    commands_set: AtomicBool,
    /// The update that could not be kept, and how often.
    failing: Mutex<(i64, u32)>,
}

impl Gateway {
    /// A gateway, where the settings name a bot.
    pub fn new(
        app: &Arc<App>,
        engine: &Engine,
        tasks: &Tasks,
        jobs: &Arc<Notify>,
    ) -> Result<Option<Arc<Self>>, Failure> {
        let telegram = &app.settings.telegram;
        let Some(token) = &telegram.bot_token else { return Ok(None) };
        let api = Arc::new(connect(app, token)?);
        let sender = Arc::new(Sender {
            api: Arc::clone(&api),
            engine: engine.clone(),
            app: Arc::clone(app),
            pace: Pace::default(),
            chats: KeyedTasks::new(tasks),
        });
        Ok(Some(Arc::new(Self {
            api,
            engine: engine.clone(),
            app: Arc::clone(app),
            sender,
            tasks: tasks.clone(),
            lanes: KeyedTasks::new(tasks),
            access: Access::new(telegram, telegram.pairing == Pairing::On),
            groups: telegram.groups,
            jobs: Arc::clone(jobs),
            drafts: Arc::new(AtomicBool::new(true)),
            forums: Mutex::default(),
            noted: Mutex::default(),
            commands_set: AtomicBool::new(false),
            failing: Mutex::default(),
        })))
    }

    /// Whether nobody is served, and nobody can get there.
    pub async fn serves_nobody(&self) -> throughline_store::Result<bool> {
        Ok(self.access.is_closed() && self.engine.store.paired_people().await?.is_empty())
    }

    /// Goes on with what is on disk, and listens, for as long as the loops are there.
    pub fn start(self: &Arc<Self>, loops: &Tasks) {
        loops.spawn(Arc::clone(self).listen());
        let gateway = Arc::clone(self);
        loops.spawn(async move {
            loop {
                if let Err(error) = gateway.poll_pending().await {
                    tracing::warn!(%error, "what waits could not be read");
                }
                tokio::time::sleep(LOOK_AROUND).await;
            }
        });
    }

    /// Notes that nobody listens any more.
    pub async fn stop(&self) {
        self.note("stopped", None, None).await;
    }

    /// Does what waits, whoever left it: an earlier process, a command, a routine.
    async fn poll_pending(self: &Arc<Self>) -> throughline_engine::Result<()> {
        self.engine.close_abandoned().await?;
        for (chat, lane) in self.engine.store.lanes_with_work("telegram").await? {
            self.ask(chat, lane);
        }
        Ok(self.sender.ask_all().await?)
    }

    fn account(&self) -> String {
        format!("telegram:{}", self.api.bot())
    }

    fn note_forum(&self, chat: &wire::Chat) {
        if chat.is_forum {
            self.forums.lock().unwrap_or_else(PoisonError::into_inner).insert(chat.id);
        }
    }

    fn is_forum(&self, chat: &ChatId) -> bool {
        let forums = self.forums.lock().unwrap_or_else(PoisonError::into_inner);
        update::number(chat).is_some_and(|number| forums.contains(&number))
    }

    async fn note_listening(&self, me: &Me) {
        self.note("listening", None, Some(me.username.clone())).await;
    }

    async fn note_error(&self, error: &ApiError) {
        tracing::warn!(%error, "listening to Telegram was interrupted");
        self.note("trouble", Some(error.to_string()), None).await;
    }

    /// Notes how listening goes, where that has changed.
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
            tracing::warn!(%error, "how listening goes could not be noted");
        }
    }

    /// A token that was replaced is found in the settings.
    async fn look_for_another_token(&self) {
        match self.app.telegram_token() {
            Ok(Some(token)) if !self.api.uses(token.expose()) => {
                tracing::info!("there is another bot token in the settings");
                // It may be another bot's, and then nobody listens for this one any more.
                self.stop().await;
                self.api.use_token(token.expose());
                self.commands_set.store(false, Ordering::Relaxed);
            }
            Ok(_) => {}
            Err(_) => tracing::warn!("the settings could not be read again"),
        }
    }
}

/// The Bot API, as the settings reach it.
pub fn connect(app: &App, token: &Secret) -> Result<Api, Failure> {
    let address = app.settings.telegram.api_url.expose();
    let client = throughline_models::http_client(address).ok_or_else(|| {
        Failure::failed("telegram", "Telegram cannot be reached safely: check this machine's certificates")
    })?;
    Ok(Api::new(client, address, token.expose()))
}
