//! One lane, one turn at a time, across processes. What waits there is answered together.

use std::time::{Duration, Instant};

use throughline_domain::chat::ChatId;
use throughline_domain::context::Placed;
use throughline_domain::message::MessageId;
use throughline_domain::turn::TurnId;
use throughline_models::Usage;
use throughline_store::messages::Appended;
use throughline_store::turns::{Entry, TurnRecord};

use super::Outcome;
use crate::owner::Owner;
use crate::{Engine, Error, Result};

/// How often a busy lane is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What came of waiting for a lane.
pub enum Entered {
    /// It is ours, to answer these messages.
    Held {
        /// The turn.
        turn: TurnId,
        /// What it answers, oldest first.
        messages: Vec<Placed>,
    },
    /// Another turn has answered the message meanwhile.
    AnsweredBy(Box<Outcome>),
}

impl Engine {
    /// Waits for the lane of a message that was heard, and takes it.
    ///
    /// # Errors
    /// When it stays busy for longer than the settings' patience.
    pub async fn enter(&self, chat: &ChatId, heard: &Appended) -> Result<Entered> {
        let turn = TurnId(self.ids.next());
        let deadline = Instant::now() + self.settings.patience;
        loop {
            let entry =
                self.store.enter_lane(chat, &heard.lane, turn, &self.owner.to_string(), self.now()).await?;
            let holder = match entry {
                Entry::Held(messages) => return Ok(Entered::Held { turn, messages }),
                Entry::Busy { owner, .. } => owner,
                Entry::Nothing => match self.answered(chat, heard.id).await? {
                    Some(outcome) => return Ok(Entered::AnsweredBy(Box::new(outcome))),
                    None => return Err(Error::Unanswered),
                },
            };
            if let Some(outcome) = self.answered(chat, heard.id).await? {
                return Ok(Entered::AnsweredBy(Box::new(outcome)));
            }
            if !holder.parse().is_ok_and(Owner::is_alive) {
                self.close_abandoned().await?;
                continue;
            }
            if Instant::now() >= deadline {
                return Err(Error::LaneBusy { owner: holder });
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Closes the turns of processes that have died, in every lane: their lanes are free, their messages wait again, and
    /// a reply that may have been seen is uncertain.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn close_abandoned(&self) -> Result<()> {
        let mut unfinished = self.store.unfinished_turns().await?;
        unfinished.retain(|(_, owner)| !owner.parse().is_ok_and(Owner::is_alive));
        if unfinished.is_empty() {
            return Ok(());
        }
        let dead = unfinished.into_iter().map(|(turn, _)| turn).collect();
        Ok(self.store.abandon_turns(dead, self.now()).await?)
    }

    /// The outcome of the turn that answered a message, if one has.
    async fn answered(&self, chat: &ChatId, message: MessageId) -> Result<Option<Outcome>> {
        let record = self.store.chat(chat).turn_of(message).await?;
        Ok(record.and_then(|record| match record {
            TurnRecord { id, reply: Some(reply), receipt: Some(receipt), .. } => {
                Some(Outcome { turn: id, reply, receipt, usage: Usage::default() })
            }
            _ => None,
        }))
    }
}
