//! Parses Telegram's HTML as strictly as the real server: into text and entities, or the reason for a refusal.

use serde_json::{Value, json};

use super::fields::{number, set, words};
use super::text::Formatted;

/// Text with entities.
pub(super) fn parse(source: &str) -> Result<Formatted, String> {
    let mut reader = Reader { source, ..Reader::default() };
    while let Some(next) = reader.rest().chars().next() {
        match next {
            '<' if reader.rest().starts_with("</") => reader.end_tag()?,
            '<' => reader.start_tag()?,
            '&' => reader.reference(),
            other => reader.write(other, other.len_utf8()),
        }
    }
    match reader.open.pop() {
        Some(tag) => Err(format!("Can't find end tag corresponding to start tag \"{}\"", tag.name)),
        None => Ok(Formatted { text: reader.text, entities: reader.entities }.in_order()),
    }
}

#[derive(Default)]
struct Reader<'a> {
    source: &'a str,
    /// Number of bytes read.
    at: usize,
    text: String,
    /// The length of the text in UTF-16 units, which entities count in.
    length: usize,
    open: Vec<Tag>,
    entities: Vec<Value>,
}

struct Tag {
    name: String,
    argument: String,
    offset: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn write(&mut self, character: char, read: usize) {
        self.text.push(character);
        self.length += character.len_utf16();
        self.at += read;
    }

    fn reference(&mut self) {
        let body = self.rest().strip_prefix('&').unwrap_or_default();
        let end = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(body.len());
        let name = body.get(..end).unwrap_or_default();
        let closed = usize::from(body.get(end..).is_some_and(|rest| rest.starts_with(';')));
        match character(name) {
            Some(character) => self.write(character, 1 + end + closed),
            // An unknown name is plain text.
            None => self.write('&', 1),
        }
    }

    fn start_tag(&mut self) -> Result<(), String> {
        let begin = self.at;
        let inside = self
            .rest()
            .strip_prefix('<')
            .and_then(|rest| Some(rest.split_at(end_of_tag(rest)?).0))
            .ok_or_else(|| format!("Unclosed start tag at byte offset {begin}"))?;
        let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        let name = name.to_ascii_lowercase();
        let argument = argument(&name, attributes)
            .ok_or_else(|| format!("Unsupported start tag \"{name}\" at byte offset {begin}"))?;
        self.at += inside.len() + 2;
        self.open.push(Tag { name, argument, offset: self.length });
        Ok(())
    }

    fn end_tag(&mut self) -> Result<(), String> {
        let begin = self.at;
        let tag = self.open.pop().ok_or_else(|| format!("Unexpected end tag at byte offset {begin}"))?;
        let inside = self
            .rest()
            .strip_prefix("</")
            .and_then(|rest| rest.split_once('>'))
            .ok_or_else(|| format!("Unclosed end tag at byte offset {begin}"))?
            .0;
        let name = inside.trim_end().to_ascii_lowercase();
        if !name.is_empty() && name != tag.name {
            let expected = tag.name;
            return Err(format!(
                "Unmatched end tag at byte offset {begin}, expected \"</{expected}>\", found \"</{name}>\""
            ));
        }
        self.at += inside.len() + 3;
        if self.length > tag.offset {
            self.close(tag);
        }
        Ok(())
    }

    fn close(&mut self, Tag { name, argument, offset }: Tag) {
        let length = self.length - offset;
        let mut entity = json!({ "type": kind(&name, &argument), "offset": offset, "length": length });
        match name.as_str() {
            "a" if argument.is_empty() => return,
            "a" => set(&mut entity, "url", argument),
            "code" if !argument.is_empty() => set(&mut entity, "language", argument),
            "pre" => {
                // Code that fills a block is merged into it, and gives it its language.
                let range = |entity: &Value| (number(entity, "offset"), number(entity, "length"));
                let is_same = |inner: &mut Value| {
                    words(inner, "type") == Some("code") && range(inner) == range(&entity)
                };
                let code = self.entities.pop_if(is_same);
                if let Some(language) = code.as_ref().and_then(|code| words(code, "language")) {
                    set(&mut entity, "language", language);
                }
            }
            _ => {}
        }
        self.entities.push(entity);
    }
}

/// The end of a start tag: the first `>` outside quotes.
fn end_of_tag(rest: &str) -> Option<usize> {
    let mut quote = None;
    rest.char_indices().find_map(|(at, c)| match (quote, c) {
        (None, '>') => Some(at),
        (None, '"' | '\'') => {
            quote = Some(c);
            None
        }
        (Some(open), c) if open == c => {
            quote = None;
            None
        }
        _ => None,
    })
}

/// The attribute of a tag that matters, empty if it has none; `None` for an unknown tag.
fn argument(name: &str, attributes: &str) -> Option<String> {
    match name {
        "b" | "strong" | "i" | "em" | "u" | "ins" | "s" | "strike" | "del" | "pre" | "tg-spoiler" => {
            Some(String::new())
        }
        "a" => Some(attribute(attributes, "href").unwrap_or_default()),
        "code" => {
            let class = attribute(attributes, "class").unwrap_or_default();
            Some(class.strip_prefix("language-").unwrap_or_default().to_owned())
        }
        "blockquote" => {
            let expandable = attributes.split_whitespace().any(|word| word.starts_with("expandable"));
            Some(if expandable { "expandable".to_owned() } else { String::new() })
        }
        "span" => attribute(attributes, "class").filter(|class| class == "tg-spoiler").map(|_| String::new()),
        _ => None,
    }
}

fn attribute(attributes: &str, name: &str) -> Option<String> {
    let value = attributes.split_once(name)?.1.trim_start().strip_prefix('=')?.trim_start();
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value.strip_prefix(quote)?.split(quote).next()?,
        _ => value.split_whitespace().next()?,
    };
    let mut reader = Reader { source: value, ..Reader::default() };
    while let Some(next) = reader.rest().chars().next() {
        match next {
            '&' => reader.reference(),
            other => reader.write(other, other.len_utf8()),
        }
    }
    Some(reader.text)
}

fn character(name: &str) -> Option<char> {
    match name {
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "amp" => return Some('&'),
        "quot" => return Some('"'),
        _ => {}
    }
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|c| *c != '\0')
}

fn kind(name: &str, argument: &str) -> &'static str {
    match name {
        "b" | "strong" => "bold",
        "i" | "em" => "italic",
        "u" | "ins" => "underline",
        "s" | "strike" | "del" => "strikethrough",
        "a" => "text_link",
        "code" => "code",
        "pre" => "pre",
        "blockquote" if argument == "expandable" => "expandable_blockquote",
        "blockquote" => "blockquote",
        _ => "spoiler",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::text::units;
    use super::*;

    fn bold(offset: usize, length: usize) -> Value {
        json!({ "type": "bold", "offset": offset, "length": length })
    }

    #[test]
    fn tags_become_entities_counted_in_utf_16_units() {
        let cases = [
            ("<b>a</b>", "a", vec![bold(0, 1)]),
            ("🌱<STRONG>é</STRONG>", "🌱é", vec![bold(2, 1)]),
            ("a &lt;b&gt; &amp;&quot; &#65;&#x1F331; &nbsp; &", "a <b> &\" A🌱 &nbsp; &", vec![]),
            ("<b></b>x > y", "x > y", vec![]),
            (
                "<a href=\"http://x/?a=1&amp;b=>2\">x</a>",
                "x",
                vec![json!({ "type": "text_link", "offset": 0, "length": 1, "url": "http://x/?a=1&b=>2" })],
            ),
            (
                "<pre><code class=\"language-rust\">fn</code></pre>",
                "fn",
                vec![json!({ "type": "pre", "offset": 0, "length": 2, "language": "rust" })],
            ),
            (
                "<blockquote expandable>q <b>b</b></blockquote>",
                "q b",
                vec![json!({ "type": "expandable_blockquote", "offset": 0, "length": 3 }), bold(2, 1)],
            ),
        ];
        for (source, text, entities) in cases {
            assert_eq!(parse(source), Ok(Formatted { text: text.to_owned(), entities }), "{source}");
        }
    }

    #[test]
    fn what_telegram_cannot_read_is_refused_with_its_words() {
        let cases = [
            ("abc<x>", "Unsupported start tag \"x\" at byte offset 3"),
            ("é<br/>", "Unsupported start tag \"br/\" at byte offset 2"),
            ("1 < 2", "Unclosed start tag at byte offset 2"),
            ("<b>a", "Can't find end tag corresponding to start tag \"b\""),
            ("a</b>", "Unexpected end tag at byte offset 1"),
            ("<b>a</b", "Unclosed end tag at byte offset 4"),
            ("<b><i>a</b></i>", "Unmatched end tag at byte offset 7, expected \"</i>\", found \"</b>\""),
        ];
        for (source, reason) in cases {
            assert_eq!(parse(source), Err(reason.to_owned()), "{source}");
        }
    }

    proptest! {
        #[test]
        fn escaped_text_comes_out_as_it_went_in(text in "\\PC*") {
            let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let read = parse(&format!("<i>{escaped}</i>")).unwrap();
            prop_assert_eq!(&read.text, &text);
            let length = units(&text);
            let whole = json!({ "type": "italic", "offset": 0, "length": length });
            prop_assert_eq!(read.entities, if length == 0 { vec![] } else { vec![whole] });
        }

        #[test]
        fn anything_is_read_or_refused(source in "[<>/&;#\"'= a-c🌱]{0,40}") {
            let _ = parse(&source);
        }
    }
}
