//! Cleans up after a crash or an error: notifies people of messages that may not have arrived, and marks incomplete
//! replies as broken off.

use std::time::Duration;

use jiff::SignedDuration;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Role;
use throughline_engine::commands::command_message;
use throughline_engine::ports::{Clock, SystemClock};
use throughline_engine::turn::BROKE_OFF;
use throughline_engine::{Error, Result};
use throughline_store::messages::Purpose;
use throughline_store::outbox::Outgoing;
use throughline_store::uncertain::UncertainMessage;

use super::lanes::Worker;
use super::{Draft, compose};

/// Maximum time that a notice waits to be sent together with another message.
const NOTICE_DELAY: SignedDuration = SignedDuration::from_mins(1);
/// Time limit for the last edits after the signal to stop.
const LAST_EDITS: Duration = Duration::from_secs(2);

impl Worker {
    /// Cleans up after a crash or an error.
    pub(super) async fn clean_up_unfinished(&self) {
        if let Err(error) = self.mark_broken_off().await {
            tracing::warn!(%error, "marking replies that broke off failed; retrying in 1 s");
        }
        if let Err(error) = self.notify_uncertain().await {
            tracing::warn!(%error, "notifying of uncertain messages failed; retrying in 1 s");
        }
    }

    /// Notifies people of messages that may not have arrived, after a wait or once another message was sent in the
    /// lane.
    async fn notify_uncertain(&self) -> Result<()> {
        let now = SystemClock.now();
        let is_due = |untold: &UncertainMessage| {
            untold.is_followed || now.duration_since(untold.since) >= NOTICE_DELAY
        };
        self.tell(is_due).await
    }

    /// Notifies people of messages in a lane that may not have arrived, before the next message is sent there.
    pub(super) async fn notify_uncertain_in(&self, chat: &ChatId, lane: &Lane) -> Result<()> {
        self.tell(|untold| untold.chat == *chat && untold.lane == *lane).await
    }

    async fn tell(&self, is_due: impl Fn(&UncertainMessage) -> bool) -> Result<()> {
        for untold in
            self.engine.store.unreported_messages(self.kind.name()).await?.into_iter().filter(is_due)
        {
            let notice = self.engine.uncertain_notice(&untold);
            let recorded = command_message(&untold.chat, &untold.lane, Role::Assistant, &notice.text);
            let outgoing = Outgoing {
                said: vec![self.engine.stored(recorded, Purpose::Record).await?],
                outbox: compose(&untold.chat, &untold.lane, Draft::Text(&notice.text, notice.choices)),
                buttons: notice.buttons,
                tells: untold.items,
                ..Outgoing::default()
            };
            self.engine.store.send_out(outgoing).await?;
            self.sender.request(&untold.chat);
        }
        Ok(())
    }

    /// Marks the messages of replies that broke off, and returns their chats.
    async fn mark_broken_off(&self) -> Result<Vec<ChatId>> {
        let mut chats = Vec::new();
        for (turn, live) in self.engine.store.broken_off(self.kind.name()).await? {
            let text = format!("{}\n\n⚠️ {BROKE_OFF}", live.words);
            let draft = match &live.external_id {
                Some(message) => Draft::Whole(message, &text),
                None => Draft::Reply(&text),
            };
            let items = compose(&live.chat, &live.lane, draft);
            self.engine.store.complete_live(turn, items, SystemClock.now()).await?;
            chats.push(live.chat);
        }
        Ok(chats)
    }

    /// Ends the replies of this process that did not finish in time, as the next process would.
    pub(super) async fn end_unfinished(&self) {
        let ended = async {
            self.engine.close_own_turns().await?;
            for chat in self.mark_broken_off().await? {
                self.sender.try_once(&chat).await?;
            }
            Ok::<(), Error>(())
        };
        match tokio::time::timeout(LAST_EDITS, ended).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "ending unfinished replies failed; the next start does it")
            }
            Err(_) => tracing::warn!("ending unfinished replies took too long; the next start does it"),
        }
    }
}
