//! One turn, from a message to its reply. Each step is a file; this is their order.
//!
//! | step | does | on disk afterwards |
//! |---|---|---|
//! | [`intake`] | a redacted message in its lane; a repeated one is recognized | the message, waiting |
//! | [`lane`] | one turn at a time; messages that arrive meanwhile are answered together | the turn, running |
//! | [`gather`] | window, summaries, hits, identity: what the context could hold | |
//! | [`answer`] | the model, streamed, which may search the memory on the way; a reply is on disk as pending before any of it is shown | the reply, pending |
//! | [`record`] | reply, turn, receipt and jobs as one | all four |
//! | `Channel::deliver` | the reply is shown | the delivery |
//!
//! [`retry`] begins a turn for a question whose turn fell short.

pub mod answer;
pub mod gather;
pub mod intake;
pub mod lane;
pub mod record;
mod retry;
mod together;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use throughline_domain::chat::ChatId;
use throughline_domain::context::{Context, Format, StoredMessage};
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, Role, Shortfall};
use throughline_domain::turn::{Delivery, Receipt, TurnId};
use throughline_models::{Answer, Usage};
use throughline_store::holder::Holder;
use throughline_store::messages::{Appended, Origin, Purpose};
use throughline_store::outbox::{NewOutboxItem, Outgoing};
use throughline_store::turns::Take;

pub use answer::STOPPED_MARK;

use crate::work::fallback_notice;
use crate::{Engine, Error, Inbound, Result};
use answer::ModelInput;
use gather::ContextRequest;
use lane::LaneEntry;
use record::FinishedTurn;
use together::{speaker_parts, together};

/// The notice below an incomplete reply, for people who may not see the cause.
pub const BROKE_OFF: &str = "My reply broke off. /retry asks again.";

/// The channel that shows a reply.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Returns how the next words are shown. Called before each piece.
    fn begin_visible_reply(&self, _words: &str) -> Visibility {
        Visibility::Lasting
    }

    /// Shows the next words of the reply.
    async fn show(&self, words: &str);

    /// Waits until words that were held back are due; an empty piece then shows them. Pending forever if there are
    /// none.
    async fn due(&self) {
        std::future::pending().await
    }

    /// Delays live words, because earlier messages of the chat go first.
    fn hold_back(&self) {}

    /// The message that shows a live reply.
    fn shown_by(&self) -> ShownBy {
        ShownBy::Unknown
    }

    /// Waits until the person stops the reply; pending forever if the channel has no way to stop it.
    async fn stopped(&self) {
        std::future::pending().await
    }

    /// Splits a text that answers the message with this channel id into outbox items; empty if `deliver` shows it
    /// directly.
    fn outbox_items(&self, _text: &str, _answers: Option<&str>) -> Vec<NewOutboxItem> {
        Vec::new()
    }

    /// Shows the whole reply, and returns the channel's ids of it.
    async fn deliver(&self, outcome: &Outcome) -> std::result::Result<Vec<String>, String>;
}

/// How words are shown before the reply is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visibility {
    /// They stay, even if the reply is never completed. The reply is on disk as pending before the first of them is
    /// shown.
    Lasting,
    /// They disappear later, or are not shown yet.
    Passing,
    /// A message shows them and is edited as the reply grows. The whole reply so far, which is this text, is on disk
    /// first.
    Live(String),
}

/// The message that shows a live reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownBy {
    /// The channel's id of the message.
    Message(String),
    /// None: the channel refused it.
    Nothing,
    /// Unknown: it was sent, and the channel did not answer.
    Unknown,
}

/// The result of a turn.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The turn.
    pub turn: TurnId,
    /// The reply.
    pub reply: Message,
    /// The receipt.
    pub receipt: Receipt,
    /// The tokens and cost.
    pub usage: Usage,
    /// Problems with the models, in sentences for the owner: a failed model and the one that answered instead, or why
    /// the reply broke off.
    pub problems: Vec<String>,
    /// True if the outbox sends the reply.
    pub is_in_outbox: bool,
}

/// A turn that holds its lane.
pub(crate) struct ActiveTurn {
    pub turn: TurnId,
    pub chat: ChatId,
    pub lane: Lane,
    pub agent: Option<String>,
    /// The messages it answers, oldest first.
    pub messages: Vec<StoredMessage>,
    pub began: Instant,
}

impl Engine {
    /// Runs one turn for a message.
    ///
    /// # Errors
    /// If the message cannot be recorded, the lane stays busy, or the model fails. A recorded message stays recorded.
    pub async fn take_turn(&self, inbound: Inbound, channel: &dyn Channel) -> Result<Outcome> {
        let (chat, agent) = (inbound.chat.clone(), inbound.agent.clone());
        let recorded = self.record_message(inbound, Purpose::Answer).await?;
        self.answer_recorded(&chat, &recorded, agent, channel).await
    }

    /// Runs the turn of a recorded message. A message that was answered already is not answered again; its reply is
    /// shown once more.
    ///
    /// # Errors
    /// If the lane stays busy, or the model fails.
    pub async fn answer_recorded(
        &self,
        chat: &ChatId,
        recorded: &Appended,
        agent: Option<String>,
        channel: &dyn Channel,
    ) -> Result<Outcome> {
        let began = Instant::now();
        match self.enter(chat, recorded).await? {
            LaneEntry::Active { turn, messages } => {
                let (chat, lane) = (chat.clone(), recorded.lane.clone());
                let active = ActiveTurn { turn, chat, lane, agent, messages, began };
                self.run_turn(active, channel).await
            }
            LaneEntry::AnsweredBy(outcome) => {
                // The turn that answered records the delivery; this only shows its reply once more.
                channel.deliver(&outcome).await.map_err(Error::Undelivered)?;
                Ok(*outcome)
            }
        }
    }

    /// Runs one turn for the waiting messages of a lane; `None` if none wait, or another turn answers them.
    ///
    /// # Errors
    /// If the lane stays busy, or the model fails.
    pub async fn answer_waiting(
        &self,
        chat: &ChatId,
        lane: &Lane,
        take: Take,
        channel: &dyn Channel,
    ) -> Result<Option<Outcome>> {
        let began = Instant::now();
        let Some((turn, messages)) = self.hold(chat, lane, take).await? else { return Ok(None) };
        let (chat, lane) = (chat.clone(), lane.clone());
        self.run_turn(ActiveTurn { turn, chat, lane, agent: None, messages, began }, channel).await.map(Some)
    }

    async fn run_turn(&self, active: ActiveTurn, channel: &dyn Channel) -> Result<Outcome> {
        let turn = active.turn;
        let renew = |holder: Holder| self.store.renew_turn(turn, holder.leased_to);
        self.renewing(self.run_active_turn(active, channel), renew).await
    }

    async fn run_active_turn(&self, mut active: ActiveTurn, channel: &dyn Channel) -> Result<Outcome> {
        let tools =
            self.toolbox(&active.chat, active.messages.iter().map(|stored| stored.message.id).collect());
        // Started first, because preparing the model takes longer than gathering.
        self.model_of(&active.chat).await.get_ready(tools.as_deref());
        let turn = active.turn;
        let answers = match !speaker_parts(&active.messages).is_empty() {
            // The reply names the people it answers.
            true => None,
            false => {
                active.messages.iter().rev().find_map(|stored| stored.message.external_ids.first().cloned())
            }
        };
        let replied = active.messages.iter().rev().find_map(|stored| stored.message.reply_to);
        let files = self.files_of_turn(&active.chat, &mut active.messages, replied).await;
        let outcome = async {
            let files = files?;
            let newest = |wanted: fn(&Message) -> bool| {
                active.messages.iter().rev().map(|stored| &stored.message).find(|message| wanted(message))
            };
            let replying = newest(|message| message.reply_to.is_some() || message.quote().is_some());
            let request = ContextRequest {
                reply_to: replying.and_then(|message| message.reply_to),
                quote: replying.and_then(Message::quote),
                agent: active.agent.clone(),
                message: Some(together(&active.messages)),
                speaker_parts: speaker_parts(&active.messages),
                format: Some(Format::Messages),
                ..ContextRequest::new(active.chat.clone(), active.lane.clone())
            };
            let prepared = self.prepare(request).await?;
            let own_ms = active.began.elapsed().as_secs_f64() * 1e3;
            let input = ModelInput { context: &prepared.context, attachments: files.attachments, tools };
            let answered = self.answer(turn, &active.chat, input, channel).await?;
            let mut sent = self.with_problems(&active.chat, &answered.answer);
            if files.is_untranscribed {
                sent = self.with_voice_hint(&active.chat, sent).await;
            }
            let outbox = channel.outbox_items(&sent, answers.as_deref());
            let files = files.receipt;
            let finished = FinishedTurn { prepared, answered, own_ms, outbox, files, routine: None };
            self.record_reply(turn, &active.chat, &active.lane, active.agent.as_deref(), finished).await
        };
        let outcome: Outcome = match outcome.await {
            Ok(outcome) => outcome,
            Err(error) => {
                self.record_failure(&active, &error, channel, answers.as_deref()).await?;
                return Err(error);
            }
        };
        if outcome.is_in_outbox {
            // The outbox sender records the delivery.
            return Ok(outcome);
        }
        match channel.deliver(&outcome).await {
            Ok(ids) => self.store.mark_delivery(turn, Delivery::Sent, ids).await?,
            Err(why) => {
                self.store.mark_delivery(turn, Delivery::Failed, Vec::new()).await?;
                return Err(Error::Undelivered(why));
            }
        }
        Ok(outcome)
    }

    /// Appends problems with the models to a reply: for the owner the cause, for other people only a notice.
    fn with_problems<'a>(&self, chat: &ChatId, answer: &'a Answer) -> Cow<'a, str> {
        let problems = match self.settings.people.is_owners(chat) {
            true => problems(answer),
            false => plain_problem(answer).into_iter().collect(),
        };
        if answer.cut.as_deref() == Some(answer::STOPPED) {
            return Cow::Owned(format!("{}{STOPPED_MARK}", answer.text));
        }
        if problems.is_empty() {
            return Cow::Borrowed(&answer.text);
        }
        Cow::Owned(format!("{}\n\n⚠️ {}", answer.text, problems.join("\n⚠️ ")))
    }

    /// Appends, once per chat, how to turn on transcription to a reply to an untranscribed voice message.
    async fn with_voice_hint<'a>(&self, chat: &ChatId, sent: Cow<'a, str>) -> Cow<'a, str> {
        if !self.store.chat(chat).tell_once("transcription").await.unwrap_or_default() {
            return sent;
        }
        let hint = match self.settings.people.is_owners(chat) {
            true => {
                "I cannot listen to voice messages yet. To turn that on, name a program or a server under [transcription] in config.toml."
            }
            false => "I cannot listen to voice messages. Please write instead.",
        };
        Cow::Owned(format!("{sent}\n\n🎙 {hint}"))
    }

    /// Ends a failed turn with a notice in the history; the question stays open. On channels with an outbox the
    /// notice is sent; the others show the error. Only the owner sees the cause.
    async fn record_failure(
        &self,
        active: &ActiveTurn,
        error: &Error,
        channel: &dyn Channel,
        answers: Option<&str>,
    ) -> Result<()> {
        let problem = error.to_string();
        let text = match error {
            Error::NotTranscribed(cause) => {
                let cause = match self.settings.people.is_owners(&active.chat) {
                    true => format!(": {cause}"),
                    false => String::new(),
                };
                format!("I could not transcribe the voice message{cause}. It is kept; /retry listens again.")
            }
            _ if !self.settings.people.is_owners(&active.chat) => {
                "I could not answer just now. Your message is kept; /retry asks it again.".to_owned()
            }
            Error::Model(cause) => {
                format!("I could not answer: {cause}. Your message is kept; /retry asks it again.")
            }
            other => format!("I could not answer: {other}"),
        };
        let outbox = channel.outbox_items(&text, answers);
        let unanswered: &str = Shortfall::Unanswered.into();
        let turn = active.turn.to_string();
        let marks =
            [("source", "failure"), (Shortfall::KEY, unanswered), (Shortfall::FAILED_TURN, turn.as_str())];
        let notice = Inbound {
            role: Role::Assistant,
            text,
            metadata: marks.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect(),
            ..Inbound::in_chat(active.chat.clone())
        };
        let notice = self.message(notice, active.lane.clone(), None)?;
        let said = vec![self.append(notice, Purpose::Record, Origin::Channel)];
        let outgoing = Outgoing { said, outbox, ..Outgoing::default() };
        Ok(self.store.fail_turn_with_notice(active.turn, &problem, self.now(), outgoing).await?)
    }

    /// The context that the next turn would have.
    ///
    /// # Errors
    /// If the store cannot be read, or what must be kept does not fit.
    pub async fn preview(&self, request: ContextRequest) -> Result<Context> {
        Ok(Arc::unwrap_or_clone(self.prepare(request).await?.context))
    }
}

/// Problems with the models behind an answer, in sentences.
fn problems(answer: &Answer) -> Vec<String> {
    let failed = answer.failures.iter().map(|failure| fallback_notice(failure, answer));
    let cut = answer
        .cut
        .iter()
        .filter(|why| *why != answer::STOPPED)
        .map(|why| format!("The reply broke off: {why}."));
    failed.chain(cut).collect()
}

/// The same problem for people who may not see the cause.
fn plain_problem(answer: &Answer) -> Option<String> {
    let sentence = match (&answer.cut, answer.failures.is_empty()) {
        (Some(why), _) if why == answer::STOPPED => return None,
        (Some(_), _) => BROKE_OFF,
        (None, false) => "My usual model could not answer, so a simpler one did. /retry asks again.",
        (None, true) => return None,
    };
    Some(sentence.to_owned())
}
