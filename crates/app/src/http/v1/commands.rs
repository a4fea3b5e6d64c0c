//! Slash commands, as in the terminal; for the owner.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_engine::commands::Command;
use throughline_store::messages::Purpose;
use utoipa::ToSchema;

use crate::channels::terminal::Prompt;
use crate::commands::{command_of, lane_named};
use crate::http::error::ApiError;
use crate::http::extract::Body;
use crate::http::{Caller, Web};
use crate::output::Style;

/// A command.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCommand {
    /// The line, such as `/search garden`.
    text: String,
    /// The chat, unless the token is bound to one.
    #[schema(pattern = r"^[a-z][a-z0-9-]*:chat:[^\s]+$")]
    chat: Option<String>,
    /// root, topic:N or reply:ID; root unless given.
    #[schema(pattern = r"^(root|topic:|reply:)[^\s]*$")]
    lane: Option<String>,
}

/// The result of a command.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommandDocument {
    /// The text to show.
    reply: String,
}

/// Run a slash command in a lane of a chat. What would have to be asked about, such as forgetting, is only shown.
///
/// `/stop` ends the reply that is being written there; what was written until then is recorded. Everybody who may touch the
/// chat may stop it; the other commands are the owner's.
#[utoipa::path(
    post,
    path = "/v1/commands",
    operation_id = "run_command",
    request_body = NewCommand,
    responses((status = 200, description = "What it gives.", body = CommandDocument))
)]
pub async fn run(
    State(web): State<Web>,
    caller: Caller,
    Body { value: new, .. }: Body<NewCommand>,
) -> Result<Json<CommandDocument>, ApiError> {
    let unknown = |message: &str| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "no_command", message);
    let request = command_of(&new.text).ok_or_else(|| unknown("this is not a command; /help lists them"))?;
    let is_stop = request.command == Command::Stop;
    if !is_stop {
        caller.require_owner("only the owner runs commands")?;
    }
    let chat = caller.chat(new.chat.as_deref()).await?;
    let lane = lane_named(new.lane.as_deref(), &chat)?.unwrap_or(Lane::Root);
    if matches!(request.command, Command::Retry | Command::Quit) {
        return Err(unknown("this command is for the terminal and Telegram"));
    }
    if is_stop && stop_reply(&web, &chat, &lane) {
        // Only the command is recorded, as on a channel: the stopped reply is recorded by its own turn.
        for line in request.recorded(&chat, &lane, "").into_iter().flatten().take(1) {
            caller.engine.record_message(line, Purpose::Record).await?;
        }
        return Ok(Json(CommandDocument { reply: "Stopped.".to_owned() }));
    }
    let prompt =
        Prompt { chat: &chat, lane: &lane, app: &web.host.app, engine: &caller.engine, style: Style::PLAIN };
    let reply = prompt.run(&request, None).await?.trim_end().to_owned();
    web.host.jobs.notify_one();
    Ok(Json(CommandDocument { reply }))
}

/// Stops the reply that is being written in a lane, by a channel or for a client; `false` if there is none.
fn stop_reply(web: &Web, chat: &ChatId, lane: &Lane) -> bool {
    match web.channels.worker(chat) {
        Some(worker) => worker.stop(chat, lane),
        None => web.host.stops.stop(&(chat.clone(), lane.clone())),
    }
}
