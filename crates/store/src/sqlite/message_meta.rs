//! The outline of each chat: what a search knows of its messages without their text, in blocks beside the word index.

use rusqlite::{OptionalExtension, Transaction, params};
use throughline_domain::recall::meta::Entry;

use super::rows::parse;
use crate::search::Speaker;
use crate::{Error, Result};

/// So many messages make a block.
pub(super) const BLOCK: usize = 256;
/// An entry as bytes.
pub(super) const ENTRY: usize = 24;

/// The speakers of a chat; the place in the list is the number.
pub(super) fn known_speakers(transaction: &Transaction<'_>, chat: i64) -> Result<Vec<Speaker>> {
    let mut statement =
        transaction.prepare_cached("SELECT role, name FROM speakers WHERE chat = ?1 ORDER BY number")?;
    let mut rows = statement.query([chat])?;
    let mut speakers = Vec::new();
    while let Some(row) = rows.next()? {
        speakers.push(Speaker { role: parse(&row.get::<_, String>(0)?)?, name: row.get(1)? });
    }
    Ok(speakers)
}

/// The numbers of speakers, new ones added to the list.
pub(super) fn number(transaction: &Transaction<'_>, chat: i64, speakers: &[Speaker]) -> Result<Vec<u16>> {
    let mut known = known_speakers(transaction, chat)?;
    let mut insert = transaction
        .prepare_cached("INSERT INTO speakers (chat, number, role, name) VALUES (?1, ?2, ?3, ?4)")?;
    let mut numbers = Vec::with_capacity(speakers.len());
    for speaker in speakers {
        let number = match known.iter().position(|speaker_id| speaker_id == speaker) {
            Some(number) => number,
            // A chat with more speakers than there are numbers takes the rest for one.
            None if known.len() >= usize::from(u16::MAX) => usize::from(u16::MAX),
            None => {
                insert.execute(params![chat, known.len(), speaker.role.as_str(), speaker.name])?;
                known.push(speaker.clone());
                known.len() - 1
            }
        };
        numbers.push(u16::try_from(number).unwrap_or(u16::MAX));
    }
    Ok(numbers)
}

/// Adds blocks of entries behind those that are there.
pub(super) fn add(transaction: &Transaction<'_>, chat: i64, entries: &[Entry]) -> Result<()> {
    let mut insert =
        transaction.prepare_cached("INSERT INTO message_meta (chat, first, entries) VALUES (?1, ?2, ?3)")?;
    for block in entries.chunks(BLOCK) {
        let Some(first) = block.first() else { continue };
        let bytes: Vec<u8> = block.iter().flat_map(to_bytes).collect();
        insert.execute(params![chat, first.seq, bytes])?;
    }
    Ok(())
}

/// The entries of a chat's blocks, from the one that begins with `first` on.
pub(super) fn read_from(transaction: &Transaction<'_>, chat: i64, first: i64) -> Result<Vec<Vec<Entry>>> {
    let mut statement = transaction
        .prepare_cached("SELECT entries FROM message_meta WHERE chat = ?1 AND first >= ?2 ORDER BY first")?;
    let mut rows = statement.query([chat, first])?;
    let mut blocks = Vec::new();
    while let Some(row) = rows.next()? {
        let bytes = row.get_ref(0)?.as_blob().map_err(|error| Error::Unreadable(error.to_string()))?;
        blocks.push(bytes.as_chunks::<ENTRY>().0.iter().map(from_bytes).collect());
    }
    Ok(blocks)
}

/// The entries of one block; none where it is not there.
pub(super) fn read_one(transaction: &Transaction<'_>, chat: i64, first: i64) -> Result<Vec<Entry>> {
    let mut statement =
        transaction.prepare_cached("SELECT entries FROM message_meta WHERE chat = ?1 AND first = ?2")?;
    let bytes: Option<Vec<u8>> = statement.query_row([chat, first], |row| row.get(0)).optional()?;
    Ok(bytes.unwrap_or_default().as_chunks::<ENTRY>().0.iter().map(from_bytes).collect())
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
