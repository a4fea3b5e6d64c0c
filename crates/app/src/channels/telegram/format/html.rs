//! Renders a part of a styled text as Telegram's HTML.

use std::ops::Range;

use super::styled::{Style, StyledText};

/// The part as HTML: tags are nested and not empty, and the text is escaped.
pub(super) fn html(styled: &StyledText, part: Range<usize>) -> String {
    let mut html = String::with_capacity(part.len());
    let mut open = Vec::new();
    let mut at = part.start;
    let first = styled.runs.partition_point(|run| run.end <= part.start);
    for run in styled.runs.iter().skip(first) {
        if at >= part.end {
            break;
        }
        let end = run.end.min(part.end);
        change_tags(&mut html, &mut open, tags(&run.style));
        escape(&mut html, styled.part(&(at..end)));
        at = end;
    }
    change_tags(&mut html, &mut open, Vec::new());
    html
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag<'a> {
    Quote,
    CodeBlock(&'a str),
    Link(&'a str),
    Bold,
    Italic,
    Strikethrough,
    Code,
}

/// The tags of a style, outermost first. Telegram allows no tags inside code, and no code inside a link.
fn tags(style: &Style) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    tags.extend(style.quote.then_some(Tag::Quote));
    if let Some(language) = &style.code_block {
        tags.push(Tag::CodeBlock(language));
    } else if style.code && style.link.is_none() {
        tags.push(Tag::Code);
    } else {
        tags.extend(style.link.as_deref().map(Tag::Link));
        tags.extend(style.bold.then_some(Tag::Bold));
        tags.extend(style.italic.then_some(Tag::Italic));
        tags.extend(style.strikethrough.then_some(Tag::Strikethrough));
    }
    tags
}

/// Closes the open tags that the next text does not have, then opens the missing ones.
fn change_tags<'a>(html: &mut String, open: &mut Vec<Tag<'a>>, wanted: Vec<Tag<'a>>) {
    let kept = open.iter().zip(&wanted).take_while(|(open, wanted)| open == wanted).count();
    for tag in open.iter().skip(kept).rev() {
        html.push_str(closing(*tag));
    }
    for tag in wanted.iter().skip(kept) {
        push_opening(html, *tag);
    }
    *open = wanted;
}

fn push_opening(html: &mut String, tag: Tag) {
    let (before, value, after) = match tag {
        Tag::Quote => ("<blockquote>", "", ""),
        Tag::CodeBlock("") => ("<pre>", "", ""),
        Tag::CodeBlock(language) => ("<pre><code class=\"language-", language, "\">"),
        Tag::Link(target) => ("<a href=\"", target, "\">"),
        Tag::Bold => ("<b>", "", ""),
        Tag::Italic => ("<i>", "", ""),
        Tag::Strikethrough => ("<s>", "", ""),
        Tag::Code => ("<code>", "", ""),
    };
    html.push_str(before);
    // A URL encodes a quotation mark this way, and the name of a language contains none.
    escape(html, &value.replace('"', "%22"));
    html.push_str(after);
}

fn closing(tag: Tag) -> &'static str {
    match tag {
        Tag::Quote => "</blockquote>",
        Tag::CodeBlock("") => "</pre>",
        Tag::CodeBlock(_) => "</code></pre>",
        Tag::Link(_) => "</a>",
        Tag::Bold => "</b>",
        Tag::Italic => "</i>",
        Tag::Strikethrough => "</s>",
        Tag::Code => "</code>",
    }
}

fn escape(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            _ => html.push(c),
        }
    }
}
