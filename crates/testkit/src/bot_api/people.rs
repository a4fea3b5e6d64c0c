//! Actions of people: writing, replying, editing, pressing buttons, reacting.

use serde_json::{Map, Value, json};

use super::BotApi;
use super::calls::keyboard;
use super::fields::{id_of, set, text_of, writer};
use super::text::{Formatted, units};
use super::world::{SentTo, World, seconds};

/// Maximum length of a message, in UTF-16 units.
const LONGEST_TEXT: usize = 4096;

impl BotApi {
    /// A person writes a text; returns the message's id.
    pub fn says(&self, person: i64, chat: i64, text: &str) -> i64 {
        self.message(person, chat).text(text).send()
    }

    /// A person pastes a text of any length, which the app splits into messages of 4096 units; returns their ids.
    pub fn pastes(&self, person: i64, chat: i64, text: &str) -> Vec<i64> {
        pieces(text).into_iter().map(|piece| self.says(person, chat, &piece)).collect()
    }

    /// A person sends an album: one message per picture, the caption with the first; returns their ids.
    pub fn album(&self, person: i64, chat: i64, pictures: usize, caption: &str) -> Vec<i64> {
        let group = self.shared.change(World::new_press);
        let picture = |number: usize| {
            let message = self.message(person, chat).photo().with("media_group_id", group.clone().into());
            if number == 0 { message.caption(caption).send() } else { message.send() }
        };
        (0..pictures).map(picture).collect()
    }

    /// A message that a person is about to send.
    pub fn message(&self, person: i64, chat: i64) -> Message<'_> {
        Message { api: self, person, chat, place: SentTo::default(), quote: None, content: Map::new() }
    }

    /// A person edits the text of their message.
    pub fn edits(&self, person: i64, chat: i64, message_id: i64, text: &str) {
        self.edited(person, chat, message_id, Some(text));
    }

    /// A message changes, but not its text; Telegram reports an edit.
    pub fn touches(&self, person: i64, chat: i64, message_id: i64) {
        self.edited(person, chat, message_id, None);
    }

    /// A person presses the button with a text under a message; returns the id of the press.
    ///
    /// # Panics
    /// If the message has no such button.
    pub fn presses(&self, person: i64, chat: i64, message_id: i64, button: &str) -> String {
        self.shared.change(|world| {
            let message = existing(world, chat, message_id);
            let buttons = keyboard(&message);
            let data = buttons.iter().flatten().find(|found| found.text == button);
            let data = data
                .and_then(|found| found.data.clone())
                .unwrap_or_else(|| panic!("message {message_id} has no button {button:?}: {buttons:?}"));
            let (id, from) = (world.new_press(), world.person(person));
            let press = json!({
                "id": id, "from": from, "message": message, "chat_instance": chat.to_string(), "data": data,
            });
            world.updates.add("callback_query", press);
            id
        })
    }

    /// A person reacts to a message with an emoji; the bot is notified only if it asked for reactions.
    pub fn reacts(&self, person: i64, chat: i64, message_id: i64, emoji: &str) {
        self.changes_reaction(person, chat, message_id, &[], &[emoji]);
    }

    /// A person changes their reactions to a message.
    pub fn changes_reaction(&self, person: i64, chat: i64, message_id: i64, old: &[&str], new: &[&str]) {
        let shown = |list: &[&str]| -> Vec<Value> {
            list.iter().map(|emoji| json!({ "type": "emoji", "emoji": emoji })).collect()
        };
        self.shared.change(|world| {
            let user = world.person(person);
            let reaction = json!({
                "chat": world.chat(chat).shown(), "message_id": message_id, "user": user, "date": seconds(),
                "old_reaction": shown(old), "new_reaction": shown(new),
            });
            world.updates.add("message_reaction", reaction);
        });
    }

    /// Adds a raw update, numbered if it has no id.
    pub fn push(&self, update: Value) {
        self.shared.change(|world| world.updates.push(update));
    }

    fn edited(&self, person: i64, chat: i64, message_id: i64, text: Option<&str>) {
        self.shared.change(|world| {
            let mut message = existing(world, chat, message_id);
            assert_eq!(writer(&message), Some(person), "message {message_id} is someone else's");
            set(&mut message, "edit_date", seconds());
            if let (Some(text), Some(fields)) = (text, message.as_object_mut()) {
                let is_caption = fields.contains_key("caption");
                fill(fields, if is_caption { "caption" } else { "text" }, text);
            }
            if let Some(posted) = world.chat(chat).messages.get_mut(&message_id) {
                posted.replace(message.clone());
            }
            world.updates.add("edited_message", message);
        });
    }
}

/// A message that a person is about to send.
#[must_use]
pub struct Message<'a> {
    api: &'a BotApi,
    person: i64,
    chat: i64,
    place: SentTo,
    quote: Option<String>,
    content: Map<String, Value>,
}

impl Message<'_> {
    /// With a text.
    pub fn text(mut self, text: &str) -> Self {
        fill(&mut self.content, "text", text);
        self
    }

    /// With a caption.
    pub fn caption(mut self, text: &str) -> Self {
        fill(&mut self.content, "caption", text);
        self
    }

    /// With a picture.
    pub fn photo(self) -> Self {
        let size = |name: &str, width: u32, height: u32| {
            json!({
                "file_id": name, "file_unique_id": name, "width": width, "height": height, "file_size": 9000,
            })
        };
        self.with("photo", json!([size("photo-small", 90, 60), size("photo-large", 1280, 853)]))
    }

    /// With a picture of these bytes, in two sizes.
    pub fn photo_of(self, bytes: &[u8]) -> Self {
        let small = self.api.file(bytes.get(..bytes.len() / 2).unwrap_or_default());
        let large = self.api.file(bytes);
        let size = |id: &str, width: u32, height: u32, size: usize| {
            json!({
                "file_id": id, "file_unique_id": id, "width": width, "height": height, "file_size": size,
            })
        };
        let sizes = json!([size(&small, 90, 60, bytes.len() / 2), size(&large, 1280, 853, bytes.len())]);
        self.with("photo", sizes)
    }

    /// With a file of these bytes.
    pub fn document_of(self, file_name: &str, media_type: &str, bytes: &[u8]) -> Self {
        let id = self.api.file(bytes);
        let file = json!({
            "file_id": id, "file_unique_id": id, "file_name": file_name, "mime_type": media_type,
            "file_size": bytes.len(),
        });
        self.with("document", file)
    }

    /// With a voice message of some seconds and these bytes.
    pub fn voice_of(self, seconds: u32, bytes: &[u8]) -> Self {
        let id = self.api.file(bytes);
        let file = json!({
            "file_id": id, "file_unique_id": id, "duration": seconds, "mime_type": "audio/ogg",
            "file_size": bytes.len(),
        });
        self.with("voice", file)
    }

    /// With a voice message of some seconds.
    pub fn voice(self, seconds: u32) -> Self {
        let file = json!({
            "file_id": "voice", "file_unique_id": "voice", "duration": seconds, "mime_type": "audio/ogg",
        });
        self.with("voice", file)
    }

    /// With a file.
    pub fn document(self, file_name: &str) -> Self {
        let file = json!({ "file_id": file_name, "file_unique_id": file_name, "file_name": file_name });
        self.with("document", file)
    }

    /// With a sticker for an emoji.
    pub fn sticker(self, emoji: &str) -> Self {
        let sticker = json!({
            "file_id": "sticker", "file_unique_id": "sticker", "type": "regular", "width": 512, "height": 512,
            "is_animated": false, "is_video": false, "emoji": emoji,
        });
        self.with("sticker", sticker)
    }

    /// With a location.
    pub fn location(self, latitude: f64, longitude: f64) -> Self {
        self.with("location", json!({ "latitude": latitude, "longitude": longitude }))
    }

    /// With a contact.
    pub fn contact(self, first_name: &str, phone_number: &str) -> Self {
        self.with("contact", json!({ "first_name": first_name, "phone_number": phone_number }))
    }

    /// Forwarded from a person with a hidden account.
    pub fn forwarded_from(self, name: &str) -> Self {
        let origin = json!({ "type": "hidden_user", "sender_user_name": name, "date": seconds() - 3600 });
        self.with("forward_origin", origin)
    }

    /// With any other field of a message.
    pub fn with(mut self, field: &str, value: Value) -> Self {
        self.content.insert(field.to_owned(), value);
        self
    }

    /// In a topic; General has no topic id.
    pub fn topic(mut self, thread: i64) -> Self {
        self.place.topic = Some(thread);
        self
    }

    /// As a reply.
    pub fn reply_to(mut self, message_id: i64) -> Self {
        self.place.reply_to = Some(message_id);
        self
    }

    /// As a reply that quotes a part of the message.
    pub fn quote(mut self, part: &str) -> Self {
        self.quote = Some(part.to_owned());
        self
    }

    /// Sends it and returns its id.
    ///
    /// # Panics
    /// If the chat, the message it replies to, or the quoted part does not exist.
    pub fn send(self) -> i64 {
        let Self { api, person, chat, place, quote, mut content } = self;
        api.shared.change(|world| {
            let from = world.person(person);
            if let Some(id) = place.reply_to {
                let text = text_of(&existing(world, chat, id));
                content.extend(quote.map(|part| ("quote".to_owned(), quoted(&text, &part))));
            }
            let message = world.post(chat, from, place, content);
            let id = id_of(&message);
            world.updates.add("message", message);
            id
        })
    }
}

/// The messages that the app splits a text into.
fn pieces(text: &str) -> Vec<String> {
    let (mut pieces, mut piece) = (Vec::new(), String::new());
    for c in text.chars() {
        if units(&piece) + c.len_utf16() > LONGEST_TEXT {
            pieces.push(std::mem::take(&mut piece));
        }
        piece.push(c);
    }
    pieces.push(piece);
    pieces
}

fn existing(world: &mut World, chat: i64, message_id: i64) -> Value {
    let posted = world.chat(chat).messages.get(&message_id);
    posted.unwrap_or_else(|| panic!("chat {chat} has no message {message_id}")).message.clone()
}

fn quoted(text: &str, part: &str) -> Value {
    let (before, _) = text.split_once(part).unwrap_or_else(|| panic!("{part:?} is no part of {text:?}"));
    json!({ "text": part, "position": units(before), "is_manual": true })
}

fn fill(content: &mut Map<String, Value>, field: &str, text: &str) {
    let Formatted { text, entities } = Formatted::plain(text);
    let special = if field == "caption" { "caption_entities" } else { "entities" };
    content.remove(special);
    content.insert(field.to_owned(), text.into());
    if !entities.is_empty() {
        content.insert(special.to_owned(), entities.into());
    }
}
