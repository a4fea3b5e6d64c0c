//! A lane: one ordered strand of a chat, with a stable key.

use std::fmt;

use throughline_text::printable::is_unprintable;

use crate::chat::ChatId;

/// Maximum length of a thread or message id in a lane's key, in bytes.
const MAX_PART_BYTES: usize = 200;

/// One strand of a chat. If several could apply, a topic takes precedence over a reply, and a reply over the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Lane {
    /// The chat itself.
    #[default]
    Root,
    /// A topic (a forum thread) of the chat.
    Topic(String),
    /// A strand that a reply to an unknown message opened.
    Reply(String),
}

/// Why a text is not a lane of the chat.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MalformedLane {
    /// The text has none of the three shapes.
    #[error("{0:?} is not a lane: write root, topic:N or reply:ID")]
    Shape(String),
    /// The text is the key of a lane of another chat.
    #[error("the lane {lane:?} does not belong to {chat}")]
    OtherChat {
        /// The given key.
        lane: String,
        /// The chat it was given for.
        chat: ChatId,
    },
}

impl Lane {
    /// Parses a lane as people write it (`root`, `topic:N`, `reply:ID`) or its whole key (`topic:<chat>:N`).
    ///
    /// # Errors
    /// If the text is neither, or the key of another chat's lane.
    pub fn parse(text: &str, chat: &ChatId) -> Result<Self, MalformedLane> {
        let shape = || MalformedLane::Shape(text.chars().take(80).collect());
        if text == "root" {
            return Ok(Self::Root);
        }
        let (kind, rest) = text.split_once(':').ok_or_else(shape)?;
        let own = rest.strip_prefix(chat.name());
        if kind == "root" {
            return match own {
                Some("") => Ok(Self::Root),
                _ => Err(MalformedLane::OtherChat { lane: text.to_owned(), chat: chat.clone() }),
            };
        }
        let part = own.and_then(|own| own.strip_prefix(':')).unwrap_or(rest);
        if part.contains(':') {
            return Err(MalformedLane::OtherChat { lane: text.to_owned(), chat: chat.clone() });
        }
        if part.is_empty()
            || part.len() > MAX_PART_BYTES
            || part.chars().any(|c| c.is_whitespace() || is_unprintable(c))
        {
            return Err(shape());
        }
        match kind {
            "topic" => Ok(Self::Topic(part.to_owned())),
            "reply" => Ok(Self::Reply(part.to_owned())),
            _ => Err(shape()),
        }
    }

    /// The lane's key: `root:<chat>`, `topic:<chat>:<thread>` or `reply:<chat>:<message>`.
    #[must_use]
    pub fn key(&self, chat: &ChatId) -> String {
        let name = chat.name();
        match self {
            Self::Root => format!("root:{name}"),
            Self::Topic(thread) => format!("topic:{name}:{thread}"),
            Self::Reply(message) => format!("reply:{name}:{message}"),
        }
    }

    /// The label of a recalled message from another lane, such as `topic 7`.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Root => "main lane".to_owned(),
            Self::Topic(thread) => format!("topic {thread}"),
            Self::Reply(message) => format!("replies to {message}"),
        }
    }

    /// The lane of a message: its topic, else the lane it replies to, else the root.
    ///
    /// `replied` is the lane of the message replied to, if known; only an unknown message opens a strand of its own.
    #[must_use]
    pub fn from_evidence(topic: Option<String>, reply: Option<(String, Option<Self>)>) -> Self {
        match (topic, reply) {
            (Some(thread), _) => Self::Topic(thread),
            (None, Some((_, Some(known)))) => known,
            (None, Some((target, None))) => Self::opened_by_reply(&target),
            (None, None) => Self::Root,
        }
    }

    /// The strand of a reply to an unknown message. Characters of the channel's id that are invalid in a key become
    /// underscores.
    fn opened_by_reply(target: &str) -> Self {
        let mut part: String = target
            .trim()
            .chars()
            .map(|c| if c == ':' || c.is_whitespace() || c.is_control() { '_' } else { c })
            .collect();
        part.truncate(part.floor_char_boundary(MAX_PART_BYTES));
        if part.is_empty() { Self::Root } else { Self::Reply(part) }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("root"),
            Self::Topic(thread) => write!(f, "topic:{thread}"),
            Self::Reply(message) => write!(f, "reply:{message}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chat() -> ChatId {
        "telegram:chat:-100".parse().unwrap()
    }

    #[test]
    fn a3_a_lane_key_is_stable_and_names_its_chat() {
        for (lane, key) in [
            (Lane::Root, "root:-100"),
            (Lane::Topic("7".into()), "topic:-100:7"),
            (Lane::Reply("42".into()), "reply:-100:42"),
        ] {
            assert_eq!(lane.key(&chat()), key);
            assert_eq!(Lane::parse(key, &chat()), Ok(lane.clone()));
            assert_eq!(Lane::parse(&lane.to_string(), &chat()), Ok(lane));
        }
    }

    #[test]
    fn a4_whatever_id_a_reply_names_its_lane_can_be_read_back() {
        let long = "é".repeat(300);
        for target in ["42", "$event:example.org", "a b\tc", "-100:7", "<id@host>", &long, "日本語"] {
            let lane = Lane::from_evidence(None, Some((target.to_owned(), None)));
            assert_eq!(Lane::parse(&lane.key(&chat()), &chat()), Ok(lane), "{target}");
        }
        assert_eq!(Lane::from_evidence(None, Some((" ".to_owned(), None))), Lane::Root);
    }

    #[test]
    fn a3_a_topic_wins_over_a_reply_and_a_reply_over_the_root() {
        let reply = || Some(("42".to_owned(), None));
        assert_eq!(Lane::from_evidence(Some("7".into()), reply()), Lane::Topic("7".into()));
        assert_eq!(Lane::from_evidence(None, reply()), Lane::Reply("42".into()));
        assert_eq!(Lane::from_evidence(None, Some(("42".into(), Some(Lane::Root)))), Lane::Root);
        assert_eq!(Lane::from_evidence(None, None), Lane::Root);
    }

    #[test]
    fn a_lane_of_another_chat_is_refused() {
        for text in ["root:-200", "topic:-200:7", "reply:other:1"] {
            assert!(matches!(Lane::parse(text, &chat()), Err(MalformedLane::OtherChat { .. })), "{text}");
        }
        for text in ["", "main", "topic:", "topic: ", "thread:7", "topic:a b"] {
            assert!(matches!(Lane::parse(text, &chat()), Err(MalformedLane::Shape(_))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a3_two_different_lanes_never_share_a_key(a in "[a-z0-9-]{1,8}", b in "[a-z0-9-]{1,8}") {
            let keys = [Lane::Root, Lane::Topic(a.clone()), Lane::Reply(a.clone()), Lane::Topic(b.clone()), Lane::Reply(b.clone())]
                .map(|lane| lane.key(&chat()));
            let distinct: std::collections::HashSet<_> = keys.iter().collect();
            prop_assert_eq!(distinct.len(), if a == b { 3 } else { 5 });
        }
    }
}
