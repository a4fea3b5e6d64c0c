//! What a search knows of every message of a chat without its text: who said it, when, where, and beside what.

use jiff::SignedDuration;

/// One message, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the order of recording.
    pub seq: i64,
    /// When it was said, in microseconds.
    pub at: i64,
    /// The lane's number.
    pub lane: u32,
    /// The number of who said it: a role and a name.
    pub speaker_id: u16,
    /// How many terms it has, as far as that counts.
    pub length: u16,
}

/// The messages of a chat in the order they were recorded, each with its neighbors and its conversation.
#[derive(Debug, Clone, Default)]
pub struct MessageMeta {
    entries: Vec<Entry>,
    /// The positions before and after each message in its conversation; its own if there is none.
    beside: Vec<(u32, u32)>,
    conversation: Vec<u32>,
    /// How many terms each conversation has.
    lengths: Vec<f32>,
}

impl MessageMeta {
    /// Finds the neighbors and conversations of messages that are in order of recording.
    #[must_use]
    pub fn new(entries: Vec<Entry>, gap: SignedDuration) -> Self {
        let gap = i64::try_from(gap.as_micros()).unwrap_or(i64::MAX);
        let mut order: Vec<(u32, &Entry)> = (0..).zip(&entries).collect();
        // Most are in this order already, in a few runs, which a stable sort joins.
        order.sort_by_key(|(_, entry)| (entry.lane, entry.at, entry.seq));
        let mut beside: Vec<(u32, u32)> = (0..).zip(&entries).map(|(own, _)| (own, own)).collect();
        let mut conversation = vec![0; entries.len()];
        let mut last: Option<(u32, &Entry)> = None;
        let mut number = 0u32;
        for (position, entry) in order {
            let before =
                last.filter(|(_, last)| last.lane == entry.lane && entry.at.saturating_sub(last.at) < gap);
            match before {
                Some((before, _)) => {
                    if let Some(slot) = beside.get_mut(before as usize) {
                        slot.1 = position;
                    }
                    if let Some(slot) = beside.get_mut(position as usize) {
                        slot.0 = before;
                    }
                }
                None => number += u32::from(last.is_some()),
            }
            if let Some(slot) = conversation.get_mut(position as usize) {
                *slot = number;
            }
            last = Some((position, entry));
        }
        let mut lengths = vec![0.0; if entries.is_empty() { 0 } else { number as usize + 1 }];
        for (entry, conversation) in entries.iter().zip(&conversation) {
            if let Some(length) = lengths.get_mut(*conversation as usize) {
                *length += f32::from(entry.length);
            }
        }
        Self { entries, beside, conversation, lengths }
    }

    /// The messages.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many terms each conversation has.
    #[must_use]
    pub fn conversation_lengths(&self) -> &[f32] {
        &self.lengths
    }

    /// The number of each message's conversation.
    #[must_use]
    pub fn conversation(&self) -> &[u32] {
        &self.conversation
    }

    /// The positions of the messages before and after one in its conversation; its own if there is none.
    #[must_use]
    #[inline]
    pub fn neighbors(&self, position: usize) -> (usize, usize) {
        self.beside
            .get(position)
            .map_or((position, position), |(before, after)| (*before as usize, *after as usize))
    }

    /// The mean of each conversation; what is not a number counts as nothing.
    #[must_use]
    pub fn of_conversations(&self, own: &[f32]) -> Vec<f32> {
        let mut sums = vec![(0.0f32, 0.0f32); self.lengths.len()];
        for (value, conversation) in own.iter().zip(&self.conversation) {
            if let Some((sum, count)) = sums.get_mut(*conversation as usize) {
                *sum += if value.is_nan() { 0.0 } else { *value };
                *count += 1.0;
            }
        }
        sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::GAP;

    fn said(seq: i64, minute: i64, lane: u32) -> Entry {
        Entry { seq, at: minute * 60_000_000, lane, speaker_id: 0, length: 5 }
    }

    #[test]
    fn neighbors_are_those_of_the_same_conversation_in_order_of_time() {
        // Recorded out of order, in two lanes, with a silence in the first.
        let meta = MessageMeta::new(
            vec![said(1, 10, 1), said(2, 0, 1), said(3, 5, 2), said(4, 90, 1), said(5, 6, 2)],
            GAP,
        );
        assert_eq!(meta.conversation(), [0, 0, 2, 1, 2]);
        assert_eq!(meta.conversation_lengths(), [10.0, 5.0, 10.0]);
        let neighbors: Vec<_> = (0..5).map(|position| meta.neighbors(position)).collect();
        assert_eq!(neighbors, [(1, 0), (1, 0), (2, 4), (3, 3), (2, 4)]);
        assert_eq!(meta.of_conversations(&[1.0, 2.0, 4.0, 8.0, 16.0]), [1.5, 8.0, 10.0]);
    }

    #[test]
    fn an_empty_chat_has_no_conversations() {
        assert!(MessageMeta::new(Vec::new(), GAP).conversation_lengths().is_empty());
    }
}
