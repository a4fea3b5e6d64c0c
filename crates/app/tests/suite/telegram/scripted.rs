//! Homes whose replies a test writes, and what the far side of the bot is asked and shows.

use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};

use serde_json::Value;
use throughline_testkit::bot_api::{BotApi, BotMessage, Message};

use crate::common::Home;
use crate::common::messages_server::MessagesServer;
use crate::common::served::{ANA, LONG, Served};

/// Another person whom the bot serves.
pub const BO: i64 = 4712;

/// A home whose replies come from a server of the test; the built-in rules learn.
pub fn over(server: &MessagesServer) -> Home {
    over_url(&server.url())
}

pub fn over_url(url: &str) -> Home {
    Home::new()
        .with("THROUGHLINE_MODEL", "anthropic/claude-sonnet-4-5")
        .with("THROUGHLINE_SMALL_MODEL", "offline")
        .with("ANTHROPIC_BASE_URL", url)
        .with("ANTHROPIC_API_KEY", "test")
}

/// A home that serves Bo as well, and answers everything that is said in groups.
pub fn in_groups(home: Home) -> Served {
    let served = Served::with(|| {
        home.configured("[telegram]\ngroups = \"all\"\n").with("TELEGRAM_ALLOWED_USERS", &BO.to_string())
    });
    served.api.person(BO, "Bo");
    served
}

/// The text that a model was asked with last.
pub fn last_words(asked: &Value) -> String {
    let messages = asked["messages"].as_array().unwrap();
    match &messages.last().unwrap()["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array().unwrap().iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}

/// Where something on the far side waits for the test.
pub struct Gate {
    came: Sender<()>,
    held: Mutex<Receiver<()>>,
}

/// The test's side of a gate.
pub struct Keeper {
    came: Receiver<()>,
    open: Sender<()>,
}

impl Gate {
    pub fn new() -> (Keeper, Self) {
        let ((came, comes), (open, held)) = (mpsc::channel(), mpsc::channel());
        (Keeper { came: comes, open }, Self { came, held: Mutex::new(held) })
    }

    /// Waits until it is opened once.
    pub fn wait(&self) {
        self.came.send(()).unwrap();
        self.held.lock().unwrap().recv_timeout(LONG).unwrap();
    }
}

impl Keeper {
    /// Waits until a request stands before the gate.
    pub fn wait(&self) {
        self.came.recv_timeout(LONG).unwrap();
    }

    pub fn open(&self) {
        self.open.send(()).unwrap();
    }
}

/// Sends a message, and gives its number with what is seen next in the chat.
pub fn answered(served: &Served, chat: i64, message: Message<'_>) -> (i64, BotMessage) {
    let before = served.api.shown(chat).len();
    let id = message.send();
    (id, served.seen(chat, before))
}

/// Looks until what was sent is known by its numbers.
pub fn settled(served: &Served) {
    let until = std::time::Instant::now() + LONG;
    loop {
        let status = served.home.json(&["status"]);
        if status["replies"]["pending"] == 0 && status["outbox"]["pending"] == 0 {
            return;
        }
        assert!(std::time::Instant::now() < until, "{status}");
    }
}

/// A recorded message by its text.
pub fn recorded(served: &Served, text: &str) -> Value {
    let lines = served.home.exported();
    lines.iter().find(|line| line["text"] == text).unwrap_or_else(|| panic!("{text:?}: {lines:#?}")).clone()
}

/// Waits until the bot has taken in everything that was sent to it.
pub fn taken_in(api: &BotApi) {
    api.wait(LONG, |api| (api.pending() == 0 && api.is_polled()).then_some(()));
}

/// What the bot said to a press.
pub fn told(api: &BotApi, press: &str) -> String {
    api.wait(LONG, |api| {
        let answers = api.calls_of("answerCallbackQuery");
        let answer = answers.into_iter().find(|call| call.params["callback_query_id"] == press)?;
        answer.answered.as_ref()?;
        Some(answer.params["text"].as_str().unwrap_or_default().to_owned())
    })
}

/// The private chat of Ana.
pub fn private() -> String {
    format!("telegram:chat:{ANA}")
}

/// The texts of all memories that a chat sees.
pub fn memories(served: &Served, chat: &str) -> Vec<String> {
    let listed = served.home.json(&["memory", "list", "--chat", chat]);
    let memories = listed["memories"].as_array().unwrap().iter();
    memories.map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
}

/// Looks until something was learned; each look gives what waits a chance to be done.
pub fn learned(served: &Served, chat: &str, words: &str) {
    let until = std::time::Instant::now() + LONG;
    while !memories(served, chat).iter().any(|memory| memory.contains(words)) {
        assert!(std::time::Instant::now() < until, "{words:?} was not learned: {:?}", memories(served, chat));
    }
}
