//! Records a finished turn: reply, receipt and jobs in one transaction, the lane free again.

use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_domain::turn::{Receipt, TurnId};
use throughline_store::turns::Answer;

use super::Outcome;
use super::answer::Answered;
use super::gather::Prepared;
use crate::{Engine, Inbound, Result};

/// A turn that has everything but its record.
pub struct Finished {
    /// What the model was given.
    pub prepared: Prepared,
    /// What it answered.
    pub answered: Answered,
    /// Milliseconds spent before the model was asked.
    pub own_ms: f64,
}

impl Engine {
    /// Records the reply as pending, with its receipt.
    ///
    /// # Errors
    /// When the reply cannot be a message or the store cannot be written.
    pub async fn record_reply(
        &self,
        turn: TurnId,
        chat: &ChatId,
        lane: &Lane,
        agent: Option<&str>,
        finished: Finished,
    ) -> Result<Outcome> {
        let Finished { prepared, answered, own_ms } = finished;
        let context = &prepared.context;
        let receipt = Receipt {
            preset: context.preset.as_str().to_owned(),
            model: self.model.name().to_owned(),
            thread: context.thread.as_str().to_owned(),
            budget: context.budget,
            tokens: context.tokens,
            layers: context.receipt(),
            degraded: prepared.degraded,
            own_ms,
            model_ms: answered.model_ms,
        };
        let agent = self.settings.identities.agent(chat, agent).to_owned();
        let inbound = Inbound {
            role: Role::Assistant,
            text: answered.answer.text,
            agent: Some(agent),
            ..Inbound::in_chat(chat.clone())
        };
        let reply = self.message(inbound, lane.clone(), None)?;
        let answer =
            Answer { turn, reply: reply.clone(), receipt: receipt.clone(), jobs: Vec::new(), at: self.now() };
        self.store.record_answer(answer).await?;
        Ok(Outcome { turn, reply, receipt, usage: answered.answer.usage })
    }
}
