//! Messages with uncertain delivery: the person is notified once, and can have them sent again.

use jiff::Timestamp;
use throughline_domain::chat::ChatId;
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;

use crate::outbox::delivery;
use crate::tx::Tx;
use crate::{InChat, Result, Store};

/// A message with uncertain pieces that was not reported yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncertainMessage {
    /// Its chat.
    pub chat: ChatId,
    /// Its lane.
    pub lane: Lane,
    /// The message.
    pub message: MessageId,
    /// Its text.
    pub text: String,
    /// The uncertain pieces.
    pub items: Vec<i64>,
    /// When the last of them became uncertain, by the real clock.
    pub since: Timestamp,
    /// True if a later message of the lane was sent or waits to be.
    pub is_followed: bool,
}

impl Store {
    /// The messages of a channel with unreported uncertain pieces, oldest first. Messages with unsent pieces are left
    /// out.
    pub async fn unreported_messages(&self, channel: &str) -> Result<Vec<UncertainMessage>> {
        let channel = channel.to_owned();
        self.read(move |tx| {
            let mut messages: Vec<UncertainMessage> = Vec::new();
            for item in tx.unreported_messages(&channel)? {
                match messages.iter_mut().find(|message| message.message == item.message) {
                    Some(message) => {
                        message.items.extend(item.items);
                        message.since = message.since.max(item.since);
                        message.is_followed |= item.is_followed;
                    }
                    None => messages.push(item),
                }
            }
            Ok(messages)
        })
        .await
    }
}

impl InChat {
    /// The number of a message's uncertain pieces that can be sent again.
    pub async fn uncertain_pieces(&self, message: MessageId) -> Result<u64> {
        self.read(move |tx, _, chat| match tx.message_seq(chat, message)? {
            Some(seq) => tx.count_uncertain_pieces(seq),
            None => Ok(0),
        })
        .await
    }
}

/// Sends the uncertain pieces of a message again.
pub(crate) fn send_again(tx: &Tx<'_>, chat: &ChatId, message: MessageId) -> Result<()> {
    let Some(row) = tx.chat_row(chat)? else { return Ok(()) };
    let Some(seq) = tx.message_seq(row, message)? else { return Ok(()) };
    tx.requeue_uncertain_pieces(seq)?;
    let Some(turn) = tx.turn_of_pieces(seq)? else { return Ok(()) };
    delivery(&tx.states_of_turn(turn)?).map_or(Ok(()), |delivery| tx.set_delivery(turn, delivery))
}
