//! A reply while it is being written: a draft that vanishes in a private chat, a message that is changed elsewhere, and
//! nothing at all where the reply is there at once. How the whole of it is sent is written down with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use throughline_engine::people::is_group;
use throughline_engine::turn::{Channel, Outcome, Visibility};
use throughline_store::outbox::NewOutboxItem;
use throughline_text::redact::redact;

use super::api::{Api, ApiError};
use super::format::preview;
use super::lane::thread_to_send;
use super::target::SendTarget;
use super::update::number;

/// A draft is renewed so often.
const DRAFT_EVERY: Duration = Duration::from_millis(1_000);
/// A message is changed so often: in a group, where twenty messages a minute are the most, more rarely.
const EDIT_EVERY: Duration = Duration::from_millis(2_000);
const GROUP_EDIT_EVERY: Duration = Duration::from_millis(5_000);

/// How a reply is shown while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Draft,
    Edit,
    Quiet,
}

/// One reply on its way.
pub struct Stream {
    api: Arc<Api>,
    target: SendTarget,
    /// Whether Telegram has drafts: found out by trying.
    drafts: Arc<AtomicBool>,
    state: Mutex<State>,
}

struct State {
    mode: Mode,
    text: String,
    shown_at: Instant,
    /// Whether the next words are shown in a way that lasts.
    lasting: bool,
    /// The message that shows them.
    message: Option<i64>,
}

impl Stream {
    pub fn new(api: Arc<Api>, target: SendTarget, drafts: Arc<AtomicBool>) -> Self {
        let drafts_here = !is_group(&target.chat) && drafts.load(Ordering::Relaxed);
        let state = State {
            mode: if drafts_here { Mode::Draft } else { Mode::Edit },
            text: String::new(),
            shown_at: Instant::now(),
            lasting: false,
            message: None,
        };
        Self { api, target, drafts, state: Mutex::new(state) }
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

    /// Shows the beginning of the reply. One failure is enough: the whole of it comes at the end.
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
                tracing::info!(%error, "a reply is shown when it is complete");
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
                // Once the message is there, changing it is nothing new.
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

    fn outbox_items(&self, text: &str, answers: Option<&str>) -> Vec<NewOutboxItem> {
        // In a private chat it is clear what is answered.
        let answers = answers.filter(|_| is_group(&self.target.chat)).and_then(|id| id.parse().ok());
        SendTarget { answers, ..self.target.clone() }.reply(text, self.state().message)
    }

    async fn deliver(&self, _: &Outcome) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}

/// Whether Telegram has no drafts, as older servers of one's own do not; it is not about this reply.
fn is_no_method(error: &ApiError) -> bool {
    match error {
        ApiError::Unauthorized => true,
        ApiError::Refused(why) => why.to_lowercase().contains("method"),
        _ => false,
    }
}
