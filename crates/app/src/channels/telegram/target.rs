//! Outbox items for Telegram, and the requests they become.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::commands::choices::Choice;
use throughline_store::outbox::NewOutboxItem;
use throughline_text::redact::redact;

use super::format::{self, Piece};
use super::lane::thread_to_send;
use super::update::number;
use crate::channels::Draft;

/// The caption of a file with a text that is too long for one message.
const WHOLE: &str = "All of it";

/// A message to send, or a sent one to change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TelegramSend {
    /// The text as HTML.
    pub html: String,
    /// The text without marks, for messages without HTML and for HTML that Telegram refuses.
    pub plain: String,
    /// The topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<i64>,
    /// The answered message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<i64>,
    /// The message to edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<i64>,
    /// Rows of buttons below the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Vec<Choice>>,
    /// Whether to send the whole chat as a file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub export: bool,
    /// The content of a file with a long text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Renders a draft as outbox items.
pub fn compose(chat: &ChatId, lane: &Lane, draft: Draft<'_>) -> Vec<NewOutboxItem> {
    let target = SendTarget::of(chat, lane);
    // Every text is redacted here, because the outbox is on disk.
    match draft {
        Draft::Reply(markdown) => target.reply(markdown, None),
        Draft::Whole(message, markdown) => target.reply(markdown, message.parse().ok()),
        Draft::Text(text, choices) => target.plain(text, None, choices),
        Draft::Listing(text) => target.with_file(text, format::plain_pieces(&redact(text))),
        Draft::Printed(markdown) => target.with_file(markdown, format::pieces(&redact(markdown))),
        Draft::Change(message, text, choices) => target.plain(text, message.parse().ok(), choices),
        Draft::Export => {
            let thread = thread_to_send(lane);
            vec![TelegramSend { export: true, thread, ..TelegramSend::default() }.item(chat)]
        }
    }
}

/// Where messages are sent.
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

    /// The items of a reply in Markdown. `edits` is the message that shows its beginning.
    pub fn reply(&self, markdown: &str, edits: Option<i64>) -> Vec<NewOutboxItem> {
        self.outbox_items(format::pieces(&redact(markdown)), edits, Vec::new())
    }

    fn plain(&self, text: &str, edits: Option<i64>, choices: Vec<Choice>) -> Vec<NewOutboxItem> {
        self.outbox_items(format::plain_pieces(&redact(text)), edits, choices)
    }

    /// One message, and a file with the whole text if it does not fit.
    fn with_file(&self, text: &str, mut pieces: Vec<Piece>) -> Vec<NewOutboxItem> {
        let is_long = pieces.len() > 1;
        pieces.truncate(1);
        let mut items = self.outbox_items(pieces, None, Vec::new());
        if is_long {
            let file = TelegramSend {
                plain: WHOLE.to_owned(),
                file: Some(redact(text).into_owned()),
                thread: thread_to_send(&self.lane),
                ..TelegramSend::default()
            };
            items.push(file.item(&self.chat));
        }
        items
    }

    fn outbox_items(
        &self,
        pieces: Vec<Piece>,
        edits: Option<i64>,
        choices: Vec<Choice>,
    ) -> Vec<NewOutboxItem> {
        let mut keys = if choices.is_empty() { Vec::new() } else { vec![choices] };
        let last = pieces.len().saturating_sub(1);
        let send = |(index, Piece { html, plain }): (usize, Piece)| TelegramSend {
            html,
            plain,
            thread: thread_to_send(&self.lane),
            // Only the first piece is sent as an answer.
            answers: self.answers.filter(|_| index == 0),
            edits: edits.filter(|_| index == 0),
            keys: if index == last { std::mem::take(&mut keys) } else { Vec::new() },
            export: false,
            file: None,
        };
        pieces.into_iter().enumerate().map(send).map(|send| send.item(&self.chat)).collect()
    }
}

impl TelegramSend {
    /// Parses an item's body.
    pub fn read(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }

    /// The body of an item.
    pub fn body(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    fn item(&self, chat: &ChatId) -> NewOutboxItem {
        NewOutboxItem { chat: chat.clone(), body: self.body(), is_repeatable: self.edits.is_some() }
    }

    /// The method and its parameters.
    pub fn request(&self, chat: &ChatId) -> (&'static str, Value) {
        let mut fields = Map::new();
        fields.insert("chat_id".to_owned(), json!(number(chat)));
        if self.file.is_some() {
            fields.insert("caption".to_owned(), json!(self.plain));
        } else if !self.export {
            let (text, mode) =
                if self.html.is_empty() { (&self.plain, None) } else { (&self.html, Some("HTML")) };
            fields.insert("text".to_owned(), json!(text));
            fields.extend(mode.map(|mode| ("parse_mode".to_owned(), json!(mode))));
            fields.insert("link_preview_options".to_owned(), json!({ "is_disabled": true }));
        }
        if !self.keys.is_empty() {
            let key = |key: &Choice| json!({ "text": key.text, "callback_data": key.id });
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
        let is_file = self.export || self.file.is_some();
        (if is_file { "sendDocument" } else { "sendMessage" }, Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_a_secret_in_a_reply_is_gone_before_it_waits_on_disk() {
        let chat: ChatId = "telegram:chat:5".parse().unwrap();
        let key = concat!("sk-ant-api03-", "Zx81kQpLr93mVtYw72NbCd45FgHj60Ks");
        let text = format!("Your key is {key}.");
        for draft in [Draft::Reply(&text), Draft::Text(&text, vec![]), Draft::Change("1", &text, vec![])] {
            let items = compose(&chat, &Lane::Root, draft);
            let is_clean =
                |item: &NewOutboxItem| !item.body.contains(key) && item.body.contains("Your key is");
            assert!(!items.is_empty() && items.iter().all(is_clean));
        }
    }

    #[test]
    fn a_long_reply_answers_with_its_first_piece_and_asks_with_its_last() {
        let chat: ChatId = "telegram:chat:-5".parse().unwrap();
        let target = SendTarget { answers: Some(9), ..SendTarget::of(&chat, &Lane::Topic("4".to_owned())) };
        let key = Choice { text: "Yes".to_owned(), id: "b1".to_owned() };
        let outbox = target.plain(&"word ".repeat(2_000), None, vec![key.clone()]);
        let sends: Vec<TelegramSend> =
            outbox.iter().map(|item| TelegramSend::read(&item.body).unwrap()).collect();
        assert!(sends.len() > 2);
        assert!(sends.iter().all(|send| send.thread == Some(4) && send.edits.is_none()));
        let answers: Vec<Option<i64>> = sends.iter().map(|send| send.answers).collect();
        assert_eq!((answers[0], answers[1]), (Some(9), None));
        assert!(sends[0].keys.is_empty() && sends.last().unwrap().keys == vec![vec![key]]);
        let (method, fields) = sends[0].request(&chat);
        assert_eq!(
            (method, &fields["chat_id"], &fields["message_thread_id"]),
            ("sendMessage", &json!(-5), &json!(4))
        );
    }
}
