//! What is written down of each piece before it is sent, and how it is put to Telegram.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_store::outbox::NewOutboxItem;
use throughline_text::redact::redact;

use super::format::{self, Piece};
use super::lane::thread_to_send;
use super::update::number;

/// One message to be sent, or one that was sent to be changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TelegramSend {
    /// The text as HTML.
    pub html: String,
    /// The text without marks, for when the HTML is refused, or where there is none.
    pub plain: String,
    /// The topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<i64>,
    /// The message it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<i64>,
    /// The message it takes the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<i64>,
    /// Rows of buttons under it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Vec<Key>>,
    /// Whether it is a file with everything that was said in the chat.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub export: bool,
}

/// A button.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// What it says.
    pub text: String,
    /// What Telegram sends back when it is pressed.
    pub id: String,
}

/// Where letters go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendTarget {
    /// The chat.
    pub chat: ChatId,
    /// The lane.
    pub lane: Lane,
    /// The message that is answered.
    pub answers: Option<i64>,
}

impl SendTarget {
    /// A lane of a chat.
    pub fn of(chat: &ChatId, lane: &Lane) -> Self {
        Self { chat: chat.clone(), lane: lane.clone(), answers: None }
    }

    // What is to be sent lies on disk until then: every text is redacted here.

    /// A reply, which is Markdown.
    pub fn reply(&self, markdown: &str, edits: Option<i64>) -> Vec<NewOutboxItem> {
        self.outbox_items(format::pieces(&redact(markdown)), edits, Vec::new())
    }

    /// A text as it is.
    pub fn text(&self, text: &str) -> Vec<NewOutboxItem> {
        self.question(text, Vec::new())
    }

    /// A text as it is, with buttons under its end.
    pub fn question(&self, text: &str, keys: Vec<Vec<Key>>) -> Vec<NewOutboxItem> {
        self.outbox_items(format::plain_pieces(&redact(text)), None, keys)
    }

    /// Another text, and other buttons, in the place of a message that was sent.
    pub fn change(&self, message: i64, text: &str, keys: Vec<Vec<Key>>) -> Vec<NewOutboxItem> {
        self.outbox_items(format::plain_pieces(&redact(text)), Some(message), keys)
    }

    /// Everything that was said in the chat, as a file.
    pub fn export(&self) -> Vec<NewOutboxItem> {
        let send =
            TelegramSend { export: true, thread: thread_to_send(&self.lane), ..TelegramSend::default() };
        vec![send.post(&self.chat)]
    }

    fn outbox_items(
        &self,
        pieces: Vec<Piece>,
        edits: Option<i64>,
        mut keys: Vec<Vec<Key>>,
    ) -> Vec<NewOutboxItem> {
        let last = pieces.len().saturating_sub(1);
        let send = |(index, Piece { html, plain }): (usize, Piece)| TelegramSend {
            html,
            plain,
            thread: thread_to_send(&self.lane),
            // The first piece answers; the others follow it.
            answers: self.answers.filter(|_| index == 0),
            edits: edits.filter(|_| index == 0),
            keys: if index == last { std::mem::take(&mut keys) } else { Vec::new() },
            export: false,
        };
        pieces.into_iter().enumerate().map(send).map(|send| send.post(&self.chat)).collect()
    }
}

impl TelegramSend {
    /// Reads what was written down.
    pub fn read(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }

    /// As it is written down.
    pub fn body(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    fn post(&self, chat: &ChatId) -> NewOutboxItem {
        NewOutboxItem { chat: chat.clone(), body: self.body(), is_repeatable: self.edits.is_some() }
    }

    /// The method and its parameters.
    pub fn request(&self, chat: &ChatId) -> (&'static str, Value) {
        let mut fields = Map::new();
        fields.insert("chat_id".to_owned(), json!(number(chat)));
        if !self.export {
            let (text, mode) =
                if self.html.is_empty() { (&self.plain, None) } else { (&self.html, Some("HTML")) };
            fields.insert("text".to_owned(), json!(text));
            fields.extend(mode.map(|mode| ("parse_mode".to_owned(), json!(mode))));
            fields.insert("link_preview_options".to_owned(), json!({ "is_disabled": true }));
        }
        if !self.keys.is_empty() {
            let key = |key: &Key| json!({ "text": key.text, "callback_data": key.id });
            let rows: Vec<Vec<Value>> = self.keys.iter().map(|row| row.iter().map(key).collect()).collect();
            fields.insert("reply_markup".to_owned(), json!({ "inline_keyboard": rows }));
        }
        if let Some(message) = self.edits {
            fields.insert("message_id".to_owned(), json!(message));
            return ("editMessageText", Value::Object(fields));
        }
        fields.extend(self.thread.map(|thread| ("message_thread_id".to_owned(), json!(thread))));
        if let Some(message) = self.answers {
            let answered = json!({ "message_id": message, "allow_sending_without_reply": true });
            fields.insert("reply_parameters".to_owned(), answered);
        }
        (if self.export { "sendDocument" } else { "sendMessage" }, Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_a_secret_in_a_reply_is_gone_before_it_waits_on_disk() {
        let chat: ChatId = "telegram:chat:5".parse().unwrap();
        let (target, key) = (
            SendTarget::of(&chat, &Lane::Root),
            concat!("sk-ant-api03-", "Zx81kQpLr93mVtYw72NbCd45FgHj60Ks"),
        );
        let text = format!("Your key is {key}.");
        for outbox in [target.reply(&text, None), target.text(&text), target.change(1, &text, Vec::new())] {
            assert!(outbox.iter().all(|post| !post.body.contains(key) && post.body.contains("Your key is")));
        }
    }

    #[test]
    fn a_long_reply_answers_with_its_first_piece_and_asks_with_its_last() {
        let chat: ChatId = "telegram:chat:-5".parse().unwrap();
        let target = SendTarget { answers: Some(9), ..SendTarget::of(&chat, &Lane::Topic("4".to_owned())) };
        let key = Key { text: "Yes".to_owned(), id: "b1".to_owned() };
        let outbox = target.question(&"word ".repeat(2_000), vec![vec![key.clone()]]);
        let letters: Vec<TelegramSend> =
            outbox.iter().map(|post| TelegramSend::read(&post.body).unwrap()).collect();
        assert!(letters.len() > 2);
        assert!(letters.iter().all(|send| send.thread == Some(4) && send.edits.is_none()));
        let answers: Vec<Option<i64>> = letters.iter().map(|send| send.answers).collect();
        assert_eq!((answers[0], answers[1]), (Some(9), None));
        assert!(letters[0].keys.is_empty() && letters.last().unwrap().keys == vec![vec![key]]);
        let (method, fields) = letters[0].request(&chat);
        assert_eq!(
            (method, &fields["chat_id"], &fields["message_thread_id"]),
            ("sendMessage", &json!(-5), &json!(4))
        );
    }
}
