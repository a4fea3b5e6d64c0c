//! The list of Bot API methods, and the implementations of small ones. Messages and polls are elsewhere.

use std::time::Instant;

use serde_json::{Value, json};

use super::fields::words;
use super::files;
use super::messages;
use super::params::Params;
use super::refusal::Refusal;
use super::text::units;
use super::world::{Kind, World};

const NAMES: [&str; 18] = [
    "getUpdates",
    "getMe",
    "sendMessage",
    "sendMessageDraft",
    "sendDocument",
    "sendChatAction",
    "editMessageText",
    "editMessageReplyMarkup",
    "deleteMessage",
    "answerCallbackQuery",
    "setMyCommands",
    "getMyCommands",
    "deleteMyCommands",
    "setWebhook",
    "deleteWebhook",
    "getWebhookInfo",
    "getChat",
    "getFile",
];

/// The documented name of a method, however the client spells it.
pub(super) fn name(written: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(written))
}

/// Carries out a call.
pub(super) fn answer(
    world: &mut World,
    method: &str,
    params: &Params,
    now: Instant,
) -> Result<Value, Refusal> {
    if matches!(method, "sendMessage" | "sendDocument" | "editMessageText") {
        limit(world, params, now)?;
    }
    match method {
        "getMe" => Ok(world.me.clone()),
        "sendMessage" => messages::send_message(world, params),
        "sendMessageDraft" => messages::send_draft(world, params),
        "sendDocument" => messages::send_document(world, params),
        "sendChatAction" => messages::send_action(world, params),
        "editMessageText" => messages::edit_text(world, params),
        "editMessageReplyMarkup" => messages::edit_keyboard(world, params),
        "deleteMessage" => messages::delete(world, params),
        "answerCallbackQuery" => answer_press(world, params),
        "setMyCommands" => set_commands(world, params),
        "getMyCommands" => Ok(world.commands.get(&scope(params)).cloned().unwrap_or_else(|| json!([]))),
        "deleteMyCommands" => {
            world.commands.remove(&scope(params));
            Ok(true.into())
        }
        "setWebhook" => {
            world.updates.webhook = params.text("url").filter(|url| !url.is_empty()).map(str::to_owned);
            Ok(forget_pending(world, params))
        }
        "deleteWebhook" => {
            world.updates.webhook = None;
            Ok(forget_pending(world, params))
        }
        "getWebhookInfo" => Ok(json!({
            "url": world.updates.webhook.clone().unwrap_or_default(),
            "has_custom_certificate": false,
            "pending_update_count": world.updates.pending(),
        })),
        "getFile" => files::get_file(world, params),
        "getChat" => Ok(world.reachable(params.number("chat_id"))?.shown()),
        _ => Err(Refusal::not_found()),
    }
}

/// The key of stored commands: their scope and language.
pub(super) fn scope(params: &Params) -> String {
    let scope = params.nested("scope").unwrap_or_else(|| json!({ "type": "default" }));
    format!("{scope} {}", params.text("language_code").unwrap_or_default())
}

fn limit(world: &mut World, params: &Params, now: Instant) -> Result<(), Refusal> {
    let Some(chat) = params.number("chat_id") else { return Ok(()) };
    let is_group = world.chats.get(&chat).is_some_and(|chat| chat.kind != Kind::Private);
    match &mut world.limits {
        Some(limits) => limits.pass(chat, is_group, now).map_err(Refusal::too_many),
        None => Ok(()),
    }
}

fn answer_press(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let is_waiting = params.text("callback_query_id").is_some_and(|id| world.presses.remove(id));
    is_waiting
        .then(|| true.into())
        .ok_or_else(|| Refusal::bad("query is too old and response timeout expired or query ID is invalid"))
}

fn set_commands(world: &mut World, params: &Params) -> Result<Value, Refusal> {
    let commands = params.nested("commands").unwrap_or_default();
    let list = commands.as_array().ok_or_else(|| Refusal::bad("can't parse commands"))?;
    if !(1..=100).contains(&list.len()) {
        return Err(Refusal::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    for command in list {
        let name = words(command, "command").unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !(1..=32).contains(&name.len()) || !name.chars().all(is_plain) {
            return Err(Refusal::bad("BOT_COMMAND_INVALID"));
        }
        if !(1..=256).contains(&units(words(command, "description").unwrap_or_default())) {
            return Err(Refusal::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
        }
    }
    world.commands.insert(scope(params), commands);
    Ok(true.into())
}

fn forget_pending(world: &mut World, params: &Params) -> Value {
    if params.nested("drop_pending_updates") == Some(true.into()) {
        world.updates.clear();
    }
    true.into()
}
