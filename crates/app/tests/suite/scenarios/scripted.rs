//! Plays scenarios with a scripted model behind Anthropic's API. It answers as a good model would: with strict JSON when
//! it is to list memories, with prose when it is to sum up, and to a question with what its request really holds.

use serde_json::{Value, json};

use super::built_in::BuiltIn;
use super::{Driver, Scenario, What};
use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::telegram::scripted::last_words;

/// A home whose model is on the far side of a wire.
pub struct Scripted<'s> {
    inner: BuiltIn,
    server: &'s MessagesServer,
}

/// A server that plays a good model in a scenario.
pub fn good_model(scenario: &Scenario) -> MessagesServer {
    let scenario = scenario.clone();
    MessagesServer::start(move |asked| Answer::Says(answer(&scenario, asked)))
}

fn answer(scenario: &Scenario, asked: &Value) -> String {
    let (instructions, request) = (words(&asked["system"]), words(asked));
    if instructions.contains("\"memories\"") {
        let is_shown =
            |listed: &&Value| listed["quote"].as_str().is_some_and(|quote| request.contains(quote));
        return json!({ "memories": scenario.lists.iter().filter(is_shown).collect::<Vec<_>>() }).to_string();
    }
    if instructions.contains("\"decisions\"") {
        return json!({ "goals": [], "decisions": [], "facts": ["They talked."], "outcomes": [], "pending": [] })
            .to_string();
    }
    let last = last_words(asked);
    let asks = scenario.steps.iter().rev().find(|step| match &step.what {
        What::Say(text) | What::Reply(text) => last.ends_with(text.as_str()),
        _ => false,
    });
    match asks {
        // Only what stands in the request can be answered.
        Some(step) => {
            let found = step.reply.iter().filter(|words| holds(&request, words)).cloned();
            let found: Vec<String> = found.collect();
            if found.is_empty() { "All right.".to_owned() } else { found.join(", ") }
        }
        None => "They talked about what is above.".to_owned(),
    }
}

fn holds(text: &str, words: &str) -> bool {
    text.to_lowercase().contains(&words.to_lowercase())
}

/// All texts in a request.
pub fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(words).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => fields.values().map(words).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

impl<'s> Scripted<'s> {
    pub fn new(scenario: &Scenario, server: &'s MessagesServer) -> Self {
        let home = Home::new()
            .with("THROUGHLINE_MODEL", "anthropic/claude-sonnet-4-5")
            .with("ANTHROPIC_BASE_URL", &server.url())
            .with("ANTHROPIC_API_KEY", "test");
        Self { inner: BuiltIn::at(scenario, home), server }
    }
}

impl Driver for Scripted<'_> {
    fn say(&mut self, at: &str, text: &str) -> String {
        self.inner.say(at, text)
    }

    fn reply(&mut self, at: &str, text: &str) -> String {
        self.inner.reply(at, text)
    }

    /// The request that the model really got; none before it was asked.
    fn context(&mut self, _: &str, text: &str) -> String {
        let asked = self.server.asked();
        let is_turn = |asked: &&Value| last_words(asked).ends_with(text);
        asked.iter().rev().find(is_turn).map(words).unwrap_or_default()
    }

    fn forget_this(&mut self, at: &str) -> String {
        self.inner.forget_this(at)
    }

    fn assistant(&mut self, at: &str, text: &str) {
        self.inner.assistant(at, text);
    }

    fn routine(&mut self, at: &str, name: &str, text: &str) {
        self.inner.routine(at, name, text);
    }

    fn many(&mut self, at: &str, messages: &[(bool, String)]) {
        self.inner.many(at, messages);
    }

    fn memories(&mut self, at: &str) -> Vec<Value> {
        self.inner.memories(at)
    }
}
