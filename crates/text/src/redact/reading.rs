//! Small steps that the rules read text with.

use std::borrow::Cow;

use super::{Class, MARKER};
use crate::cjk::is_cjk_or_mark;

/// The characters that `text` begins with, as long as they are `wanted`, up to `most` bytes.
pub(super) fn leading(text: &str, most: usize, wanted: impl Fn(char) -> bool) -> &str {
    let text = text.get(..text.floor_char_boundary(most)).unwrap_or(text);
    let end = text.find(|c| !wanted(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// The characters that `text` ends with, as long as they are `wanted`, up to `most` bytes.
pub(super) fn trailing(text: &str, most: usize, wanted: impl Fn(char) -> bool) -> &str {
    let text = text.get(text.ceil_char_boundary(text.len().saturating_sub(most))..).unwrap_or(text);
    let start = text.char_indices().rev().take_while(|&(_, c)| wanted(c)).last();
    // An empty end is a part of the text as well: to compare one that lies nowhere takes a hundred times as long.
    text.get(start.map_or(text.len(), |(start, _)| start)..).unwrap_or_default()
}

/// The text in lower case; most words are.
pub(super) fn lower(text: &str) -> Cow<'_, str> {
    let is_lower = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lower { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) }
}

/// The text without the blanks that it begins with; a line's end is none.
pub(super) fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}'])
}

/// The text without the "1. " or "2) " that an item of a list begins with.
pub(super) fn skip_enumerator(text: &str) -> &str {
    let number = leading(text, 2, |c| c.is_ascii_digit());
    let rest = text.get(number.len()..).filter(|_| !number.is_empty());
    rest.and_then(|rest| [". ", ") "].iter().find_map(|mark| rest.strip_prefix(mark))).unwrap_or(text)
}

/// What follows `prefix`, whatever its case.
pub(super) fn strip_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// What follows `word`, whatever its case, if the word ends there.
pub(super) fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = strip_prefix(text, word)?;
    let ends = !rest.starts_with(|c: char| {
        (c.is_alphanumeric() && !is_cjk_or_mark(c)) || matches!(c, '\'' | '’' | '_' | '-')
    });
    ends.then_some(rest)
}

/// Returns true if a word that comes next is the first of its run. An escape in front of it (`\n`, `%3D`) is not part
/// of it.
pub(super) fn starts_afresh(before: &str) -> bool {
    if !before.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return true;
    }
    match before.as_bytes() {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Returns true if these characters look drawn at random rather than written: letters with digits, or capitals among
/// small letters.
pub(super) fn is_varied(run: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| run.as_bytes().iter().any(kind);
    let letters = has(u8::is_ascii_alphabetic);
    letters && has(u8::is_ascii_digit) || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
}

/// Returns true if a word continues here; a marker counts as one.
pub(super) fn goes_on(rest: &str) -> bool {
    rest.starts_with(char::is_alphanumeric) || rest.starts_with(MARKER)
}

/// Returns true if a marker stands right before what follows.
pub(super) fn ends_with_marker(before: &str) -> bool {
    before.ends_with(']') && Class::ALL.iter().any(|class| before.ends_with(class.marker()))
}

/// Returns true if a marker comes next, be it in quotes.
pub(super) fn leads_to_marker(rest: &str) -> bool {
    rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[').starts_with(MARKER)
}

/// Returns true if part of this text is redacted already.
pub(super) fn holds_marker(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), MARKER.as_bytes()).is_some()
}
