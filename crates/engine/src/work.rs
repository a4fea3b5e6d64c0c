//! Background work by a model: within the daily cap, and recorded in the ledger.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::turn::TurnId;
use throughline_models::{
    Answer, ChatModel, Error as ModelError, Offline, Request, Usage, Work, whole_answer,
};
use throughline_store::ledger::{Call, CallId, CallKind, Spent};
use throughline_text::tokens::estimate;

use crate::Engine;

/// Maximum daily cost of a kind of call, across all chats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DailyCap {
    /// In dollars, where prices are known.
    pub usd: f64,
    /// In tokens read and written.
    pub tokens: u64,
}

impl DailyCap {
    /// The default for background work.
    pub const BACKGROUND: Self = Self { usd: 0.50, tokens: 500_000 };
    /// The default for replies: far above a person's use, below a program that asks all night.
    pub const REPLIES: Self = Self { usd: 10.0, tokens: 10_000_000 };

    /// The cap that was reached, if any.
    fn reached(&self, spent: &Spent) -> Option<CapReached> {
        let tokens = spent.input_tokens + spent.output_tokens;
        if spent.cost_usd >= self.usd {
            Some(CapReached::Cost { spent: spent.cost_usd, most: self.usd })
        } else if tokens >= self.tokens {
            Some(CapReached::Tokens { spent: tokens, most: self.tokens })
        } else {
            None
        }
    }
}

/// A daily cap on replies that was reached. The text names the setting that raises it.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum CapReached {
    /// The cost.
    #[error(
        "the replies of the last day cost ${spent:.2}, and the most is ${most:.2}; raise replies.daily_cents in config.toml, or wait"
    )]
    Cost {
        /// The cost of replies, in dollars.
        spent: f64,
        /// The cap.
        most: f64,
    },
    /// The tokens.
    #[error(
        "the replies of the last day took {spent} tokens, and the most is {most}; raise replies.daily_tokens in config.toml, or wait"
    )]
    Tokens {
        /// Tokens read and written.
        spent: u64,
        /// The cap.
        most: u64,
    },
}

/// Why a model did not do a piece of work.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// There is no model; rules do the work.
    #[error("no model for background work is set")]
    NoModel,
    /// The daily cap is reached.
    #[error(
        "the daily cap for background work is reached; raise [background] in config.toml, or wait until tomorrow"
    )]
    Capped,
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The ledger could not be read.
    #[error(transparent)]
    Store(#[from] throughline_store::Error),
}

/// The problem text of a call that has not ended.
const NOT_ENDED: &str = "it has not ended";

/// Estimated input tokens of a request.
fn expected_tokens(request: &Request) -> u32 {
    match request {
        Request::Turn(turn) => {
            let files = turn.attachments.iter().map(|attachment| attachment.tokens());
            let tools = turn.tools.iter().map(|toolbox| toolbox.tokens());
            files.chain(tools).fold(turn.context.tokens, u32::saturating_add)
        }
        Request::Work(work) => estimate(&work.instructions).saturating_add(estimate(&work.input)),
    }
}

impl Engine {
    /// Asks the small model for a piece of work.
    pub(crate) async fn work(
        &self,
        purpose: &'static str,
        chat: &ChatId,
        work: Work,
    ) -> std::result::Result<String, WorkError> {
        let Some(model) = &self.small else { return Err(WorkError::NoModel) };
        self.ask_within_cap(model.as_ref(), purpose, chat, &Request::Work(work)).await
    }

    /// Asks a model in the background, unless the daily cap is reached.
    pub(crate) async fn ask_within_cap(
        &self,
        model: &dyn ChatModel,
        purpose: &'static str,
        chat: &ChatId,
        request: &Request,
    ) -> std::result::Result<String, WorkError> {
        let spent = self.store.spent_on(CallKind::Background, self.day_ago()).await?;
        if self.settings.daily_cap.reached(&spent).is_some() {
            return Err(WorkError::Capped);
        }
        let began = Instant::now();
        let entry = |took| Entry { purpose, chat, turn: None, background: true, took };
        let id = self.begin_call(entry(Duration::ZERO), model.name(), request).await?;
        let answer = whole_answer(model, request).await;
        self.store.end_call(id, self.call(entry(began.elapsed()), model.name(), &answer)).await?;
        let answer = answer?;
        match answer.cut {
            Some(why) => Err(ModelError::Unreadable(format!("it broke off: {why}")).into()),
            None => Ok(answer.text),
        }
    }

    /// Checks that replies have not reached the daily cap. The built-in model costs nothing.
    pub(crate) async fn check_reply_cap(&self, model: &dyn ChatModel) -> crate::Result<()> {
        if model.name() == Offline::NAME {
            return Ok(());
        }
        self.check_replies().await
    }

    async fn check_replies(&self) -> crate::Result<()> {
        let spent = self.store.spent_on(CallKind::Reply, self.day_ago()).await?;
        self.settings.reply_cap.reached(&spent).map_or(Ok(()), |reached| Err(crate::Error::Capped(reached)))
    }

    /// The start of the 24 hours that caps count.
    pub(crate) fn day_ago(&self) -> Timestamp {
        self.now().saturating_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN)
    }

    /// Records a call before the model is asked, so that it counts even if this process ends.
    pub(crate) async fn begin_call(
        &self,
        entry: Entry<'_>,
        asked: &str,
        request: &Request,
    ) -> throughline_store::Result<CallId> {
        let expected = Usage { input_tokens: expected_tokens(request), ..Usage::default() };
        let begun = Answer { usage: expected, cut: Some(NOT_ENDED.to_owned()), ..Answer::default() };
        self.store.begin_call(self.call(entry, asked, &Ok(begun))).await
    }

    /// Records a client's call with the key in the settings, unless replies have reached the daily cap.
    ///
    /// # Errors
    /// If they have, or the ledger cannot be written.
    pub async fn begin_relayed_call(
        &self,
        chat: &ChatId,
        model: String,
        expected_tokens: u32,
    ) -> crate::Result<RelayedCall> {
        self.check_replies().await?;
        let usage = Usage { input_tokens: expected_tokens, ..Usage::default() };
        let begun = Answer { usage, cut: Some(NOT_ENDED.to_owned()), ..Answer::default() };
        let call = self.call(relayed(chat, Duration::ZERO), &model, &Ok(begun));
        let id = self.store.begin_call(call).await?;
        Ok(RelayedCall { id, chat: chat.clone(), model, began: Instant::now() })
    }

    /// Records the usage of a relayed call.
    ///
    /// # Errors
    /// If the ledger cannot be written; the call then counts by estimate.
    pub async fn end_relayed_call(&self, call: RelayedCall, usage: Usage) -> crate::Result<()> {
        let ended = Answer { usage, ..Answer::default() };
        let entry = self.call(relayed(&call.chat, call.began.elapsed()), &call.model, &Ok(ended));
        Ok(self.store.end_call(call.id, entry).await?)
    }

    /// Asks the small model for a piece of work, and once more if the answer cannot be parsed.
    pub(crate) async fn readable_work<T>(
        &self,
        purpose: &'static str,
        chat: &ChatId,
        work: Work,
        read: impl Fn(&str) -> std::result::Result<T, String>,
    ) -> std::result::Result<T, WorkError> {
        let Some(model) = &self.small else { return Err(WorkError::NoModel) };
        let mut request = Request::Work(work);
        let why = match read(&self.ask_within_cap(model.as_ref(), purpose, chat, &request).await?) {
            Ok(read) => return Ok(read),
            Err(why) => why,
        };
        if let Request::Work(work) = &mut request {
            work.input.push_str(&format!(
                "\n\nYour last answer could not be read: {why}. Answer with the JSON object only."
            ));
        }
        read(&self.ask_within_cap(model.as_ref(), purpose, chat, &request).await?)
            .map_err(|why| ModelError::Unreadable(why).into())
    }

    /// A call as the ledger stores it.
    pub(crate) fn call(
        &self,
        entry: Entry<'_>,
        asked: &str,
        answer: &std::result::Result<Answer, ModelError>,
    ) -> Call {
        let (usage, model, problem) = match answer {
            Ok(answer) => (answer.usage, answer.model.as_str(), problem(answer)),
            Err(error) => (Default::default(), asked, Some(format!("{asked}: {error}"))),
        };
        Call {
            at: self.now(),
            chat: Some(entry.chat.clone()),
            turn: entry.turn,
            purpose: entry.purpose,
            background: entry.background,
            model: if model.is_empty() { asked } else { model }.to_owned(),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_usd: usage.cost_usd,
            ms: entry.took.as_secs_f64() * 1e3,
            problem,
        }
    }
}

/// Problems behind an answer, in one line that names the model.
fn problem(answer: &Answer) -> Option<String> {
    let replaced = answer.failures.iter().map(|failure| fallback_notice(failure, answer));
    let cut = answer.cut.iter().map(|why| format!("{}: the reply broke off: {why}", answer.model));
    let problems: Vec<String> = replaced.chain(cut).collect();
    (!problems.is_empty()).then(|| problems.join(" "))
}

/// The sentence about a failed model and the one that answered instead.
pub(crate) fn fallback_notice(failure: &str, answer: &Answer) -> String {
    format!("{failure}. {} answered instead.", answer.model)
}

/// A client's call with the key in the settings.
#[derive(Debug)]
pub struct RelayedCall {
    id: CallId,
    chat: ChatId,
    model: String,
    began: Instant,
}

fn relayed(chat: &ChatId, took: Duration) -> Entry<'_> {
    Entry { purpose: "proxy", chat, turn: None, background: false, took }
}

/// A ledger entry, without the answer.
pub(crate) struct Entry<'a> {
    pub purpose: &'static str,
    pub chat: &'a ChatId,
    pub turn: Option<TurnId>,
    pub background: bool,
    pub took: Duration,
}

/// Returns true if the error may be temporary, so that the job is retried.
pub(crate) fn is_temporary(error: &WorkError) -> bool {
    matches!(error, WorkError::Model(ModelError::Unavailable(_) | ModelError::Overloaded { .. }))
}
