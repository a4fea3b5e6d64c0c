//! One turn, from what was heard to what was answered. Each step is a file; this is their order.
//!
//! | step | does | on disk afterwards |
//! |---|---|---|
//! | [`intake`] | a redacted message in its lane; one that came before is known again | the message, waiting |
//! | [`lane`] | one turn at a time; what arrived meanwhile is answered together | the turn, running |
//! | [`gather`] | window, summaries, hits, identity: what the context could hold | |
//! | [`answer`] | the model, streamed; a reply is on disk as pending before any of it is shown | the reply, pending |
//! | [`record`] | reply, turn, receipt and jobs as one | all four |
//! | `Channel::deliver` | the reply is shown, and that it was is noted | the delivery |

pub mod answer;
pub mod gather;
pub mod intake;
pub mod lane;
pub mod record;

use std::time::Instant;

use async_trait::async_trait;
use throughline_domain::context::{Context, Current, Format};
use throughline_domain::message::Message;
use throughline_domain::turn::{Delivery, Receipt, TurnId};
use throughline_models::Usage;
use throughline_store::messages::Purpose;

use crate::{Engine, Error, Inbound, Result};
use gather::Wish;
use lane::Entered;

/// Where a reply is shown.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Shows words of the reply as they come. The reply is on disk as pending before the first of them.
    async fn show(&self, words: &str);

    /// Shows the whole reply, and says under which ids it is known there.
    async fn deliver(&self, outcome: &Outcome) -> std::result::Result<Vec<String>, String>;
}

/// What became of a turn.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The turn.
    pub turn: TurnId,
    /// The reply.
    pub reply: Message,
    /// What went into it.
    pub receipt: Receipt,
    /// What the model took.
    pub usage: Usage,
}

impl Engine {
    /// Runs one turn for what was heard.
    ///
    /// # Errors
    /// When the message cannot be recorded, the lane stays busy, or the model fails. A message that was recorded stays so.
    pub async fn take_turn(&self, inbound: Inbound, channel: &dyn Channel) -> Result<Outcome> {
        let began = Instant::now();
        let agent = inbound.agent.clone();
        let chat = inbound.chat.clone();
        let heard = self.hear(inbound, Purpose::Answer).await?;
        let (turn, messages) = match self.enter(&chat, &heard).await? {
            Entered::Held { turn, messages } => (turn, messages),
            Entered::AnsweredBy(outcome) => {
                // The turn that answered notes its own delivery; here the same reply is shown once more.
                channel.deliver(&outcome).await.map_err(Error::Undelivered)?;
                return Ok(*outcome);
            }
        };
        // What a model needs to begin with takes longer than the gathering.
        self.model.get_ready();
        let asked = together(&messages);
        let outcome = async {
            let reply_to = messages.iter().rev().find_map(|placed| placed.message.reply_to);
            let wish = Wish {
                reply_to,
                agent: agent.clone(),
                message: Some(asked),
                format: Some(Format::Messages),
                ..Wish::new(chat.clone(), heard.lane.clone())
            };
            let prepared = self.prepare(wish).await?;
            let own_ms = began.elapsed().as_secs_f64() * 1e3;
            let answered = self.answer(turn, &chat, &prepared.context, channel).await?;
            let finished = record::Finished { prepared, answered, own_ms };
            self.record_reply(turn, &chat, &heard.lane, agent.as_deref(), finished).await
        };
        let outcome: Outcome = match outcome.await {
            Ok(outcome) => outcome,
            Err(error) => {
                self.store.fail_turn(turn, &error.to_string(), self.now()).await?;
                return Err(error);
            }
        };
        match channel.deliver(&outcome).await {
            Ok(ids) => self.store.mark_delivery(turn, Delivery::Sent, ids).await?,
            Err(why) => {
                self.store.mark_delivery(turn, Delivery::Failed, Vec::new()).await?;
                return Err(Error::Undelivered(why));
            }
        }
        Ok(outcome)
    }

    /// The context that the next turn would have, without a turn.
    ///
    /// # Errors
    /// When the store cannot be read, or what must be kept does not fit.
    pub async fn preview(&self, wish: Wish) -> Result<Context> {
        Ok(self.prepare(wish).await?.context)
    }
}

/// Messages that are answered together, as one.
fn together(messages: &[throughline_domain::context::Placed]) -> Current {
    let texts: Vec<&str> = messages.iter().map(|placed| placed.message.text.as_str()).collect();
    Current {
        ids: messages.iter().map(|placed| placed.message.id).collect(),
        text: texts.join("\n"),
        speaker: messages.last().and_then(|placed| placed.message.speaker.clone()),
    }
}
