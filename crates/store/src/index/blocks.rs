//! The blocks of metadata that an index in memory holds. They are told apart by their first messages, never by order: a
//! block with lower sequence numbers may become visible after one with higher numbers.

use rustc_hash::FxHashMap;
use throughline_domain::recall::meta::Entry;

/// The blocks of metadata that are held, in the order in which they were found.
#[derive(Default, Clone)]
pub(super) struct Blocks {
    blocks: Vec<HeldBlock>,
    /// The place of each block in the list, by its first message.
    by_first: FxHashMap<i64, usize>,
    messages: usize,
    /// The positions of the messages by sequence number, if a block was found after a later one.
    by_seq: Option<Vec<usize>>,
}

/// A block that is held.
#[derive(Clone, Copy)]
pub(super) struct HeldBlock {
    pub first: i64,
    /// The position of its first message.
    pub at: usize,
    pub length: usize,
}

impl Blocks {
    pub fn holds(&self, first: i64) -> bool {
        self.by_first.contains_key(&first)
    }

    /// How many messages the blocks have together.
    pub fn messages(&self) -> usize {
        self.messages
    }

    pub fn starting_with(&self, first: i64) -> Option<HeldBlock> {
        self.blocks.get(*self.by_first.get(&first)?).copied()
    }

    /// Adds a block behind the messages of the others.
    pub fn add(&mut self, entries: &mut Vec<Entry>, block: impl Iterator<Item = Entry>) {
        let at = entries.len();
        entries.extend(block);
        if let Some(first) = entries.get(at) {
            self.by_first.insert(first.seq, self.blocks.len());
            self.blocks.push(HeldBlock { first: first.seq, at, length: entries.len() - at });
        }
        self.messages = entries.len();
    }

    /// Notes the order of the messages once all blocks are added.
    pub fn order(&mut self, entries: &[Entry]) {
        if entries.is_sorted_by_key(|entry| entry.seq) {
            self.by_seq = None;
            return;
        }
        let mut positions: Vec<usize> = (0..entries.len()).collect();
        positions.sort_unstable_by_key(|position| entries.get(*position).map(|entry| entry.seq));
        self.by_seq = Some(positions);
    }

    /// Finds the positions of messages; see [`Cursor`].
    pub fn cursor<'a>(&'a self, entries: &'a [Entry]) -> Cursor<'a> {
        let entries = entries.get(..self.messages).unwrap_or_default();
        Cursor { entries, by_seq: self.by_seq.as_deref(), at: 0 }
    }

    /// The block that holds a position.
    pub fn at(&self, position: usize) -> Option<(usize, HeldBlock)> {
        let place = self.blocks.partition_point(|block| block.at <= position).checked_sub(1)?;
        Some((place, *self.blocks.get(place)?))
    }
}

/// Finds the positions of messages by sequence number. It is fast if the numbers ascend.
pub(crate) struct Cursor<'a> {
    entries: &'a [Entry],
    by_seq: Option<&'a [usize]>,
    at: usize,
}

impl Cursor<'_> {
    pub fn find(&mut self, seq: i64) -> Option<usize> {
        if self.seq(self.at).is_none_or(|here| here > seq) {
            self.at = 0;
        }
        // Doubles its steps until it is past, then looks between the last two.
        let mut step = 1;
        while self.seq(self.at + step).is_some_and(|there| there < seq) {
            step *= 2;
        }
        let (mut low, mut high) = (self.at + step / 2, (self.at + step + 1).min(self.entries.len()));
        while low < high {
            let middle = low.midpoint(high);
            if self.seq(middle).is_some_and(|there| there < seq) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.at = low;
        (self.seq(low) == Some(seq)).then(|| self.position(low)).flatten()
    }

    fn position(&self, place: usize) -> Option<usize> {
        self.by_seq.map_or(Some(place), |positions| positions.get(place).copied())
    }

    fn seq(&self, place: usize) -> Option<i64> {
        Some(self.entries.get(self.position(place)?)?.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(seqs: impl IntoIterator<Item = i64>) -> Vec<Entry> {
        let entry = |seq| Entry { seq, at: 0, lane: 1, speaker_id: 0, length: 1 };
        seqs.into_iter().map(entry).collect()
    }

    /// Catches up with the blocks that a snapshot shows, and returns how many were new.
    fn catch_up(held: &mut Blocks, entries: &mut Vec<Entry>, visible: &[Vec<Entry>]) -> usize {
        let missing: Vec<_> = visible.iter().filter(|block| !held.holds(block[0].seq)).collect();
        for block in &missing {
            held.add(entries, block.iter().copied());
        }
        held.order(entries);
        missing.len()
    }

    #[test]
    fn a_block_that_becomes_visible_late_is_found() {
        // Two processes indexed side by side, and the one with the lower sequence numbers committed last.
        let (early, late, next) = (said([1, 2, 5]), said([3, 4, 8]), said([9, 11]));
        let (mut held, mut entries) = (Blocks::default(), Vec::new());
        assert_eq!(catch_up(&mut held, &mut entries, std::slice::from_ref(&early)), 1);
        assert_eq!(catch_up(&mut held, &mut entries, &[early.clone(), next.clone()]), 1);
        assert_eq!(catch_up(&mut held, &mut entries, &[early.clone(), late.clone(), next.clone()]), 1);
        assert_eq!(catch_up(&mut held, &mut entries, &[early, late, next]), 0, "each block once");
        let found = |seqs: &[i64]| {
            let mut cursor = held.cursor(&entries);
            seqs.iter().map(|seq| cursor.find(*seq)).collect::<Vec<_>>()
        };
        // Positions stay as they were given: the late block is behind the others.
        assert_eq!(
            found(&[1, 2, 3, 4, 5, 8, 9, 11]),
            [0, 1, 5, 6, 2, 7, 3, 4].map(Some),
            "all are found by their sequence numbers"
        );
        assert_eq!(found(&[6, 12, 0]), [None, None, None]);
        assert_eq!(found(&[11, 3, 1]), [4, 5, 0].map(Some), "in any order");
        assert_eq!(found(&[12, 3]), [None, Some(5)], "past the end and back");
        assert_eq!(held.at(6).map(|(place, block)| (place, block.first)), Some((2, 3)));
    }

    #[test]
    fn blocks_in_order_need_no_second_order() {
        let (mut held, mut entries) = (Blocks::default(), Vec::new());
        catch_up(&mut held, &mut entries, &[said(1..=256), said(300..=400)]);
        assert!(held.by_seq.is_none());
        let mut cursor = held.cursor(&entries);
        assert_eq!((cursor.find(256), cursor.find(300), cursor.find(299)), (Some(255), Some(256), None));
    }
}
