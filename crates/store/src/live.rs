//! Live replies: a message of the channel shows them and is edited as they grow. The words are on disk before they
//! are shown, so if the process dies, the shown part is recorded as a reply that broke off, and the message says so.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::Message;
use throughline_domain::turn::{TurnId, TurnStatus};

use crate::holder::Holder;
use crate::intake::append_one;
use crate::messages::{Append, read_one};
use crate::outbox::{self, NewOutboxItem};
use crate::turns::{is_held_by, release_lane, running};
use crate::{Result, Store};

/// A reply that is shown while it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveReply {
    /// Its chat.
    pub chat: ChatId,
    /// Its lane.
    pub lane: Lane,
    /// The shown words.
    pub words: String,
    /// The channel's id of the message that shows them, once known.
    pub external_id: Option<String>,
}

impl Store {
    /// Stores the words of a reply before a message shows them. Returns false if they must wait for earlier messages
    /// of the chat.
    ///
    /// # Errors
    /// If the store cannot be written, or another process has taken over the turn.
    pub async fn show_live(&self, chat: &ChatId, turn: TurnId, words: &str) -> Result<bool> {
        let (chat, words) = (chat.clone(), words.to_owned());
        self.write(move |tx| {
            let lane = running(tx, turn)?.lane;
            if tx.live_reply(turn)?.is_none() && tx.first_unsent(&chat)?.is_some() {
                return Ok(false);
            }
            tx.add_pending_reply(turn, lane)?;
            tx.put_live_reply(turn, &words)?;
            Ok(true)
        })
        .await
    }

    /// Stores the channel's id of the message that shows a live reply.
    pub async fn name_live(&self, turn: TurnId, external_id: &str) -> Result<()> {
        let id = external_id.to_owned();
        self.write(move |tx| tx.name_live_reply(turn, &id)).await
    }

    /// Records that nothing of a live reply was shown.
    pub async fn withdraw_live(&self, turn: TurnId) -> Result<()> {
        self.write(move |tx| {
            tx.delete_live_reply(turn)?;
            tx.delete_begun_reply(turn)
        })
        .await
    }

    /// The live reply of a turn, if it has one.
    pub async fn live_reply(&self, turn: TurnId) -> Result<Option<LiveReply>> {
        self.read(move |tx| tx.live_reply(turn)).await
    }

    /// Closes an abandoned turn with a live reply: records the shown part, and releases the lane. The message that
    /// shows it must be edited later, see [`Store::broken_off`]. Does nothing if the lease was renewed meanwhile.
    pub async fn break_off(
        &self,
        turn: TurnId,
        holder: &Holder,
        reply: Message,
        at: Timestamp,
    ) -> Result<()> {
        let (holder, gap) = (holder.clone(), self.gap);
        self.write(move |tx| {
            let row = tx.turn_row(turn)?.filter(|row| row.is_running() && is_held_by(row, &holder));
            let Some(row) = row else { return Ok(()) };
            let reply = Append::record(reply);
            let appended = append_one(tx, gap, &reply)?;
            tx.end_turn(turn, TurnStatus::Abandoned, at, None, Some("the program ended during the reply"))?;
            tx.put_reply(turn, row.lane, appended.seq)?;
            release_lane(tx, turn, &row)
        })
        .await
    }

    /// Live replies of a channel that broke off and whose messages do not say so yet.
    pub async fn broken_off(&self, channel: &str) -> Result<Vec<(TurnId, LiveReply)>> {
        let channel = channel.to_owned();
        self.read(move |tx| {
            let mut found = Vec::new();
            for (turn, reply) in tx.ended_live_replies(&channel)? {
                let seq = tx.reply_row(turn)?.and_then(|row| row.message);
                let Some(seq) = seq else { continue };
                // Parts of the recorded text may have been forgotten meanwhile.
                let words = read_one(tx, &reply.chat, seq)?.message.text;
                found.push((turn, LiveReply { words, ..reply }));
            }
            Ok(found)
        })
        .await
    }

    /// Adds the outbox items that complete a broken live reply. If the message that shows it is unknown, the first
    /// item is uncertain.
    pub async fn complete_live(&self, turn: TurnId, items: Vec<NewOutboxItem>, now: Timestamp) -> Result<()> {
        self.write(move |tx| {
            if tx.live_reply(turn)?.is_none() {
                return Ok(());
            }
            let message = tx.reply_row(turn)?.and_then(|row| row.message);
            outbox::insert_reply(tx, turn, message, &items, now)
        })
        .await
    }
}
