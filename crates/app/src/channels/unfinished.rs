//! What a crash or a fault left behind: people are told of messages that may not have reached them, and a message that
//! shows the beginning of a reply says that it broke off.

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

/// How long a notice waits for a message that it can go out with.
const TELL_AFTER: SignedDuration = SignedDuration::from_mins(1);
/// Time for the last edits when the program is told to stop.
const LAST_EDITS: Duration = Duration::from_secs(2);

impl Worker {
    /// Takes up what a crash or a fault left behind.
    pub(super) async fn take_up_unfinished(&self) {
        if let Err(error) = self.mark_broken_off().await {
            tracing::warn!(%error, "marking replies that broke off failed; retrying in 1 s");
        }
        if let Err(error) = self.tell_uncertain().await {
            tracing::warn!(%error, "telling of uncertain messages failed; retrying in 1 s");
        }
    }

    /// Tells people of messages that may not have reached them, if they have waited long enough or another message has
    /// gone out in their lane.
    async fn tell_uncertain(&self) -> Result<()> {
        let now = SystemClock.now();
        let is_due = |it: &UncertainMessage| it.is_followed || now.duration_since(it.since) >= TELL_AFTER;
        self.tell(is_due).await
    }

    /// Tells people of messages in a lane that may not have reached them, before the next message goes out there.
    pub(super) async fn tell_uncertain_in(&self, chat: &ChatId, lane: &Lane) -> Result<()> {
        self.tell(|it| it.chat == *chat && it.lane == *lane).await
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
            self.sender.ask(&untold.chat);
        }
        Ok(())
    }

    /// Marks messages that show the beginning of a reply which broke off, and gives their chats.
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
    pub(super) async fn wind_up(&self) {
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
