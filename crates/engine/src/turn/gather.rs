//! Collects what the context could hold, best first. Fitting it is the domain's business.

use std::collections::HashSet;

use throughline_domain::chat::ChatId;
use throughline_domain::context::{
    Context, Current, Format, Material, Plan, Recalled, TooLong, Window, assemble,
};
use throughline_domain::conversation::Thread;
use throughline_domain::lane::Lane;
use throughline_domain::message::{Message, MessageId};
use throughline_domain::tokens::estimate;
use throughline_store::messages::{LaneView, Reach, Reference};

use crate::identity::POLICY;
use crate::recall::{Question, without_topics, worth_telling};
use crate::{Engine, Result};

/// How many hits a turn looks at.
const HITS: usize = 12;

/// What a context is wanted for.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The chat.
    pub chat: ChatId,
    /// The lane.
    pub lane: Lane,
    /// What the person says.
    pub message: Option<Current>,
    /// The message it replies to.
    pub reply_to: Option<MessageId>,
    /// The agent asked for.
    pub agent: Option<String>,
    /// Another plan than the settings'.
    pub plan: Option<Plan>,
    /// Another format than the settings'.
    pub format: Option<Format>,
}

impl Wish {
    /// The plain context of a lane.
    #[must_use]
    pub fn new(chat: ChatId, lane: Lane) -> Self {
        Self { chat, lane, message: None, reply_to: None, agent: None, plan: None, format: None }
    }
}

/// A context, and what had to be left out of it because something failed.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The context.
    pub context: Context,
    /// What failed.
    pub degraded: Vec<String>,
}

impl Engine {
    /// Gathers and assembles. A memory that cannot be read makes the context smaller, not the turn fail.
    ///
    /// # Errors
    /// When what must be kept does not fit.
    pub async fn prepare(&self, wish: Wish) -> Result<Prepared> {
        let plan = wish.plan.unwrap_or(self.settings.plan);
        self.check_limit(wish.message.as_ref(), plan.budget)?;
        let mut degraded = Vec::new();
        let (view, recalled, quoted) =
            tokio::join!(self.view(&wish, &plan), self.hits(&wish), self.quoted(&wish));
        let view = or_less(view, "history", &mut degraded);
        let recalled = or_less(recalled, "recall", &mut degraded);
        let quoted = or_less(quoted, "quote", &mut degraded);
        let identity = or_less(
            self.settings.identities.read(&wish.chat, wish.agent.as_deref()),
            "identity",
            &mut degraded,
        );
        let now = self.now();
        let last = view.history.messages.last().map(|placed| placed.message.occurred_at);
        let material = Material {
            now,
            zone: self.settings.zone.clone(),
            person: self.settings.person.clone(),
            policy: POLICY.to_owned(),
            identity,
            profile: None,
            notices: uncertain_notice(view.uncertain),
            history: view.history,
            summaries: view.summaries,
            recalled,
            quoted,
            last_reply: view.last_reply,
            message: wish.message,
        };
        let format = wish.format.unwrap_or(self.settings.format);
        let thread = Thread::at(now, last, self.settings.gap);
        let context = assemble(&material, &plan, format, thread)?;
        // What must be kept may have raised the budget.
        self.check_limit(context.message.as_ref(), context.budget)?;
        Ok(Prepared { context, degraded })
    }

    /// The message is never cut, so it must leave room for the budget.
    fn check_limit(&self, message: Option<&Current>, budget: u32) -> Result<()> {
        let needed = message.map_or(0, |message| estimate(&message.text)).saturating_add(budget);
        let most = self.settings.model_limit;
        if needed > most { Err(TooLong { needed, most }.into()) } else { Ok(()) }
    }

    async fn view(&self, wish: &Wish, plan: &Plan) -> Result<LaneView> {
        let except: HashSet<MessageId> =
            wish.message.iter().flat_map(|message| message.ids.iter().copied()).collect();
        Ok(self.store.chat(&wish.chat).lane(&wish.lane, reach(plan), except).await?)
    }

    async fn hits(&self, wish: &Wish) -> Result<Vec<Recalled>> {
        let Some(message) = &wish.message else { return Ok(Vec::new()) };
        let question = Question {
            text: without_topics(&message.text),
            except: message.ids.clone(),
            limit: HITS,
            ..Question::default()
        };
        let found = self.recall(&wish.chat, question).await?;
        Ok(worth_telling(found, &wish.lane, &message.text))
    }

    async fn quoted(&self, wish: &Wish) -> Result<Option<Message>> {
        let Some(id) = wish.reply_to else { return Ok(None) };
        Ok(self.store.chat(&wish.chat).find(Reference::Id(id)).await?.map(|placed| placed.message))
    }
}

/// How far back the window of a plan can reach.
fn reach(plan: &Plan) -> Reach {
    let tokens = match plan.window {
        // What must be kept has a ceiling of its own, and exceeding it must be noticed.
        Window::Everything { ceiling, .. } => plan.budget.max(ceiling),
        _ => plan.history.unwrap_or(plan.budget),
    };
    let (messages, head, longest) = match plan.window {
        Window::Tiers { .. } => (usize::MAX, tokens / 5, tokens / 4),
        Window::Last { messages } => (messages * 2 + 20, 0, tokens),
        Window::Tail => (usize::MAX, 0, tokens / 4),
        Window::Everything { .. } => (usize::MAX, 0, u32::MAX),
        Window::Exchanges { exchanges, .. } => (exchanges * 8, 0, u32::MAX),
    };
    Reach { tokens, messages, longest, head }
}

fn uncertain_notice(uncertain: u64) -> Vec<String> {
    if uncertain == 0 {
        return Vec::new();
    }
    vec![
        "It is not certain that your last reply here was seen: the program ended while it was being shown."
            .to_owned(),
    ]
}

/// A part that failed is left out, and the receipt and the log say so.
fn or_less<T: Default>(part: Result<T>, name: &str, degraded: &mut Vec<String>) -> T {
    part.unwrap_or_else(|error| {
        tracing::warn!(part = name, %error, "a turn goes on with less memory");
        degraded.push(format!("{name}: {error}"));
        T::default()
    })
}
