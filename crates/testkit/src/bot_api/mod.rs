//! A double of Telegram's Bot API on loopback, including faults: people write, the bot answers, and a test observes.
//!
//! The program under test connects to [`BotApi::url`] and cannot tell the difference.

mod calls;
mod faults;
mod fields;
mod files;
mod html;
mod http;
mod limits;
mod messages;
mod methods;
mod params;
mod people;
mod places;
mod refusal;
mod server;
mod text;
mod updates;
mod world;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

pub use calls::{BotMessage, Button, Call, ChatAction, Document, Draft};
pub use faults::{Fault, Form, Moment};
pub use files::ENDPOINT as FILE_ENDPOINT;
pub use people::Message;

use params::Params;
use world::{BOT_ID, Chat, World};

/// A running server, which stops when it is dropped.
pub struct BotApi {
    shared: Arc<Shared>,
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl BotApi {
    /// Starts a server on a free port.
    #[must_use]
    pub fn start() -> Self {
        Self::start_at(0)
    }

    /// Starts a server on a port.
    #[must_use]
    pub fn start_at(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("a port on loopback");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let address = listener.local_addr().expect("the address of the listener");
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let shared = Arc::new(Shared::default());
        runtime.spawn(server::run(Arc::clone(&shared), listener));
        Self { shared, address, runtime: Some(runtime) }
    }

    /// The value for `TELEGRAM_API_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The bot's token.
    #[must_use]
    pub fn token(&self) -> String {
        self.shared.world().token.clone()
    }

    /// The bot's id.
    #[must_use]
    pub fn bot_id(&self) -> i64 {
        BOT_ID
    }

    /// Gives the bot a new token, and refuses the old one.
    pub fn rotate_token(&self, token: &str) {
        self.shared.change(|world| world.token = token.to_owned());
    }

    /// Changes what `getMe` answers.
    pub fn set_me(&self, change: impl FnOnce(&mut Value)) {
        self.shared.change(|world| change(&mut world.me));
    }

    /// Plans a fault for the next call of a method, `"*"` for any but `getUpdates`.
    pub fn fault(&self, method: &str, fault: Fault) {
        self.shared.change(|world| world.plans.add_fault(method, fault));
    }

    /// Calls a hook at a moment of every call of a method, `"*"` for any but `getUpdates`.
    pub fn on(&self, method: &str, moment: Moment, hook: impl Fn(&Call) + Send + Sync + 'static) {
        self.shared.change(|world| world.plans.add_hook(method, moment, Arc::new(hook)));
    }

    /// While offline, closes every connection, including new ones.
    pub fn offline(&self, is_offline: bool) {
        self.shared.offline.send_replace(is_offline);
    }

    /// While refusing, closes every connection and does not listen on the port.
    pub fn refuse(&self, is_refusing: bool) {
        self.shared.refusing.send_replace(is_refusing);
        let mut is_away = self.shared.is_away.subscribe();
        if let Some(runtime) = &self.runtime {
            let changed = is_away.wait_for(|is_away| *is_away == is_refusing);
            runtime.block_on(async { changed.await.is_ok() });
        }
    }

    /// Turns the send limits of the real server on or off.
    pub fn limits(&self, are_on: bool) {
        self.shared.change(|world| world.limits = are_on.then(Default::default));
    }

    /// How long a poll whose client vanished blocks the next; 50 seconds by default.
    pub fn hold(&self, hold: Duration) {
        self.shared.change(|world| world.updates.hold = hold);
    }

    /// Every request so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.shared.world().calls.clone()
    }

    /// Every request of one method so far.
    #[must_use]
    pub fn calls_of(&self, method: &str) -> Vec<Call> {
        self.shared.world().calls.iter().filter(|call| call.method == method).cloned().collect()
    }

    /// The bot's current messages in a chat, in order.
    #[must_use]
    pub fn shown(&self, chat: i64) -> Vec<BotMessage> {
        self.of(chat, calls::shown)
    }

    /// Every text of a message, newest last; empty once it is deleted.
    #[must_use]
    pub fn versions(&self, chat: i64, message_id: i64) -> Vec<String> {
        self.of(chat, |chat| chat.messages.get(&message_id).map(|posted| posted.versions.clone()))
            .unwrap_or_default()
    }

    /// The files that the bot sent to a chat.
    #[must_use]
    pub fn documents(&self, chat: i64) -> Vec<Document> {
        self.of(chat, |chat| chat.documents.clone())
    }

    /// Every draft that was shown in a chat, in order.
    #[must_use]
    pub fn drafts(&self, chat: i64) -> Vec<Draft> {
        self.of(chat, |chat| chat.drafts.clone())
    }

    /// The current draft in a chat; a message replaces it.
    #[must_use]
    pub fn draft(&self, chat: i64) -> Option<Draft> {
        self.of(chat, |chat| chat.drafts.last().filter(|_| chat.is_drafting).cloned())
    }

    /// The actions shown in a chat, in order.
    #[must_use]
    pub fn typing(&self, chat: i64) -> Vec<ChatAction> {
        self.of(chat, |chat| chat.actions.clone())
    }

    /// The commands that everyone sees, each with its description.
    #[must_use]
    pub fn commands(&self) -> Vec<(String, String)> {
        let everyone = methods::scope(&Params::default());
        let commands = self.shared.world().commands.get(&everyone).cloned().unwrap_or_default();
        let written =
            |command: &Value, name: &str| fields::words(command, name).unwrap_or_default().to_owned();
        let pair = |command: &Value| (written(command, "command"), written(command, "description"));
        commands.as_array().into_iter().flatten().map(pair).collect()
    }

    /// Returns true if the bot is polling.
    #[must_use]
    pub fn is_polled(&self) -> bool {
        self.shared.world().updates.is_polled
    }

    /// Number of updates that the bot has not acknowledged.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.shared.world().updates.pending()
    }

    /// Calls `look` after every change until it returns something.
    ///
    /// # Panics
    /// If it does not in time; the message contains the last calls.
    pub fn wait<T>(&self, patience: Duration, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let until = Instant::now() + patience;
        loop {
            let seen = self.shared.world().version;
            if let Some(found) = look(self) {
                return found;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let calls = self.calls();
                let last = calls.get(calls.len().saturating_sub(10)..).unwrap_or_default();
                panic!("nothing to see after {patience:?}; the last calls were {last:#?}");
            }
            let unchanged = |world: &mut World| world.version == seen;
            drop(self.shared.changed.wait_timeout_while(self.shared.world(), left, unchanged));
        }
    }

    fn of<T: Default>(&self, chat: i64, look: impl FnOnce(&Chat) -> T) -> T {
        self.shared.world().chats.get(&chat).map(look).unwrap_or_default()
    }
}

impl Drop for BotApi {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // In the background, because an async test must not block here.
            runtime.shutdown_background();
        }
    }
}

/// The state that the server and the test share.
struct Shared {
    world: Mutex<World>,
    /// Notifies a waiting test of every change.
    changed: Condvar,
    /// Notifies a waiting poll of every change.
    wake: watch::Sender<()>,
    offline: watch::Sender<bool>,
    /// True if connections should be refused, and true if they are.
    refusing: watch::Sender<bool>,
    is_away: watch::Sender<bool>,
}

impl Shared {
    /// The current state.
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("the world")
    }

    /// Changes the world and notifies the waiting test and poll.
    fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        let mut world = self.world();
        world.version += 1;
        let result = change(&mut world);
        drop(world);
        self.changed.notify_all();
        self.wake.send_replace(());
        result
    }
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            world: Mutex::new(World::new()),
            changed: Condvar::new(),
            wake: watch::Sender::new(()),
            offline: watch::Sender::new(false),
            refusing: watch::Sender::new(false),
            is_away: watch::Sender::new(false),
        }
    }
}
