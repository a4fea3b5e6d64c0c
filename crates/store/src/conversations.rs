//! Conversations are computed: each message stores whether it opens one, which follows from the silence before it.

use std::ops::{ControlFlow, Range};

use jiff::{SignedDuration, Timestamp};
use throughline_domain::chat::ChatId;
use throughline_domain::context::StoredMessage;
use throughline_domain::conversation::{Conversation, opens};
use throughline_domain::lane::Lane;
use throughline_domain::message::MessageId;
use throughline_domain::summary::Position;

use crate::tx::{LaneRow, Opening, Tx};
use crate::{Error, InChat, Result};

/// The position before every message of a lane.
pub(crate) const START: Position = Position { at: Timestamp::MIN, seq: i64::MIN };
/// The position after every message of a lane.
pub(crate) const END: Position = Position { at: Timestamp::MAX, seq: i64::MAX };

impl InChat {
    /// The conversations of one lane or of all, newest first.
    pub async fn conversations(&self, lane: Option<&Lane>, limit: usize) -> Result<Vec<Conversation>> {
        self.conversations_before(lane, None, limit).await
    }

    /// The conversations that began before `before`, or all, newest first.
    ///
    /// # Errors
    /// If the chat has no such message, or the store cannot be read.
    pub async fn conversations_before(
        &self,
        lane: Option<&Lane>,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Conversation>> {
        let lane = lane.cloned();
        self.read(move |tx, name, chat| {
            let before = position_or(tx, name, before, END)?;
            let openings = tx.openings(name, chat, lane.as_ref(), before, limit)?;
            openings.into_iter().map(|opening| conversation(tx, opening)).collect()
        })
        .await
    }

    /// The messages of the conversation that contains this message, oldest first.
    ///
    /// # Errors
    /// If the chat has no such message, or the store cannot be read.
    pub async fn conversation(&self, id: MessageId) -> Result<Vec<StoredMessage>> {
        Ok(self.conversation_page(id, None, usize::MAX).await?.1)
    }

    /// The first message of the conversation that contains this message, and a page of its messages, oldest first.
    ///
    /// # Errors
    /// If the chat has no such message, or the store cannot be read.
    pub async fn conversation_page(
        &self,
        id: MessageId,
        after: Option<MessageId>,
        limit: usize,
    ) -> Result<(MessageId, Vec<StoredMessage>)> {
        let found = self.read(move |tx, name, chat| {
            let Some(place) = tx.message_place(id)?.filter(|place| place.chat == chat) else {
                return Ok(None);
            };
            let mut span = span_around(tx, place.lane, place.position)?;
            let first = id_at(tx, place.lane, place.position)?;
            if after.is_some() {
                let after = position_or(tx, name, after, START)?;
                span.start = span.start.max(Position { seq: after.seq + 1, ..after });
            }
            let mut messages = Vec::new();
            tx.walk_span(name, place.lane, span, &mut |stored| {
                if messages.len() == limit {
                    return Ok(ControlFlow::Break(()));
                }
                messages.push(stored);
                Ok(ControlFlow::Continue(()))
            })?;
            Ok(Some((first, messages)))
        });
        found.await?.ok_or_else(|| Error::NotFound { what: "conversation", id: id.to_string() })
    }
}

/// The position of a message of the chat, or a default if no message is given.
pub(crate) fn position_or(
    tx: &Tx<'_>,
    chat: &ChatId,
    message: Option<MessageId>,
    other: Position,
) -> Result<Position> {
    let Some(id) = message else { return Ok(other) };
    let row = tx.chat_row(chat)?;
    let place = tx.message_place(id)?.filter(|place| Some(place.chat) == row);
    Ok(place.ok_or_else(|| Error::NotFound { what: "message", id: id.to_string() })?.position)
}

fn conversation(tx: &Tx<'_>, opening: Opening) -> Result<Conversation> {
    let Opening { id, lane_key, lane, position } = opening;
    let end = tx.opening_after(lane, position)?.unwrap_or(END);
    let (messages, to) = tx.count_span(lane, position..end)?;
    Ok(Conversation { id, lane: lane_key, from: position.at, to: to.unwrap_or(position.at), messages })
}

fn span_around(tx: &Tx<'_>, lane: i64, position: Position) -> Result<Range<Position>> {
    let start = tx.opening_up_to(lane, position)?.map_or(position, |(_, start)| start);
    Ok(start..tx.opening_after(lane, start)?.unwrap_or(END))
}

/// The first message of the conversation at a position.
pub(crate) fn id_at(tx: &Tx<'_>, lane: i64, position: Position) -> Result<MessageId> {
    let opening = tx.opening_up_to(lane, position)?;
    let missing = || Error::Unreadable(format!("lane {lane} has no conversation at {}", position.at));
    Ok(opening.ok_or_else(missing)?.0)
}

/// The beginning of the conversation that contains `first`, up to a number of tokens.
pub(crate) fn head(
    tx: &Tx<'_>,
    chat: &ChatId,
    lane: &LaneRow,
    first: &StoredMessage,
    tokens: u32,
) -> Result<Vec<StoredMessage>> {
    let end = Position { at: first.message.occurred_at, seq: first.seq };
    let Some((_, start)) = tx.opening_up_to(lane.id, end)? else { return Ok(Vec::new()) };
    let (before, _) = tx.count_span(lane.id, start..end)?;
    let mut head = Vec::new();
    let (mut spent, mut ordinal) = (0u32, first.ordinal.saturating_sub(before));
    tx.walk_span(chat, lane.id, start..end, &mut |stored| {
        spent = spent.saturating_add(stored.tokens);
        if spent > tokens {
            return Ok(ControlFlow::Break(()));
        }
        head.push(StoredMessage { ordinal, ..stored });
        ordinal += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(head)
}

/// Recomputes for every message whether it opens a conversation, with a new gap.
pub(crate) fn recompute(tx: &Tx<'_>, gap: SignedDuration) -> Result<()> {
    let mut changed: Vec<(i64, bool)> = Vec::new();
    let mut newest: Vec<(i64, MessageId)> = Vec::new();
    let mut before: Option<(i64, Timestamp)> = None;
    tx.for_each_moment(&mut |said| {
        let last = before.filter(|(lane, _)| *lane == said.lane).map(|(_, at)| at);
        let is_opening = said.starts_new || last.is_none_or(|last| opens(last, said.at, gap));
        if is_opening != said.opens {
            changed.push((said.seq, is_opening));
        }
        match newest.last_mut() {
            _ if !is_opening => {}
            Some((lane, opening)) if *lane == said.lane => *opening = said.id,
            _ => newest.push((said.lane, said.id)),
        }
        before = Some((said.lane, said.at));
    })?;
    changed.into_iter().try_for_each(|(seq, is_opening)| tx.set_opens(seq, is_opening))?;
    newest.into_iter().try_for_each(|(lane, opening)| tx.put_newest_conversation(lane, opening))
}

/// Recomputes whether the message after a late one opens a conversation.
pub(crate) fn rejoin_after(
    tx: &Tx<'_>,
    chat: &ChatId,
    lane: i64,
    late: Position,
    gap: SignedDuration,
) -> Result<()> {
    for next in tx.messages_after(chat, lane, late, 1)? {
        let message = &next.message;
        let is_opening = message.starts_new_conversation() || opens(late.at, message.occurred_at, gap);
        tx.set_opens(next.seq, is_opening)?;
    }
    Ok(())
}
