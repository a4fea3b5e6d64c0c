//! One lane, one turn at a time, across processes. What waits there is answered together.

use std::time::{Duration, Instant};

use throughline_domain::chat::ChatId;
use throughline_domain::context::Placed;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_domain::turn::TurnId;
use throughline_models::Usage;
use throughline_store::messages::Appended;
use throughline_store::turns::{Entry, Take, TurnRecord};

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
            let entry = self.enter_once(chat, &heard.lane, turn, Take::Waiting).await?;
            if let Entry::Held(messages) = entry {
                return Ok(Entered::Held { turn, messages });
            }
            if let Some(outcome) = self.answered(chat, heard.id).await? {
                return Ok(Entered::AnsweredBy(Box::new(outcome)));
            }
            let Entry::Busy { owner, .. } = entry else { return Err(Error::Unanswered) };
            self.wait_for(owner, deadline).await?;
        }
    }

    /// Waits for a lane and takes it, with what waits there. Nothing where there is nothing to take.
    ///
    /// # Errors
    /// When it stays busy for longer than the settings' patience.
    pub(crate) async fn hold(
        &self,
        chat: &ChatId,
        lane: &Lane,
        take: Take,
    ) -> Result<Option<(TurnId, Vec<Placed>)>> {
        let turn = TurnId(self.ids.next());
        let deadline = Instant::now() + self.settings.patience;
        loop {
            match self.enter_once(chat, lane, turn, take).await? {
                Entry::Held(messages) => return Ok(Some((turn, messages))),
                Entry::Nothing => return Ok(None),
                Entry::Busy { owner, .. } => self.wait_for(owner, deadline).await?,
            }
        }
    }

    async fn enter_once(&self, chat: &ChatId, lane: &Lane, turn: TurnId, take: Take) -> Result<Entry> {
        Ok(self.store.enter_lane(chat, lane, turn, &self.owner.to_string(), take, self.now()).await?)
    }

    /// Waits a moment for whoever holds a lane; what a dead process held is free at once.
    async fn wait_for(&self, holder: String, deadline: Instant) -> Result<()> {
        if is_dead(&holder) {
            return self.close_abandoned().await;
        }
        if Instant::now() >= deadline {
            return Err(Error::LaneBusy { owner: holder });
        }
        tokio::time::sleep(LOOK_AGAIN).await;
        Ok(())
    }

    /// Closes the turns of processes that have died, in every lane: their lanes are free, their messages wait again, and
    /// what they were showing or sending is uncertain.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn close_abandoned(&self) -> Result<()> {
        let mut unfinished = self.store.unfinished_turns().await?;
        unfinished.retain(|(_, owner)| is_dead(owner));
        if !unfinished.is_empty() {
            let dead = unfinished.into_iter().map(|(turn, _)| turn).collect();
            self.store.abandon_turns(dead, self.now()).await?;
        }
        let mut senders = self.store.post_owners().await?;
        senders.retain(|owner| is_dead(owner));
        if !senders.is_empty() {
            self.store.doubt_posts(senders).await?;
        }
        Ok(())
    }

    /// The outcome of the turn that answered a message, if one has.
    async fn answered(&self, chat: &ChatId, message: MessageId) -> Result<Option<Outcome>> {
        let record = self.store.chat(chat).turn_of(message).await?;
        Ok(record.and_then(|record| match record {
            TurnRecord { id, reply: Some(reply), receipt: Some(receipt), .. } => {
                Some(Outcome { turn: id, reply, receipt, usage: Usage::default(), is_posted: false })
            }
            _ => None,
        }))
    }
}

/// Whether an owner's process has ended.
pub(crate) fn is_dead(owner: &str) -> bool {
    !owner.parse().is_ok_and(Owner::is_alive)
}
