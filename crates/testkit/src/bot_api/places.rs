//! The people and chats of a test: groups, forums, blocks and moves.

use serde_json::{Map, Value, json};

use super::BotApi;
use super::fields::{id_of, is_true, set};
use super::world::{Kind, SentTo, World, seconds};

impl BotApi {
    /// Adds a person; their private chat has the same id.
    pub fn person(&self, id: i64, first_name: &str) {
        self.shared.change(|world| world.add_person(id, first_name));
    }

    /// Adds a small group, in which all messages of the bot share one sequence of ids.
    pub fn group(&self, id: i64, title: &str) {
        self.shared.change(|world| world.add_chat(id, Kind::Group, title));
    }

    /// Adds a supergroup, which numbers its own messages.
    pub fn supergroup(&self, id: i64, title: &str) {
        self.shared.change(|world| world.add_chat(id, Kind::Supergroup, title));
    }

    /// Adds a supergroup with topics.
    pub fn forum(&self, id: i64, title: &str) {
        self.shared.change(|world| world.add_chat(id, Kind::Forum, title));
    }

    /// Opens a topic and returns its thread id.
    ///
    /// # Panics
    /// In a chat without topics; a private chat has them if `getMe` says `has_topics_enabled`.
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

    /// Deletes a topic with its messages. The bot is not notified.
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

    /// A person blocks the bot.
    pub fn block(&self, person: i64) {
        self.set_blocked(person, true);
    }

    /// A person unblocks the bot.
    pub fn unblock(&self, person: i64) {
        self.set_blocked(person, false);
    }

    /// Turns a group into a supergroup with another id, and notifies the bot in both.
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

/// A service message of Telegram in a chat.
fn service(world: &mut World, chat: i64, from: Value, name: &str, value: Value) -> Value {
    world.post(chat, from, SentTo::default(), Map::from_iter([(name.to_owned(), value)]))
}

/// The account that represents a group's anonymous administrators.
fn administrator() -> Value {
    json!({ "id": 1_087_968_824, "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot" })
}
