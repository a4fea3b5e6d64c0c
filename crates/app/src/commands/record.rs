//! `record`: appends one message.

use std::io::{IsTerminal, Read};

use serde_json::{Map, Value, json};
use throughline_domain::chat::ChatId;
use throughline_domain::message::{LONGEST_TEXT, Role};
use throughline_engine::turn::record::RecordedReply;
use throughline_engine::{Engine, Inbound};
use throughline_store::messages::Purpose;

use super::{lane_named as lane, moment_named as moment};
use crate::api::RecordDocument;
use crate::cli::Record;
use crate::output::{Failure, Output};
use crate::wire::App;

pub async fn run(args: &Record, app: &App, output: Output) -> Result<(), Failure> {
    let inbound = Inbound {
        lane: lane(args.lane.as_deref(), &args.chat)?,
        role: args.role,
        text: text(args.text.as_deref())?,
        speaker: args.speaker.clone(),
        at: moment(args.at.as_deref(), "--at", app)?,
        external_ids: args.external_id.iter().cloned().collect(),
        metadata: metadata(args.metadata.as_deref())?,
        ..Inbound::in_chat(args.chat.clone())
    };
    let engine = app.engine().await?;
    let inbound =
        Inbound { reply_to: named(args.reply_to.as_deref(), &args.chat, &engine).await?, ..inbound };
    let given = inbound.text.clone();
    let reply = match args.role {
        Role::Assistant => engine.record_external_reply(inbound).await?,
        _ => {
            let appended = engine.record_message(inbound, Purpose::Record).await?;
            RecordedReply { appended, text: given.clone(), memories: Vec::new() }
        }
    };
    let RecordedReply { appended: recorded, text, memories } = &reply;
    let lane = recorded.lane.key(&args.chat);
    let short = engine.short_ids(&args.chat, [recorded.id.0]).await?.of(recorded.id.0);
    output.print(
        || json!(RecordDocument::new(&args.chat, args.role, &reply)),
        |style| {
            let done = if recorded.known { "already recorded" } else { "recorded" };
            let done = format!("{} {} {}", style.good("✓"), done, style.dim(&format!("{short} in {lane}")));
            let kept =
                memories.iter().map(|memory| format!("\n{} remembered: {}", style.good("✓"), memory.text));
            let said = if args.role == Role::Assistant && *text != given {
                format!("\n{text}")
            } else {
                String::new()
            };
            done + &kept.collect::<String>() + &said
        },
    )?;
    app.run_jobs(&engine).await;
    Ok(())
}

/// Resolves --reply-to to the full id of a stored message. An unknown id is kept unchanged, because a channel's id
/// opens a separate lane.
pub async fn named(given: Option<&str>, chat: &ChatId, engine: &Engine) -> Result<Option<String>, Failure> {
    let Some(given) = given else { return Ok(None) };
    let found = engine.message_named(chat, given).await?;
    Ok(Some(found.map_or_else(|| given.to_owned(), |id| id.to_string())))
}

/// The text from the command line, or from stdin.
pub(super) fn text(given: Option<&str>) -> Result<String, Failure> {
    match given {
        Some("-") => from_stdin(),
        Some(text) => Ok(text.to_owned()),
        None if std::io::stdin().is_terminal() => Err(Failure::Usage(
            "there is no text to record; write it behind the command, or pipe it in with -".to_owned(),
        )),
        None => from_stdin(),
    }
}

pub(super) fn from_stdin() -> Result<String, Failure> {
    read_message(std::io::stdin().lock())
}

/// Reads a message to its end.
pub(super) fn read_message(from: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    // This reads far more than the maximum length, so that the error can state the actual length.
    from.take(64 * LONGEST_TEXT as u64).read_to_end(&mut bytes)?;
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::failed("invalid_utf8", format!("the text is not UTF-8: byte {at} cannot be read. Convert it first, for example with iconv; nothing was recorded"))
    })?;
    // A trailing line break comes from the pipe, not from the message.
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

fn metadata(given: Option<&str>) -> Result<Map<String, Value>, Failure> {
    match given.map(serde_json::from_str) {
        None => Ok(Map::new()),
        Some(Ok(Value::Object(map))) => Ok(map),
        Some(Ok(_)) => {
            Err(Failure::Usage("--metadata: takes a JSON object, such as '{\"source\":\"mail\"}'".to_owned()))
        }
        Some(Err(error)) => Err(Failure::Usage(format!("--metadata: is not JSON: {error}"))),
    }
}
