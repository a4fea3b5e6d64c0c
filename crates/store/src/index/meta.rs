//! Metadata of indexed messages, in blocks beside the postings.

use throughline_domain::recall::meta::Entry;

use crate::Result;
use crate::search::Speaker;
use crate::tx::Tx;

/// Messages in a block.
const BLOCK: usize = 256;
/// The size of an entry in bytes.
pub(crate) const ENTRY: usize = 24;

/// The numbers of speakers; new ones are added to the list of the chat.
pub(super) fn number(tx: &Tx<'_>, chat: i64, speakers: &[Speaker]) -> Result<Vec<u16>> {
    let mut known = tx.speakers(chat)?;
    let mut numbers = Vec::with_capacity(speakers.len());
    for speaker in speakers {
        let number = match known.iter().position(|other| other == speaker) {
            Some(number) => number,
            // A chat with more speakers than there are numbers takes the rest for one.
            None if known.len() >= usize::from(u16::MAX) => usize::from(u16::MAX),
            None => {
                tx.insert_speaker(chat, known.len(), speaker)?;
                known.push(speaker.clone());
                known.len() - 1
            }
        };
        numbers.push(u16::try_from(number).unwrap_or(u16::MAX));
    }
    Ok(numbers)
}

/// Adds blocks of entries.
pub(super) fn add(tx: &Tx<'_>, chat: i64, entries: &[Entry]) -> Result<()> {
    for block in entries.chunks(BLOCK) {
        let Some(first) = block.first() else { continue };
        let bytes: Vec<u8> = block.iter().flat_map(to_bytes).collect();
        tx.insert_meta_block(chat, first.seq, &bytes)?;
    }
    Ok(())
}

/// The entries of one block; none if it is not there.
pub(crate) fn read(tx: &Tx<'_>, chat: i64, first: i64) -> Result<Vec<Entry>> {
    Ok(entries(&tx.meta_block(chat, first)?.unwrap_or_default()).collect())
}

/// The entries of a block.
pub(super) fn entries(block: &[u8]) -> impl Iterator<Item = Entry> {
    block.as_chunks::<ENTRY>().0.iter().map(from_bytes)
}

fn to_bytes(entry: &Entry) -> [u8; ENTRY] {
    let [s0, s1, s2, s3, s4, s5, s6, s7] = entry.seq.to_le_bytes();
    let [a0, a1, a2, a3, a4, a5, a6, a7] = entry.at.to_le_bytes();
    let [l0, l1, l2, l3] = entry.lane.to_le_bytes();
    let ([v0, v1], [n0, n1]) = (entry.speaker_id.to_le_bytes(), entry.length.to_le_bytes());
    [s0, s1, s2, s3, s4, s5, s6, s7, a0, a1, a2, a3, a4, a5, a6, a7, l0, l1, l2, l3, v0, v1, n0, n1]
}

fn from_bytes(bytes: &[u8; ENTRY]) -> Entry {
    let [s0, s1, s2, s3, s4, s5, s6, s7, a0, a1, a2, a3, a4, a5, a6, a7, l0, l1, l2, l3, v0, v1, n0, n1] =
        *bytes;
    Entry {
        seq: i64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]),
        at: i64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]),
        lane: u32::from_le_bytes([l0, l1, l2, l3]),
        speaker_id: u16::from_le_bytes([v0, v1]),
        length: u16::from_le_bytes([n0, n1]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_goes_into_a_block_of_metadata_comes_out(seq in any::<i64>(), at in any::<i64>(), lane in any::<u32>(), speaker_id in any::<u16>(), length in any::<u16>()) {
            let entry = Entry { seq, at, lane, speaker_id, length };
            prop_assert_eq!(from_bytes(&to_bytes(&entry)), entry);
        }
    }
}
