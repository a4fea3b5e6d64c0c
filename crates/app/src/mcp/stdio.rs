//! `mcp`: the server on stdin and stdout, until stdin ends. It opens the store at the first call, so that it starts
//! quickly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use throughline_domain::chat::ChatId;
use throughline_engine::Engine;
use throughline_engine::access::Access;
use tokio::sync::{Notify, OnceCell};

use super::Server;
use super::connection::{Connection, Naming, Scope};
use crate::claude_code;
use crate::cli::{Mcp, chat_id};
use crate::config::THROUGHLINE_CHAT;
use crate::output::Failure;
use crate::tasks::Tasks;
use crate::wire::App;

/// Time between checks for jobs that no call enqueued.
const JOBS_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum duration of one round of jobs.
const MAX_JOBS_ROUND: Duration = Duration::from_secs(60);
/// Time limit for a running job when stdin ends; clients kill a server after two seconds.
const LAST_JOB_GRACE: Duration = Duration::from_secs(1);

/// The one connection of this process.
pub struct Process {
    app: Arc<App>,
    engine: OnceCell<Engine>,
    chat: ChatId,
    /// Whether the model may name another chat of the same person.
    pub naming: Naming,
    /// Whether tools that write are offered.
    pub writes: bool,
    tasks: Tasks,
    jobs: Arc<Notify>,
    is_ending: Arc<AtomicBool>,
}

pub async fn run(args: &Mcp, app: App) -> Result<(), Failure> {
    let process = Arc::new(Process {
        chat: chat(args, &app)?,
        app: Arc::new(app),
        engine: OnceCell::new(),
        naming: if args.any_chat { Naming::Free } else { Naming::Fixed },
        writes: !args.read_only,
        tasks: Tasks::default(),
        jobs: Arc::default(),
        is_ending: Arc::default(),
    });
    let server = Server { connection: Connection::Stdio(Arc::clone(&process)) };
    match server.serve(stdio_pipes()).await {
        Ok(running) => {
            let ended = running.waiting().await;
            tracing::info!(?ended, "the MCP connection ended");
        }
        // The client has disconnected.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(_) => {
            let why = "the client did not begin with `initialize`. This command is for programs that use MCP";
            return Err(Failure::failed("mcp", why));
        }
    }
    process.is_ending.store(true, Ordering::Relaxed);
    process.jobs.notify_one();
    process.tasks.finish(LAST_JOB_GRACE).await;
    Ok(())
}

/// The chat of the connection, from the flag, or else the variable, or else the terminal's chat.
fn chat(args: &Mcp, app: &App) -> Result<ChatId, Failure> {
    if args.here {
        let folder = std::env::current_dir()?;
        return claude_code::chat_of(&folder)
            .ok_or_else(|| Failure::failed("chat", format!("{} cannot name a chat", folder.display())));
    }
    if let Some(chat) = &args.chat {
        return Ok(chat.clone());
    }
    let Some(named) = app.environment.text(THROUGHLINE_CHAT)? else { return Ok(ChatId::terminal()) };
    chat_id(named).map_err(|error| Failure::failed("config", format!("{THROUGHLINE_CHAT}: {error}")))
}

impl Process {
    /// The scope of a call: the named chat if allowed, or else the connection's.
    pub async fn scope(&self, named: Option<&str>) -> Result<Scope, String> {
        let named = named.map(chat_id).transpose().map_err(|error| format!("chat: {error}"))?;
        let chat = named.unwrap_or_else(|| self.chat.clone());
        let engine = self.engine().await.map_err(Failure::into_sentence)?;
        let engine = engine.narrowed(&self.access(engine));
        if !engine.store.may_touch(&chat) {
            return Err(format!("{chat} is not one of the person's own chats, so it cannot be named here"));
        }
        let engine = engine.narrowed(&Access::Chat(chat.clone()));
        Ok(Scope { app: Arc::clone(&self.app), engine, chat, jobs: Arc::clone(&self.jobs) })
    }

    /// The access of the connection.
    fn access(&self, engine: &Engine) -> Access {
        let person = match self.naming {
            Naming::Fixed => None,
            Naming::Free => engine.settings.people.of(&self.chat),
        };
        person.map_or_else(|| Access::Chat(self.chat.clone()), Access::Person)
    }

    /// The engine, which the first call opens. If that fails, the next call tries again.
    async fn engine(&self) -> Result<&Engine, Failure> {
        let open = || async {
            let engine = self.app.engine().await?;
            if self.writes {
                let (jobs, is_ending) = (Arc::clone(&self.jobs), Arc::clone(&self.is_ending));
                self.tasks.spawn(work(engine.clone(), jobs, is_ending));
            }
            Ok(engine)
        };
        self.engine.get_or_try_init(open).await
    }
}

/// Runs background jobs after each call that writes, and at regular intervals.
async fn work(engine: Engine, wake: Arc<Notify>, is_ending: Arc<AtomicBool>) {
    let is_wanted = || !is_ending.load(Ordering::Relaxed);
    while is_wanted() {
        let _ = tokio::time::timeout(JOBS_INTERVAL, wake.notified()).await;
        if let Err(error) = engine.run_jobs_while(Instant::now() + MAX_JOBS_ROUND, is_wanted).await {
            tracing::warn!(%error, "running background jobs failed; retrying in 10 s");
        }
    }
}
