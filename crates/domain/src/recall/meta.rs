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
    /// How many terms each conversation has, and how many messages.
    lengths: Vec<f32>,
    sizes: Vec<u32>,
    /// Who said each message, apart from the rest: a search compares all of them.
    speaker_ids: Vec<u16>,
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
        let conversations = if entries.is_empty() { 0 } else { number as usize + 1 };
        let (mut lengths, mut sizes) = (vec![0.0; conversations], vec![0; conversations]);
        for (entry, conversation) in entries.iter().zip(&conversation) {
            let conversation = *conversation as usize;
            if let (Some(length), Some(size)) = (lengths.get_mut(conversation), sizes.get_mut(conversation)) {
                *length += f32::from(entry.length);
                *size += 1;
            }
        }
        let speaker_ids = entries.iter().map(|entry| entry.speaker_id).collect();
        Self { entries, beside, conversation, lengths, sizes, speaker_ids }
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

    /// How many messages each conversation has.
    #[must_use]
    pub fn conversation_sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The number of who said each message.
    #[must_use]
    pub fn speaker_ids(&self) -> &[u16] {
        &self.speaker_ids
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
        assert_eq!(meta.conversation_sizes(), [2, 1, 2]);
    }

    #[test]
    fn an_empty_chat_has_no_conversations() {
        assert!(MessageMeta::new(Vec::new(), GAP).conversation_lengths().is_empty());
    }
}
