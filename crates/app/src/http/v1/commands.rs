//! Slash commands, as in the terminal; for the owner.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use throughline_engine::commands::Command;
use utoipa::ToSchema;

use crate::channels::terminal::Prompt;
use crate::commands::command_of;
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
    /// The chat.
    chat: Option<String>,
}

/// What a command gives.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommandDocument {
    /// The text to show.
    reply: String,
}

/// Run a slash command in a chat's main lane. What would have to be asked about, such as forgetting, is only shown.
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
    if !caller.is_owner() {
        return Err(ApiError::forbidden("only the owner runs commands"));
    }
    let chat = caller.chat(new.chat.as_deref()).await?;
    let unknown = |message: &str| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "no_command", message);
    let request = command_of(&new.text).ok_or_else(|| unknown("this is not a command; /help lists them"))?;
    if matches!(request.command, Command::Retry | Command::Quit) {
        return Err(unknown("this command is for the terminal and Telegram"));
    }
    let prompt = Prompt { chat: &chat, app: &web.host.app, engine: &caller.engine, style: Style::PLAIN };
    let reply = prompt.run(&request, None).await?.trim_end().to_owned();
    web.host.jobs.notify_one();
    Ok(Json(CommandDocument { reply }))
}
