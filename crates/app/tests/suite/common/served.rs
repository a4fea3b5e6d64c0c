//! The program serving a home, with a double of Telegram's Bot API on the far side.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use throughline_testkit::bot_api::{BotApi, BotMessage};

use super::{BINARY, Home};

/// Nothing that works takes so long.
pub const LONG: Duration = Duration::from_secs(20);
/// The person whom the bot serves.
pub const ANA: i64 = 4711;

/// A home that is served, and Telegram as the program sees it.
pub struct Served {
    pub home: Home,
    pub api: BotApi,
    child: Option<Child>,
}

impl Served {
    /// A fresh home that serves Ana.
    pub fn new() -> Self {
        Self::with(Home::new)
    }

    /// A home of the test's own making that serves Ana.
    pub fn with(home: impl FnOnce() -> Home) -> Self {
        let api = BotApi::start();
        // What was cut off may listen again at once.
        api.hold(Duration::ZERO);
        api.person(ANA, "Ana");
        let home = home()
            .with("TELEGRAM_API_URL", &api.url())
            .with("TELEGRAM_BOT_TOKEN", &api.token())
            .with("TELEGRAM_USER_ID", &ANA.to_string())
            // Tests of the pause set it; the others do not wait for more.
            .with_default("TELEGRAM_PAUSE_MS", "0");
        let mut served = Self { home, api, child: None };
        served.start();
        served
    }

    /// Starts the program, which says where it listens.
    pub fn start(&mut self) {
        self.start_by(&[]);
    }

    /// Starts the program by another one, such as `nohup`.
    pub fn start_by(&mut self, words: &[&str]) {
        let serve = ["serve", "--listen", "127.0.0.1:0"];
        let mut command = match words.split_first() {
            None => self.home.command(&serve),
            Some((program, words)) => {
                let mut command = self.home.bare(program);
                command.args(words).arg(BINARY).args(serve).stdout(Stdio::piped()).stderr(Stdio::piped());
                command
            }
        };
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("Ctrl-C") {
            line.clear();
            assert!(
                stdout.read_line(&mut line).unwrap() > 0,
                "the program ended: {:?}",
                child.wait_with_output()
            );
        }
        // Its stdout stays open for as long as the program lives.
        child.stdout = Some(stdout.into_inner());
        self.child = Some(child);
    }

    /// Starts the program and gives its process id, without waiting for what it says.
    pub fn start_quietly(&mut self) -> i32 {
        let child = self.home.command(&["serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
        let id = child.id().cast_signed();
        self.child = Some(child);
        id
    }

    /// Waits until the program has ended; after a time limit it is ended here.
    pub fn wait_for_its_end(&mut self, patience: Duration) {
        let Some(mut child) = self.child.take() else { return };
        let (end, ended) = std::sync::mpsc::channel();
        let id = child.id().cast_signed();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if ended.recv_timeout(patience).is_err() {
                    let pid = rustix::process::Pid::from_raw(id).unwrap();
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                }
            });
            child.wait().unwrap();
            let _ = end.send(());
        });
    }

    /// Ends the program as the kernel does.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Ends the program as a person does, and gives its exit code.
    pub fn stop(&mut self) -> Option<i32> {
        self.child.as_ref()?;
        self.signal(rustix::process::Signal::TERM);
        self.ended()
    }

    /// Sends the program a signal.
    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_raw(self.id()).unwrap(), signal).unwrap();
    }

    /// The process id of the program.
    pub fn id(&self) -> i32 {
        self.child.as_ref().unwrap().id().cast_signed()
    }

    /// Waits until the program has ended, and gives its exit code.
    pub fn ended(&mut self) -> Option<i32> {
        self.child.take()?.wait().unwrap().code()
    }

    /// Waits until every message that was sent is known to have arrived.
    pub fn settle(&self) {
        let (sql, until) = (self.home.sql(), std::time::Instant::now() + LONG);
        let sending = "SELECT count(*) FROM outbox WHERE state = 'sending'";
        while sql.query_row(sending, [], |row| row.get::<_, u64>(0)).unwrap() > 0 {
            assert!(std::time::Instant::now() < until, "something is still being sent");
        }
    }

    /// Kills the program between two messages, and starts it again.
    pub fn restart(&mut self) {
        self.settle();
        self.restart_now();
    }

    /// Kills the program in the middle of whatever it does, and starts it again.
    pub fn restart_now(&mut self) {
        self.kill();
        self.start();
    }

    /// Ana writes in private, and this is what she sees next.
    pub fn ask(&self, text: &str) -> BotMessage {
        self.ask_in(ANA, ANA, text)
    }

    /// Somebody writes somewhere, and this is what is seen there next.
    pub fn ask_in(&self, person: i64, chat: i64, text: &str) -> BotMessage {
        let before = self.api.shown(chat).len();
        self.api.says(person, chat, text);
        self.seen(chat, before)
    }

    /// The message of the bot that comes after this number of others in a chat.
    pub fn seen(&self, chat: i64, before: usize) -> BotMessage {
        self.api.wait(LONG, |api| api.shown(chat).into_iter().nth(before))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Default for Served {
    fn default() -> Self {
        Self::new()
    }
}

/// The program serving a home over HTTP alone.
pub struct Serving {
    child: Child,
    /// Where it listens, as `host:port`.
    pub address: String,
}

impl Serving {
    pub fn start(home: &Home) -> Self {
        let mut child = home.command(&["--json", "serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let said: serde_json::Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        let address = said["listening"].as_str().unwrap().trim_start_matches("http://").to_owned();
        child.stdout = Some(stdout.into_inner());
        Self { child, address }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
