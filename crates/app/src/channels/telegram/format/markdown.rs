//! Parses Markdown into styled text. Splitting and HTML are the business of other files.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::styled::{Style, StyledText};
use super::table::Table;

const BULLET: &str = "• ";
const RULE: &str = "———";
const INDENT: &str = "    ";
/// Maximum indent of lists, in columns, because lines on a phone are short.
const DEEPEST_INDENT: usize = 6;

/// Parses Markdown into styled text. Line breaks and blank lines stay as written.
pub(super) fn read(source: &str) -> StyledText {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let parser = Parser::new_ext(source, options);
    let mut unused: BTreeMap<usize, Range<usize>> = parser
        .reference_definitions()
        .iter()
        .map(|(_, definition)| (definition.span.start, definition.span.clone()))
        .collect();
    let mut parser = parser.into_offset_iter();
    let mut events = Vec::new();
    while let Some((event, range)) = parser.next() {
        if let Event::Start(Tag::Link { id, .. } | Tag::Image { id, .. }) = &event
            && let Some(definition) = parser.reference_definitions().get(id)
        {
            unused.remove(&definition.span.start);
        }
        events.push((event, range));
    }
    let mut reader = Reader { source, unused, ..Reader::default() };
    for (event, range) in events {
        reader.read(event, &range);
    }
    reader.show_unused_before(source.len());
    reader.shown
}

/// The kind of the last output, on which the next block depends.
#[derive(Default, PartialEq, Eq)]
enum Last {
    #[default]
    Gap,
    Marker,
    Text,
    /// A complete block: the next text begins on a new line.
    Block,
}

/// An open link or image.
struct Link {
    target: String,
    is_tag: bool,
    /// The position in the output at which the link's text begins.
    start: usize,
}

#[derive(Default)]
struct Reader<'a> {
    source: &'a str,
    shown: StyledText,
    style: Style,
    /// The enclosing styles, outermost first.
    outer: Vec<Style>,
    last: Last,
    /// The open lists, each with the number of its next item if it is numbered.
    lists: Vec<Option<u64>>,
    links: Vec<Link>,
    table: Option<Table>,
    /// The position in the source at which the last cell of the current row ends.
    cell_end: usize,
    /// Text of a block that is laid out once the block is complete.
    gathered: Option<String>,
    in_heading: bool,
    /// The position of headings and list markers that have no text after them yet.
    held_from: Option<usize>,
    /// Link definitions that no link uses, by position. They are written as text, so that nothing is lost.
    unused: BTreeMap<usize, Range<usize>>,
}

impl Reader<'_> {
    fn read(&mut self, event: Event, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range.start),
            Event::End(tag) => self.end(tag, range.end),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => self.write(&text),
            Event::Code(code) => {
                self.enter(|style| style.code = true);
                self.write(&code);
                self.leave();
            }
            Event::FootnoteReference(label) => self.write(&format!("[{label}]")),
            Event::SoftBreak | Event::HardBreak => self.write(&format!("\n{}", self.indent())),
            Event::Rule => {
                self.start_block(range.start);
                self.write(RULE);
                self.end_block();
            }
            Event::TaskListMarker(done) => self.write_checkbox(done),
        }
    }

    fn start(&mut self, tag: Tag, at: usize) {
        match tag {
            Tag::Paragraph | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => self.start_block(at),
            Tag::Heading { .. } => {
                self.start_block(at);
                self.hold();
                self.in_heading = true;
                self.enter(|style| style.bold = true);
            }
            Tag::BlockQuote(_) => {
                self.start_block(at);
                self.enter(|style| style.quote = true);
            }
            Tag::CodeBlock(kind) => {
                self.start_block(at);
                let (language, first_line) = info(&kind);
                self.enter(|style| style.code_block = Some(language.into()));
                self.gathered = Some(first_line);
            }
            Tag::HtmlBlock | Tag::MetadataBlock(_) => {
                self.start_block(at);
                self.gathered = Some(String::new());
            }
            Tag::List(first) => self.lists.push(first),
            Tag::Item => self.start_item(at),
            Tag::FootnoteDefinition(label) => {
                self.start_block(at);
                self.write_marker(&format!("[{label}] "));
            }
            Tag::Table(alignments) => {
                self.start_block(at);
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => {
                self.cell_end = at;
                if let Some(table) = &mut self.table {
                    table.start_row();
                }
            }
            Tag::TableCell => self.gathered = Some(String::new()),
            Tag::Emphasis => self.enter(|style| style.italic = true),
            Tag::Strong => self.enter(|style| style.bold = true),
            Tag::Strikethrough => self.enter(|style| style.strikethrough = true),
            Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. } => {
                self.start_link(link_type, &dest_url);
            }
            Tag::DefinitionList | Tag::Superscript | Tag::Subscript => {}
        }
    }

    fn end(&mut self, tag: TagEnd, at: usize) {
        match tag {
            TagEnd::Heading(_) => {
                self.in_heading = false;
                self.leave();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.leave();
                self.end_block();
            }
            TagEnd::CodeBlock => {
                self.write_gathered();
                self.leave();
                self.end_block();
            }
            TagEnd::HtmlBlock | TagEnd::MetadataBlock(_) => {
                self.write_gathered();
                self.end_block();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.end_block();
            }
            TagEnd::Table => {
                self.write_table();
                self.end_block();
            }
            TagEnd::TableCell => {
                self.cell_end = self.cell_end.max(at);
                let cell = self.gathered.take().unwrap_or_default();
                self.add_cell(&cell);
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                // The parser drops cells beyond the last heading.
                let rest = self.source.get(self.cell_end..at).unwrap_or_default();
                self.add_cell(rest.trim_matches(|c: char| c == '|' || c.is_whitespace()));
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.leave(),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Paragraph
            | TagEnd::Item
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition => self.end_block(),
            TagEnd::Superscript | TagEnd::Subscript => {}
        }
    }

    fn enter(&mut self, change: impl FnOnce(&mut Style)) {
        self.outer.push(self.style.clone());
        change(&mut self.style);
    }

    fn leave(&mut self) {
        self.style = self.outer.pop().unwrap_or_default();
    }

    fn write(&mut self, text: &str) {
        if let Some(gathered) = &mut self.gathered {
            gathered.push_str(text);
        } else if !text.is_empty() {
            // In a list without blank lines, the parser reports no paragraphs.
            if self.last == Last::Block {
                self.write_gap(false);
            }
            if !self.in_heading
                && let Some(from) = self.held_from.take()
            {
                self.shown.held.push(from..self.shown.text.len());
            }
            self.shown.push(text, &self.style);
            self.last = Last::Text;
        }
    }

    fn write_gathered(&mut self) {
        let gathered = self.gathered.take().unwrap_or_default();
        self.write(gathered.trim_end());
    }

    fn write_table(&mut self) {
        let table = self.table.take().unwrap_or_default();
        self.enter(|style| style.code_block = Some("".into()));
        self.write(&table.lay_out());
        self.leave();
    }

    fn add_cell(&mut self, cell: &str) {
        if let Some(table) = &mut self.table {
            table.add_cell(cell);
        }
    }

    fn write_marker(&mut self, marker: &str) {
        self.hold();
        self.shown.push(marker, &self.style);
        self.last = Last::Marker;
    }

    fn write_checkbox(&mut self, done: bool) {
        let checkbox = if done { "☑ " } else { "☐ " };
        if !self.shown.replace_end(BULLET, checkbox) {
            self.write_marker(checkbox);
        }
    }

    /// Keeps the following output together with the next text that is not a heading or a list marker.
    fn hold(&mut self) {
        self.held_from.get_or_insert(self.shown.text.len());
    }

    fn start_block(&mut self, at: usize) {
        self.show_unused_before(at);
        if matches!(self.last, Last::Text | Last::Block) {
            self.write_gap(is_after_blank_line(self.source, at));
        }
    }

    fn end_block(&mut self) {
        if self.last != Last::Gap {
            self.last = Last::Block;
        }
    }

    fn start_item(&mut self, at: usize) {
        self.start_block(at);
        if self.last == Last::Marker {
            self.write_gap(false);
        }
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            Some(None) | None => BULLET.to_owned(),
        };
        self.write_marker(&marker);
    }

    fn write_gap(&mut self, blank_line: bool) {
        self.shown.push(if blank_line { "\n\n" } else { "\n" }, &self.style);
        if blank_line {
            self.shown.blocks.push(self.shown.text.len());
        }
        self.shown.push(&self.indent(), &self.style);
        self.last = Last::Gap;
    }

    fn indent(&self) -> String {
        INDENT.repeat(self.lists.len().saturating_sub(1).min(DEEPEST_INDENT))
    }

    fn show_unused_before(&mut self, at: usize) {
        while let Some(entry) = self.unused.first_entry().filter(|entry| *entry.key() < at) {
            let definition = entry.remove();
            if matches!(self.last, Last::Text | Last::Block) {
                self.write_gap(is_after_blank_line(self.source, definition.start));
            }
            self.write(self.source.get(definition).unwrap_or_default().trim_end());
            self.end_block();
        }
    }

    fn start_link(&mut self, kind: LinkType, target: &CowStr) {
        let target = if kind == LinkType::Email { format!("mailto:{target}") } else { target.to_string() };
        // A table is rendered as code, which cannot contain a link.
        let is_tag = self.table.is_none() && can_be_opened(&target);
        let link = self.style.link.clone().or_else(|| is_tag.then(|| target.as_str().into()));
        self.enter(|style| style.link = link);
        let start = self.written().len();
        self.links.push(Link { target, is_tag, start });
    }

    /// Writes a link's target as text if it cannot be a tag.
    fn end_link(&mut self) {
        if let Some(link) = self.links.pop() {
            let text = self.written().get(link.start..).unwrap_or_default();
            if text.is_empty() {
                self.write(&link.target);
            } else if !link.is_tag && !link.target.is_empty() && text != link.target {
                self.write(&format!(" ({})", link.target));
            }
        }
        self.leave();
    }

    /// The output of the current block so far.
    fn written(&self) -> &str {
        self.gathered.as_ref().unwrap_or(&self.shown.text)
    }
}

/// Returns true if the line before this position contains only quote marks and blanks.
fn is_after_blank_line(source: &str, at: usize) -> bool {
    let mut lines = source.get(..at).unwrap_or_default().rsplit('\n').skip(1);
    lines.next().is_some_and(|line| line.trim_start_matches([' ', '\t', '>']).is_empty())
}

fn can_be_opened(target: &str) -> bool {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https" | "tg" | "mailto"))
}

/// The language of a code block, and the rest of its info string as a line above the code.
fn info<'a>(kind: &'a CodeBlockKind) -> (&'a str, String) {
    let info = match kind {
        CodeBlockKind::Fenced(info) => info.trim(),
        CodeBlockKind::Indented => "",
    };
    let end = info.find(|c: char| !(c.is_alphanumeric() || "+#-_.".contains(c))).unwrap_or(info.len());
    let (language, rest) = info.split_at_checked(end).unwrap_or_default();
    let rest = rest.trim_start_matches([' ', '\t', ',', ':']);
    let first_line = if rest.is_empty() { String::new() } else { format!("{rest}\n") };
    (language, first_line)
}
