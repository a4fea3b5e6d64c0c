//! The people, chats, topics and messages on the server.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use throughline_engine::ports::{Clock, SystemClock};

use super::calls::{Call, ChatAction, Document, Draft};
use super::faults::Plans;
use super::fields::{id_of, is_true, number, set, text_of};
use super::limits::Limits;
use super::refusal::Refusal;
use super::updates::Updates;

/// The numeric part of the token.
pub(super) const BOT_ID: i64 = 7_000_001;

/// The state of the server.
pub(super) struct World {
    /// Incremented with every change.
    pub version: u64,
    pub token: String,
    pub me: Value,
    pub people: BTreeMap<i64, Value>,
    pub chats: BTreeMap<i64, Chat>,
    pub updates: Updates,
    pub plans: Plans,
    /// The send limits, if enabled.
    pub limits: Option<Limits>,
    pub calls: Vec<Call>,
    /// Presses that wait for an answer.
    pub presses: BTreeSet<String>,
    /// The bytes of files that people sent, by file id.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The commands shown in a scope and language.
    pub commands: BTreeMap<String, Value>,
    next_message: i64,
    next_press: u64,
}

/// The kind of a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Private,
    Group,
    Supergroup,
    Forum,
}

/// A chat of people and the bot.
#[derive(Debug)]
pub(super) struct Chat {
    pub id: i64,
    pub kind: Kind,
    pub title: String,
    /// The service message that opened each topic, by thread id.
    pub topics: BTreeMap<i64, Value>,
    pub messages: BTreeMap<i64, Posted>,
    pub is_blocked: bool,
    pub moved_to: Option<i64>,
    pub drafts: Vec<Draft>,
    /// True if the newest draft is on the screen.
    pub is_drafting: bool,
    pub actions: Vec<ChatAction>,
    pub documents: Vec<Document>,
    newest: i64,
}

/// A message in its current state.
#[derive(Debug, Clone)]
pub(super) struct Posted {
    pub message: Value,
    /// Every text it has had, newest last.
    pub versions: Vec<String>,
}

/// The place of a message in a chat.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SentTo {
    pub topic: Option<i64>,
    pub reply_to: Option<i64>,
}

impl World {
    pub fn new() -> Self {
        let me = json!({
            "id": BOT_ID, "is_bot": true, "first_name": "Throughline", "username": "throughline_test_bot",
            "can_join_groups": true, "can_read_all_group_messages": true, "supports_inline_queries": false,
            "can_connect_to_business": false, "has_main_web_app": false, "has_topics_enabled": false,
        });
        Self {
            version: 0,
            token: format!("{BOT_ID}:TEST-abcdefghijklmnopqrstuvwxyz0123"),
            me,
            people: BTreeMap::new(),
            chats: BTreeMap::new(),
            updates: Updates::default(),
            plans: Plans::default(),
            limits: None,
            calls: Vec::new(),
            presses: BTreeSet::new(),
            files: BTreeMap::new(),
            commands: BTreeMap::new(),
            next_message: 1,
            next_press: 4_382_000_000_000_001,
        }
    }

    /// The bot as the sender of a message.
    pub fn bot(&self) -> Value {
        let field = |name: &str| self.me.get(name).cloned().unwrap_or_default();
        json!({
            "id": field("id"), "is_bot": true, "first_name": field("first_name"), "username": field("username"),
        })
    }

    /// Adds a person with a private chat.
    pub fn add_person(&mut self, id: i64, first_name: &str) {
        let person = json!({ "id": id, "is_bot": false, "first_name": first_name, "language_code": "en" });
        self.people.insert(id, person);
        self.add_chat(id, Kind::Private, first_name);
    }

    /// A person as the sender of a message; an unknown person is named by their id.
    pub fn person(&mut self, id: i64) -> Value {
        if !self.people.contains_key(&id) {
            self.add_person(id, &format!("Person {id}"));
        }
        self.people.get(&id).cloned().unwrap_or_default()
    }

    pub fn add_chat(&mut self, id: i64, kind: Kind, title: &str) {
        self.chats.entry(id).or_insert_with(|| Chat::new(id, kind, title));
    }

    /// A chat of the test, which must exist.
    pub fn chat(&mut self, id: i64) -> &mut Chat {
        self.chats.get_mut(&id).unwrap_or_else(|| panic!("there is no chat {id}"))
    }

    /// The chat of a call, if the bot may write there.
    pub fn reachable(&mut self, id: Option<i64>) -> Result<&mut Chat, Refusal> {
        let id = id.ok_or_else(|| Refusal::bad("chat_id is empty"))?;
        let chat = self.chats.get_mut(&id).ok_or_else(|| Refusal::bad("chat not found"))?;
        match chat.moved_to {
            Some(new) => Err(Refusal::moved(new)),
            None if chat.is_blocked => Err(Refusal::new(403, "Forbidden: bot was blocked by the user")),
            None => Ok(chat),
        }
    }

    /// Adds a message to a chat and returns it in the API's form.
    pub fn post(&mut self, chat: i64, from: Value, place: SentTo, content: Map<String, Value>) -> Value {
        let next = &mut self.next_message;
        let chat = self.chats.get_mut(&chat).unwrap_or_else(|| panic!("there is no chat {chat}"));
        let id = match chat.kind {
            // These number their own messages; elsewhere all messages of the bot share one sequence.
            Kind::Supergroup | Kind::Forum => chat.newest + 1,
            Kind::Private | Kind::Group => std::mem::replace(next, *next + 1),
        };
        chat.newest = id;
        let mut message = json!({ "message_id": id, "from": from, "chat": chat.shown(), "date": seconds() });
        chat.locate(&mut message, place);
        if let Some(fields) = message.as_object_mut() {
            fields.extend(content);
        }
        let versions = vec![text_of(&message)];
        chat.messages.insert(id, Posted { message: message.clone(), versions });
        message
    }

    /// The id of a new press that waits for an answer.
    pub fn new_press(&mut self) -> String {
        let id = self.next_press.to_string();
        self.next_press += 1;
        self.presses.insert(id.clone());
        id
    }
}

impl Posted {
    /// Replaces a message by its edited version.
    pub fn replace(&mut self, message: Value) {
        let text = text_of(&message);
        if self.versions.last() != Some(&text) {
            self.versions.push(text);
        }
        self.message = message;
    }
}

impl Chat {
    fn new(id: i64, kind: Kind, title: &str) -> Self {
        Self {
            id,
            kind,
            title: title.to_owned(),
            topics: BTreeMap::new(),
            messages: BTreeMap::new(),
            is_blocked: false,
            moved_to: None,
            drafts: Vec::new(),
            is_drafting: false,
            actions: Vec::new(),
            documents: Vec::new(),
            // The first message reports the chat's creation.
            newest: 1,
        }
    }

    /// The chat as messages contain it.
    pub fn shown(&self) -> Value {
        let Self { id, title, .. } = self;
        match self.kind {
            Kind::Private => json!({ "id": id, "first_name": title, "type": "private" }),
            Kind::Group => {
                json!({ "id": id, "title": title, "type": "group", "all_members_are_administrators": false })
            }
            Kind::Supergroup => json!({ "id": id, "title": title, "type": "supergroup" }),
            Kind::Forum => json!({ "id": id, "title": title, "type": "supergroup", "is_forum": true }),
        }
    }

    /// The topic of a message, if any.
    pub fn topic_of(&self, message: i64) -> Option<i64> {
        let message = &self.messages.get(&message)?.message;
        number(message, "message_thread_id").filter(|_| is_true(message, "is_topic_message"))
    }

    /// Sets the thread and the replied message of a message.
    fn locate(&self, message: &mut Value, place: SentTo) {
        let replied = place.reply_to.and_then(|id| self.messages.get(&id)).map(|posted| &posted.message);
        let topic = place.topic.or_else(|| self.topic_of(place.reply_to?));
        if let Some(topic) = topic {
            set(message, "message_thread_id", topic);
            set(message, "is_topic_message", true);
        } else if let (Kind::Supergroup | Kind::Forum, Some(replied)) = (self.kind, replied) {
            // Outside of topics, a thread is a chain of replies, identified by its first message.
            let first = number(replied, "message_thread_id").unwrap_or_else(|| id_of(replied));
            set(message, "message_thread_id", first);
        }
        // In a topic, a message without a reply replies to the topic's beginning.
        if let Some(replied) = replied.or_else(|| self.topics.get(&topic?)) {
            let mut replied = replied.clone();
            if let Some(fields) = replied.as_object_mut() {
                fields.remove("reply_to_message");
            }
            set(message, "reply_to_message", replied);
        }
    }
}

/// The current time in the API's form.
pub(super) fn seconds() -> i64 {
    SystemClock.now().as_second()
}
