//! The table of word pieces that `distill.py` wrote. It is read in place; nothing is unpacked at start.

use super::super::wordpiece::Vocabulary;

static FILE: &[u8] = include_bytes!("table.bin");

const MAGIC: &[u8] = b"TLTABLE1";
const SLOTS: usize = 1 << 16;
/// The flag of a piece that continues a word.
const CONTINUATION: u32 = 1 << 31;

/// The parts of the file.
#[derive(Clone, Copy)]
pub(super) struct Table {
    /// For each hash, the piece's number plus one.
    slots: &'static [[u8; 2]],
    /// The end offset of each piece's text.
    ends: &'static [[u8; 4]],
    weights: &'static [[u8; 2]],
    scales: &'static [[u8; 4]],
    text: &'static [u8],
    rows: &'static [u8],
    dimensions: usize,
}

impl Table {
    /// Locates the parts; `None` if the file was damaged in the build.
    pub fn read() -> Option<Self> {
        let rest = FILE.strip_prefix(MAGIC)?;
        let (sizes, rest) = chunks::<4>(rest, 3)?;
        let mut sizes = sizes.iter().map(|size| u32::from_le_bytes(*size) as usize);
        let (pieces, dimensions, letters) = (sizes.next()?, sizes.next()?, sizes.next()?);
        let (slots, rest) = chunks::<2>(rest, SLOTS)?;
        let (ends, rest) = chunks::<4>(rest, pieces)?;
        let (weights, rest) = chunks::<2>(rest, pieces)?;
        let (scales, rest) = chunks::<4>(rest, pieces)?;
        let (text, rows) = rest.split_at_checked(letters)?;
        let whole = rows.len() == pieces.checked_mul(dimensions)? && dimensions > 0;
        whole.then_some(Self { slots, ends, weights, scales, text, rows, dimensions })
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The vector of a piece, one byte per component.
    pub fn row(&self, piece: u32) -> &'static [u8] {
        let start = piece as usize * self.dimensions;
        self.rows.get(start..start + self.dimensions).unwrap_or_default()
    }

    /// The value of one unit in a piece's row.
    pub fn scale(&self, piece: u32) -> f32 {
        self.scales.get(piece as usize).map_or(0.0, |scale| f32::from_le_bytes(*scale))
    }

    /// The weight of a piece, 0 to 1; common pieces weigh less.
    pub fn weight(&self, piece: u32) -> f32 {
        self.weights
            .get(piece as usize)
            .map_or(0.0, |weight| f32::from(u16::from_le_bytes(*weight)) / 65_535.0)
    }

    fn find(&self, piece: &str, continues: bool) -> Option<u32> {
        let mut slot = slot(piece.as_bytes(), continues);
        loop {
            let number = u32::from(u16::from_le_bytes(*self.slots.get(slot)?)).checked_sub(1)?;
            if self.piece(number)? == (piece.as_bytes(), continues) {
                return Some(number);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    fn piece(&self, number: u32) -> Option<(&'static [u8], bool)> {
        let end = |number: u32| self.ends.get(number as usize).map(|end| u32::from_le_bytes(*end));
        let start = number.checked_sub(1).map_or(Some(0), end)? & !CONTINUATION;
        let end = end(number)?;
        let text = self.text.get(start as usize..(end & !CONTINUATION) as usize)?;
        Some((text, end & CONTINUATION != 0))
    }
}

impl Vocabulary for Table {
    fn beginning(&self, piece: &str) -> Option<u32> {
        self.find(piece, false)
    }

    fn continuation(&self, piece: &str) -> Option<u32> {
        self.find(piece, true)
    }
}

/// The first `count` chunks of bytes, and the rest.
fn chunks<const N: usize>(bytes: &'static [u8], count: usize) -> Option<(&'static [[u8; N]], &'static [u8])> {
    let (head, rest) = bytes.split_at_checked(count.checked_mul(N)?)?;
    Some((head.as_chunks().0, rest))
}

/// FNV-1a, folded; a continuation has another start value.
fn slot(piece: &[u8], continues: bool) -> usize {
    let seed = if continues { 0x811c_9dc5 ^ 0x9e37_79b9 } else { 0x811c_9dc5u32 };
    let hash = piece.iter().fold(seed, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 16)) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_found_by_its_own_text() {
        let table = Table::read().unwrap();
        for number in 0..u32::try_from(table.ends.len()).unwrap() {
            let (text, continues) = table.piece(number).unwrap();
            assert_eq!(table.find(std::str::from_utf8(text).unwrap(), continues), Some(number));
            assert!(table.scale(number) > 0.0 && table.row(number).len() == table.dimensions());
        }
        assert_eq!((table.find("qwertyuiop", false), table.find("", true)), (None, None));
        assert!(FILE.len() <= 8_000_000, "{}", FILE.len());
    }
}
