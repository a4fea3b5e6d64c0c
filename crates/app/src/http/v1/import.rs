//! Imports a file that a client uploads.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use throughline_domain::chat::ChatId;
use throughline_engine::access::Access;
use tokio::sync::mpsc::unbounded_channel;
use utoipa::{IntoParams, ToSchema};

use super::outcome::{Report, Reporter, respond, wants_stream};
use crate::cli::ImportFormat;
use crate::commands::{ImportReport, ImportRequest, ImportSource, import_files};
use crate::http::error::ApiError;
use crate::http::extract::Params;
use crate::http::{Caller, Web};
use crate::imports;

/// Maximum size of a file, in bytes.
const LARGEST_FILE: u64 = 4 << 30;

/// How the file is imported.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportParams {
    /// The name of the file, by which some formats name their chat.
    name: Option<String>,
    /// auto, jsonl, messages, claude-code, chatgpt, claude, telegram, whatsapp or mem0; auto unless given.
    format: Option<String>,
    /// The chat of entries that name none.
    chat: Option<String>,
    /// The owner's name in chats of several people.
    me: Option<String>,
    /// Whether memories are learned from it.
    #[serde(default)]
    learn: bool,
}

/// The result of an import.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportDocument {
    /// Messages that are new.
    imported: u64,
    /// Messages that were imported before.
    skipped: u64,
    /// Entries that are not messages.
    failed: u64,
    /// The number of chats that the messages are in.
    chats: usize,
    /// The first entries that are not messages.
    errors: Vec<BadEntryDocument>,
    /// Why no memories can be learned, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// An entry that is not a message.
#[derive(Debug, Serialize, ToSchema)]
struct BadEntryDocument {
    /// The line at which it begins.
    line: u64,
    /// Why it is not a message.
    why: String,
}

/// The progress of an import.
#[derive(Debug, Serialize)]
struct Progress {
    imported: u64,
    skipped: u64,
    bytes: u64,
    total: u64,
}

/// Import a file, which is the body.
///
/// With `Accept: text/event-stream` the answer is a stream: events `progress`, then one event `done` with the document, or
/// `error`. A file that is imported again changes nothing. An import whose client leaves is finished all the same.
#[utoipa::path(
    post,
    path = "/v1/import",
    operation_id = "import_file",
    params(ImportParams),
    request_body(content = String, content_type = "application/octet-stream", description = "The file."),
    responses((status = 200, description = "The report.", content(
        (ImportDocument = "application/json"),
        (String = "text/event-stream"),
    )))
)]
pub async fn import(
    State(web): State<Web>,
    caller: Caller,
    Params(params): Params<ImportParams>,
    request: Request,
) -> Result<Response, ApiError> {
    let wants_stream = wants_stream(request.headers());
    let format = format(params.format.as_deref())?;
    let chat = match (&params.chat, &caller.access) {
        (None, Access::Everything) => ChatId::terminal(),
        (named, _) => caller.chat(named.as_deref()).await?,
    };
    let time_limit = Duration::from_secs(web.host.app.settings.http.request_seconds.get().into());
    let (file, total) = receive(request.into_body(), &web.host.app.home, time_limit).await?;
    // Only the last part of the name is used. It is displayed, but never opened.
    let name = params.name.as_deref().and_then(|name| Path::new(name).file_name());
    let source = ImportSource::Open(name.map_or_else(|| PathBuf::from("file"), PathBuf::from), file);
    let request = ImportRequest { sources: vec![source], format, chat, me: params.me, learn: params.learn };
    let (reports, reported) = unbounded_channel();
    web.turns.spawn(run(web.clone(), caller, request, total, reports));
    let interrupted = "the program is ending; import the file again, and what is in already is skipped";
    respond(reported, wants_stream, interrupted).await
}

fn format(named: Option<&str>) -> Result<ImportFormat, ApiError> {
    let Some(name) = named.filter(|name| *name != "auto") else { return Ok(ImportFormat(None)) };
    let importer = imports::named(name).ok_or_else(|| {
        let known: Vec<&str> = imports::IMPORTERS.iter().map(|importer| importer.name()).collect();
        ApiError::invalid(format!("format: {name:?} is none of auto, {}", known.join(", ")))
    })?;
    Ok(ImportFormat(Some(importer)))
}

/// Writes the body to an unnamed temporary file, which the system deletes when the process ends.
async fn receive(mut body: Body, home: &Path, time_limit: Duration) -> Result<(File, u64), ApiError> {
    let unwritable = |error: std::io::Error| {
        ApiError::new(
            StatusCode::INSUFFICIENT_STORAGE,
            "disk_full",
            format!("the file cannot be kept: {error}"),
        )
    };
    let mut file = tempfile::tempfile_in(home).map_err(unwritable)?;
    let mut size = 0;
    loop {
        let piece = tokio::time::timeout(time_limit, body.frame()).await.map_err(|_| {
            let message = "the file stopped arriving; nothing was imported";
            ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", message)
        })?;
        let Some(frame) = piece else { break };
        let frame = frame.map_err(|_| ApiError::invalid("the file broke off; nothing was imported"))?;
        let Ok(data) = frame.into_data() else { continue };
        size += data.len() as u64;
        if size > LARGEST_FILE {
            let message = "the file is larger than 4 GB; import it with `throughline import`";
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
        }
        file.write_all(&data).map_err(unwritable)?;
    }
    file.rewind().map_err(unwritable)?;
    Ok((file, size))
}

/// Runs the import to its end, even if the client disconnects.
async fn run(
    web: Web,
    caller: Caller,
    request: ImportRequest,
    total: u64,
    reports: Reporter<ImportDocument>,
) {
    let (mut bytes, progress) = (0, reports.clone());
    let report_progress = move |report: &ImportReport, read: u64| {
        bytes += read;
        let (imported, skipped) = (report.imported, report.skipped);
        let _ = progress.send(Report::event("progress", &Progress { imported, skipped, bytes, total }));
    };
    let ended = import_files(request, &caller.engine, report_progress).await;
    web.host.jobs.notify_one();
    let ended = ended.map(|report| ImportDocument::from(&report)).map_err(ApiError::from);
    let _ = reports.send(Report::Ended(Box::new(ended)));
}

impl From<&ImportReport> for ImportDocument {
    fn from(report: &ImportReport) -> Self {
        let errors =
            report.errors.iter().map(|bad| BadEntryDocument { line: bad.line, why: bad.why.clone() });
        Self {
            imported: report.imported,
            skipped: report.skipped,
            failed: report.failed,
            chats: report.chats.len(),
            errors: errors.collect(),
            note: report.note.clone(),
        }
    }
}
