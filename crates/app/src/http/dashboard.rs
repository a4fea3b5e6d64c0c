//! Serves the dashboard's files. They are compiled into the binary, contain nothing private, and use the API like any
//! other client.

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

/// The path below which the files are served.
const FOLDER: &str = "/dashboard/";

/// The content security policy: only the dashboard's own files load, it connects to this server only, and no page may
/// frame it.
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

/// The files, each with its content type.
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

/// A file that is ready to be sent.
struct EmbeddedFile {
    name: &'static str,
    kind: &'static str,
    plain: &'static [u8],
    gzipped: Vec<u8>,
    etag: String,
}

/// Returns true if the dashboard serves this path.
pub fn is_file(path: &str) -> bool {
    path == "/" || path.starts_with(FOLDER)
}

/// The page and its files.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let files: Arc<[EmbeddedFile]> = FILES.into_iter().map(EmbeddedFile::new).collect();
    Router::new()
        .route(
            "/",
            get(async |State(files): State<Arc<[EmbeddedFile]>>, headers| {
                answer(&files, "index.html", &headers)
            }),
        )
        .route(
            "/dashboard/{*name}",
            get(async |State(files): State<Arc<[EmbeddedFile]>>, Path(name): Path<String>, headers| {
                answer(&files, &name, &headers)
            }),
        )
        .with_state(files)
}

fn answer(files: &[EmbeddedFile], name: &str, headers: &HeaderMap) -> Response {
    match files.iter().find(|file| file.name == name) {
        Some(file) => file.answer(headers),
        None => ApiError::not_found("file", name).into_response(),
    }
}

impl EmbeddedFile {
    fn new((name, kind, plain): (&'static str, &'static str, &'static [u8])) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let gzipped = encoder.write_all(plain).and_then(|()| encoder.finish()).unwrap_or_default();
        let hash = blake3::hash(plain).to_hex();
        Self {
            name,
            kind,
            plain,
            gzipped,
            etag: format!("\"{}\"", hash.chars().take(16).collect::<String>()),
        }
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let always = [
            (CONTENT_TYPE, self.kind),
            (CONTENT_SECURITY_POLICY, POLICY),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
            // The browser revalidates on every load, because an upgrade of the program may bring a new dashboard.
            (CACHE_CONTROL, "no-cache"),
            (VARY, "accept-encoding"),
            (ETAG, self.etag.as_str()),
        ];
        if etag::matches(headers.get_all(IF_NONE_MATCH), &self.etag) {
            return (StatusCode::NOT_MODIFIED, always).into_response();
        }
        let wants_gzip = header(ACCEPT_ENCODING).contains("gzip") && !self.gzipped.is_empty();
        match wants_gzip {
            true => (always, [(CONTENT_ENCODING, "gzip")], self.gzipped.clone()).into_response(),
            false => (always, self.plain).into_response(),
        }
    }
}
