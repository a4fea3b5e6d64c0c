//! Styled text, with the positions at which it may be split.

use std::ops::Range;
use std::rc::Rc;

/// The style of a run of text. Each value has exactly one order of tags, so tags cannot overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub quote: bool,
    /// The language of a code block, empty if unknown; `None` outside of code blocks.
    pub code_block: Option<Rc<str>>,
    pub link: Option<Rc<str>>,
    pub bold: bool,
    pub italic: bool,
    pub strikethrough: bool,
    pub code: bool,
}

/// A run of text in one style, which begins at the end of the previous run.
#[derive(Debug)]
pub(super) struct Run {
    pub end: usize,
    pub style: Style,
}

/// Text without marks or tags. All positions are byte offsets into it, in ascending order.
#[derive(Debug, Default)]
pub(super) struct StyledText {
    pub text: String,
    pub runs: Vec<Run>,
    /// The positions of blocks after a blank line, which are the best places to split.
    pub blocks: Vec<usize>,
    /// Headings and list markers, which should not be separated from the text after them.
    pub held: Vec<Range<usize>>,
}

impl StyledText {
    /// Text without styles.
    pub fn plain(text: &str) -> Self {
        let mut styled = Self::default();
        styled.push(text, &Style::default());
        styled.blocks = text.match_indices("\n\n").map(|(at, gap)| at + gap.len()).collect();
        styled
    }

    /// Adds text at the end.
    pub fn push(&mut self, text: &str, style: &Style) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        let end = self.text.len();
        match self.runs.last_mut() {
            Some(run) if run.style == *style => run.end = end,
            _ => self.runs.push(Run { end, style: style.clone() }),
        }
    }

    /// Replaces the end of the text by another of the same length; `false` if the text does not end that way.
    pub fn replace_end(&mut self, old: &str, new: &str) -> bool {
        let found = old.len() == new.len() && self.text.ends_with(old);
        if found {
            self.text.truncate(self.text.len() - old.len());
            self.text.push_str(new);
        }
        found
    }

    /// The text of a part; empty if its ends are not on character boundaries.
    pub fn part(&self, part: &Range<usize>) -> &str {
        self.text.get(part.clone()).unwrap_or_default()
    }

    /// Returns true if a block begins at this position.
    pub fn is_block(&self, at: usize) -> bool {
        self.blocks.binary_search(&at).is_ok()
    }

    /// Returns true if a split at this position would separate a heading or a list marker from its text.
    pub fn is_held(&self, at: usize) -> bool {
        let begun = self.held.partition_point(|held| held.start < at);
        begun.checked_sub(1).and_then(|last| self.held.get(last)).is_some_and(|held| at <= held.end)
    }
}
