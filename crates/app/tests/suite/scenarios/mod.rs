//! What a person does on the first days, word for word and in other words: one table of scenarios, played with the
//! built-in model, with a scripted model that answers as a good one would, and through Telegram's double.

mod built_in;
mod failing;
mod more;
mod paraphrases;
mod scripted;
mod table;
mod telegram;

use serde_json::Value;

/// One scenario: what happens, and what must come out.
#[derive(Clone, Default)]
pub struct Scenario {
    pub id: String,
    pub zone: String,
    /// The settings of its home.
    pub settings: &'static str,
    pub steps: Vec<Step>,
    /// What must be known of the person in the end.
    pub memory: Vec<Learned>,
    /// What a good model lists when it is shown the words of `quote`.
    pub lists: Vec<Value>,
}

/// One step, and what must come out of it.
#[derive(Clone, Default)]
pub struct Step {
    pub at: String,
    pub what: What,
    pub context: Vec<String>,
    pub context_not: Vec<String>,
    pub reply: Vec<String>,
    pub reply_not: Vec<String>,
}

#[derive(Clone, Default)]
pub enum What {
    /// The person writes, or gives a command.
    Say(String),
    /// The person replies to the routine's message before.
    Reply(String),
    /// The person presses the first [Forget this].
    #[default]
    ForgetThis,
    /// The assistant wrote.
    Assistant(String),
    /// A routine, by its name, sends.
    Routine(String, String),
    /// Many messages at once: whether the assistant's, and the words.
    Many(Vec<(bool, String)>),
}

/// A memory that must be there.
#[derive(Clone)]
pub struct Learned {
    pub kind: String,
    pub must: Vec<String>,
    pub day: Option<String>,
}

/// A way to play a scenario.
pub trait Driver {
    /// The person writes; gives the reply.
    fn say(&mut self, at: &str, text: &str) -> String;
    /// The person replies to the last routine's message; gives the reply.
    fn reply(&mut self, at: &str, text: &str) -> String;
    /// Everything but the message that a model would see now; or, after the reply, what it saw.
    fn context(&mut self, at: &str, text: &str) -> String;
    /// The person presses [Forget this]; gives what is shown.
    fn forget_this(&mut self, at: &str) -> String;
    fn assistant(&mut self, at: &str, text: &str);
    fn routine(&mut self, at: &str, name: &str, text: &str);
    fn many(&mut self, at: &str, messages: &[(bool, String)]);
    fn memories(&mut self, at: &str) -> Vec<Value>;
}

/// Plays a scenario, and gives what did not come out.
pub fn play(scenario: &Scenario, driver: &mut dyn Driver) -> Vec<String> {
    let mut missing = Vec::new();
    for step in &scenario.steps {
        let at = step.at.as_str();
        let asked = match &step.what {
            What::Say(text) | What::Reply(text) => text.as_str(),
            _ => "",
        };
        let is_looked_at = !step.context.is_empty() || !step.context_not.is_empty();
        let before = if is_looked_at { driver.context(at, asked) } else { String::new() };
        let reply = match &step.what {
            What::Say(text) => driver.say(at, text),
            What::Reply(text) => driver.reply(at, text),
            What::ForgetThis => driver.forget_this(at),
            What::Assistant(text) => {
                driver.assistant(at, text);
                continue;
            }
            What::Routine(name, text) => {
                driver.routine(at, name, text);
                continue;
            }
            What::Many(messages) => {
                driver.many(at, messages);
                continue;
            }
        };
        let context = if before.is_empty() && is_looked_at { driver.context(at, asked) } else { before };
        if is_looked_at && context.is_empty() {
            missing.push(format!("{asked:?}: there is no context"));
        }
        let holds = |text: &str, words: &String| text.to_lowercase().contains(&words.to_lowercase());
        for words in step.context.iter().filter(|words| !holds(&context, words)) {
            missing.push(format!("{asked:?}: the context lacks {words:?}"));
        }
        for words in step.context_not.iter().filter(|words| holds(&context, words)) {
            missing.push(format!("{asked:?}: the context has {words:?}: {context}"));
        }
        for words in step.reply.iter().filter(|words| !holds(&reply, words)) {
            missing.push(format!("{asked:?}: the reply lacks {words:?}: {reply:?}"));
        }
        for words in step.reply_not.iter().filter(|words| holds(&reply, words)) {
            missing.push(format!("{asked:?}: the reply has {words:?}: {reply:?}"));
        }
    }
    let last = scenario.steps.last().map_or("", |step| step.at.as_str());
    let known = if scenario.memory.is_empty() { Vec::new() } else { driver.memories(last) };
    for wanted in scenario.memory.iter().filter(|wanted| !known.iter().any(|memory| wanted.is(memory))) {
        missing.push(format!("no {} with {:?} {:?} among {known:?}", wanted.kind, wanted.must, wanted.day));
    }
    missing
}

impl Learned {
    fn is(&self, memory: &Value) -> bool {
        let text = memory["text"].as_str().unwrap_or_default().to_lowercase();
        let day = self.day.as_ref().is_none_or(|day| memory["day"] == day.as_str());
        memory["kind"] == self.kind.as_str()
            && memory["status"] == "active"
            && day
            && self.must.iter().all(|words| text.contains(&words.to_lowercase()))
    }
}

impl Scenario {
    pub fn new(id: &str) -> Self {
        Self { id: id.to_owned(), zone: "Asia/Singapore".to_owned(), ..Self::default() }
    }

    fn step(mut self, at: &str, what: What) -> Self {
        self.steps.push(Step { at: at.to_owned(), what, ..Step::default() });
        self
    }

    pub fn say(self, at: &str, text: &str) -> Self {
        self.step(at, What::Say(text.to_owned()))
    }

    pub fn answer_routine(self, at: &str, text: &str) -> Self {
        self.step(at, What::Reply(text.to_owned()))
    }

    pub fn forget_this(self, at: &str) -> Self {
        self.step(at, What::ForgetThis)
    }

    pub fn assistant(self, at: &str, text: &str) -> Self {
        self.step(at, What::Assistant(text.to_owned()))
    }

    pub fn routine(self, at: &str, name: &str, text: &str) -> Self {
        self.step(at, What::Routine(name.to_owned(), text.to_owned()))
    }

    pub fn many(self, at: &str, messages: Vec<(bool, String)>) -> Self {
        self.step(at, What::Many(messages))
    }

    /// What the context of the last step must hold.
    pub fn context(mut self, words: &[&str]) -> Self {
        self.last().context.extend(words.iter().map(|words| (*words).to_owned()));
        self
    }

    /// What the context of the last step must not hold.
    pub fn context_without(mut self, words: &[&str]) -> Self {
        self.last().context_not.extend(words.iter().map(|words| (*words).to_owned()));
        self
    }

    /// What the reply of the last step must hold.
    pub fn replies(mut self, words: &[&str]) -> Self {
        self.last().reply.extend(words.iter().map(|words| (*words).to_owned()));
        self
    }

    /// What the reply of the last step must not hold.
    pub fn replies_without(mut self, words: &[&str]) -> Self {
        self.last().reply_not.extend(words.iter().map(|words| (*words).to_owned()));
        self
    }

    /// What must be known in the end, and the words of the person that a model proves it with.
    pub fn learns(mut self, kind: &str, text: &str, quote: &str, day: Option<&str>) -> Self {
        let must = text.split(" … ").map(str::to_owned).collect();
        self.memory.push(Learned { kind: kind.to_owned(), must, day: day.map(str::to_owned) });
        let text = text.replace(" … ", " ");
        self.lists.push(serde_json::json!({ "kind": kind, "text": text, "quote": quote, "day": day }));
        self
    }

    /// What a model lists of the person's words.
    pub fn lists(mut self, kind: &str, text: &str, quote: &str) -> Self {
        self.lists.push(serde_json::json!({ "kind": kind, "text": text, "quote": quote, "day": null }));
        self
    }

    pub fn configured(mut self, settings: &'static str) -> Self {
        self.settings = settings;
        self
    }

    fn last(&mut self) -> &mut Step {
        self.steps.last_mut().unwrap()
    }
}
