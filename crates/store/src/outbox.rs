//! The outbox: messages are stored piece by piece before they are sent, and each piece has an outcome.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::memory::{Memory, MemoryId};
use throughline_domain::message::MessageId;
use throughline_domain::turn::{Delivery, TurnId};
use uuid::Uuid;

use crate::effects::Effect;
use crate::holder::Holder;
use crate::intake::append_all;
use crate::messages::{Append, Appended};
use crate::routines::Run;
use crate::tx::{OutboxState, Tx};
use crate::{Error, InChat, Result, Store, effects, turns, uncertain};

/// An item to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOutboxItem {
    /// The chat to send it to.
    pub chat: ChatId,
    /// The item, in the format of the channel.
    pub body: String,
    /// True if sending it twice has the same effect as once, such as an edit.
    pub is_repeatable: bool,
}

/// An item that this process is sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxItem {
    /// Its number.
    pub id: i64,
    /// The chat to send it to.
    pub chat: ChatId,
    /// The item, in the format of the channel.
    pub body: String,
    /// The number of earlier attempts.
    pub attempts: u32,
}

/// The outcome of sending an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// It was delivered, with the channel's id of it.
    Delivered(Option<String>),
    /// It was sent without an answer: it may have arrived, and is not sent again.
    Uncertain(String),
    /// The channel refused it.
    Refused(String),
    /// It was not sent: retry later, perhaps in another form.
    Again {
        /// The new form, if it changes.
        body: Option<String>,
        /// The time of the next attempt, by the real clock.
        at: Timestamp,
        /// The problem.
        problem: String,
    },
}

/// A button under a sent message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// The id that the channel sends back.
    pub id: String,
    /// The bundle; pressing one of its buttons uses up all of them.
    pub bundle: Uuid,
    /// Its chat.
    pub chat: ChatId,
    /// The person who may press it.
    pub person: String,
    /// Its action: ids, no message text.
    pub action: String,
    /// When it expires, by the calendar.
    pub until: Timestamp,
}

/// Messages to record and send in one transaction, with the work they complete.
#[derive(Debug, Clone, Default)]
pub struct Outgoing {
    /// Changes to the store, made first.
    pub effects: Vec<Effect>,
    /// The pressed button. If it was used up meanwhile, nothing happens.
    pub pressed: Option<Button>,
    /// The messages to record, in order. The items are pieces of the last one.
    pub said: Vec<Append>,
    /// The items to send.
    pub outbox: Vec<NewOutboxItem>,
    /// The buttons under them.
    pub buttons: Vec<Button>,
    /// Bundles of buttons that are used up.
    pub used: Vec<Uuid>,
    /// The action that was handled.
    pub action: Option<i64>,
    /// The run that ends.
    pub run: Option<Run>,
    /// Suggested memories that the person is asked to confirm.
    pub offered: Vec<MemoryId>,
    /// The turn without a complete reply whose messages wait again.
    pub again: Option<(ChatId, TurnId)>,
    /// The uncertain items that this message reports. If all of them were reported already, nothing happens.
    pub tells: Vec<i64>,
    /// The message whose uncertain pieces are sent again.
    pub send_again: Option<(ChatId, MessageId)>,
}

/// Counts of undelivered items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutboxFigures {
    /// Waiting to be sent.
    pub pending: u64,
    /// Sent without an answer.
    pub uncertain: u64,
    /// Refused by the channel.
    pub failed: u64,
}

impl Store {
    /// Records messages and adds their items to the outbox in one transaction.
    ///
    /// # Errors
    /// If the store cannot be written; then nothing was.
    pub async fn send_out(&self, outgoing: Outgoing) -> Result<Vec<Appended>> {
        let gap = self.gap;
        self.write(move |tx| send_out(tx, gap, outgoing)).await
    }

    /// Records and sends a notice to the owner about a matter, unless one was sent already. Returns true if it was
    /// sent now.
    ///
    /// # Errors
    /// If the store cannot be written; then nothing was.
    pub async fn tell_once(&self, matter: &str, outgoing: Outgoing) -> Result<bool> {
        let (gap, name) = (self.gap, notice_setting(matter));
        self.write(move |tx| {
            if tx.setting(&name)?.is_some() {
                return Ok(false);
            }
            tx.put_setting(&name, "1")?;
            send_out(tx, gap, outgoing)?;
            Ok(true)
        })
        .await
    }

    /// Clears a matter, so that the next notice about it is sent again.
    pub async fn settle(&self, matter: &str) -> Result<()> {
        let name = notice_setting(matter);
        self.write(move |tx| tx.delete_setting(&name)).await
    }

    /// Returns true if the owner was notified of a matter.
    pub async fn was_told(&self, matter: &str) -> Result<bool> {
        let name = notice_setting(matter);
        self.read(move |tx| Ok(tx.setting(&name)?.is_some())).await
    }

    /// Takes the next item of a chat, if it is due and no other is being sent there. From now on it may have been
    /// seen.
    pub async fn begin_send(
        &self,
        chat: &ChatId,
        holder: &Holder,
        now: Timestamp,
    ) -> Result<Option<OutboxItem>> {
        let (chat, holder) = (chat.clone(), holder.clone());
        self.write(move |tx| match tx.first_unsent(&chat)? {
            Some((OutboxState::Pending, due, item)) if due <= now => {
                tx.mark_sending(item.id, &holder)?;
                Ok(Some(item))
            }
            _ => Ok(None),
        })
        .await
    }

    /// Records the outcome of an item, and updates the delivery of its reply. Pieces after a refused one are not
    /// sent.
    pub async fn end_send(&self, item: i64, sent: Sent, now: Timestamp) -> Result<()> {
        self.write(move |tx| match sent {
            Sent::Delivered(id) => {
                end(tx, item, OutboxState::Sent, None)?;
                id.map_or(Ok(()), |id| note_external_id(tx, item, &id))
            }
            Sent::Uncertain(why) => mark_item_uncertain(tx, item, &why, now),
            Sent::Refused(why) => {
                for piece in tx.pieces_after(item)? {
                    end(tx, piece, OutboxState::Failed, Some("a piece before it was refused"))?;
                }
                end(tx, item, OutboxState::Failed, Some(&why))
            }
            Sent::Again { body, at, problem } => tx.requeue_outbox_item(item, body.as_deref(), at, &problem),
        })
        .await
    }

    /// The chats of a channel with unsent items, each with the time when the first is due.
    pub async fn unsent(&self, channel: &str) -> Result<Vec<(ChatId, Timestamp)>> {
        let channel = channel.to_owned();
        self.read(move |tx| tx.unsent(&channel)).await
    }

    /// The holders of items being sent, to find processes that died.
    pub async fn send_owners(&self) -> Result<Vec<Holder>> {
        self.read(|tx| tx.send_owners()).await
    }

    /// Marks the items that these processes were sending as uncertain, and returns their number by chat. Repeatable
    /// items are sent again.
    pub async fn mark_uncertain(&self, owners: Vec<Holder>, now: Timestamp) -> Result<Vec<(ChatId, usize)>> {
        self.write(move |tx| {
            let mut marked: BTreeMap<ChatId, usize> = BTreeMap::new();
            for holder in &owners {
                tx.requeue_repeatable_items_of(holder)?;
                for (item, chat) in tx.items_sent_by(holder)? {
                    mark_item_uncertain(tx, item, "the program ended while it was being sent", now)?;
                    *marked.entry(chat).or_default() += 1;
                }
            }
            Ok(marked.into_iter().collect())
        })
        .await
    }

    /// The chats of a channel with suggested memories that were not offered yet.
    pub async fn chats_to_ask(&self, channel: &str) -> Result<Vec<ChatId>> {
        let channel = channel.to_owned();
        self.read(move |tx| tx.chats_to_ask(&channel)).await
    }

    /// The number of waiting, uncertain and refused items.
    pub async fn outbox_figures(&self) -> Result<OutboxFigures> {
        self.read(|tx| tx.outbox_figures()).await
    }
}

impl InChat {
    /// A button of this chat that has not expired.
    pub async fn button(&self, id: &str, now: Timestamp) -> Result<Option<Button>> {
        let (chat, id) = (self.chat.clone(), id.to_owned());
        self.store()?.read(move |tx| tx.button(&chat, &id, now)).await
    }

    /// The suggested memories of this chat that were not offered yet.
    pub async fn to_offer(&self) -> Result<Vec<Memory>> {
        self.read(|tx, _, chat| tx.memories_to_offer(chat)).await
    }

    /// The delivery of a message that is sent through the outbox; `None` otherwise.
    pub async fn delivery_of(&self, message: MessageId) -> Result<Option<Delivery>> {
        self.read(move |tx, _, chat| {
            let Some(seq) = tx.message_seq(chat, message)? else { return Ok(None) };
            Ok(delivery(&tx.states_of_message(seq)?))
        })
        .await
    }

    /// The channel's ids of a message's pieces.
    pub async fn sent_as(&self, message: MessageId) -> Result<Vec<String>> {
        self.read(move |tx, _, chat| match tx.message_seq(chat, message)? {
            Some(seq) => tx.external_ids_of_items(seq),
            None => Ok(Vec::new()),
        })
        .await
    }
}

/// Records messages, adds their items to the outbox, and completes the work that led to them.
pub(crate) fn send_out(tx: &Tx<'_>, gap: SignedDuration, outgoing: Outgoing) -> Result<Vec<Appended>> {
    let mut news = false;
    for item in &outgoing.tells {
        news |= tx.mark_told(*item)?;
    }
    if !news && !outgoing.tells.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(button) = &outgoing.pressed
        && tx.button(&button.chat, &button.id, Timestamp::MIN)?.is_none()
    {
        return Err(Error::Conflict("the button was used up meanwhile".to_owned()));
    }
    outgoing.effects.iter().try_for_each(|effect| effects::apply(tx, effect))?;
    let appended = append_all(tx, gap, &outgoing.said)?;
    let last = appended.last();
    for item in &outgoing.outbox {
        let item = tx.insert_outbox_item(item, last.map(|last| last.seq), None)?;
        if news {
            // A notice about uncertain items is not reported itself.
            tx.mark_told(item)?;
        }
    }
    outgoing.send_again.map_or(Ok(()), |(chat, message)| uncertain::send_again(tx, &chat, message))?;
    outgoing.buttons.iter().try_for_each(|button| tx.insert_button(button))?;
    outgoing.used.iter().try_for_each(|bundle| tx.delete_buttons(*bundle))?;
    outgoing.action.map_or(Ok(()), |action| tx.delete_inbound_action(action))?;
    if let Some(mut run) = outgoing.run {
        run.message = run.message.or(last.map(|last| last.id));
        tx.put_run(&run)?;
    }
    outgoing.offered.iter().try_for_each(|memory| tx.mark_offered(*memory))?;
    outgoing.again.map_or(Ok(()), |(chat, turn)| turns::ask_again(tx, &chat, turn))?;
    Ok(appended)
}

/// Inserts the items of a turn's reply. If a message with an unknown id showed the beginning, the first item, which
/// has the same words, is uncertain.
pub(crate) fn insert_reply(
    tx: &Tx<'_>,
    turn: TurnId,
    message: Option<i64>,
    items: &[NewOutboxItem],
    now: Timestamp,
) -> Result<()> {
    let mut is_in_doubt = tx.live_reply(turn)?.is_some_and(|live| live.external_id.is_none());
    tx.delete_live_reply(turn)?;
    for item in items {
        let id = tx.insert_outbox_item(item, message, Some(turn))?;
        if std::mem::take(&mut is_in_doubt) {
            mark_item_uncertain(tx, id, "its first words were sent, and no answer came", now)?;
        }
    }
    Ok(())
}

/// The setting that stores whether the owner was notified of a matter.
fn notice_setting(matter: &str) -> String {
    format!("told {matter}")
}

/// Drops the unsent items of a forgotten message.
pub(crate) fn drop_message(tx: &Tx<'_>, message: i64) -> Result<()> {
    let kept = tx.kept_items_of_message(message)?;
    kept.into_iter().try_for_each(|(item, state)| drop_item(tx, item, state))
}

/// Drops unsent items that contain forgotten words, such as the result of a command.
pub(crate) fn drop_words(tx: &Tx<'_>, chat: &ChatId, gone: &[&str]) -> Result<()> {
    // Bodies are JSON, so compare with the words as JSON strings.
    let written: Vec<String> = gone.iter().map(|words| serde_json::json!(words).to_string()).collect();
    for (item, state, body) in tx.kept_bodies(chat)? {
        if written.iter().any(|words| body.contains(words.trim_matches('"'))) {
            drop_item(tx, item, state)?;
        }
    }
    Ok(())
}

/// Drops an item. An uncertain item stays uncertain, but cannot be sent again.
fn drop_item(tx: &Tx<'_>, item: i64, state: OutboxState) -> Result<()> {
    match state {
        OutboxState::Uncertain => tx.clear_outbox_body(item),
        _ => end(tx, item, OutboxState::Failed, Some(FORGOTTEN)),
    }
}

const FORGOTTEN: &str = "it was forgotten before it was sent";

/// Ends an item, and derives the delivery of its reply from the states of all its items.
fn end(tx: &Tx<'_>, item: i64, state: OutboxState, problem: Option<&str>) -> Result<()> {
    tx.end_outbox_item(item, state, problem, None)?;
    follow(tx, item)
}

/// Marks an item as uncertain.
fn mark_item_uncertain(tx: &Tx<'_>, item: i64, problem: &str, now: Timestamp) -> Result<()> {
    tx.end_outbox_item(item, OutboxState::Uncertain, Some(problem), Some(now))?;
    follow(tx, item)
}

fn follow(tx: &Tx<'_>, item: i64) -> Result<()> {
    let Some(turn) = tx.outbox_origin(item)?.turn else { return Ok(()) };
    delivery(&tx.states_of_turn(turn)?).map_or(Ok(()), |delivery| tx.set_delivery(turn, delivery))
}

/// The delivery of a message from the states of its pieces; it is delivered once all of them are.
pub(crate) fn delivery(states: &[OutboxState]) -> Option<Delivery> {
    let any = |state: OutboxState| states.contains(&state);
    Some(match states.is_empty() {
        true => return None,
        false if any(OutboxState::Pending) || any(OutboxState::Sending) => Delivery::Pending,
        false if any(OutboxState::Uncertain) => Delivery::Uncertain,
        false if any(OutboxState::Failed) => Delivery::Failed,
        false => Delivery::Sent,
    })
}

/// Maps the channel's id of an item to its message.
fn note_external_id(tx: &Tx<'_>, item: i64, id: &str) -> Result<()> {
    tx.put_item_external_id(item, id)?;
    let Some((message, chat)) = tx.outbox_origin(item)?.message else { return Ok(()) };
    if tx.add_external_id(chat, id, message)? {
        let mut ids = tx.external_ids(message)?;
        ids.push(id.to_owned());
        tx.put_external_ids(message, &ids)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_in_pieces_is_as_far_as_its_worst_piece() {
        use OutboxState::{Failed, Pending, Sending, Sent, Uncertain};
        let cases: [(&[OutboxState], Option<Delivery>); 6] = [
            (&[], None),
            (&[Sent], Some(Delivery::Sent)),
            (&[Sent, Failed], Some(Delivery::Failed)),
            (&[Failed, Uncertain, Sent], Some(Delivery::Uncertain)),
            (&[Uncertain, Pending], Some(Delivery::Pending)),
            (&[Sent, Sending], Some(Delivery::Pending)),
        ];
        for (states, expected) in cases {
            assert_eq!(delivery(states), expected, "{states:?}");
        }
    }
}
