//! The dashboard's files: they lie in the binary, tell nothing of the home, and ask the API like any other client.

use std::io::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::error::ApiError;
use super::etag;

/// The folder that the files are served in.
const FOLDER: &str = "/dashboard/";

/// Nothing but the dashboard's own files runs or is shown, it talks to this server only, and no other page frames it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($name:literal: $kind:ident),* $(,)?) => {
        [$(($name, $kind, include_bytes!(concat!("../../dashboard/", $name)).as_slice())),*]
    };
}

/// The files, each with its type.
const FILES: [(&str, &str, &[u8]); 26] = files![
    "index.html": HTML,
    "style.css": CSS,
    "icon.svg": SVG,
    "api.js": SCRIPT,
    "app.js": SCRIPT,
    "chat_picker.js": SCRIPT,
    "dialogs.js": SCRIPT,
    "dom.js": SCRIPT,
    "forgetting.js": SCRIPT,
    "icons.js": SCRIPT,
    "layers.js": SCRIPT,
    "markdown.js": SCRIPT,
    "memory_card.js": SCRIPT,
    "message_window.js": SCRIPT,
    "place.js": SCRIPT,
    "plot.js": SCRIPT,
    "words.js": SCRIPT,
    "pages/chats.js": SCRIPT,
    "pages/context.js": SCRIPT,
    "pages/health.js": SCRIPT,
    "pages/import.js": SCRIPT,
    "pages/memory.js": SCRIPT,
    "pages/routines.js": SCRIPT,
    "pages/search.js": SCRIPT,
    "pages/turns.js": SCRIPT,
    "pages/usage.js": SCRIPT,
];

/// A file as it is sent.
struct Served {
    name: &'static str,
    kind: &'static str,
    plain: &'static [u8],
    packed: Vec<u8>,
    etag: String,
}

/// Whether a path is one of the dashboard's.
pub fn is_file(path: &str) -> bool {
    path == "/" || path.starts_with(FOLDER)
}

/// The page and its files.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let files: Arc<[Served]> = FILES.into_iter().map(Served::new).collect();
    Router::new()
        .route(
            "/",
            get(async |State(files): State<Arc<[Served]>>, headers| answer(&files, "index.html", &headers)),
        )
        .route(
            "/dashboard/{*name}",
            get(async |State(files): State<Arc<[Served]>>, Path(name): Path<String>, headers| {
                answer(&files, &name, &headers)
            }),
        )
        .with_state(files)
}

fn answer(files: &[Served], name: &str, headers: &HeaderMap) -> Response {
    match files.iter().find(|file| file.name == name) {
        Some(file) => file.answer(headers),
        None => ApiError::not_found("file", name).into_response(),
    }
}

impl Served {
    fn new((name, kind, plain): (&'static str, &'static str, &'static [u8])) -> Self {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        let packed = packer.write_all(plain).and_then(|()| packer.finish()).unwrap_or_default();
        let hash = blake3::hash(plain).to_hex();
        Self { name, kind, plain, packed, etag: format!("\"{}\"", hash.chars().take(16).collect::<String>()) }
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let always = [
            (CONTENT_TYPE, self.kind),
            (CONTENT_SECURITY_POLICY, POLICY),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
            // A new version of the program may be another dashboard: it is asked for each time, and sent if it changed.
            (CACHE_CONTROL, "no-cache"),
            (VARY, "accept-encoding"),
            (ETAG, self.etag.as_str()),
        ];
        if etag::has(headers.get_all(IF_NONE_MATCH), &self.etag) {
            return (StatusCode::NOT_MODIFIED, always).into_response();
        }
        let is_packed = header(ACCEPT_ENCODING).contains("gzip") && !self.packed.is_empty();
        match is_packed {
            true => (always, [(CONTENT_ENCODING, "gzip")], self.packed.clone()).into_response(),
            false => (always, self.plain).into_response(),
        }
    }
}
