//! Messages that cannot be read or recorded. The sender is notified if the bot serves them.

use serde_json::Value;
use throughline_domain::lane::Lane;

use super::lane::Evidence;
use super::update::chat_id;
use super::wire::{Message, User};
use crate::channels::{Draft, compose};
use throughline_store::outbox::NewOutboxItem;

/// The notice to a person whose message cannot be read.
const NOT_READ: &str =
    "I could not read your last message. Please send it in another way, for example as text.";

/// Prefixes of the fields that mark service messages, which report an event in a chat.
const EVENTS: [&str; 34] = [
    "boost_added",
    "channel_chat_created",
    "chat_background_set",
    "chat_owner_",
    "chat_shared",
    "checklist_tasks_",
    "connected_website",
    "delete_chat_photo",
    "direct_message_price_changed",
    "forum_topic_",
    "general_forum_topic_",
    "gift",
    "giveaway_completed",
    "giveaway_created",
    "group_chat_created",
    "left_chat_member",
    "message_auto_delete_timer_changed",
    "migrate_",
    "new_chat_",
    "paid_message_price_changed",
    "passport_data",
    "pinned_message",
    "proximity_alert_triggered",
    "refunded_payment",
    "successful_payment",
    "suggested_post_",
    "supergroup_chat_created",
    "unique_gift",
    "user_shared",
    "users_shared",
    "video_chat_",
    "voice_chat_",
    "web_app_data",
    "write_access_allowed",
];

/// The kind of an update, such as `message`, for the log. Only Telegram's own names are returned.
pub fn kind(update: &Value) -> &str {
    let is_name =
        |name: &str| name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let names = update.as_object().into_iter().flat_map(|fields| fields.keys());
    let mut names = names.map(String::as_str).filter(|name| *name != "update_id" && is_name(name));
    names.next().unwrap_or("unknown")
}

/// Returns true if a message only reports an event in the chat.
pub fn is_event(update: &Value) -> bool {
    let fields = update.get("message").and_then(Value::as_object);
    fields.is_some_and(|fields| fields.keys().any(|name| EVENTS.iter().any(|event| name.starts_with(event))))
}

/// The readable rest of a message: its sender and chat only.
pub fn remnant(update: &Value) -> Option<Message> {
    let message = update.get("message")?;
    let id = |path: &str| message.pointer(path).and_then(Value::as_i64);
    let is = |path: &str| message.pointer(path).and_then(Value::as_bool) == Some(true);
    let mut read = Message {
        from: Some(User { id: id("/from/id")?, is_bot: is("/from/is_bot"), ..User::default() }),
        message_thread_id: id("/message_thread_id"),
        is_topic_message: is("/is_topic_message"),
        ..Message::default()
    };
    read.chat.id = id("/chat/id")?;
    read.chat.kind = message.pointer("/chat/type").and_then(Value::as_str).unwrap_or_default().to_owned();
    read.sender_chat = message.get("sender_chat").map(|_| Default::default());
    Some(read)
}

/// The notice to the sender of a message.
pub fn notice(message: &Message) -> Vec<NewOutboxItem> {
    let lane = Evidence::of(message).lane().unwrap_or(Lane::Root);
    chat_id(message.chat.id)
        .map(|chat| compose(&chat, &lane, Draft::Text(NOT_READ, Vec::new())))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_told_from_messages_of_a_new_kind() {
        let is = |content: &str| is_event(&json!({ "message": { "message_id": 1, content: {} } }));
        assert!(
            ["pinned_message", "new_chat_members", "forum_topic_closed", "users_shared"].into_iter().all(is)
        );
        assert!(!["paid_media", "checklist", "hologram", "giveaway"].into_iter().any(is));
        assert_eq!(kind(&json!({ "update_id": 7, "poll_answer": {} })), "poll_answer");
        assert_eq!(kind(&json!({ "update_id": 7, "Velvet Giraffe": {} })), "unknown");
    }
}
