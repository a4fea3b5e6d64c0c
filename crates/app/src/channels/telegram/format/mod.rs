//! Turns a reply's Markdown into messages that Telegram takes. Sending them is the channel's business.

mod characters;
mod html;
mod markdown;
mod shown;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod unfinished;

use std::borrow::Cow;
use std::ops::Range;

use shown::Shown;

/// The longest text that Telegram takes in one message, in UTF-16 units, tags not counted.
const LIMIT: usize = 4096;

/// Stands for the beginning that a preview leaves out.
const ELLIPSIS: &str = "…";

/// One message of Telegram's: as HTML, and as plain text for when the HTML is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// The text with the tags that Telegram knows.
    pub html: String,
    /// The same text without tags.
    pub plain: String,
}

/// Cuts Markdown into messages that Telegram takes. Never empty unless the text is blank.
pub fn pieces(markdown: &str) -> Vec<Piece> {
    cut(&read(&with_plain_newlines(markdown)))
}

/// Plain text (not Markdown), cut likewise and escaped.
pub fn plain_pieces(text: &str) -> Vec<Piece> {
    cut(&Shown::plain(&with_plain_newlines(text)))
}

/// A text that is still being written, as one message: unfinished fences and marks are closed, and of
/// a text over the limit the end is shown, after "…". Empty only if the text is blank.
pub fn preview(markdown: &str) -> Piece {
    let shown = read(&unfinished::close(&with_plain_newlines(markdown)));
    let start = split::start_of_last(&shown, LIMIT - units(ELLIPSIS));
    let part = split::trim(&shown.text, start..shown.text.len());
    if characters::is_blank(shown.part(&part)) {
        return plain_pieces(markdown).pop().unwrap_or_default();
    }
    let mut piece = piece(&shown, part);
    if start > 0 {
        piece.html.insert_str(0, ELLIPSIS);
        piece.plain.insert_str(0, ELLIPSIS);
    }
    piece
}

/// Length as Telegram counts it.
pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Markdown can be all marks and no text, like a lone `#`: then the marks are what there is to show.
fn read(markdown: &str) -> Shown {
    let shown = markdown::read(markdown);
    if characters::is_blank(&shown.text) { Shown::plain(markdown) } else { shown }
}

fn cut(shown: &Shown) -> Vec<Piece> {
    split::split(shown).into_iter().map(|part| piece(shown, part)).collect()
}

fn piece(shown: &Shown, part: Range<usize>) -> Piece {
    Piece { plain: shown.part(&part).to_owned(), html: html::html(shown, part) }
}

fn with_plain_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}
