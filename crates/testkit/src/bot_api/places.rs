//! The people and chats of a test: who exists, what is a forum, who blocked the bot, which group moved.

use serde_json::{Map, Value, json};

use super::BotApi;
use super::fields::{id_of, is_true, set};
use super::world::{Kind, SentTo, World, seconds};

impl BotApi {
    /// Makes a person known; their private chat has the same number.
    pub fn person(&self, id: i64, first_name: &str) {
        self.shared.change(|world| world.add_person(id, first_name));
    }

    /// Makes a small group, in which all messages of the bot share one sequence of ids.
    pub fn group(&self, id: i64, title: &str) {
        self.shared.change(|world| world.add_chat(id, Kind::Group, title));
    }

    /// Makes a supergroup, which numbers its own messages.
    pub fn supergroup(&self, id: i64, title: &str) {
        self.shared.change(|world| world.add_chat(id, Kind::Supergroup, title));
    }

    /// Makes a supergroup with topics.
    pub fn forum(&self, id: i64, title: &str) {
        self.shared.change(|world| world.add_chat(id, Kind::Forum, title));
    }

    /// Opens a topic and gives its thread id.
    ///
    /// # Panics
    /// In a chat without topics; a private one has them when `getMe` says `has_topics_enabled`.
    pub fn topic(&self, chat: i64, name: &str) -> i64 {
        self.shared.change(|world| {
            let private_topics = is_true(&world.me, "has_topics_enabled");
            let from = match world.chat(chat).kind {
                Kind::Forum => administrator(),
                Kind::Private if private_topics => world.person(chat),
                kind => panic!("a {kind:?} chat has no topics"),
            };
            let created = json!({ "name": name, "icon_color": 7_322_096 });
            let mut message = service(world, chat, from, "forum_topic_created", created);
            let thread = id_of(&message);
            set(&mut message, "message_thread_id", thread);
            set(&mut message, "is_topic_message", true);
            let chat = world.chat(chat);
            if let Some(posted) = chat.messages.get_mut(&thread) {
                posted.message = message.clone();
            }
            chat.topics.insert(thread, message.clone());
            world.updates.add("message", message);
            thread
        })
    }

    /// Deletes a topic and what was written in it. The bot is not told.
    pub fn delete_topic(&self, chat: i64, thread: i64) {
        self.shared.change(|world| {
            let chat = world.chat(chat);
            chat.topics.remove(&thread);
            let inside: Vec<_> =
                chat.messages.keys().copied().filter(|id| chat.topic_of(*id) == Some(thread)).collect();
            for id in inside {
                chat.messages.remove(&id);
            }
        });
    }

    /// Has a person block the bot.
    pub fn block(&self, person: i64) {
        self.set_blocked(person, true);
    }

    /// Has a person unblock the bot.
    pub fn unblock(&self, person: i64) {
        self.set_blocked(person, false);
    }

    /// Turns a group into a supergroup with another number, and tells the bot in both.
    pub fn migrate(&self, old: i64, new: i64) {
        self.shared.change(|world| {
            let title = world.chat(old).title.clone();
            world.add_chat(new, Kind::Supergroup, &title);
            let left = service(world, old, administrator(), "migrate_to_chat_id", new.into());
            let entered = service(world, new, administrator(), "migrate_from_chat_id", old.into());
            world.chat(old).moved_to = Some(new);
            world.updates.add("message", left);
            world.updates.add("message", entered);
        });
    }

    fn set_blocked(&self, person: i64, is_blocked: bool) {
        self.shared.change(|world| {
            let from = world.person(person);
            let bot = world.bot();
            let chat = world.chat(person);
            chat.is_blocked = is_blocked;
            let status = |blocked: bool| {
                let status = if blocked { "kicked" } else { "member" };
                json!({ "user": bot, "status": status })
            };
            let update = json!({
                "chat": chat.shown(), "from": from, "date": seconds(),
                "old_chat_member": status(!is_blocked), "new_chat_member": status(is_blocked),
            });
            world.updates.add("my_chat_member", update);
        });
    }
}

/// A message that Telegram writes about a chat.
fn service(world: &mut World, chat: i64, from: Value, name: &str, value: Value) -> Value {
    world.post(chat, from, SentTo::default(), Map::from_iter([(name.to_owned(), value)]))
}

/// The account that stands for a group's administrators.
fn administrator() -> Value {
    json!({ "id": 1_087_968_824, "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot" })
}
