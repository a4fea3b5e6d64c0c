//! Shows a reply while it is written: as a draft in a private chat, and as an edited message in a group. A reply that
//! is complete at once is not shown early. The outbox sends the whole reply.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use throughline_domain::channel::is_group;
use throughline_engine::turn::{Channel, Outcome, ShownBy, Visibility};
use throughline_store::outbox::NewOutboxItem;
use throughline_text::redact::redact;
use tokio::sync::Notify;

use super::api::{Api, ApiError};
use super::format::preview;
use super::lane::thread_to_send;
use super::pace::Pace;
use super::target::SendTarget;
use super::update::number;

/// Time between updates of a draft.
const DRAFT_EVERY: Duration = Duration::from_millis(1_000);
/// Time from the model's first word to the first message. A reply that is complete by then is sent as a whole.
const FIRST_WORDS_AFTER: Duration = Duration::from_millis(1_000);
/// Time between edits of a message. Groups allow only twenty messages a minute, so edits there are rarer.
const EDIT_EVERY: Duration = Duration::from_millis(2_000);
const GROUP_EDIT_EVERY: Duration = Duration::from_millis(3_000);

/// Time between attempts to show words while earlier messages of the chat are being sent.
const RETRY_AFTER: Duration = Duration::from_millis(250);

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
    pace: Arc<Pace>,
    target: SendTarget,
    /// Whether the server supports drafts, which the first attempt shows.
    drafts: Arc<AtomicBool>,
    /// Notified when the person stops the reply.
    stop: Arc<Notify>,
    state: Mutex<State>,
}

struct State {
    mode: Mode,
    text: String,
    /// The length of the text that is shown.
    shown: usize,
    /// When the next words may be shown; `None` before the first word.
    next_at: Option<Instant>,
    /// Whether the next words should be shown now.
    is_due: bool,
    /// The message that shows the reply.
    message: Option<i64>,
    /// Whether the first message certainly did not arrive.
    is_withdrawn: bool,
}

impl State {
    /// When words that were held back may be shown; `None` if there are none.
    fn due_at(&self) -> Option<Instant> {
        let is_held_back =
            self.mode != Mode::Quiet && self.text.len() > self.shown && !self.text.trim().is_empty();
        self.next_at.filter(|_| is_held_back)
    }
}

impl Stream {
    pub fn new(
        api: Arc<Api>,
        pace: Arc<Pace>,
        target: SendTarget,
        drafts: Arc<AtomicBool>,
        stop: Arc<Notify>,
    ) -> Self {
        let drafts_here = !is_group(&target.chat) && drafts.load(Ordering::Relaxed);
        let state = State {
            mode: if drafts_here { Mode::Draft } else { Mode::Edit },
            text: String::new(),
            shown: 0,
            next_at: drafts_here.then(|| Instant::now() + DRAFT_EVERY),
            is_due: false,
            message: None,
            is_withdrawn: false,
        };
        Self { api, pace, target, drafts, stop, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Time between two updates of the display.
    fn every(&self, mode: Mode) -> Duration {
        match mode {
            Mode::Draft => DRAFT_EVERY,
            Mode::Edit if is_group(&self.target.chat) => GROUP_EDIT_EVERY,
            Mode::Edit | Mode::Quiet => EDIT_EVERY,
        }
    }

    /// Returns true if the rate limits allow another message or edit; if not, schedules the next attempt.
    fn is_allowed(&self, state: &mut State, now: Instant) -> bool {
        let wait = match (state.mode, state.message) {
            (Mode::Edit, None) => self.pace.acquire(&self.target.chat, now),
            (Mode::Edit, Some(_)) => self.pace.acquire_optional(&self.target.chat, now),
            (Mode::Draft | Mode::Quiet, _) => Duration::ZERO,
        };
        if !wait.is_zero() {
            state.next_at = Some(now + wait);
        }
        wait.is_zero()
    }

    fn fields(&self, html: &str) -> Value {
        let mut fields = json!({ "chat_id": number(&self.target.chat), "text": html, "parse_mode": "HTML" });
        if let (Some(thread), Some(map)) = (thread_to_send(&self.target.lane), fields.as_object_mut()) {
            map.insert("message_thread_id".to_owned(), json!(thread));
        }
        fields
    }

    /// Shows the beginning of the reply. After a failure, only the whole reply will be shown.
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
            Err(error) => self.give_up(&mut state, &error),
        }
    }

    fn give_up(&self, state: &mut State, error: &ApiError) {
        if state.mode == Mode::Draft && is_no_method(error) {
            self.drafts.store(false, Ordering::Relaxed);
        }
        if let ApiError::TooMany(wait) = error {
            self.pace.pause(&self.target.chat, *wait, Instant::now());
        }
        state.is_withdrawn = state.message.is_none() && !matches!(error, ApiError::Ambiguous(_));
        state.mode = Mode::Quiet;
        tracing::info!(%error, "showing a reply while it is written failed; sending it when it is complete");
    }
}

#[async_trait]
impl Channel for Stream {
    fn begin_visible_reply(&self, words: &str) -> Visibility {
        let now = Instant::now();
        let mut state = self.state();
        state.text.push_str(words);
        if state.next_at.is_none() && !state.text.trim().is_empty() {
            state.next_at = Some(now + FIRST_WORDS_AFTER);
        }
        state.is_due = state.due_at().is_some_and(|at| at <= now) && self.is_allowed(&mut state, now);
        match state.mode {
            Mode::Edit if state.is_due => Visibility::Live(redact(&state.text).into_owned()),
            Mode::Draft | Mode::Edit | Mode::Quiet => Visibility::Passing,
        }
    }

    async fn show(&self, _: &str) {
        let (mode, text, message) = {
            let mut state = self.state();
            if !std::mem::take(&mut state.is_due) {
                return;
            }
            state.next_at = Some(Instant::now() + self.every(state.mode));
            state.shown = state.text.len();
            (state.mode, state.text.clone(), state.message)
        };
        self.show_now(mode, &text, message).await;
    }

    async fn stopped(&self) {
        self.stop.notified().await;
    }

    async fn due(&self) {
        let at = self.state().due_at();
        match at {
            Some(at) => tokio::time::sleep_until(at.into()).await,
            None => std::future::pending().await,
        }
    }

    fn hold_back(&self) {
        let mut state = self.state();
        state.is_due = false;
        state.next_at = Some(Instant::now() + RETRY_AFTER);
        self.pace.release(&self.target.chat);
    }

    fn shown_by(&self) -> ShownBy {
        let state = self.state();
        match state.message {
            Some(message) => ShownBy::Message(message.to_string()),
            None if state.is_withdrawn => ShownBy::Nothing,
            None => ShownBy::Unknown,
        }
    }

    fn outbox_items(&self, text: &str, answers: Option<&str>) -> Vec<NewOutboxItem> {
        // In a private chat, it is obvious which message is answered.
        let answers = answers.filter(|_| is_group(&self.target.chat)).and_then(|id| id.parse().ok());
        SendTarget { answers, ..self.target.clone() }.reply(text, self.state().message)
    }

    async fn deliver(&self, _: &Outcome) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}

/// Returns true if the error means that the server is too old for drafts. Other errors concern only this reply.
fn is_no_method(error: &ApiError) -> bool {
    match error {
        ApiError::Unauthorized => true,
        ApiError::Refused(why) => why.to_lowercase().contains("method"),
        _ => false,
    }
}
