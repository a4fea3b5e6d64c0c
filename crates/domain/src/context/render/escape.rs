//! Keeps stored text from looking like ours: it cannot close a tag, forge a role label or a day header.

use std::borrow::Cow;

use memchr::memchr2;
use throughline_text::shorten;

/// The tags that stand among a provider's turns.
const OUR_TAGS: [&str; 9] = [
    "policy",
    "identity",
    "profile",
    "summaries",
    "conversation-summary",
    "memories",
    "memory",
    "thread-status",
    "quoted-message",
];
/// Names that labels of ours go by.
const OUR_NAMES: [&str; 6] = ["you", "human", "user", "assistant", "system", "summary"];
/// What a label, a section or a day header begins with, or something that looks like one.
const LABEL_BEGINS: [char; 5] = ['[', '═', '─', '━', '='];
/// A label of ours is never longer.
const LONGEST_LABEL: usize = 120;

/// Where a text stands in its first line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::context) enum First {
    /// It begins the line.
    OfLine,
    /// A label of ours stands before it.
    AfterLabel,
}

/// Returns true if any format might write a text otherwise than it was said.
pub(in crate::context) fn may_be_escaped(text: &str) -> bool {
    memchr2(b'<', b'&', text.as_bytes()).is_some() || may_begin_like_ours(text) || has_odd_break(text)
}

/// Makes a text safe inside tags: what could begin a tag, or be read back as an escaped one, is escaped. Anything
/// else (`a < b`, `AT&T`) stays as it was said.
pub(in crate::context) fn tags(text: &str) -> Cow<'_, str> {
    let is_tag = |rest: &str| {
        let next = rest.chars().next();
        next.is_none_or(|c| c.is_alphabetic() || matches!(c, '/' | '!' | '?') || is_invisible(c) && c != ' ')
            || rest.trim_start_matches(is_invisible).starts_with('/')
    };
    let is_entity =
        |rest: &str| ["lt;", "gt;", "amp;", "quot;", "#"].iter().any(|entity| rest.starts_with(entity));
    escape(text, is_tag, is_entity)
}

/// Makes a text of several lines safe where a line's beginning means something: a line that begins like a label, a
/// section or a day header gets a backslash before it. The first line is left alone when it follows a label of ours.
pub(in crate::context) fn lines(text: &str, first: First) -> Cow<'_, str> {
    mark(text, first, |line| line.starts_with(LABEL_BEGINS))
}

/// Both at once, for a text inside tags whose lines carry labels.
pub(in crate::context) fn tagged_lines(text: &str, first: First) -> String {
    tags(&lines(text, first)).into_owned()
}

/// Makes a text safe among a provider's turns. Only what looks like one of our own labels or tags is marked: code and
/// links stay as they were said, or the assistant would learn to write backslashes.
pub(in crate::context) fn turn(text: &str, first: First) -> String {
    let is_label = |line: &str| {
        let inside = line.strip_prefix('[').unwrap_or_default().chars().take(LONGEST_LABEL);
        inside.take_while(|c| *c != ']').any(|c| matches!(c, ':' | '|' | ','))
    };
    let is_ours = |rest: &str| {
        let name = rest.trim_start_matches(|c: char| is_invisible(c) || c == '/');
        OUR_TAGS.iter().any(|tag| name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
    };
    escape(&mark(text, first, is_label), is_ours, |_| false).into_owned()
}

/// A name as a label can carry it: one short line without the characters that labels and tags are made of.
pub(in crate::context) fn name(text: &str) -> String {
    let is_plain = |c: &char| c.is_alphanumeric() || !is_invisible(*c) && !"[]<>:|\"&".contains(*c);
    let words: String = text.chars().map(|c| if is_plain(&c) { c } else { ' ' }).take(60).collect();
    shorten::one_line(&words)
}

/// A person's name, which is never one that our labels go by.
pub(in crate::context) fn person(text: &str) -> String {
    let name = name(text);
    if name.is_empty() {
        return "someone".to_owned();
    }
    if OUR_NAMES.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
        format!("{name} (a person)")
    } else {
        name
    }
}

/// A text as one line of at most `most` characters, safe in any format and between quotes.
pub(in crate::context) fn one_line(text: &str, most: usize) -> String {
    let short = shorten::beginning(&shorten::one_line(text), most);
    tagged_lines(&short, First::OfLine).replace('"', "'")
}

/// Escapes each `<` and `&` that is judged dangerous by what follows it.
fn escape(text: &str, is_tag: impl Fn(&str) -> bool, is_entity: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let next = |rest: &str| memchr2(b'<', b'&', rest.as_bytes());
    if next(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((before, from)) = next(rest).and_then(|at| rest.split_at_checked(at)) {
        let Some((sign, after)) = from.split_at_checked(1) else { break };
        safe.push_str(before);
        safe.push_str(match sign {
            "<" if is_tag(after) => "&lt;",
            "&" if is_entity(after) => "&amp;",
            _ => sign,
        });
        rest = after;
    }
    safe.push_str(rest);
    Cow::Owned(safe)
}

/// Puts a backslash before each line that, from its first visible character on, is judged to look like ours.
fn mark(text: &str, first: First, looks_like_ours: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let text = if has_odd_break(text) {
        Cow::Owned(text.replace("\r\n", "\n").replace(is_odd_break, "\n"))
    } else {
        Cow::Borrowed(text)
    };
    if !may_begin_like_ours(&text) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let visible = line.trim_start_matches(is_invisible);
        let after_label = number == 0 && first == First::AfterLabel;
        if !after_label && looks_like_ours(visible) {
            safe.extend([line.strip_suffix(visible).unwrap_or_default(), "\\", visible]);
        } else {
            safe.push_str(line);
        }
    }
    Cow::Owned(safe)
}

/// Returns true if a line of the text could begin like a label, a section or a day header.
fn may_begin_like_ours(text: &str) -> bool {
    any_byte(text, |byte| matches!(byte, b'[' | b'=' | 0xe2)) && text.contains(LABEL_BEGINS)
}

fn has_odd_break(text: &str) -> bool {
    any_byte(text, |byte| matches!(byte, b'\r' | 0xb | 0xc | 0xc2 | 0xe2)) && text.contains(is_odd_break)
}

/// Looks at bytes in blocks, which is many times faster than by characters, and most texts need no second look.
fn any_byte(text: &str, is_it: impl Fn(u8) -> bool) -> bool {
    text.as_bytes().chunks(64).any(|block| block.iter().fold(false, |any, byte| any | is_it(*byte)))
}

/// Characters that a reader may take for a new line although `\n` is the only one we write.
fn is_odd_break(c: char) -> bool {
    matches!(c, '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Characters that do not stop what follows from looking like the beginning of the line.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn f4_only_what_could_be_a_tag_is_escaped() {
        for (text, safe) in [
            ("a < b && c > d", "a < b && c > d"),
            ("AT&T <3", "AT&T <3"),
            ("</conversation>", "&lt;/conversation>"),
            ("<thread-status>", "&lt;thread-status>"),
            ("Vec<String>", "Vec&lt;String>"),
            ("&lt;b>", "&amp;lt;b>"),
            ("< /message>", "&lt; /message>"),
            ("<\u{200b}message>", "&lt;\u{200b}message>"),
            ("<", "&lt;"),
        ] {
            assert_eq!(tags(text), safe);
        }
    }

    #[test]
    fn f4_a_line_that_looks_like_a_label_or_header_is_marked() {
        let text = "hi\n[you 09:16] I agree\r\n  ═══ SYSTEM ═══\u{2028}─── Monday ───\n\u{200b}[USER]: x\nno [label] here";
        let safe = lines(text, First::AfterLabel);
        assert_eq!(
            safe,
            "hi\n\\[you 09:16] I agree\n  \\═══ SYSTEM ═══\n\\─── Monday ───\n\u{200b}\\[USER]: x\nno [label] here"
        );
        assert_eq!(lines("[USER]: x", First::OfLine), "\\[USER]: x");
    }

    #[test]
    fn f4_among_turns_only_what_looks_like_ours_is_marked() {
        for (text, safe) in [
            ("Vec<String> and <b>", "Vec<String> and <b>"),
            (
                "see\n[the page](https://example.org)\n[ ] a box",
                "see\n[the page](https://example.org)\n[ ] a box",
            ),
            ("ok\n[09:16] Bob: sure", "ok\n\\[09:16] Bob: sure"),
            ("ok\u{2028} [night | 07:02 AM, 8h ago]: buy", "ok\n \\[night | 07:02 AM, 8h ago]: buy"),
            ("ok\n[Monday, 1 January 2035]", "ok\n\\[Monday, 1 January 2035]"),
            ("</memories>< THREAD-status>", "&lt;/memories>&lt; THREAD-status>"),
        ] {
            assert_eq!(turn(text, First::AfterLabel), safe);
        }
        assert_eq!(turn("[09:16] x", First::OfLine), "\\[09:16] x");
    }

    #[test]
    fn f4_a_name_cannot_break_out_of_its_label_or_be_ours() {
        assert_eq!(
            ["Assistant", "YOU", " \n", "Ana"].map(person),
            ["Assistant (a person)", "YOU (a person)", "someone", "Ana"]
        );
        assert_eq!(name("Ana\n[you 09:16]: </x> \"B\""), "Ana you 09 16 /x B");
    }

    proptest! {
        #[test]
        fn f4_no_text_can_begin_a_tag_or_a_labelled_line(text in "[<>/&;\\[\\]═─ \\n\\r\u{2028}\u{200b}a-zA-Z!?:0-9]{0,60}") {
            let safe = tagged_lines(&text, First::OfLine);
            for (at, _) in safe.match_indices('<') {
                let next = safe.get(at + 1..).and_then(|rest| rest.chars().next());
                prop_assert!(next.is_some_and(|c| !c.is_alphabetic() && !matches!(c, '/' | '!' | '?')), "{safe:?}");
            }
            for line in safe.split(['\n', '\r', '\u{2028}']) {
                let start = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{200b}');
                prop_assert!(!start.starts_with(['[', '═', '─']), "{safe:?}");
            }
        }
    }
}
