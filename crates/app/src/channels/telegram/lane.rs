//! Determines the lane of a message. The thread id alone misleads: replies in plain groups have one too, and messages
//! of a topic look like replies to its first message.

use throughline_domain::lane::Lane;

use super::wire::Message;

/// The thread id of General, a forum's first topic, which is the chat's root lane.
pub const GENERAL: i64 = 1;

/// The evidence for a message's lane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The topic of the message.
    pub topic: Option<i64>,
    /// The message that the person replied to.
    pub reply: Option<i64>,
}

impl Evidence {
    /// Reads the evidence of a message.
    pub fn of(message: &Message) -> Self {
        let thread = message.message_thread_id.filter(|_| message.is_topic_message);
        let reply = message.reply_to_message.as_deref().filter(|replied| {
            let automatic = replied.forum_topic_created.is_some()
                || (message.is_topic_message && Some(replied.message_id) == thread);
            !automatic
        });
        Self {
            topic: thread.filter(|thread| *thread != GENERAL),
            reply: reply.map(|replied| replied.message_id),
        }
    }

    /// The lane of the topic; `None` if there is no topic and the answered message decides.
    pub fn lane(&self) -> Option<Lane> {
        self.topic.map(|thread| Lane::Topic(thread.to_string()))
    }
}

/// The thread id for sending into a lane; General and replies are sent without one.
pub fn thread_to_send(lane: &Lane) -> Option<i64> {
    match lane {
        Lane::Topic(thread) => thread.parse().ok().filter(|thread| *thread != GENERAL),
        Lane::Root | Lane::Reply(_) => None,
    }
}

/// The thread id for a typing indicator in a lane; in a forum, General has one.
pub fn thread_to_type(lane: &Lane, is_forum: bool) -> Option<i64> {
    thread_to_send(lane).or(is_forum.then_some(GENERAL))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn evidence(message: Value) -> Evidence {
        Evidence::of(&serde_json::from_value(message).unwrap())
    }

    #[test]
    fn a4_a_lane_comes_from_evidence_and_not_from_a_bare_thread_id() {
        let topic = |thread: i64| json!({ "message_id": thread, "forum_topic_created": { "name": "Trips" } });
        let cases = [
            ("a private message", json!({ "message_id": 5 }), None, None),
            (
                "a reply in a private chat",
                json!({ "message_id": 6, "reply_to_message": { "message_id": 5 } }),
                None,
                Some(5),
            ),
            ("a plain group's message", json!({ "message_id": 7 }), None, None),
            (
                "a reply in a plain supergroup carries a thread id",
                json!({ "message_id": 8, "message_thread_id": 5, "reply_to_message": { "message_id": 5 } }),
                None,
                Some(5),
            ),
            ("a message in General", json!({ "message_id": 9 }), None, None),
            (
                "a reply in General carries a thread id",
                json!({ "message_id": 10, "message_thread_id": 9, "reply_to_message": { "message_id": 9 } }),
                None,
                Some(9),
            ),
            (
                "General, named as a topic",
                json!({ "message_id": 11, "message_thread_id": 1, "is_topic_message": true }),
                None,
                None,
            ),
            (
                "a message in a topic looks like a reply to its beginning",
                json!({ "message_id": 12, "message_thread_id": 4, "is_topic_message": true, "reply_to_message": topic(4) }),
                Some(4),
                None,
            ),
            (
                "the same where the beginning came without its kind",
                json!({ "message_id": 13, "message_thread_id": 4, "is_topic_message": true, "reply_to_message": { "message_id": 4 } }),
                Some(4),
                None,
            ),
            (
                "a reply in a topic",
                json!({ "message_id": 14, "message_thread_id": 4, "is_topic_message": true, "reply_to_message": { "message_id": 12 } }),
                Some(4),
                Some(12),
            ),
            (
                "a topic in a private chat",
                json!({ "message_id": 15, "message_thread_id": 77, "is_topic_message": true }),
                Some(77),
                None,
            ),
        ];
        for (what, message, topic, reply) in cases {
            assert_eq!(evidence(message), Evidence { topic, reply }, "{what}");
        }
    }

    #[test]
    fn a4_general_is_sent_without_a_thread_and_typed_with_it() {
        let trips = Lane::Topic("4".to_owned());
        let cases = [
            (&trips, true, Some(4), Some(4)),
            (&Lane::Root, true, None, Some(1)),
            (&Lane::Root, false, None, None),
            (&Lane::Reply("9".to_owned()), false, None, None),
        ];
        for (lane, is_forum, sent, typed) in cases {
            assert_eq!((thread_to_send(lane), thread_to_type(lane, is_forum)), (sent, typed), "{lane}");
        }
    }
}
