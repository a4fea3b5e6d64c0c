//! One turn at a time in a lane, across processes. Waiting messages are answered together.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::message::{MessageId, Role, Shortfall};
use throughline_domain::turn::TurnId;
use throughline_models::Usage;
use throughline_store::holder::Holder;
use throughline_store::live::LiveReply;
use throughline_store::messages::Appended;
use throughline_store::turns::{Entry, Take, TurnRecord};

use super::Outcome;
use crate::ports::{Clock, SystemClock};
use crate::{Engine, Error, Inbound, Result};

/// Time between checks of a busy lane.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Lease of a turn or a run. Other machines wait this long for a process that has died.
pub(crate) const LEASE: Duration = Duration::from_secs(60);
/// Time between renewals; two may fail before the lease expires.
const RENEW_EVERY: Duration = Duration::from_secs(20);

/// The result of waiting for a lane.
pub enum LaneEntry {
    /// This process holds the lane and answers these messages.
    Active {
        /// The turn.
        turn: TurnId,
        /// The messages, oldest first.
        messages: Vec<StoredMessage>,
    },
    /// Another turn has answered the message.
    AnsweredBy(Box<Outcome>),
}

impl Engine {
    /// Waits for the lane of a message, and takes it.
    ///
    /// # Errors
    /// If it stays busy for longer than the settings' patience.
    pub async fn enter(&self, chat: &ChatId, recorded: &Appended) -> Result<LaneEntry> {
        let turn = TurnId(self.ids.next());
        let deadline = Instant::now() + self.settings.patience;
        loop {
            let entry = self.enter_once(chat, &recorded.lane, turn, Take::Waiting).await?;
            if let Entry::Active(messages) = entry {
                return Ok(LaneEntry::Active { turn, messages });
            }
            if let Some(outcome) = self.answered(chat, recorded.id).await? {
                return Ok(LaneEntry::AnsweredBy(Box::new(outcome)));
            }
            let Entry::Busy { holder, .. } = entry else { return Err(Error::Unanswered) };
            self.wait_for(&holder, deadline).await?;
        }
    }

    /// Waits for a lane and takes it with its waiting messages; `None` if there are none.
    ///
    /// # Errors
    /// If it stays busy for longer than the settings' patience.
    pub(crate) async fn hold(
        &self,
        chat: &ChatId,
        lane: &Lane,
        take: Take,
    ) -> Result<Option<(TurnId, Vec<StoredMessage>)>> {
        let turn = TurnId(self.ids.next());
        let deadline = Instant::now() + self.settings.patience;
        loop {
            match self.enter_once(chat, lane, turn, take).await? {
                Entry::Active(messages) => return Ok(Some((turn, messages))),
                Entry::Nothing => return Ok(None),
                Entry::Busy { holder, .. } => self.wait_for(&holder, deadline).await?,
            }
        }
    }

    async fn enter_once(&self, chat: &ChatId, lane: &Lane, turn: TurnId, take: Take) -> Result<Entry> {
        Ok(self.store.enter_lane(chat, lane, turn, &self.holder(LEASE), take, self.now()).await?)
    }

    /// This process as a holder with a new lease.
    #[must_use]
    pub fn holder(&self, lease: Duration) -> Holder {
        // Leases follow the real clock, even if the calendar is fixed.
        let lease = SignedDuration::try_from(lease).unwrap_or(SignedDuration::MAX);
        let leased_to = SystemClock.now().saturating_add(lease).unwrap_or(Timestamp::MAX);
        Holder { owner: self.owner.to_string(), leased_to }
    }

    /// Returns true if another process may take over.
    #[must_use]
    pub fn is_abandoned(&self, holder: &Holder) -> bool {
        self.owner.may_take_over_from(holder, SystemClock.now())
    }

    /// Runs a future and renews its lease meanwhile.
    pub(crate) async fn renewing<T, R>(&self, work: impl Future<Output = T>, renew: impl Fn(Holder) -> R) -> T
    where
        R: Future<Output = throughline_store::Result<()>>,
    {
        let mut work = std::pin::pin!(work);
        loop {
            match tokio::time::timeout(RENEW_EVERY, &mut work).await {
                Ok(done) => return done,
                Err(_) => {
                    // The work continues while the store is busy.
                    let mut renewal = std::pin::pin!(renew(self.holder(LEASE)));
                    tokio::select! {
                        done = &mut work => return done,
                        renewed = &mut renewal => {
                            if let Err(error) = renewed {
                                tracing::warn!(%error, "renewing a lease failed; retrying in 20 s");
                            }
                        }
                    }
                }
            }
        }
    }

    /// Waits a moment for the process that holds a lane. An abandoned lane is released at once.
    async fn wait_for(&self, holder: &Holder, deadline: Instant) -> Result<()> {
        if self.is_abandoned(holder) {
            return self.close_abandoned().await;
        }
        if Instant::now() >= deadline {
            let process = holder.owner.split('.').next().unwrap_or_default();
            return Err(Error::LaneBusy { owner: process.to_owned() });
        }
        tokio::time::sleep(POLL_INTERVAL).await;
        Ok(())
    }

    /// Closes abandoned turns in every lane: the lane is released, its messages wait again, and anything it was
    /// showing or sending becomes uncertain.
    pub async fn close_abandoned(&self) -> Result<()> {
        self.close_turns(|holder| self.is_abandoned(holder)).await?;
        let mut senders = self.store.send_owners().await?;
        senders.retain(|holder| self.is_abandoned(holder));
        if !senders.is_empty() {
            for (chat, count) in self.store.mark_uncertain(senders, SystemClock.now()).await? {
                tracing::warn!(%chat, count, "process ended while sending; outbox items are now uncertain");
            }
        }
        Ok(())
    }

    /// Closes the turns of this process, which is about to exit.
    pub async fn close_own_turns(&self) -> Result<()> {
        let own = self.owner.to_string();
        self.close_turns(|holder| holder.owner == own).await
    }

    async fn close_turns(&self, is_over: impl Fn(&Holder) -> bool) -> Result<()> {
        let mut silent = Vec::new();
        for (turn, holder) in self.store.unfinished_turns().await? {
            if !is_over(&holder) {
                continue;
            }
            match self.store.live_reply(turn).await? {
                Some(live) => self.break_off(turn, &holder, live).await?,
                None => silent.push((turn, holder)),
            }
        }
        if !silent.is_empty() {
            self.store.abandon_turns(silent, self.now()).await?;
        }
        Ok(())
    }

    /// Records the shown part of a reply whose process ended.
    async fn break_off(&self, turn: TurnId, holder: &Holder, live: LiveReply) -> Result<()> {
        let LiveReply { chat, lane, words, .. } = live;
        tracing::warn!(%chat, %lane, "process ended during a live reply; recording the shown part");
        let cut: &str = Shortfall::Cut.into();
        let reply = Inbound {
            role: Role::Assistant,
            text: words,
            agent: Some(self.settings.identities.agent(&chat, None).to_owned()),
            metadata: [(Shortfall::KEY.to_owned(), cut.into())].into_iter().collect(),
            ..Inbound::in_chat(chat)
        };
        let reply = self.message(reply, lane, None)?;
        Ok(self.store.break_off(turn, holder, reply, self.now()).await?)
    }

    /// The outcome of the turn that answered a message, if there is one.
    async fn answered(&self, chat: &ChatId, message: MessageId) -> Result<Option<Outcome>> {
        let record = self.store.chat(chat).turn_of(message).await?;
        Ok(record.and_then(|record| match record {
            TurnRecord { id, reply: Some(reply), receipt: Some(receipt), .. } => Some(Outcome {
                turn: id,
                reply,
                receipt,
                usage: Usage::default(),
                problems: Vec::new(),
                is_in_outbox: false,
            }),
            _ => None,
        }))
    }
}
