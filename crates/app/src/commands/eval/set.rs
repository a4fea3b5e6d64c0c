//! A checked recall set: every id that a question names exists exactly once, and every date is a point in time.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use throughline_domain::chat::ChatId;
use throughline_domain::message::Role;
use throughline_domain::time::read_moment;

use super::recall::{self, RecallSet};

/// Chats, and questions about them.
#[derive(Debug)]
pub struct Set {
    pub chats: Vec<Chat>,
    pub questions: Vec<Question>,
}

#[derive(Debug)]
pub struct Chat {
    /// The id in the set, which need not be a valid chat id.
    pub name: String,
    pub id: ChatId,
    pub messages: Vec<Message>,
}

#[derive(Debug)]
pub struct Message {
    pub name: String,
    pub at: Timestamp,
    pub role: Role,
    pub speaker: Option<String>,
    pub text: String,
    /// The number of its conversation, for scoring.
    pub conversation: usize,
}

#[derive(Debug)]
pub struct Question {
    /// The index of the question's chat.
    pub chat: usize,
    pub text: String,
    pub category: String,
    /// The indexes of the answering messages in their chat.
    pub gold: HashSet<usize>,
    /// The time of the question; `None` in an empty chat.
    pub now: Option<Timestamp>,
}

/// The indexes of a chat's messages by id.
type Places = HashMap<String, usize>;

impl Set {
    /// Checks a set. Dates without a time zone are in `zone`.
    pub fn check(written: RecallSet, zone: &TimeZone) -> Result<Self, String> {
        let mut set = Self { chats: Vec::new(), questions: Vec::new() };
        let mut chats: HashMap<String, (usize, Places)> = HashMap::new();
        for chat in written.chats {
            let number = set.chats.len();
            let (chat, places) = Chat::check(chat, number, zone)?;
            if chats.insert(chat.name.clone(), (number, places)).is_some() {
                return Err(format!("two chats have the id {:?}", chat.name));
            }
            set.chats.push(chat);
        }
        let mut asked = HashSet::new();
        for question in written.questions {
            if !asked.insert(question.id.clone()) {
                return Err(format!("two questions have the id {:?}", question.id));
            }
            let id = question.id.clone();
            let checked = set.question(question, &chats, zone);
            set.questions.push(checked.map_err(|why| format!("question {id:?}: {why}"))?);
        }
        Ok(set)
    }

    fn question(
        &self,
        written: recall::Question,
        chats: &HashMap<String, (usize, Places)>,
        zone: &TimeZone,
    ) -> Result<Question, String> {
        let no_chat = || format!("the set has no chat {:?}", written.chat);
        let (number, places) = chats.get(&written.chat).ok_or_else(no_chat)?;
        let place = |id: &String| {
            let place = places.get(id).copied();
            place.ok_or_else(|| format!("its gold {id:?} is no message of chat {:?}", written.chat))
        };
        let gold = written.gold.iter().map(place).collect::<Result<_, _>>()?;
        let date = written.question_date.map(|date| read_moment(&date, zone)).transpose();
        let date = date.map_err(|error| error.to_string())?;
        let last = self.chats.get(*number).and_then(Chat::last_moment);
        Ok(Question {
            chat: *number,
            text: written.question,
            category: written.category,
            gold,
            now: date.or(last),
        })
    }
}

impl Chat {
    fn check(written: recall::Chat, number: usize, zone: &TimeZone) -> Result<(Self, Places), String> {
        let name = written.id;
        // Chats are numbered because different names could otherwise map to the same chat id.
        let id = format!("eval:chat:{number}").parse().map_err(|error| format!("chat {name:?}: {error}"))?;
        let (mut places, mut conversations) = (Places::new(), HashMap::new());
        let mut messages = Vec::with_capacity(written.messages.len());
        for (place, message) in written.messages.into_iter().enumerate() {
            let at = read_moment(&message.at, zone)
                .map_err(|error| format!("chat {name:?}, message {:?}: {error}", message.id))?;
            if places.insert(message.id.clone(), place).is_some() {
                return Err(format!("chat {name:?}: two messages have the id {:?}", message.id));
            }
            let next = conversations.len();
            messages.push(Message {
                name: message.id,
                at,
                role: message.role,
                speaker: message.speaker,
                text: message.text,
                conversation: *conversations.entry(message.conversation).or_insert(next),
            });
        }
        Ok((Self { name, id, messages }, places))
    }

    /// The time of the newest message.
    pub fn last_moment(&self) -> Option<Timestamp> {
        self.messages.iter().map(|message| message.at).max()
    }
}

/// Parses JSON; the error distinguishes invalid JSON from JSON of another shape.
pub fn parse<T: DeserializeOwned>(json: &[u8]) -> Result<T, String> {
    serde_json::from_slice(json).map_err(|error| match error.classify() {
        Category::Data => format!("it has another shape than its dataset: {error}"),
        Category::Syntax | Category::Eof | Category::Io => format!("it is not JSON: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(messages: &[(&str, &str, &str)], question_date: Option<&str>) -> RecallSet {
        let message = |(id, at, conversation): &(&str, &str, &str)| recall::Message {
            id: (*id).to_owned(),
            at: (*at).to_owned(),
            role: Role::User,
            speaker: None,
            text: "words".to_owned(),
            conversation: (*conversation).to_owned(),
        };
        let question = recall::Question {
            id: "q".to_owned(),
            chat: "any name will do".to_owned(),
            question: "What?".to_owned(),
            category: "one".to_owned(),
            gold: vec!["b".to_owned(), "b".to_owned()],
            question_date: question_date.map(str::to_owned),
        };
        let messages = messages.iter().map(message).collect();
        let chat = recall::Chat { id: "any name will do".to_owned(), messages };
        RecallSet { chats: vec![chat], questions: vec![question] }
    }

    const MESSAGES: [(&str, &str, &str); 3] = [
        ("a", "2024-01-02T10:00:00Z", "x"),
        ("b", "2024-01-03T10:00:00Z", "y"),
        ("c", "2024-01-01T10:00:00Z", "x"),
    ];

    #[test]
    fn a_question_is_asked_at_its_date_or_after_the_last_message() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        for (date, now) in [
            (None, "2024-01-03T10:00:00Z"),
            (Some("2024-02-01T09:00:00Z"), "2024-02-01T09:00:00Z"),
            (Some("2024-02-01T09:00"), "2024-02-01T08:00:00Z"),
            (Some("2023-02-01T09:00:00Z"), "2023-02-01T09:00:00Z"),
        ] {
            let set = Set::check(set(&MESSAGES, date), &zone).unwrap();
            assert_eq!(set.questions[0].now, Some(now.parse().unwrap()), "{date:?}");
        }
    }

    #[test]
    fn ids_become_places() {
        let set = Set::check(set(&MESSAGES, None), &TimeZone::UTC).unwrap();
        assert_eq!(set.questions[0].gold, HashSet::from([1]));
        let conversations: Vec<usize> =
            set.chats[0].messages.iter().map(|message| message.conversation).collect();
        assert_eq!(conversations, [0, 1, 0]);
    }

    #[test]
    fn what_does_not_fit_together_is_refused_with_its_place() {
        let twice = [MESSAGES[1], MESSAGES[1]];
        let undated = [("b", "yesterday", "x")];
        for (set, why) in [
            (set(&twice, None), "chat \"any name will do\": two messages have the id \"b\""),
            (set(&undated, None), "chat \"any name will do\", message \"b\": "),
            (set(&[], None), "question \"q\": its gold \"b\" is no message of chat"),
            (set(&MESSAGES, Some("soon")), "question \"q\": "),
        ] {
            let error = Set::check(set, &TimeZone::UTC).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
