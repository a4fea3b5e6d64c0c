//! Plays scenarios with the built-in model: the real binary in the terminal, its clock moved for each step.

use serde_json::{Value, json};

use super::{Driver, Scenario};
use crate::common::{Home, MAIN};

/// A home in the terminal.
pub struct BuiltIn {
    pub home: Home,
    matches: Vec<Value>,
    /// The newest routine's message, by its id.
    routine: String,
}

impl BuiltIn {
    pub fn new(scenario: &Scenario) -> Self {
        Self::at(scenario, Home::new())
    }

    pub fn at(scenario: &Scenario, home: Home) -> Self {
        let home = home
            .configured(scenario.settings)
            .with("USER_TIMEZONE", &scenario.zone)
            .with("OLLAMA_API_URL", "http://127.0.0.1:9");
        Self { home, matches: Vec::new(), routine: String::new() }
    }

    fn run(&self, at: &str, words: &[&str]) -> Value {
        let words: Vec<&str> = ["--now", at].into_iter().chain(words.iter().copied()).collect();
        self.home.json(&words)
    }

    fn shown(&self, at: &str, words: &[&str]) -> String {
        let context = self.run(at, words);
        let layers = context["layers"].as_array().unwrap().iter().filter(|layer| layer["name"] != "message");
        layers.map(|layer| layer["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    }
}

impl Driver for BuiltIn {
    fn say(&mut self, at: &str, text: &str) -> String {
        if let Some(topic) = text.strip_prefix("/forget ") {
            self.matches = self.run(at, &["forget", topic])["matches"].as_array().unwrap().clone();
        }
        self.run(at, &["chat", "-m", text])["reply"].as_str().unwrap().to_owned()
    }

    /// In the terminal a reply is what is said next.
    fn reply(&mut self, at: &str, text: &str) -> String {
        self.say(at, text)
    }

    fn context(&mut self, at: &str, text: &str) -> String {
        if text.starts_with('/') {
            return String::new();
        }
        self.shown(at, &["context", "--chat", MAIN, "-m", text])
    }

    fn forget_this(&mut self, at: &str) -> String {
        let Some(first) = self.matches.first() else { return "there is nothing to press".to_owned() };
        let id = first["id"].as_str().unwrap().to_owned();
        self.home.ok(&["--now", at, "forget", "--id", &id, "--yes"])
    }

    fn assistant(&mut self, at: &str, text: &str) {
        self.run(at, &["record", "--chat", MAIN, "--role", "assistant", "--at", at, text]);
    }

    fn routine(&mut self, at: &str, name: &str, text: &str) {
        let sent = self.run(at, &["send", "--chat", MAIN, "--routine", name, text]);
        self.routine = sent["id"].as_str().unwrap_or_default().to_owned();
    }

    fn many(&mut self, at: &str, messages: &[(bool, String)]) {
        let first: jiff::Timestamp = at.parse().unwrap();
        let lines: Vec<Value> = (0..)
            .zip(messages)
            .map(|(minute, (is_assistant, text))| {
                let at = (first + jiff::SignedDuration::from_mins(minute)).to_string();
                json!({ "chat": MAIN, "role": if *is_assistant { "assistant" } else { "user" }, "text": text, "at": at })
            })
            .collect();
        self.home.import(&lines);
    }

    fn memories(&mut self, at: &str) -> Vec<Value> {
        self.run(at, &["memory", "list"])["memories"].as_array().unwrap().clone()
    }
}
