//! Converts a reply's Markdown into messages that Telegram accepts. Sending them is the channel's business.

mod characters;
mod html;
mod markdown;
mod split;
mod styled;
mod table;
#[cfg(test)]
mod tests;
mod unfinished;

use std::borrow::Cow;
use std::ops::Range;

use styled::StyledText;

/// Maximum length of a message in UTF-16 units, without tags.
const LIMIT: usize = 4096;

/// Replaces the beginning that a preview leaves out.
const ELLIPSIS: &str = "…";

/// One message: as HTML, and as plain text in case Telegram refuses the HTML.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// The text with Telegram's tags.
    pub html: String,
    /// The same text without tags.
    pub plain: String,
}

/// Splits Markdown into messages. The result is empty only if the text is blank.
pub fn pieces(markdown: &str) -> Vec<Piece> {
    cut(&read(&with_plain_newlines(markdown)))
}

/// Splits plain text into messages.
pub fn plain_pieces(text: &str) -> Vec<Piece> {
    cut(&StyledText::plain(&with_plain_newlines(text)))
}

/// Renders a text that is still being written as one message: open fences and marks are closed, and only the end of a
/// text over the limit is shown, after "…". The result is empty only if the text is blank.
pub fn preview(markdown: &str) -> Piece {
    let styled = read(&unfinished::close(&with_plain_newlines(markdown)));
    let start = split::start_of_last(&styled, LIMIT - units(ELLIPSIS));
    let part = split::trim(&styled.text, start..styled.text.len());
    if characters::is_blank(styled.part(&part)) {
        return plain_pieces(markdown).pop().unwrap_or_default();
    }
    let mut piece = piece(&styled, part);
    if start > 0 {
        piece.html.insert_str(0, ELLIPSIS);
        piece.plain.insert_str(0, ELLIPSIS);
    }
    piece
}

/// The length in UTF-16 units, as Telegram counts it.
pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Parses Markdown. If it consists of marks only, like a lone `#`, the marks are shown as text.
fn read(markdown: &str) -> StyledText {
    let styled = markdown::read(markdown);
    if characters::is_blank(&styled.text) { StyledText::plain(markdown) } else { styled }
}

fn cut(styled: &StyledText) -> Vec<Piece> {
    split::split(styled).into_iter().map(|part| piece(styled, part)).collect()
}

fn piece(styled: &StyledText, part: Range<usize>) -> Piece {
    Piece { plain: styled.part(&part).to_owned(), html: html::html(styled, part) }
}

fn with_plain_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}
