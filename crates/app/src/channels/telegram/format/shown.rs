//! A text as its reader sees it, with its styles and where it may be cut.

use std::ops::Range;
use std::rc::Rc;

/// How a stretch of text looks. A value has one way to nest as tags, so tags cannot overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub quote: bool,
    /// A code block; holds the language, empty if unknown.
    pub code_block: Option<Rc<str>>,
    pub link: Option<Rc<str>>,
    pub bold: bool,
    pub italic: bool,
    pub strikethrough: bool,
    pub code: bool,
}

/// A stretch of one style, from the end of the run before it.
#[derive(Debug)]
pub(super) struct Run {
    pub end: usize,
    pub style: Style,
}

/// Text without marks or tags. All positions are byte offsets into it, in order.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub text: String,
    pub runs: Vec<Run>,
    /// Where a block begins after a blank line: the best places to cut.
    pub blocks: Vec<usize>,
    /// What a cut should not part from the text after it: headings and list markers.
    pub held: Vec<Range<usize>>,
}

impl Shown {
    /// Text that has no styles.
    pub fn plain(text: &str) -> Self {
        let mut shown = Self::default();
        shown.push(text, &Style::default());
        shown.blocks = text.match_indices("\n\n").map(|(at, gap)| at + gap.len()).collect();
        shown
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

    /// Exchanges the end of the text for another of the same length. Tells whether it was there.
    pub fn replace_end(&mut self, old: &str, new: &str) -> bool {
        let found = old.len() == new.len() && self.text.ends_with(old);
        if found {
            self.text.truncate(self.text.len() - old.len());
            self.text.push_str(new);
        }
        found
    }

    /// The text of a part; empty if the part does not lie on characters.
    pub fn part(&self, part: &Range<usize>) -> &str {
        self.text.get(part.clone()).unwrap_or_default()
    }

    /// Whether a block begins here.
    pub fn is_block(&self, at: usize) -> bool {
        self.blocks.binary_search(&at).is_ok()
    }

    /// Whether a cut here would part a heading or a marker from its text.
    pub fn is_held(&self, at: usize) -> bool {
        let begun = self.held.partition_point(|held| held.start < at);
        begun.checked_sub(1).and_then(|last| self.held.get(last)).is_some_and(|held| at <= held.end)
    }
}
