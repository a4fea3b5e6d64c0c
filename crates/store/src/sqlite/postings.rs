//! Blocks of postings: which messages hold a term, how often, and how long they are. Small enough to lie in a page.

/// A block is closed when it has grown to this many bytes, so that it fits a B-tree page beside others.
const FULL: usize = 900;

/// One message that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The message's sequence number.
    pub seq: i64,
    /// How often it holds the term, and how long it is: four bits each.
    pub shape: Shape,
}

/// A count and a length, rounded so that both fit a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape(pub u8);

/// The lengths that can be told apart; a message counts as the nearest below.
const LENGTHS: [u32; 16] = [1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024];

impl Shape {
    pub fn new(count: u32, length: u32) -> Self {
        let bucket = LENGTHS.partition_point(|bound| *bound <= length.max(1)) - 1;
        Self((u8::try_from(count.min(15)).unwrap_or(15) << 4) | u8::try_from(bucket).unwrap_or(15))
    }

    /// The same count in a message of this length.
    pub fn with_length(self, length: u32) -> Self {
        Self((self.0 & 0xf0) | (Self::new(1, length).0 & 0x0f))
    }

    /// The same message with one occurrence more.
    pub fn once_more(self) -> Self {
        if self.0 >> 4 == 15 { self } else { Self(self.0 + 0x10) }
    }

    pub fn count(self) -> f32 {
        f32::from(self.0 >> 4)
    }

    pub fn length(self) -> f32 {
        LENGTHS.get(usize::from(self.0 & 15)).copied().unwrap_or(1) as f32
    }
}

/// A block that grows. Sequence numbers are kept as differences.
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

    /// Adds a posting behind the last one.
    pub fn push(&mut self, posting: Posting) {
        let mut gap = u64::try_from(posting.seq - self.last).unwrap_or(0);
        while gap >= 0x80 {
            self.bytes.push((gap & 0x7f) as u8 | 0x80);
            gap >>= 7;
        }
        self.bytes.push(gap as u8);
        self.bytes.push(posting.shape.0);
        self.last = posting.seq;
    }
}

/// The postings of a stored block, in order. Damaged bytes end it early rather than fail: an index can be rebuilt.
pub(super) fn postings(first: i64, bytes: &[u8]) -> impl Iterator<Item = Posting> {
    let mut seq = first;
    let mut rest = bytes.iter();
    std::iter::from_fn(move || {
        let mut gap: i64 = 0;
        let mut shift = 0u32;
        loop {
            let byte = *rest.next()?;
            gap |= i64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        seq = seq.checked_add(gap)?;
        Some(Posting { seq, shape: Shape(*rest.next()?) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_shape_rounds_counts_and_lengths() {
        for (count, length, shown) in
            [(1, 1, (1.0, 1.0)), (3, 7, (3.0, 6.0)), (99, 5_000, (15.0, 1024.0)), (2, 0, (2.0, 1.0))]
        {
            let shape = Shape::new(count, length);
            assert_eq!((shape.count(), shape.length()), shown);
        }
    }

    proptest! {
        #[test]
        fn what_goes_into_a_block_comes_out(gaps in proptest::collection::vec((1i64..5_000_000, 0u8..=255), 1..200), cut in 0usize..200) {
            let mut seq = 0;
            let all: Vec<Posting> = gaps.iter().map(|(gap, shape)| { seq += gap; Posting { seq, shape: Shape(*shape) } }).collect();
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
}
