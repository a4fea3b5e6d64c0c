//! Work that a model does in the background: within the day's cap, and in the ledger.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::turn::TurnId;
use throughline_models::{
    Answer, ChatModel, Error as ModelError, Offline, Request, Usage, Work, whole_answer,
};
use throughline_store::ledger::{Call, CallId, Spent, WaitedFor};
use throughline_text::tokens::estimate;

use crate::Engine;

/// Maximum cost of a kind of call in a day, all chats together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DailyCap {
    /// In dollars, as far as prices are known.
    pub usd: f64,
    /// In tokens read and written.
    pub tokens: u64,
}

impl DailyCap {
    /// The default for background work.
    pub const BACKGROUND: Self = Self { usd: 0.50, tokens: 500_000 };
    /// The default for replies: far above a day's talk, below a night of a program that never stops asking.
    pub const REPLIES: Self = Self { usd: 10.0, tokens: 10_000_000 };

    /// The limit that was reached, if one was.
    fn reached(&self, spent: &Spent) -> Option<Reached> {
        let tokens = spent.input_tokens + spent.output_tokens;
        if spent.cost_usd >= self.usd {
            Some(Reached::Cost { spent: spent.cost_usd, most: self.usd })
        } else if tokens >= self.tokens {
            Some(Reached::Tokens { spent: tokens, most: self.tokens })
        } else {
            None
        }
    }
}

/// A daily cap on replies that was reached, and the setting that raises it.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Reached {
    /// The cost.
    #[error(
        "the replies of the last day cost ${spent:.2}, and the most is ${most:.2}; raise replies.daily_cents in config.toml, or wait"
    )]
    Cost {
        /// What replies cost, in dollars.
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
pub enum NotDone {
    /// There is no model; the rules do the work.
    #[error("no model for background work is set")]
    NoModel,
    /// The day's cap is reached.
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

/// The problem of a call in the ledger until it ends.
const NOT_ENDED: &str = "it has not ended";

/// What a request costs to read, by estimate.
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
    /// Lets the small model do a piece of work.
    pub(crate) async fn work(
        &self,
        purpose: &'static str,
        chat: &ChatId,
        work: Work,
    ) -> std::result::Result<String, NotDone> {
        let Some(model) = &self.small else { return Err(NotDone::NoModel) };
        self.ask_within_cap(model.as_ref(), purpose, chat, &Request::Work(work)).await
    }

    /// Asks a model in the background, unless the day's cap is reached.
    pub(crate) async fn ask_within_cap(
        &self,
        model: &dyn ChatModel,
        purpose: &'static str,
        chat: &ChatId,
        request: &Request,
    ) -> std::result::Result<String, NotDone> {
        let spent = self.store.spent_on(WaitedFor::ByNobody, self.day_ago()).await?;
        if self.settings.daily_cap.reached(&spent).is_some() {
            return Err(NotDone::Capped);
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

    /// Checks that replies have not reached the day's cap. The built-in model costs nothing.
    pub(crate) async fn check_reply_cap(&self, model: &dyn ChatModel) -> crate::Result<()> {
        if model.name() == Offline::NAME {
            return Ok(());
        }
        self.check_replies().await
    }

    async fn check_replies(&self) -> crate::Result<()> {
        let spent = self.store.spent_on(WaitedFor::ByAPerson, self.day_ago()).await?;
        self.settings.reply_cap.reached(&spent).map_or(Ok(()), |reached| Err(crate::Error::Capped(reached)))
    }

    /// The beginning of the day that caps count.
    pub(crate) fn day_ago(&self) -> Timestamp {
        self.now().saturating_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN)
    }

    /// Notes a call before the model is asked, so that it counts even if this process ends.
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

    /// Notes a call that a client makes with the key of the settings, unless replies have reached the day's cap.
    ///
    /// # Errors
    /// When they have, or the ledger cannot be written.
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

    /// Notes what a relayed call took.
    ///
    /// # Errors
    /// When the ledger cannot be written; the call then counts by estimate.
    pub async fn end_relayed_call(&self, call: RelayedCall, usage: Usage) -> crate::Result<()> {
        let ended = Answer { usage, ..Answer::default() };
        let entry = self.call(relayed(&call.chat, call.began.elapsed()), &call.model, &Ok(ended));
        Ok(self.store.end_call(call.id, entry).await?)
    }

    /// Lets the small model do a piece of work, and asks once more if the answer cannot be read.
    pub(crate) async fn readable_work<T>(
        &self,
        purpose: &'static str,
        chat: &ChatId,
        work: Work,
        read: impl Fn(&str) -> std::result::Result<T, String>,
    ) -> std::result::Result<T, NotDone> {
        let Some(model) = &self.small else { return Err(NotDone::NoModel) };
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

    /// A call as the ledger keeps it.
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

/// What went wrong on the way to an answer, in one line that names the model.
fn problem(answer: &Answer) -> Option<String> {
    let replaced = answer.troubles.iter().map(|trouble| instead(trouble, answer));
    let cut = answer.cut.iter().map(|why| format!("{}: the reply broke off: {why}", answer.model));
    let problems: Vec<String> = replaced.chain(cut).collect();
    (!problems.is_empty()).then(|| problems.join(" "))
}

/// The sentence about a model that failed and the one that answered in its place.
pub(crate) fn instead(trouble: &str, answer: &Answer) -> String {
    format!("{trouble}. {} answered instead.", answer.model)
}

/// A call that a client makes with the key of the settings.
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

/// An entry of the ledger, without the answer.
pub(crate) struct Entry<'a> {
    pub purpose: &'static str,
    pub chat: &'a ChatId,
    pub turn: Option<TurnId>,
    pub background: bool,
    pub took: Duration,
}

/// Whether the model may be reachable later, so that the job is worth another try.
pub(crate) fn may_pass(error: &NotDone) -> bool {
    matches!(error, NotDone::Model(ModelError::Unavailable(_) | ModelError::Overloaded { .. }))
}
