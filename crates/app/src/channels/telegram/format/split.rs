//! Splits a long text into messages at the best places.

use std::ops::Range;

use super::characters::{is_blank, is_flag_half, joins_next, joins_previous};
use super::styled::StyledText;
use super::{LIMIT, units};

/// Minimum length of the last message, so that it is more than a few leftover words.
const LAST_AT_LEAST: usize = LIMIT / 8;

/// The kinds of places to split, worst first.
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
    /// The minimum length of a message that ends at such a place. The end of a block justifies a shorter message.
    fn least(self) -> usize {
        if self == Self::Block { LIMIT / 4 } else { LIMIT / 2 }
    }
}

/// Splits a text into parts within the limit, none of them blank. Only whitespace is dropped between them.
pub(super) fn split(styled: &StyledText) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut left = units(&styled.text);
    while left > LIMIT {
        let cut = best_cut(styled, start, LIMIT.min(left - LAST_AT_LEAST));
        left -= units(styled.part(&(start..cut)));
        parts.push(start..cut);
        start = cut;
    }
    parts.push(start..styled.text.len());
    parts
        .into_iter()
        .map(|part| trim(&styled.text, part))
        .filter(|part| !is_blank(styled.part(part)))
        .collect()
}

/// The beginning of the last part of at most `most` units: at a line if one begins soon, or else at a word.
pub(super) fn start_of_last(styled: &StyledText, most: usize) -> usize {
    let excess = units(&styled.text).saturating_sub(most);
    if excess == 0 {
        return 0;
    }
    places(styled, 0)
        .skip_while(|(_, before, _)| *before < excess)
        .take_while(|(_, before, _)| *before < excess + most / 4)
        // Of two equally good places the earlier, which shows more text.
        .max_by_key(|(at, _, place)| ((*place).min(CutPoint::Line), std::cmp::Reverse(*at)))
        .map_or(styled.text.len(), |(at, _, _)| at)
}

/// Trims blank lines at the start, but not the indent, and all whitespace at the end.
pub(super) fn trim(text: &str, part: Range<usize>) -> Range<usize> {
    let inner = text.get(part.clone()).unwrap_or_default();
    let end = part.start + inner.trim_end().len();
    let start = part.end - inner.trim_start_matches('\n').len();
    start.min(end)..end
}

fn best_cut(styled: &StyledText, start: usize, most: usize) -> usize {
    places(styled, start)
        .take_while(|(_, length, _)| *length <= most)
        .filter(|(_, length, place)| *length >= place.least())
        .max_by_key(|(at, _, place)| (!styled.is_held(*at), *place, *at))
        .map_or(styled.text.len(), |(at, _, _)| at)
}

/// Every possible place to split after `start`, with its distance from `start` in units.
fn places(styled: &StyledText, start: usize) -> impl Iterator<Item = (usize, usize, CutPoint)> {
    let rest = styled.part(&(start..styled.text.len()));
    let mut length = 0;
    let mut before = Before::default();
    rest.char_indices().map(move |(offset, next)| {
        let at = start + offset;
        let place = if styled.is_block(at) { CutPoint::Block } else { before.place(next) };
        let found = (at, length, place);
        length += next.len_utf16();
        before.pass(next);
        found
    })
}

/// The properties of the text before a place that matter for splitting there.
#[derive(Default)]
struct Before {
    last: Option<char>,
    /// Whether a sentence has ended, followed only by quotes, brackets and blanks.
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
