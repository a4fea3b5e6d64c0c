//! Blocks of postings: the messages that hold a term, each with its count. A block is small enough for a page.

/// A block is closed when it has grown to this many bytes, so that it fits a B-tree page beside others.
const FULL: usize = 900;

/// One message that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The message's sequence number.
    pub seq: i64,
    /// The number of times it holds the term, up to 255.
    pub count: u8,
}

impl Posting {
    pub fn once(seq: i64) -> Self {
        Self { seq, count: 1 }
    }

    pub fn once_more(&mut self) {
        self.count = self.count.saturating_add(1);
    }
}

/// A block that grows. Sequence numbers are kept as differences, doubled; an odd one is followed by a count above one.
pub(super) struct Block {
    pub first: i64,
    last: i64,
    pub bytes: Vec<u8>,
}

impl Block {
    pub fn starting_with(posting: Posting) -> Self {
        let mut block = Self { first: posting.seq, last: posting.seq, bytes: Vec::with_capacity(16) };
        block.push(posting);
        block
    }

    /// A block that was stored, to be continued.
    pub fn stored(first: i64, bytes: Vec<u8>) -> Self {
        let last = postings(first, &bytes).last().map_or(first, |posting| posting.seq);
        Self { first, last, bytes }
    }

    pub fn is_full(&self) -> bool {
        self.bytes.len() >= FULL
    }

    /// Returns true if a message can be added behind the last one.
    pub fn can_take(&self, seq: i64) -> bool {
        !self.is_full() && self.last < seq
    }

    /// Adds a posting behind the last one.
    pub fn push(&mut self, posting: Posting) {
        let repeated = posting.count > 1;
        let mut mark = u64::try_from(posting.seq - self.last).unwrap_or(0) << 1 | u64::from(repeated);
        while mark >= 0x80 {
            self.bytes.push((mark & 0x7f) as u8 | 0x80);
            mark >>= 7;
        }
        self.bytes.push(mark as u8);
        if repeated {
            self.bytes.push(posting.count);
        }
        self.last = posting.seq;
    }
}

/// The postings of a stored block, in order. Damaged bytes end it early rather than fail: an index can be rebuilt.
pub(super) fn postings(first: i64, bytes: &[u8]) -> impl Iterator<Item = Posting> {
    let mut seq = first;
    let mut rest = bytes.iter();
    std::iter::from_fn(move || {
        let mut mark: u64 = 0;
        let mut shift = 0u32;
        loop {
            let byte = *rest.next()?;
            mark |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        seq = seq.checked_add(i64::try_from(mark >> 1).ok()?)?;
        let count = if mark & 1 == 1 { *rest.next()? } else { 1 };
        Some(Posting { seq, count })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_into_a_block_comes_out(gaps in proptest::collection::vec((1i64..5_000_000, 1u8..=255), 1..200), cut in 0usize..200) {
            let mut seq = 0;
            let all: Vec<Posting> = gaps.iter().map(|(gap, count)| { seq += gap; Posting { seq, count: *count } }).collect();
            let mut block = Block::starting_with(all[0]);
            for (n, posting) in all.iter().enumerate().skip(1) {
                if n == cut {
                    block = Block::stored(block.first, block.bytes);
                }
                block.push(*posting);
            }
            prop_assert_eq!(postings(block.first, &block.bytes).collect::<Vec<_>>(), all);
        }

        #[test]
        fn damaged_bytes_never_panic(first in any::<i64>(), bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            prop_assert!(postings(first, &bytes).count() <= bytes.len());
        }
    }

    #[test]
    fn a_block_takes_no_message_that_is_not_after_its_last() {
        let mut block = Block::starting_with(Posting::once(7));
        assert_eq!([6, 7, 8].map(|seq| block.can_take(seq)), [false, false, true]);
        while !block.is_full() {
            block.push(Posting::once(block.last + 1));
        }
        assert!(!block.can_take(i64::MAX));
    }
}
