//! Finds the best places to cut a long text into messages.

use std::ops::Range;

use super::characters::{is_blank, is_flag_half, joins_next, joins_previous};
use super::shown::Shown;
use super::{LIMIT, units};

/// The last message is given at least this much, so that it is not a few words left over.
const LAST_AT_LEAST: usize = LIMIT / 8;

/// How good a place is to cut, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CutPoint {
    InsideCharacter,
    InsideWord,
    Word,
    Sentence,
    Line,
    Block,
}

impl CutPoint {
    /// How full a message must be to end here. A block is worth a shorter message.
    fn least(self) -> usize {
        if self == Self::Block { LIMIT / 4 } else { LIMIT / 2 }
    }
}

/// The parts of a text, each within the limit and none blank. Only whitespace falls between them.
pub(super) fn split(shown: &Shown) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut left = units(&shown.text);
    while left > LIMIT {
        let cut = best_cut(shown, start, LIMIT.min(left - LAST_AT_LEAST));
        left -= units(shown.part(&(start..cut)));
        parts.push(start..cut);
        start = cut;
    }
    parts.push(start..shown.text.len());
    parts.into_iter().map(|part| trim(&shown.text, part)).filter(|part| !is_blank(shown.part(part))).collect()
}

/// The beginning of the last part of at most this many units: at a line if one begins soon, or at a word.
pub(super) fn start_of_last(shown: &Shown, most: usize) -> usize {
    let excess = units(&shown.text).saturating_sub(most);
    if excess == 0 {
        return 0;
    }
    places(shown, 0)
        .skip_while(|(_, before, _)| *before < excess)
        .take_while(|(_, before, _)| *before < excess + most / 4)
        // Of two equal places the earlier, so that more is shown.
        .max_by_key(|(at, _, place)| ((*place).min(CutPoint::Line), std::cmp::Reverse(*at)))
        .map_or(shown.text.len(), |(at, _, _)| at)
}

/// Drops blank lines at the start, but not the indent, and all blanks at the end.
pub(super) fn trim(text: &str, part: Range<usize>) -> Range<usize> {
    let inner = text.get(part.clone()).unwrap_or_default();
    let end = part.start + inner.trim_end().len();
    let start = part.end - inner.trim_start_matches('\n').len();
    start.min(end)..end
}

fn best_cut(shown: &Shown, start: usize, most: usize) -> usize {
    places(shown, start)
        .take_while(|(_, length, _)| *length <= most)
        .filter(|(_, length, place)| *length >= place.least())
        .max_by_key(|(at, _, place)| (!shown.is_held(*at), *place, *at))
        .map_or(shown.text.len(), |(at, _, _)| at)
}

/// Every possible cut after `start`, with the units from `start` to it.
fn places(shown: &Shown, start: usize) -> impl Iterator<Item = (usize, usize, CutPoint)> {
    let rest = shown.part(&(start..shown.text.len()));
    let mut length = 0;
    let mut before = Before::default();
    rest.char_indices().map(move |(offset, next)| {
        let at = start + offset;
        let place = if shown.is_block(at) { CutPoint::Block } else { before.place(next) };
        let found = (at, length, place);
        length += next.len_utf16();
        before.pass(next);
        found
    })
}

/// The text before a place, as far as it matters for cutting there.
#[derive(Default)]
struct Before {
    last: Option<char>,
    /// Whether a sentence has ended, and only quotes, brackets and blanks have followed.
    sentence_ended: bool,
    half_a_flag: bool,
}

impl Before {
    fn place(&self, next: char) -> CutPoint {
        match self.last {
            Some('\n') => CutPoint::Line,
            // Chinese and Japanese put no space after a sentence.
            Some('。' | '！' | '？') => CutPoint::Sentence,
            Some(last) if last.is_whitespace() && !next.is_whitespace() => {
                if self.sentence_ended {
                    CutPoint::Sentence
                } else {
                    CutPoint::Word
                }
            }
            Some(last) if joins_next(last) => CutPoint::InsideCharacter,
            _ if joins_previous(next) || (self.half_a_flag && is_flag_half(next)) => {
                CutPoint::InsideCharacter
            }
            _ => CutPoint::InsideWord,
        }
    }

    fn pass(&mut self, next: char) {
        self.last = Some(next);
        self.half_a_flag = is_flag_half(next) && !self.half_a_flag;
        match next {
            '.' | '!' | '?' | '…' => self.sentence_ended = true,
            '"' | '\'' | '”' | '’' | '»' | ')' | ']' => {}
            _ if next.is_whitespace() => {}
            _ => self.sentence_ended = false,
        }
    }
}
