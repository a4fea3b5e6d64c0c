//! Asks the model and streams its words without tags. The reply is on disk as pending before the first lasting word
//! is shown.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use throughline_domain::chat::ChatId;
use throughline_domain::context::Context;
use throughline_domain::turn::{ToolReceipt, TurnId};
use throughline_models::{Answer, Attachment, Request, Toolbox, Turn, Usage};
use throughline_store::ledger::{Call, CallId};
use throughline_text::printable::{Cleaner, without_controls};
use throughline_text::tags::{Stripper, Tag, strip};
use throughline_text::tokens::estimate;
use tokio::sync::mpsc::{self, Receiver};

use super::{Channel, ShownBy, Visibility};
use crate::work::Entry;
use crate::{Engine, Error, Result};

/// The cause of an answer that the person stopped.
pub(super) const STOPPED: &str = "the person stopped it";
/// The suffix of a reply that the person stopped.
pub const STOPPED_MARK: &str = " [stopped]";
/// The recorded text of an answer that was stopped before its first word.
const NOTHING_SHOWN: &str = "…";
/// The text of a reply that contains only tags.
pub(super) const ACKNOWLEDGEMENT: &str = "Noted.";

/// The model's answer.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The answer, without tags.
    pub answer: Answer,
    /// The call's entry in the ledger, to be completed.
    pub call: (CallId, Call),
    /// The tags in it.
    pub tags: Vec<Tag>,
    /// The tools called, by any of the models.
    pub tools: Vec<ToolReceipt>,
    /// Milliseconds until the answer was complete.
    pub model_ms: f64,
}

/// The input of the model.
pub struct ModelInput<'a> {
    /// The context.
    pub context: &'a Arc<Context>,
    /// The files that come with the message.
    pub attachments: Vec<Attachment>,
    /// The tools that the model may call.
    pub tools: Option<Arc<Toolbox>>,
}

impl Engine {
    /// Asks the model.
    ///
    /// # Errors
    /// If the daily cap is reached, or the model fails or returns nothing.
    pub async fn answer(
        &self,
        turn: TurnId,
        chat: &ChatId,
        input: ModelInput<'_>,
        channel: &dyn Channel,
    ) -> Result<Answered> {
        let model = self.model_of(chat).await;
        self.check_reply_cap(model.as_ref()).await?;
        let began = Instant::now();
        let turn_request = Turn {
            context: Arc::clone(input.context),
            now: self.now(),
            zone: self.settings.zone.clone(),
            attachments: input.attachments,
            tools: input.tools.clone(),
        };
        let request = Request::Turn(Box::new(turn_request));
        let entry = |took| Entry { purpose: "reply", chat, turn: Some(turn), background: false, took };
        let id = self.begin_call(entry(Duration::ZERO), model.name(), &request).await?;
        let (words, pieces) = mpsc::channel::<String>(64);
        let so_far = Mutex::new(String::new());
        let asking = async {
            tokio::join!(model.answer(&request, words), self.show(turn, chat, pieces, channel, &so_far))
        };
        let (answer, shown) = tokio::select! {
            ended = asking => ended,
            () = channel.stopped() => (Ok(stopped(model.name(), &so_far)), Ok(())),
        };
        let call = self.call(entry(began.elapsed()), model.name(), &answer);
        let read = answer.as_ref().map(|answer| without_tags(&answer.text));
        let says_something = read.as_ref().is_ok_and(|(text, _)| !text.trim().is_empty());
        if !says_something || shown.is_err() {
            // A successful call is completed with the reply; a failed one here.
            if let Err(error) = self.store.end_call(id, call.clone()).await {
                tracing::warn!(%error, "ending a failed call in the ledger failed; it counts by estimate");
            }
        }
        shown?;
        let answer = answer.map_err(Error::Model)?;
        let (text, tags) = without_tags(&answer.text);
        if !says_something {
            return Err(Error::Model(throughline_models::Error::Unreadable("it is empty".to_owned())));
        }
        Ok(Answered {
            answer: Answer { text, ..answer },
            call: (id, call),
            tags,
            tools: input.tools.map(|toolbox| toolbox.receipts()).unwrap_or_default(),
            model_ms: began.elapsed().as_secs_f64() * 1e3,
        })
    }

    async fn show(
        &self,
        turn: TurnId,
        chat: &ChatId,
        mut pieces: Receiver<String>,
        channel: &dyn Channel,
        so_far: &Mutex<String>,
    ) -> Result<()> {
        let (mut cleaner, mut stripper) = (Cleaner::default(), Stripper::default());
        let mut showing = Showing { engine: self, chat, turn, channel, is_begun: false, is_named: false };
        loop {
            let piece = tokio::select! {
                piece = pieces.recv() => piece,
                () = channel.due() => {
                    showing.show("").await?;
                    continue;
                }
            };
            let ended = piece.is_none();
            let words = match piece {
                Some(piece) => stripper.push(&cleaner.push(&piece)),
                None => stripper.finish(),
            };
            if !words.is_empty() {
                so_far.lock().unwrap_or_else(PoisonError::into_inner).push_str(&words);
                showing.show(&words).await?;
            }
            if ended {
                return Ok(());
            }
        }
    }
}

/// Separates a reply's text from its tags. A reply of tags alone becomes an acknowledgement.
pub(super) fn without_tags(reply: &str) -> (String, Vec<Tag>) {
    let (text, tags) = strip(&without_controls(reply));
    match text.trim().is_empty() && !tags.is_empty() {
        true => (ACKNOWLEDGEMENT.to_owned(), tags),
        false => (text, tags),
    }
}

/// The answer that the person stopped: the words shown so far.
fn stopped(model: &str, so_far: &Mutex<String>) -> Answer {
    let shown = so_far.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let text = if shown.trim().is_empty() { NOTHING_SHOWN.to_owned() } else { shown };
    let usage = Usage { output_tokens: estimate(&text), ..Usage::default() };
    Answer { text, usage, model: model.to_owned(), cut: Some(STOPPED.to_owned()), ..Answer::default() }
}

/// A reply that is being shown.
struct Showing<'a> {
    engine: &'a Engine,
    chat: &'a ChatId,
    turn: TurnId,
    channel: &'a dyn Channel,
    /// True if the reply is on disk as pending.
    is_begun: bool,
    /// True if the store knows the message that shows the reply.
    is_named: bool,
}

impl Showing<'_> {
    /// Shows the next words, after storing what must be on disk before them.
    async fn show(&mut self, words: &str) -> Result<()> {
        let (store, turn) = (&self.engine.store, self.turn);
        match self.channel.begin_visible_reply(words) {
            Visibility::Passing => self.channel.show(words).await,
            Visibility::Lasting => {
                if !self.is_begun {
                    store.begin_reply(turn).await?;
                    self.is_begun = true;
                }
                self.channel.show(words).await;
            }
            Visibility::Live(text) => {
                if !store.show_live(self.chat, turn, &text).await? {
                    self.channel.hold_back();
                    return Ok(());
                }
                self.channel.show(words).await;
                match self.channel.shown_by() {
                    ShownBy::Message(id) if !self.is_named => {
                        store.name_live(turn, &id).await?;
                        self.is_named = true;
                    }
                    ShownBy::Nothing => store.withdraw_live(turn).await?,
                    ShownBy::Message(_) | ShownBy::Unknown => {}
                }
            }
        }
        Ok(())
    }
}
