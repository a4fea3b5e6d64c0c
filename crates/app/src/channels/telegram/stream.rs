//! A reply while it is written: a draft in a private chat, a message that is edited elsewhere, and nothing if the reply is
//! complete at once. The outbox sends the whole reply.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use throughline_domain::channel::is_group;
use throughline_engine::turn::{Channel, Outcome, Visibility};
use throughline_store::outbox::NewOutboxItem;
use throughline_text::redact::redact;
use tokio::sync::Notify;

use super::api::{Api, ApiError};
use super::format::preview;
use super::lane::thread_to_send;
use super::target::SendTarget;
use super::update::number;

/// Time between updates of a draft.
const DRAFT_EVERY: Duration = Duration::from_millis(1_000);
/// Time between edits of a message; longer in a group, which allows twenty a minute.
const EDIT_EVERY: Duration = Duration::from_millis(2_000);
const GROUP_EDIT_EVERY: Duration = Duration::from_millis(5_000);

/// How a reply is shown while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Draft,
    Edit,
    Quiet,
}

/// A reply that is being written.
pub struct Stream {
    api: Arc<Api>,
    target: SendTarget,
    /// Whether the server has drafts; the first attempt tells.
    drafts: Arc<AtomicBool>,
    /// Tells that the person stops it.
    stop: Arc<Notify>,
    state: Mutex<State>,
}

struct State {
    mode: Mode,
    text: String,
    shown_at: Instant,
    /// Whether the next words are shown lastingly.
    lasting: bool,
    /// The message that shows them.
    message: Option<i64>,
}

impl Stream {
    pub fn new(api: Arc<Api>, target: SendTarget, drafts: Arc<AtomicBool>, stop: Arc<Notify>) -> Self {
        let drafts_here = !is_group(&target.chat) && drafts.load(Ordering::Relaxed);
        let state = State {
            mode: if drafts_here { Mode::Draft } else { Mode::Edit },
            text: String::new(),
            shown_at: Instant::now(),
            lasting: false,
            message: None,
        };
        Self { api, target, drafts, stop, state: Mutex::new(state) }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn every(&self, mode: Mode) -> Duration {
        match mode {
            Mode::Draft => DRAFT_EVERY,
            Mode::Edit if is_group(&self.target.chat) => GROUP_EDIT_EVERY,
            Mode::Edit => EDIT_EVERY,
            Mode::Quiet => Duration::MAX,
        }
    }

    fn fields(&self, html: &str) -> Value {
        let mut fields = json!({ "chat_id": number(&self.target.chat), "text": html, "parse_mode": "HTML" });
        if let (Some(thread), Some(map)) = (thread_to_send(&self.target.lane), fields.as_object_mut()) {
            map.insert("message_thread_id".to_owned(), json!(thread));
        }
        fields
    }

    /// Shows the beginning of the reply. After a failure, only the whole reply is shown.
    async fn show_now(&self, mode: Mode, text: &str, message: Option<i64>) {
        let mut fields = self.fields(&preview(&redact(text)).html);
        let mut with =
            |name: &str, value: Value| fields.as_object_mut().map(|map| map.insert(name.to_owned(), value));
        let shown = match (mode, message) {
            (Mode::Quiet, _) => return,
            (Mode::Draft, _) => {
                with("draft_id", json!(1));
                self.api.call("sendMessageDraft", &fields).await
            }
            (Mode::Edit, Some(message)) => {
                with("message_id", json!(message));
                self.api.call("editMessageText", &fields).await
            }
            (Mode::Edit, None) => self.api.call("sendMessage", &fields).await,
        };
        let mut state = self.state();
        match shown {
            Ok(sent) if mode == Mode::Edit => {
                state.message = state.message.or(sent.get("message_id").and_then(Value::as_i64));
            }
            Ok(_) => {}
            Err(error) => {
                state.mode = Mode::Quiet;
                if mode == Mode::Draft && is_no_method(&error) {
                    self.drafts.store(false, Ordering::Relaxed);
                }
                tracing::info!(%error, "showing a reply while it is written failed; sending it when it is complete");
            }
        }
    }
}

#[async_trait]
impl Channel for Stream {
    fn begin_visible_reply(&self) -> Visibility {
        let mut state = self.state();
        state.lasting = state.mode == Mode::Edit && state.shown_at.elapsed() >= self.every(Mode::Edit);
        if state.lasting { Visibility::Lasting } else { Visibility::Passing }
    }

    async fn show(&self, words: &str) {
        let (mode, text, message) = {
            let mut state = self.state();
            state.text.push_str(words);
            let is_due = match state.mode {
                // Editing the message that is there needs no new record.
                Mode::Edit => {
                    state.lasting
                        || (state.message.is_some() && state.shown_at.elapsed() >= self.every(Mode::Edit))
                }
                mode => state.shown_at.elapsed() >= self.every(mode),
            };
            if !is_due || state.text.trim().is_empty() {
                return;
            }
            state.shown_at = Instant::now();
            state.lasting = false;
            (state.mode, state.text.clone(), state.message)
        };
        self.show_now(mode, &text, message).await;
    }

    async fn stopped(&self) {
        self.stop.notified().await;
    }

    fn outbox_items(&self, text: &str, answers: Option<&str>) -> Vec<NewOutboxItem> {
        // In a private chat it is clear which message is answered.
        let answers = answers.filter(|_| is_group(&self.target.chat)).and_then(|id| id.parse().ok());
        SendTarget { answers, ..self.target.clone() }.reply(text, self.state().message)
    }

    async fn deliver(&self, _: &Outcome) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}

/// Whether the server has no drafts, as older servers do not. Other errors are about this reply alone.
fn is_no_method(error: &ApiError) -> bool {
    match error {
        ApiError::Unauthorized => true,
        ApiError::Refused(why) => why.to_lowercase().contains("method"),
        _ => false,
    }
}
