//! Turns: one at a time in a lane, each with the messages it answers and the delivery of its reply.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::lane::Lane;
use throughline_domain::memory::MemoryId;
use throughline_domain::message::{Message, MessageId, Shortfall};
use throughline_domain::pending::PendingSlot;
use throughline_domain::turn::{Delivery, Receipt, TurnId, TurnStatus};

use crate::holder::Holder;
use crate::intake::{append_one, open_lane, shown_tokens};
use crate::jobs::JobKind;
use crate::ledger::{Call, CallId, Spent};
use crate::memories::Learned;
use crate::messages::{Append, Appended, read_one};
use crate::outbox::{NewOutboxItem, Outgoing};
use crate::routines::Run;
use crate::tx::{ReplyRow, TurnRow, Tx};
use crate::{Error, InChat, Result, Store, jobs, memories, outbox};

/// The result of entering a lane.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// The lane is held for this turn, which answers these messages together, oldest first.
    Active(Vec<StoredMessage>),
    /// Another process holds the lane.
    Busy {
        /// Its lease.
        holder: Holder,
        /// Its turn.
        turn: TurnId,
    },
    /// No message waits: another turn has taken them.
    Nothing,
}

/// The messages that a turn takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// All that wait; without any, there is no turn.
    Waiting,
    /// Those that wait, up to this sequence number.
    UpTo(i64),
    /// None: the turn was not started by a message.
    Nothing,
}

/// A finished answer, recorded in one transaction.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The turn.
    pub turn: TurnId,
    /// The reply as a message of the assistant.
    pub reply: Message,
    /// The receipt.
    pub receipt: Receipt,
    /// True if the context mentioned replies that may not have been seen.
    pub tells_uncertain: bool,
    /// The items to send; empty if the channel shows the reply itself.
    pub outbox: Vec<NewOutboxItem>,
    /// The routine's run that it completes.
    pub run: Option<Run>,
    /// The model's call, which was begun before.
    pub call: Option<(CallId, Call)>,
    /// The memories in the context.
    pub used: Vec<MemoryId>,
    /// The memories that the reply asked for.
    pub learned: Learned,
    /// The question that now waits for an answer.
    pub pending: Option<PendingSlot>,
    /// When it was finished, by the calendar.
    pub at: Timestamp,
    /// The same by the real clock.
    pub now: Timestamp,
}

/// A question without a complete reply: the model failed, another one answered instead, or the reply broke off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The incomplete turn; `None` if the question waits for one.
    pub turn: Option<TurnId>,
    /// The question.
    pub text: String,
}

/// A turn with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// The turn.
    pub id: TurnId,
    /// Its status.
    pub status: TurnStatus,
    /// When it began.
    pub started_at: Timestamp,
    /// The reply, if there is one.
    pub reply: Option<Message>,
    /// The delivery of the reply.
    pub delivery: Option<Delivery>,
    /// The receipt.
    pub receipt: Option<Receipt>,
}

/// A turn as listed, with the cost of its calls.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEntry {
    /// The turn.
    pub id: TurnId,
    /// Its chat.
    pub chat: ChatId,
    /// The key of its lane.
    pub lane: String,
    /// Its status.
    pub status: TurnStatus,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The reply, if there is one.
    pub reply: Option<MessageId>,
    /// The delivery of the reply.
    pub delivery: Option<Delivery>,
    /// The receipt.
    pub receipt: Option<Receipt>,
    /// The problem, if it failed.
    pub problem: Option<String>,
    /// The cost of its calls.
    pub spent: Spent,
}

/// Number of turns per read when the scope hides some of them.
const PAGE: usize = 500;

impl Store {
    /// The turns of a chat, or of all chats this handle may access, newest first, before an id.
    pub async fn turns(
        &self,
        chat: Option<&ChatId>,
        before: Option<TurnId>,
        limit: usize,
    ) -> Result<Vec<TurnEntry>> {
        chat.map_or(Ok(()), |chat| self.check_scope(chat))?;
        let (chat, store) = (chat.cloned(), self.clone());
        self.read(move |tx| {
            let row = match &chat {
                Some(chat) => match tx.chat_row(chat)? {
                    Some(row) => Some(row),
                    None => return Ok(Vec::new()),
                },
                None => None,
            };
            let shows_all = row.is_some() || store.scope.is_none();
            let at_once = if shows_all { limit } else { PAGE };
            let (mut found, mut before) = (Vec::new(), before);
            while found.len() < limit {
                let page = tx.turns_before(row, before, at_once)?;
                let Some(last) = page.last() else { break };
                before = Some(last.id);
                found.extend(page.into_iter().filter(|turn| store.may_touch(&turn.chat)));
            }
            found.truncate(limit);
            Ok(found)
        })
        .await
    }

    /// A turn, if it is in a chat that this handle may access.
    pub async fn turn(&self, turn: TurnId) -> Result<Option<TurnEntry>> {
        let found = self.read(move |tx| tx.turn_entry(turn)).await?;
        Ok(found.filter(|turn| self.may_touch(&turn.chat)))
    }

    /// Takes a lane for a turn.
    pub async fn enter_lane(
        &self,
        chat: &ChatId,
        lane: &Lane,
        turn: TurnId,
        holder: &Holder,
        take: Take,
        at: Timestamp,
    ) -> Result<Entry> {
        let (chat, lane, holder) = (chat.clone(), lane.clone(), holder.clone());
        self.write(move |tx| {
            let row = match take {
                Take::Nothing => Some(open_lane(tx, &chat, &lane)?),
                Take::Waiting | Take::UpTo(_) => tx.lane_row(&chat, &lane.key(&chat))?,
            };
            let Some(lane) = row.map(|row| row.id) else { return Ok(Entry::Nothing) };
            if let Some((turn, holder)) = tx.lane_holder(lane)? {
                return Ok(Entry::Busy { holder, turn });
            }
            let messages = match take {
                Take::Waiting => tx.take_waiting(&chat, lane, i64::MAX)?,
                Take::UpTo(last) => tx.take_waiting(&chat, lane, last)?,
                Take::Nothing => Vec::new(),
            };
            if messages.is_empty() && take != Take::Nothing {
                return Ok(Entry::Nothing);
            }
            tx.insert_turn(turn, lane, &holder, at)?;
            messages.iter().try_for_each(|stored| tx.add_turn_message(turn, stored.seq))?;
            tx.hold_lane(lane, turn, &holder.owner)?;
            Ok(Entry::Active(messages))
        })
        .await
    }

    /// Renews the lease of a turn.
    pub async fn renew_turn(&self, turn: TurnId, leased_to: Timestamp) -> Result<()> {
        self.write(move |tx| tx.renew_turn(turn, leased_to)).await
    }

    /// Closes abandoned turns: their messages wait again, unless a reply may have been seen, which then becomes
    /// uncertain. Turns whose lease was renewed meanwhile are left alone.
    pub async fn abandon_turns(&self, turns: Vec<(TurnId, Holder)>, at: Timestamp) -> Result<()> {
        self.write(move |tx| {
            for (turn, holder) in turns {
                let Some(row) = tx.turn_row(turn)? else { continue };
                if is_held_by(&row, &holder) {
                    abandon(tx, turn, &row, at)?;
                }
            }
            Ok(())
        })
        .await
    }

    /// Records that a turn's reply is about to be shown before it is complete.
    pub async fn begin_reply(&self, turn: TurnId) -> Result<()> {
        self.write(move |tx| tx.add_pending_reply(turn, running(tx, turn)?.lane)).await
    }

    /// Records the reply as pending, the turn, its receipt and its jobs in one transaction, and releases the lane.
    ///
    /// # Errors
    /// If the store cannot be written, or another process has taken over the turn.
    pub async fn record_answer(&self, answer: Answer) -> Result<Appended> {
        let gap = self.gap;
        self.write(move |tx| record_answer(tx, gap, answer)).await
    }

    /// Ends a turn without a reply and releases the lane. Its messages do not wait again, because the person sees the
    /// failure.
    pub async fn fail_turn(&self, turn: TurnId, problem: &str, at: Timestamp) -> Result<()> {
        self.fail_turn_with_notice(turn, problem, at, Outgoing::default()).await
    }

    /// Ends a turn without a reply, releases the lane, and sends the person a notice.
    pub async fn fail_turn_with_notice(
        &self,
        turn: TurnId,
        problem: &str,
        at: Timestamp,
        told: Outgoing,
    ) -> Result<()> {
        let (problem, gap) = (problem.to_owned(), self.gap);
        self.write(move |tx| {
            let Some(row) = tx.turn_row(turn)?.filter(TurnRow::is_running) else {
                // Another process has taken over the turn and answers.
                return Ok(());
            };
            outbox::send_out(tx, gap, told)?;
            tx.end_turn(turn, TurnStatus::Failed, at, None, Some(&problem))?;
            tx.set_delivery(turn, Delivery::Failed)?;
            tx.delete_live_reply(turn)?;
            release_lane(tx, turn, &row)
        })
        .await
    }

    /// Records the delivery of a reply, with the channel's ids of it.
    pub async fn mark_delivery(
        &self,
        turn: TurnId,
        delivery: Delivery,
        external_ids: Vec<String>,
    ) -> Result<()> {
        self.write(move |tx| {
            tx.set_delivery(turn, delivery)?;
            if external_ids.is_empty() {
                return Ok(());
            }
            let message = tx.reply_row(turn)?.and_then(|reply| reply.message);
            let (Some(message), Some(row)) = (message, tx.turn_row(turn)?) else { return Ok(()) };
            for id in &external_ids {
                tx.add_external_id(row.chat, id, message)?;
            }
            tx.put_external_ids(message, &external_ids)
        })
        .await
    }

    /// Turns that are running or whose reply is not delivered yet, with their holders, to find processes that died.
    pub async fn unfinished_turns(&self) -> Result<Vec<(TurnId, Holder)>> {
        self.read(|tx| tx.unfinished_turns()).await
    }
}

impl InChat {
    /// The turn that answered a message, if there is one.
    pub async fn turn_of(&self, message: MessageId) -> Result<Option<TurnRecord>> {
        self.read(move |tx, name, chat| {
            let turn = tx.turn_of_message(chat, message)?;
            turn.map_or(Ok(None), |turn| record(tx, name, turn))
        })
        .await
    }

    /// The newest open question of a lane.
    pub async fn open_question(&self, lane: &Lane) -> Result<Option<OpenQuestion>> {
        self.read_lane(lane, |tx, name, lane| {
            let text = |asked: &[StoredMessage]| {
                asked.iter().map(|stored| stored.message.text.as_str()).collect::<Vec<_>>().join("\n")
            };
            let mut waiting: Vec<i64> = tx.waiting_in(lane.id)?.into_iter().collect();
            waiting.sort_unstable();
            if !waiting.is_empty() {
                let asked = waiting.iter().map(|seq| read_one(tx, name, *seq));
                let asked = asked.collect::<Result<Vec<_>>>()?;
                return Ok(Some(OpenQuestion { turn: None, text: text(&asked) }));
            }
            let Some(turn) = tx.newest_turn_that_fell_short(lane.id)? else { return Ok(None) };
            Ok(Some(OpenQuestion { turn: Some(turn), text: text(&tx.messages_of_turn(name, turn)?) }))
        })
        .await
    }

    /// Makes the messages of an incomplete turn wait for another one. Its own reply is hidden from models, since the
    /// next one replaces it.
    pub async fn ask_again(&self, turn: TurnId) -> Result<()> {
        self.write(move |tx, name, _| ask_again(tx, name, turn)).await
    }

    /// The turns of these replies, by sequence number. Other messages are left out.
    pub async fn turns_of_replies(&self, messages: Vec<i64>) -> Result<HashMap<i64, TurnId>> {
        self.read(move |tx, _, chat| {
            let mut turns = HashMap::new();
            for seq in messages {
                turns.extend(tx.turn_of_reply(chat, seq)?.map(|turn| (seq, turn)));
            }
            Ok(turns)
        })
        .await
    }

    /// The newest turn of a lane that has a receipt.
    pub async fn last_turn(&self, lane: &Lane) -> Result<Option<TurnRecord>> {
        self.read_lane(lane, |tx, name, lane| {
            let turn = tx.newest_turn_with_receipt(lane.id)?;
            turn.map_or(Ok(None), |turn| record(tx, name, turn))
        })
        .await
    }
}

impl TurnRow {
    pub(crate) fn is_running(&self) -> bool {
        self.status == TurnStatus::Running
    }
}

/// Returns true if the lease has not changed since the holder was read.
pub(crate) fn is_held_by(row: &TurnRow, holder: &Holder) -> bool {
    let is_same_lease = row.holder.leased_to.as_microsecond() == holder.leased_to.as_microsecond();
    row.holder.owner == holder.owner && is_same_lease
}

/// The row of a running turn. Fails if another process has taken it over because its lease expired.
pub(crate) fn running(tx: &Tx<'_>, turn: TurnId) -> Result<TurnRow> {
    let taken_over = || Error::Conflict("another process has taken this turn over".to_owned());
    tx.turn_row(turn)?.filter(TurnRow::is_running).ok_or_else(taken_over)
}

fn record_answer(tx: &Tx<'_>, gap: SignedDuration, answer: Answer) -> Result<Appended> {
    let (turn, at) = (answer.turn, answer.at);
    let row = running(tx, turn)?;
    let reply = Append::record(answer.reply);
    let appended = append_one(tx, gap, &reply)?;
    tx.end_turn(turn, TurnStatus::Answered, at, Some(&answer.receipt), None)?;
    tx.put_reply(turn, row.lane, appended.seq)?;
    outbox::insert_reply(tx, turn, Some(appended.seq), &answer.outbox, answer.now)?;
    if let Some(run) = answer.run {
        tx.put_run(&Run { message: Some(appended.id), ..run })?;
    }
    memories::learn(tx, row.chat, &answer.learned)?;
    answer.used.iter().try_for_each(|memory| tx.mark_used(*memory, at))?;
    answer.call.as_ref().map_or(Ok(()), |(id, call)| tx.update_call(id.0, call))?;
    tx.put_pending_slot(row.lane, answer.pending.as_ref())?;
    if answer.tells_uncertain {
        tx.mark_reported(row.lane)?;
    }
    release_lane(tx, turn, &row)?;
    Ok(appended)
}

/// See [`InChat::ask_again`].
pub(crate) fn ask_again(tx: &Tx<'_>, chat: &ChatId, turn: TurnId) -> Result<()> {
    let reply = tx.reply_row(turn)?.and_then(|row| row.message);
    if let Some(seq) = reply.map_or_else(|| tx.notice_of_turn(turn), |seq| Ok(Some(seq)))? {
        let mut reply = read_one(tx, chat, seq)?.message;
        let replaced: &str = Shortfall::Replaced.into();
        reply.metadata.insert(Shortfall::KEY.to_owned(), replaced.into());
        tx.rewrite_message(seq, &reply.text, &reply.metadata, shown_tokens(&reply))?;
    }
    tx.return_to_waiting(turn)
}

fn record(tx: &Tx<'_>, chat: &ChatId, turn: TurnId) -> Result<Option<TurnRecord>> {
    let Some(row) = tx.reply_row(turn)? else { return Ok(None) };
    let reply = match row.message {
        Some(seq) => tx.message_by_seq(chat, seq)?.map(|(stored, _)| stored.message),
        None => None,
    };
    let ReplyRow { status, started_at, receipt, delivery, .. } = row;
    Ok(Some(TurnRecord { id: turn, status, started_at, reply, delivery, receipt }))
}

/// Closes a turn whose owner died. A reply that may have been shown becomes uncertain; otherwise its messages wait
/// again. Idempotent.
fn abandon(tx: &Tx<'_>, turn: TurnId, row: &TurnRow, at: Timestamp) -> Result<()> {
    let was_shown = tx.mark_shown_reply_uncertain(turn)?;
    if row.is_running() {
        tx.end_turn(turn, TurnStatus::Abandoned, at, None, None)?;
        if !was_shown {
            tx.return_to_waiting(turn)?;
        }
    }
    release_lane(tx, turn, row)
}

/// Releases the lane of an ended turn, and enqueues the extraction of its messages.
pub(crate) fn release_lane(tx: &Tx<'_>, turn: TurnId, row: &TurnRow) -> Result<()> {
    jobs::request_for_chat(tx, JobKind::EXTRACT, row.chat)?;
    tx.free_lane(turn)
}
