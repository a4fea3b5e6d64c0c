//! Plays scenarios through Telegram's double: the program serves a home whose clock is moved from step to step.

use serde_json::{Value, json};
use throughline_testkit::bot_api::BotMessage;

use super::{Driver, Scenario};
use crate::common::Home;
use crate::common::served::{ANA, LONG, Served};
use crate::telegram::days::{CHAT, move_to};

pub struct Telegram {
    served: Served,
    at: String,
    routine: i64,
}

impl Telegram {
    pub fn new(scenario: &Scenario) -> Self {
        let at = scenario.steps.first().map(|step| step.at.clone()).unwrap_or_default();
        let home = || {
            Home::new()
                .configured(scenario.settings)
                .with("USER_TIMEZONE", &scenario.zone)
                .with("OLLAMA_API_URL", "http://127.0.0.1:9")
                .with("THROUGHLINE_NOW", &at)
        };
        let served = Served::with(home);
        Self { served, at, routine: 0 }
    }

    fn wait_for(&mut self, at: &str) {
        if self.at != at {
            // Each look gives what waits a chance to be done before the clock moves.
            self.served.home.json(&["memory", "list", "--chat", CHAT]);
            move_to(&mut self.served, at);
            self.at = at.to_owned();
        }
    }

    fn with_button(&self, from: usize, button: &str) -> BotMessage {
        let has = |message: &BotMessage| message.keyboard.iter().flatten().any(|key| key.text == button);
        self.served.api.wait(LONG, |api| api.shown(ANA).into_iter().skip(from).find(has))
    }
}

impl Driver for Telegram {
    fn say(&mut self, at: &str, text: &str) -> String {
        self.wait_for(at);
        self.served.ask(text).text
    }

    fn reply(&mut self, at: &str, text: &str) -> String {
        self.wait_for(at);
        let before = self.served.api.shown(ANA).len();
        self.served.api.message(ANA, ANA).text(text).reply_to(self.routine).send();
        self.served.seen(ANA, before).text
    }

    fn context(&mut self, at: &str, text: &str) -> String {
        self.wait_for(at);
        self.served.home.json(&["memory", "list", "--chat", CHAT]);
        let context = self.served.home.json(&["context", "--chat", CHAT, "-m", text]);
        let layers = context["layers"].as_array().unwrap().iter().filter(|layer| layer["name"] != "message");
        layers.map(|layer| layer["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    }

    fn forget_this(&mut self, at: &str) -> String {
        self.wait_for(at);
        let question = self.with_button(0, "Forget this");
        self.served.api.presses(ANA, ANA, question.message_id, "Forget this");
        self.served.api.wait(LONG, |api| {
            let now = api.shown(ANA).into_iter().find(|message| message.message_id == question.message_id)?;
            (now.text != question.text).then_some(now.text)
        })
    }

    fn assistant(&mut self, at: &str, text: &str) {
        self.wait_for(at);
        self.served.home.json(&["record", "--chat", CHAT, "--role", "assistant", "--at", at, text]);
    }

    fn routine(&mut self, at: &str, name: &str, text: &str) {
        self.wait_for(at);
        let before = self.served.api.shown(ANA).len();
        self.served.home.json(&["send", "--chat", CHAT, "--routine", name, text]);
        self.routine = self.served.seen(ANA, before).message_id;
    }

    fn many(&mut self, at: &str, messages: &[(bool, String)]) {
        self.wait_for(at);
        let first: jiff::Timestamp = at.parse().unwrap();
        let lines: Vec<Value> = (0..)
            .zip(messages)
            .map(|(minute, (is_assistant, text))| {
                let at = (first + jiff::SignedDuration::from_mins(minute)).to_string();
                json!({ "chat": CHAT, "role": if *is_assistant { "assistant" } else { "user" }, "text": text, "at": at })
            })
            .collect();
        self.served.home.import(&lines);
    }

    fn memories(&mut self, at: &str) -> Vec<Value> {
        self.wait_for(at);
        self.served.home.json(&["memory", "list", "--chat", CHAT])["memories"].as_array().unwrap().clone()
    }
}
