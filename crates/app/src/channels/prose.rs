//! Formats a reply for a terminal while it streams: wraps words, and turns common Markdown marks into styles. Printed
//! text cannot be changed, so only marks that can be read from left to right are supported.

use throughline_text::printable::is_unprintable;
use unicode_width::UnicodeWidthStr;

const PLAIN: &str = "\u{1b}[0m";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const CODE: &str = "\u{1b}[36m";

/// A reply in progress.
#[derive(Debug)]
pub struct Prose {
    width: usize,
    has_color: bool,
    /// The incomplete word at the end.
    word: String,
    column: usize,
    /// Whether the next word is the first of its line.
    opens_line: bool,
    /// Indent of wrapped lines in a list, in columns.
    indent: usize,
    is_bold: bool,
    is_code: bool,
    is_heading: bool,
    /// Whether the text is inside a code block, where nothing is wrapped or styled.
    is_fenced: bool,
}

impl Prose {
    /// Creates a formatter for a terminal with this many columns.
    pub fn new(width: usize, has_color: bool) -> Self {
        Self {
            width: width.max(20),
            has_color,
            word: String::new(),
            column: 0,
            opens_line: true,
            indent: 0,
            is_bold: false,
            is_code: false,
            is_heading: false,
            is_fenced: false,
        }
    }

    /// Formats the next piece of a reply. A word is printed once it is complete.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for c in piece.chars().filter(|c| !is_unprintable(*c)) {
            match c {
                '\n' => self.end_line(&mut out),
                ' ' | '\t' => self.space(c, &mut out),
                _ => self.word.push(c),
            }
        }
        out
    }

    /// Formats the rest, once the reply is complete.
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        self.end_word(&mut out);
        self.style(PLAIN, &mut out);
        out
    }

    fn space(&mut self, c: char, out: &mut String) {
        if self.opens_line && self.word.is_empty() {
            // Leading spaces are the depth of a list.
            self.column += 1;
            self.indent = self.column;
            out.push(' ');
            return;
        }
        self.end_word(out);
        // The space after the mark of a heading is dropped with the mark.
        if !self.opens_line && (self.column < self.width || self.is_fenced) {
            self.column += 1;
            out.push(if c == '\t' && self.is_fenced { '\t' } else { ' ' });
        }
    }

    fn end_line(&mut self, out: &mut String) {
        self.end_word(out);
        if self.is_heading || self.is_bold || self.is_code {
            self.style(PLAIN, out);
        }
        (self.is_heading, self.is_bold, self.is_code) = (false, false, false);
        (self.opens_line, self.column, self.indent) = (true, 0, 0);
        out.push('\n');
    }

    fn end_word(&mut self, out: &mut String) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        if self.opens_line && word.starts_with("```") {
            self.is_fenced = !self.is_fenced;
            self.opens_line = false;
            let style = if self.is_fenced { DIM } else { PLAIN };
            return self.style(style, out);
        }
        if self.is_fenced {
            self.opens_line = false;
            out.push_str(&word);
            return;
        }
        if std::mem::take(&mut self.opens_line) && self.opens(&word, out) {
            return;
        }
        let width = word.replace("**", "").replace('`', "").width();
        if self.column > self.indent && self.column + width > self.width {
            out.push('\n');
            out.push_str(&" ".repeat(self.indent));
            self.column = self.indent;
        }
        self.column += width;
        self.inline(&word, out);
    }

    /// Handles a mark at the beginning of a line; `false` if the word is not a mark.
    fn opens(&mut self, word: &str, out: &mut String) -> bool {
        let is_number = word.strip_suffix(['.', ')']).is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
        match word {
            "-" | "*" | "+" => out.push('•'),
            _ if is_number => out.push_str(word),
            _ if word.chars().all(|c| c == '#') => {
                self.is_heading = true;
                self.style(BOLD, out);
                self.opens_line = true;
                return true;
            }
            _ => return false,
        }
        self.column += word.width();
        self.indent = self.column + 1;
        true
    }

    /// Prints a word, and applies bold and code marks in it.
    fn inline(&mut self, word: &str, out: &mut String) {
        let mut rest = word;
        while let Some(next) = rest.chars().next() {
            if next == '`' {
                self.is_code = !self.is_code;
                self.restyle(out);
                rest = rest.get(1..).unwrap_or_default();
            } else if let Some(after) = rest.strip_prefix("**").filter(|_| !self.is_code) {
                self.is_bold = !self.is_bold;
                self.restyle(out);
                rest = after;
            } else {
                out.push(next);
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
        }
    }

    fn restyle(&self, out: &mut String) {
        self.style(PLAIN, out);
        if self.is_bold || self.is_heading {
            self.style(BOLD, out);
        }
        if self.is_code {
            self.style(CODE, out);
        }
    }

    fn style(&self, style: &str, out: &mut String) {
        if self.has_color {
            out.push_str(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str, width: usize, piece: usize) -> String {
        let mut prose = Prose::new(width, false);
        let chars: Vec<char> = text.chars().collect();
        let mut out: String =
            chars.chunks(piece).map(|piece| prose.push(&piece.iter().collect::<String>())).collect();
        out += &prose.finish();
        out
    }

    #[test]
    fn words_wrap_lists_hang_and_code_stays_as_it_is() {
        let text = "## The plan\nFirst **measure** the old alcove.\n- order `oak` and wait for it\n```\nlet a  = \"a long line of code\";\n```\ndone";
        let expected = "The plan\nFirst measure the old\nalcove.\n• order oak and wait\n  for it\n\nlet a  = \"a long line of code\";\n\ndone";
        for piece in [1, 3, 500] {
            let lines: Vec<String> =
                written(text, 21, piece).lines().map(|line| line.trim_end().to_owned()).collect();
            assert_eq!(lines.join("\n"), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn bold_and_code_are_styles_where_there_are_colors() {
        let mut prose = Prose::new(80, true);
        let out = prose.push("a **b c** `d` \u{1b}[31me") + &prose.finish();
        assert_eq!(out, "a \u{1b}[0m\u{1b}[1mb c\u{1b}[0m \u{1b}[0m\u{1b}[36md\u{1b}[0m [31me\u{1b}[0m");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_of_words_is_too_wide(text in "[a-z ]{0,200}", width in 20usize..60) {
            let out = written(&text, width, 7);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&out), words(&text));
            let fits = |line: &str| line.trim_end().width() <= width || !line.trim().contains(' ');
            prop_assert!(out.lines().all(fits), "{}", out);
        }
    }
}
