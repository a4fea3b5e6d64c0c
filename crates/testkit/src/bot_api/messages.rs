//! The bot's methods on messages: send, draft, edit and delete, with the limits of the real server.

use serde_json::{Map, Value, json};

use super::calls::{ChatAction, Document, Draft};
use super::fields::{id_of, is_true, number, set, words, writer};
use super::html;
use super::params::{Params, Upload};
use super::refusal::Refusal;
use super::text::{Formatted, units};
use super::world::{BOT_ID, Chat, Kind, SentTo, World, seconds};

const TEXT_UNITS: usize = 4096;
const CAPTION_UNITS: usize = 1024;
const BUTTON_BYTES: usize = 64;
/// The thread id of a forum's General topic.
const GENERAL: i64 = 1;

/// Sends a text, which replaces a draft.
pub(super) fn send_message(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let chat = world.reachable(params.number("chat_id"))?;
    let written = written(params, "text", TEXT_UNITS)?;
    if written.text.is_empty() {
        return Err(Refusal::bad("message text is empty"));
    }
    let place = place(chat, params)?;
    let keyboard = keyboard(params)?;
    chat.is_drafting = false;
    let mut content = Map::new();
    fill(&mut content, "text", "entities", written);
    content.extend(keyboard.map(|keyboard| ("reply_markup".to_owned(), keyboard)));
    let (chat, bot) = (chat.id, world.bot());
    Ok(world.post(chat, bot, place, content))
}

/// Sends a file with a caption.
pub(super) fn send_document(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let chat = world.reachable(params.number("chat_id"))?;
    let name = params.text("document").and_then(|name| name.strip_prefix("attach://")).unwrap_or("document");
    let Upload { name: file_name, bytes } =
        params.files.get(name).cloned().ok_or_else(|| Refusal::bad("there is no document in the request"))?;
    if bytes.is_empty() {
        return Err(Refusal::bad("file must be non-empty"));
    }
    let written = written(params, "caption", CAPTION_UNITS)?;
    let caption = written.text.clone();
    let place = place(chat, params)?;
    let keyboard = keyboard(params)?;
    let mut content = Map::new();
    let file = json!({
        "file_name": file_name, "file_id": format!("BQAC-{file_name}"), "file_unique_id": file_name,
        "file_size": bytes.len(),
    });
    content.insert("document".to_owned(), file);
    if !caption.is_empty() {
        fill(&mut content, "caption", "caption_entities", written);
    }
    content.extend(keyboard.map(|keyboard| ("reply_markup".to_owned(), keyboard)));
    let (chat, bot) = (chat.id, world.bot());
    let message = world.post(chat, bot, place, content);
    world.chat(chat).documents.push(Document { message_id: id_of(&message), file_name, bytes, caption });
    Ok(message)
}

/// Shows a draft.
pub(super) fn send_draft(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let chat = world.reachable(params.number("chat_id"))?;
    if chat.kind != Kind::Private {
        return Err(Refusal::bad("TEXTDRAFT_PEER_INVALID"));
    }
    let draft_id = params
        .number("draft_id")
        .filter(|id| *id != 0)
        .ok_or_else(|| Refusal::bad("draft_id must be non-zero"))?;
    let text = written(params, "text", TEXT_UNITS)?.text;
    let topic = topic(chat, params)?;
    chat.drafts.push(Draft { draft_id, text, topic });
    chat.is_drafting = true;
    Ok(true.into())
}

/// Shows an action of the bot.
pub(super) fn send_action(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let chat = world.reachable(params.number("chat_id"))?;
    let action = params.text("action").ok_or_else(|| Refusal::bad("wrong parameter action in request"))?;
    // Unlike a message, an action may name the General topic.
    let is_general = chat.kind == Kind::Forum && params.number("message_thread_id") == Some(GENERAL);
    let topic = if is_general { Some(GENERAL) } else { topic(chat, params)? };
    chat.actions.push(ChatAction { action: action.to_owned(), topic });
    Ok(true.into())
}

/// Edits the text and keyboard of a message.
pub(super) fn edit_text(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let written = written(params, "text", TEXT_UNITS)?;
    if written.text.is_empty() {
        return Err(Refusal::bad("message text is empty"));
    }
    edit(world, params, |content| {
        if !content.contains_key("text") {
            return Err(Refusal::bad("there is no text in the message to edit"));
        }
        content.remove("entities");
        fill(content, "text", "entities", written);
        Ok(())
    })
}

/// Edits only the keyboard of a message.
pub(super) fn edit_keyboard(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    edit(world, params, |_| Ok(()))
}

/// Edits a message of the bot; a keyboard that is not sent again is removed.
fn edit(
    world: &mut World,
    params: &Params,
    change: impl FnOnce(&mut Map<String, Value>) -> Result<(), Refusal>,
) -> Result<Value, Refusal> {
    let keyboard = keyboard(params)?;
    let chat = world.reachable(params.number("chat_id"))?;
    let posted = params
        .number("message_id")
        .and_then(|id| chat.messages.get_mut(&id))
        .ok_or_else(|| Refusal::bad("message to edit not found"))?;
    if writer(&posted.message) != Some(BOT_ID) {
        return Err(Refusal::bad("message can't be edited"));
    }
    let mut edited = posted.message.clone();
    if let Some(fields) = edited.as_object_mut() {
        change(fields)?;
        fields.remove("reply_markup");
        fields.extend(keyboard.map(|keyboard| ("reply_markup".to_owned(), keyboard)));
    }
    if edited == posted.message {
        return Err(Refusal::bad(
            "message is not modified: specified new message content and reply markup are exactly the same \
             as a current content and reply markup of the message",
        ));
    }
    set(&mut edited, "edit_date", seconds());
    posted.replace(edited.clone());
    Ok(edited)
}

/// Deletes a message.
pub(super) fn delete(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let chat = world.reachable(params.number("chat_id"))?;
    let id = params.number("message_id").unwrap_or_default();
    let posted = chat.messages.get(&id).ok_or_else(|| Refusal::bad("message to delete not found"))?;
    if chat.kind != Kind::Private && writer(&posted.message) != Some(BOT_ID) {
        return Err(Refusal::bad("message can't be deleted"));
    }
    chat.messages.remove(&id);
    Ok(true.into())
}

/// The text of a call, parsed, trimmed and measured.
fn written(params: &Params, field: &str, most: usize) -> Result<Formatted, Refusal> {
    let text = params.text(field).unwrap_or_default();
    let given = if field == "text" { "entities" } else { "caption_entities" };
    let formatted = match params.text("parse_mode").unwrap_or_default().to_ascii_lowercase().as_str() {
        "html" => html::parse(text).map_err(|why| Refusal::bad(format!("can't parse entities: {why}")))?,
        "" => match params.nested(given) {
            Some(Value::Array(entities)) => Formatted { text: text.to_owned(), entities }.in_order(),
            _ => Formatted::plain(text),
        },
        _ => return Err(Refusal::bad("unsupported parse_mode")),
    };
    let formatted = formatted.trimmed();
    if units(&formatted.text) > most {
        let what = if field == "text" { "message" } else { "message caption" };
        return Err(Refusal::bad(format!("{what} is too long")));
    }
    Ok(formatted)
}

fn fill(content: &mut Map<String, Value>, text: &str, entities: &str, written: Formatted) {
    content.insert(text.to_owned(), written.text.into());
    if !written.entities.is_empty() {
        content.insert(entities.to_owned(), written.entities.into());
    }
}

fn place(chat: &Chat, params: &Params) -> Result<SentTo, Refusal> {
    let topic = topic(chat, params)?;
    let Some(reply) = params.nested("reply_parameters") else { return Ok(SentTo { topic, reply_to: None }) };
    let reply_to = number(&reply, "message_id").filter(|id| chat.messages.contains_key(id));
    if reply_to.is_none() && !is_true(&reply, "allow_sending_without_reply") {
        return Err(Refusal::bad("message to be replied not found"));
    }
    Ok(SentTo { topic, reply_to })
}

fn topic(chat: &Chat, params: &Params) -> Result<Option<i64>, Refusal> {
    match params.number("message_thread_id").filter(|id| *id != 0) {
        Some(id) if !chat.topics.contains_key(&id) => Err(Refusal::bad("message thread not found")),
        topic => Ok(topic),
    }
}

fn keyboard(params: &Params) -> Result<Option<Value>, Refusal> {
    let markup = params.nested("reply_markup").unwrap_or_default();
    let rows = markup.get("inline_keyboard").and_then(Value::as_array);
    let buttons = rows.into_iter().flatten().filter_map(Value::as_array).flatten();
    let mut any = false;
    for button in buttons {
        any = true;
        if words(button, "text").is_none_or(str::is_empty) {
            return Err(Refusal::bad("can't parse inline keyboard button: Field \"text\" must be non-empty"));
        }
        if words(button, "callback_data").is_some_and(|data| !(1..=BUTTON_BYTES).contains(&data.len())) {
            return Err(Refusal::bad("BUTTON_DATA_INVALID"));
        }
    }
    Ok(any.then_some(markup))
}
