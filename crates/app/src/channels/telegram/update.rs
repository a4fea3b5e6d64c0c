//! Interprets an update: a message, an edit, a command, a pressed button, or a moved chat. Access is checked before.

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use throughline_domain::channel::ChannelKind;
use throughline_domain::chat::ChatId;
use throughline_domain::message::Quote;
use throughline_engine::Inbound;
use throughline_engine::arrivals::{Attention, InboundAction, InboundUpdate};
use throughline_engine::commands::{Command, Request};
use throughline_store::arrivals::Reaction;
use throughline_text::redact::redact;

use super::api::Me;
use super::lane::Evidence;
use super::media;
use super::wire::{CallbackQuery, Entity, ForwardOrigin, Message, MessageReaction, ReactionType, User};
use crate::config::values::choice::Groups;

/// Maximum age in seconds of a message that is dated by its arrival. Telegram's times are whole seconds, which could
/// place it before an earlier reply.
const JUST_NOW: i64 = 2;

/// Interprets the updates of a bot.
pub struct Listener<'a> {
    pub me: &'a Me,
    pub groups: Groups,
    pub now: Timestamp,
}

/// The chat id for Telegram's number of a chat.
pub fn chat_id(number: i64) -> Option<ChatId> {
    ChannelKind::Telegram.chat(&number.to_string())
}

/// Telegram's number of a chat.
pub fn number(chat: &ChatId) -> Option<i64> {
    chat.name().parse().ok().filter(|_| ChannelKind::of(chat) == Some(ChannelKind::Telegram))
}

/// The move of a chat to another number, which both the old and the new chat announce.
pub fn moved(message: &Message) -> Option<InboundUpdate> {
    let (from, to) = match (message.migrate_to_chat_id, message.migrate_from_chat_id) {
        (Some(to), _) => (message.chat.id, to),
        (None, Some(from)) => (from, message.chat.id),
        (None, None) => return None,
    };
    Some(InboundUpdate::Move { from: chat_id(from)?, to: chat_id(to)? })
}

impl Listener<'_> {
    /// Interprets a message.
    pub fn message(&self, message: &Message) -> InboundUpdate {
        let Some(inbound) = self.inbound(message) else { return InboundUpdate::Nothing };
        if message.forward_origin.is_none() && inbound.text.starts_with('/') {
            return match command(&inbound.text, &self.me.username) {
                Addressed::Us(line) => self.command(message, inbound, line),
                Addressed::Anyone(line) => {
                    let request = Request::parse(&line);
                    let is_unknown = request.is_none_or(|request| request.command == Command::Unknown);
                    // In a group, an unknown command may be for another bot.
                    match is_unknown && !message.chat.is_private() {
                        true => InboundUpdate::Nothing,
                        false => self.command(message, inbound, line),
                    }
                }
                Addressed::Another => InboundUpdate::Nothing,
                Addressed::Nobody => InboundUpdate::Message(Box::new(inbound), self.attention(message)),
            };
        }
        InboundUpdate::Message(Box::new(inbound), self.attention(message))
    }

    /// Interprets an edited message. A command is not run again.
    pub fn edited(&self, message: &Message) -> InboundUpdate {
        let Some(mut inbound) = self.inbound(message) else { return InboundUpdate::Nothing };
        if inbound.text.starts_with('/') {
            return InboundUpdate::Nothing;
        }
        inbound.at = self.dated(message.edit_date.unwrap_or(message.date));
        inbound.reply_to = None;
        // The file was recorded with the original.
        inbound.attachments.clear();
        // The quote was recorded with the original.
        inbound.metadata.remove("quote");
        InboundUpdate::Edit(Box::new(inbound))
    }

    /// Interprets a pressed button.
    pub fn pressed(&self, query: &CallbackQuery) -> InboundUpdate {
        let (Some(message), Some(button)) = (&query.message, &query.data) else {
            return InboundUpdate::Nothing;
        };
        let Some(chat) = chat_id(message.chat.id) else { return InboundUpdate::Nothing };
        let action = InboundAction::Press {
            query: query.id.clone(),
            button: button.clone(),
            from: query.from.id.to_string(),
            message: message.message_id.to_string(),
        };
        // The lane is that of the question, if it is recorded, or else that of its topic.
        let at = Inbound {
            lane: Some(Evidence::of(message).lane().unwrap_or_default()),
            ..Inbound::in_chat(chat)
        };
        InboundUpdate::Action { at: Box::new(at), action }
    }

    /// Interprets changed reactions: the result contains the person's current reactions.
    pub fn reacted(&self, reaction: &MessageReaction, user: &User) -> InboundUpdate {
        let Some(chat) = chat_id(reaction.chat.id) else { return InboundUpdate::Nothing };
        let shown = |reaction_type: &ReactionType| match (reaction_type.kind.as_str(), &reaction_type.emoji) {
            (_, Some(emoji)) => emoji.clone(),
            ("paid", None) => "⭐".to_owned(),
            _ => "(an emoji of their own)".to_owned(),
        };
        InboundUpdate::Reaction(Box::new(Reaction {
            chat,
            message: reaction.message_id.to_string(),
            person: ChannelKind::Telegram.person(&user.id.to_string()),
            name: redact(&user.name()).into_owned(),
            emoji: reaction.new_reaction.iter().map(shown).collect(),
            at: moment(reaction.date).unwrap_or(self.now),
        }))
    }

    fn command(&self, message: &Message, inbound: Inbound, line: String) -> InboundUpdate {
        let action = InboundAction::Command {
            // The line is on disk until it is handled.
            line: redact(&line).into_owned(),
            from: message.from.as_ref().map(|from| from.id.to_string()).unwrap_or_default(),
            speaker: inbound.speaker.clone(),
            message: message.message_id.to_string(),
            at: inbound.at.unwrap_or(self.now),
        };
        InboundUpdate::Action { at: Box::new(inbound), action }
    }

    fn inbound(&self, message: &Message) -> Option<Inbound> {
        let evidence = Evidence::of(message);
        let mut metadata = Map::new();
        if let Some(origin) = &message.forward_origin {
            metadata.insert("forwarded".to_owned(), origin_name(origin).map_or(json!(true), Value::String));
        }
        if let Some(quote) = self.quote(message, &evidence) {
            metadata.insert("quote".to_owned(), quote);
        }
        let mut speaker = None;
        if let Some(from) = message.from.as_ref().filter(|_| !message.chat.is_private()) {
            metadata.insert("person".to_owned(), json!(ChannelKind::Telegram.person(&from.id.to_string())));
            speaker = Some(from.name());
        }
        Some(Inbound {
            lane: evidence.lane(),
            text: media::words(message)?,
            speaker,
            at: self.dated(message.date),
            reply_to: evidence.reply.map(|id| id.to_string()),
            external_ids: vec![message.message_id.to_string()],
            metadata,
            attachments: media::attachment(&message.media).into_iter().collect(),
            ..Inbound::in_chat(chat_id(message.chat.id)?)
        })
    }

    /// The quoted words. If the quoted message is stored, intake keeps only words that the person selected.
    fn quote(&self, message: &Message, evidence: &Evidence) -> Option<Value> {
        let replied = message.reply_to_message.as_deref().filter(|_| evidence.reply.is_some());
        let picked = message.quote.as_ref().map(|quote| quote.text.clone()).filter(|text| !text.is_empty());
        let is_picked = picked.is_some();
        let text = picked.or_else(|| replied.and_then(media::words))?;
        let from = replied.and_then(|replied| replied.from.as_ref());
        // Words of others, who may not be served, are kept only if the person selected them.
        let is_ours = |user: &super::wire::User| user.id == self.me.id || message.from.as_ref() == Some(user);
        if !is_picked && !message.chat.is_private() && !from.is_some_and(is_ours) {
            return None;
        }
        let quote = Quote {
            text,
            speaker: from.map(super::wire::User::name),
            assistant: from.is_some_and(|from| from.id == self.me.id),
            at: replied.and_then(|replied| moment(replied.date)),
            picked: is_picked,
        };
        serde_json::to_value(quote).ok()
    }

    fn dated(&self, date: i64) -> Option<Timestamp> {
        moment(date).filter(|at| at.as_second() + JUST_NOW < self.now.as_second())
    }

    /// Whether a message should be answered. If the bot receives all messages of a group, only those that mention it
    /// or reply to it are answered.
    fn attention(&self, message: &Message) -> Attention {
        let all = match self.groups {
            _ if message.chat.is_private() => true,
            Groups::All => true,
            Groups::Addressed => false,
            Groups::Auto => !self.me.can_read_all_group_messages,
        };
        if all || self.is_addressed(message) { Attention::Answer } else { Attention::Remember }
    }

    fn is_addressed(&self, message: &Message) -> bool {
        let answers_us = Evidence::of(message).reply.is_some()
            && message
                .reply_to_message
                .as_deref()
                .and_then(|replied| replied.from.as_ref())
                .is_some_and(|from| from.id == self.me.id);
        let text = message.text.as_deref().or(message.caption.as_deref()).unwrap_or_default();
        let names_us = |entity: &Entity| match entity.kind.as_str() {
            "mention" => {
                let units: Vec<u16> = text.encode_utf16().skip(entity.offset).take(entity.length).collect();
                let named = String::from_utf16_lossy(&units);
                named.strip_prefix('@').is_some_and(|name| name.eq_ignore_ascii_case(&self.me.username))
            }
            "text_mention" => entity.user.as_ref().is_some_and(|user| user.id == self.me.id),
            _ => false,
        };
        answers_us || message.entities.iter().chain(&message.caption_entities).any(names_us)
    }
}

fn moment(seconds: i64) -> Option<Timestamp> {
    Timestamp::from_second(seconds).ok().filter(|_| seconds > 0)
}

fn origin_name(origin: &ForwardOrigin) -> Option<String> {
    let user = origin.sender_user.as_ref().map(super::wire::User::name);
    let chat = origin.sender_chat.as_ref().or(origin.chat.as_ref()).and_then(|chat| chat.title.clone());
    user.or_else(|| origin.sender_user_name.clone()).or(chat)
}

/// The addressee of a line that begins with a slash.
#[derive(Debug, PartialEq, Eq)]
enum Addressed {
    /// This bot, by name; the line without the name.
    Us(String),
    /// Any bot that knows the command.
    Anyone(String),
    /// Another bot.
    Another,
    /// Nobody: the line is not a command but, for example, a path.
    Nobody,
}

fn command(text: &str, username: &str) -> Addressed {
    let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    let name = word.trim_start_matches('/');
    let (name, bot) = name.split_once('@').map_or((name, None), |(name, bot)| (name, Some(bot)));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) || word.starts_with("//") {
        return Addressed::Nobody;
    }
    let line = format!("/{}{rest}", name.to_lowercase());
    match bot {
        Some(bot) if bot.eq_ignore_ascii_case(username) => Addressed::Us(line),
        Some(_) => Addressed::Another,
        None => Addressed::Anyone(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_773_000_000;

    fn heard(message: Value, groups: Groups, hears_all: bool) -> InboundUpdate {
        let me = Me { id: 7, username: "MemoBot".to_owned(), can_read_all_group_messages: hears_all };
        let listener = Listener { me: &me, groups, now: Timestamp::from_second(NOW).unwrap() };
        listener.message(&serde_json::from_value(message).unwrap())
    }

    fn in_group(mut message: Value) -> Value {
        let fields = message.as_object_mut().unwrap();
        fields.insert("message_id".to_owned(), json!(5));
        fields.insert("chat".to_owned(), json!({ "id": -5, "type": "group" }));
        fields.insert("from".to_owned(), json!({ "id": 4711, "first_name": "Ana", "last_name": "Lim" }));
        message
    }

    #[test]
    fn a5_a_group_message_names_its_speaker_and_a_private_one_does_not() {
        let InboundUpdate::Message(group, _) = heard(in_group(json!({ "text": "hi" })), Groups::Auto, false)
        else {
            panic!()
        };
        assert_eq!((group.speaker.as_deref(), group.chat.as_str()), (Some("Ana Lim"), "telegram:chat:-5"));
        assert_eq!(group.metadata["person"], "telegram:4711");
        let private = json!({ "message_id": 5, "chat": { "id": 4711, "type": "private" }, "from": { "id": 4711, "first_name": "Ana" }, "text": "hi" });
        let InboundUpdate::Message(private, attention) = heard(private, Groups::Auto, true) else { panic!() };
        assert_eq!((private.speaker, private.metadata.len(), attention), (None, 0, Attention::Answer));
    }

    #[test]
    fn a_group_is_answered_when_the_bot_is_addressed() {
        let mention =
            json!({ "text": "hey @memobot!", "entities": [{ "type": "mention", "offset": 4, "length": 8 }] });
        let reply = json!({ "text": "really?", "reply_to_message": { "message_id": 4, "from": { "id": 7 }, "text": "yes" } });
        let other =
            json!({ "text": "hey @anna", "entities": [{ "type": "mention", "offset": 4, "length": 5 }] });
        let cases = [
            (mention, Attention::Answer),
            (reply, Attention::Answer),
            (other, Attention::Remember),
            (json!({ "text": "lunch?" }), Attention::Remember),
        ];
        for (message, expected) in cases {
            let InboundUpdate::Message(_, attention) = heard(in_group(message.clone()), Groups::Auto, true)
            else {
                panic!()
            };
            assert_eq!(attention, expected, "{message}");
            let InboundUpdate::Message(_, attention) = heard(in_group(message), Groups::Auto, false) else {
                panic!()
            };
            assert_eq!(
                attention,
                Attention::Answer,
                "with privacy mode on, Telegram passes on only what is meant"
            );
        }
    }

    #[test]
    fn j5_a_command_may_name_the_bot_and_one_for_another_is_left_alone() {
        let cases = [
            ("/memory", Addressed::Anyone("/memory".to_owned())),
            ("/Memory@memobot", Addressed::Us("/memory".to_owned())),
            ("/remember@MemoBot I like tea", Addressed::Us("/remember I like tea".to_owned())),
            ("/memory@OtherBot", Addressed::Another),
            ("/etc/hosts is a file", Addressed::Nobody),
            ("/", Addressed::Nobody),
            ("// a comment", Addressed::Nobody),
        ];
        for (text, expected) in cases {
            assert_eq!(command(text, "MemoBot"), expected, "{text}");
        }
    }

    #[test]
    fn j5_a_command_that_nobody_named_us_for_and_we_do_not_know_is_another_bots_in_a_group() {
        let is_ours = |text: &str, message: fn(Value) -> Value| {
            matches!(
                heard(message(json!({ "text": text })), Groups::Auto, false),
                InboundUpdate::Action { .. }
            )
        };
        let private = |mut message: Value| {
            message["chat"] = json!({ "id": 4711, "type": "private" });
            message
        };
        assert!(
            is_ours("/memory", in_group) && is_ours("/play@memobot", in_group) && is_ours("/play", private)
        );
        assert!(!is_ours("/play", in_group));
    }

    #[test]
    fn what_is_forwarded_says_so_and_is_no_command() {
        let forwarded = json!({ "text": "/forget all", "forward_origin": { "type": "hidden_user", "sender_user_name": "Bo" } });
        let InboundUpdate::Message(said, _) = heard(in_group(forwarded), Groups::Auto, false) else {
            panic!()
        };
        assert_eq!((said.text.as_str(), &said.metadata["forwarded"]), ("/forget all", &json!("Bo")));
    }

    #[test]
    fn a_message_that_waited_is_dated_by_telegram_and_a_fresh_one_by_its_arrival() {
        let at = |date: i64| match heard(in_group(json!({ "text": "x", "date": date })), Groups::Auto, false)
        {
            InboundUpdate::Message(said, _) => said.at.map(|at| at.as_second()),
            _ => panic!(),
        };
        assert_eq!((at(NOW), at(NOW - 1), at(NOW + 60), at(NOW - 600)), (None, None, None, Some(NOW - 600)));
    }

    #[test]
    fn c6_a_secret_in_a_command_is_gone_before_it_is_kept() {
        let key = concat!("sk-ant-api03-", "Zx81kQpLr93mVtYw72NbCd45FgHj60Ks");
        let message = in_group(json!({ "text": format!("/remember my key is {key}") }));
        let InboundUpdate::Action { action, .. } = heard(message, Groups::Auto, false) else { panic!() };
        let written = action.write();
        assert!(written.contains("my key is") && !written.contains(key), "{written}");
    }

    #[test]
    fn a4_both_sides_of_a_move_say_the_same() {
        let old = json!({ "message_id": 1, "chat": { "id": -5 }, "migrate_to_chat_id": -1005 });
        let new = json!({ "message_id": 1, "chat": { "id": -1005 }, "migrate_from_chat_id": -5 });
        for message in [old, new] {
            let Some(InboundUpdate::Move { from, to }) = moved(&serde_json::from_value(message).unwrap())
            else {
                panic!()
            };
            assert_eq!((from.name(), to.name()), ("-5", "-1005"));
        }
    }
}
