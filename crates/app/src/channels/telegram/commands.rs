//! What commands do on Telegram, and what pressed buttons do. What a person saw of it is recorded with it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::{Error, Inbound};
use throughline_store::messages::{Append, Purpose};
use throughline_store::outbox::{Button, NewOutboxItem, Outgoing};
use uuid::Uuid;

use super::Gateway;
use super::target::{Key, SendTarget};
use super::update::{InboundAction, person};
use crate::commands::slash::{COMMANDS, Command, Noted, Slash, recorded};
use crate::output::{Failure, Style};

/// What a button does. Ids, no words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Forgets memories and messages, and with them what else was asked about.
    Forget {
        /// Their ids.
        ids: Vec<String>,
        /// The message that asked about them; its pieces are changed where all of them are forgotten.
        asked: Option<String>,
        /// The other buttons that were asked with.
        bundles: Vec<Uuid>,
    },
    /// Forgets everything of the chat.
    ForgetAll,
    /// Leaves everything as it is.
    Keep,
    /// Brings back what was forgotten.
    Undo {
        /// The receipts.
        receipts: Vec<Uuid>,
    },
    /// Keeps a memory that waits for a yes.
    Save {
        /// The memory.
        memory: String,
    },
    /// Drops it.
    Skip {
        /// The memory.
        memory: String,
    },
}

/// What came of a pressed button.
pub(super) struct Pressed {
    /// What stands in place of the message from now on, with its buttons.
    pub text: String,
    pub keys: Vec<Vec<Key>>,
    pub buttons: Vec<Button>,
    /// What is recorded; nothing where nothing happened.
    pub noted: Option<String>,
    /// Other buttons that are used up, and other messages that are changed likewise.
    pub bundles: Vec<Uuid>,
    pub also: Vec<i64>,
}

/// A button that was pressed.
pub(super) struct Press {
    pub chat: ChatId,
    pub lane: Lane,
    pub person: String,
    pub message: i64,
}

impl Gateway {
    /// Does what arrived to be done, and takes it off the list with what came of it.
    pub(super) async fn run(
        self: &Arc<Self>,
        chat: &ChatId,
        lane: &Lane,
        id: i64,
        action: InboundAction,
    ) -> Result<(), Error> {
        let target = SendTarget::of(chat, lane);
        let outgoing = match action {
            InboundAction::Command { line, from, speaker, message, at } => {
                let line = Line { line, from, speaker, message, at };
                self.command(&target, line).await?
            }
            InboundAction::Press { query, button, from, message } => {
                let press = Press { chat: chat.clone(), lane: lane.clone(), person: person(from), message };
                let (answer, outgoing) = self.press(&press, &button).await?;
                self.answer_query(&query, &answer).await;
                outgoing
            }
        };
        self.engine.store.send_out(Outgoing { action: Some(id), ..outgoing }).await?;
        self.jobs.notify_one();
        Ok(())
    }

    /// Takes something off the list that cannot be done.
    pub(super) async fn done(&self, action: i64) -> Result<(), Error> {
        self.engine.store.send_out(Outgoing { action: Some(action), ..Outgoing::default() }).await?;
        Ok(())
    }

    async fn command(&self, target: &SendTarget, line: Line) -> Result<Outgoing, Error> {
        let command = Command::read(&line.line).unwrap_or(Command::Help);
        if let Command::Forget(topic) = &command {
            return self.ask_what_to_forget(target, topic, &line).await;
        }
        let (noted, opens) = (command.noted(), command == Command::New);
        let (shown, outbox) = match command {
            Command::Export => (String::new(), target.export()),
            Command::Quit => self.text_of(target, Command::Unknown("quit".to_owned())).await,
            other => self.text_of(target, other).await,
        };
        let noted = noted
            .unwrap_or_else(|| Noted { line: line.line.clone(), seen: Some("(there is no such command)") });
        Ok(Outgoing {
            said: self.recorded(target, &noted, &shown, opens, &line).await?,
            outbox,
            ..Outgoing::default()
        })
    }

    async fn text_of(&self, target: &SendTarget, command: Command) -> (String, Vec<NewOutboxItem>) {
        let slash = Slash {
            chat: &target.chat,
            lane: &target.lane,
            app: &self.app,
            engine: &self.engine,
            style: Style::PLAIN,
        };
        let text = match slash.answer(command).await {
            Ok(text) => text,
            Err(Failure::Usage(why) | Failure::Failed { sentence: why, .. }) => {
                format!("That did not work: {why}")
            }
            Err(Failure::Reported) => "That did not work.".to_owned(),
        };
        let outbox = target.text(&text);
        (text, outbox)
    }

    /// The line as it was written here, and what was seen of its result.
    pub(super) async fn recorded(
        &self,
        target: &SendTarget,
        noted: &Noted,
        seen: &str,
        opens: bool,
        line: &Line,
    ) -> Result<Vec<Append>, Error> {
        let [mut written, result] = recorded(&target.chat, &target.lane, noted, seen, opens);
        written.external_ids = vec![line.message.to_string()];
        written.at = Some(line.at);
        written.speaker.clone_from(&line.speaker);
        let written = self.engine.stored(written, Purpose::Record).await?;
        Ok(vec![written, self.engine.stored(result, Purpose::Record).await?])
    }

    async fn press(&self, press: &Press, button: &str) -> Result<(String, Outgoing), Error> {
        let found = self.engine.store.chat(&press.chat).button(button, self.engine.now()).await?;
        let Some(button) = found else { return Ok(("This has expired.".to_owned(), Outgoing::default())) };
        if button.person != press.person {
            return Ok(("This is not for you.".to_owned(), Outgoing::default()));
        }
        let Ok(action) = serde_json::from_str::<Action>(&button.action) else {
            return Ok(("This cannot be done any more.".to_owned(), Outgoing::default()));
        };
        let pressed = match action {
            Action::Save { memory } => self.save(press, &memory).await?,
            Action::Skip { memory } => self.skip(press, &memory).await?,
            other => self.forget(press, other).await?,
        };
        let target = SendTarget::of(&press.chat, &press.lane);
        let mut outbox = target.change(press.message, &pressed.text, pressed.keys);
        let short = pressed.text.lines().next().unwrap_or_default().to_owned();
        for message in pressed.also {
            outbox.extend(target.change(message, &short, Vec::new()));
        }
        let said = match pressed.noted {
            Some(text) => vec![self.engine.stored(noted(&target, text), Purpose::Record).await?],
            None => Vec::new(),
        };
        let mut used = pressed.bundles;
        used.push(button.bundle);
        Ok((short, Outgoing { said, outbox, buttons: pressed.buttons, used, ..Outgoing::default() }))
    }

    /// A button for somebody, for so long.
    pub(super) fn button(
        &self,
        chat: &ChatId,
        person: &str,
        bundle: Uuid,
        text: &str,
        action: &Action,
        holds: SignedDuration,
    ) -> (Key, Button) {
        // The end of an id is random, and short enough for Telegram.
        let id = format!("{:016x}", self.engine.ids.next().as_u128() as u64);
        let until = self.engine.now().saturating_add(holds).unwrap_or(Timestamp::MAX);
        let button = Button {
            id: id.clone(),
            bundle,
            chat: chat.clone(),
            person: person.to_owned(),
            action: serde_json::to_string(action).unwrap_or_default(),
            until,
        };
        (Key { text: text.to_owned(), id }, button)
    }

    /// Telegram shows that a button works until it is answered.
    pub(super) async fn answer_query(&self, query: &str, text: &str) {
        let text: String = text.chars().take(200).collect();
        let answer = json!({ "callback_query_id": query, "text": text });
        if let Err(trouble) = self.api.call("answerCallbackQuery", &answer).await {
            tracing::info!(%trouble, "a pressed button was not answered");
        }
    }

    /// Tells Telegram which commands there are.
    pub(super) async fn set_commands(&self) {
        if self.commands_set.load(Ordering::Relaxed) {
            return;
        }
        let start = json!({ "command": "start", "description": "what I am and what I can do" });
        let commands = COMMANDS.iter().map(|one| json!({ "command": one.name, "description": one.does }));
        let commands: Vec<_> = std::iter::once(start).chain(commands).collect();
        match self.api.call("setMyCommands", &json!({ "commands": commands })).await {
            Ok(_) => self.commands_set.store(true, Ordering::Relaxed),
            Err(trouble) => tracing::warn!(%trouble, "the commands could not be listed"),
        }
    }
}

/// A command as it was written.
pub(super) struct Line {
    pub line: String,
    pub from: i64,
    pub speaker: Option<String>,
    pub message: i64,
    pub at: Timestamp,
}

/// What is recorded as said by the assistant, teaching nothing.
pub(super) fn noted(target: &SendTarget, text: String) -> Inbound {
    Inbound {
        lane: Some(target.lane.clone()),
        role: Role::Assistant,
        text,
        metadata: [("source".to_owned(), json!("command"))].into_iter().collect(),
        ..Inbound::in_chat(target.chat.clone())
    }
}
