//! Which parts of a message are written as the person's own, and which are set apart as code, quotations or pasted lines.

use std::collections::HashMap;
use std::ops::Range;

/// The parts that nothing sets apart, in order, in bytes.
#[must_use]
pub fn unquoted(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut foreign = Vec::new();
    fences(text, &mut foreign);
    tags(&lower, &mut foreign);
    marks(&lower, &mut foreign);
    pasted_lines(&lower, &mut foreign);
    forwarded(&lower, &mut foreign);
    quotations(text, &mut foreign);
    foreign.sort_by_key(|part| part.start);
    let mut own = without(&foreign, std::iter::once(0..text.len()));
    own.retain(|part| text.get(part.clone()).is_some_and(|words| !words.trim().is_empty()));
    own
}

/// What is left of parts without others; both are in order.
pub(super) fn without(
    foreign: &[Range<usize>],
    own: impl IntoIterator<Item = Range<usize>>,
) -> Vec<Range<usize>> {
    let mut foreign = foreign.iter().peekable();
    let mut kept = Vec::new();
    for part in own {
        let mut at = part.start;
        while let Some(other) = foreign.peek().copied().filter(|other| other.start < part.end) {
            kept.push(at..other.start);
            at = at.max(other.end);
            // What reaches beyond this part is taken out of the next one, too.
            if other.end > part.end {
                break;
            }
            foreign.next();
        }
        kept.push(at..part.end);
    }
    kept.retain(|part| part.start < part.end);
    kept
}

/// Blocks and pieces of code.
fn fences(text: &str, foreign: &mut Vec<Range<usize>>) {
    for fence in ["```", "~~~", "\"\"\"", "`"] {
        let mut edges = text.match_indices(fence).map(|(at, _)| at);
        while let Some(open) = edges.next() {
            let close = edges.next().map(|close| close + fence.len());
            // A block that is never closed reaches to the end; a lone back-tick is a slip.
            let end = close.or_else(|| (fence.len() > 1).then_some(text.len()));
            foreign.extend(end.map(|end| open..end));
        }
    }
}

/// `<tool>…</tool>` and single tags.
fn tags(lower: &str, foreign: &mut Vec<Range<usize>>) {
    let mut closings: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, head) in lower.match_indices("</") {
        let name = tag_name(lower.get(at + head.len()..).unwrap_or_default());
        let end = at + head.len() + name.len() + 1;
        if lower.get(..end).is_some_and(|tag| tag.ends_with('>')) {
            closings.entry(name).or_default().push(end);
        }
    }
    let mut mark = None;
    for (open, _) in lower.match_indices('<') {
        let name = tag_name(lower.get(open + 1..).unwrap_or_default());
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let find = |from| Some(from + lower.get(from..)?.find('>')?);
        let Some(mark) = ahead(&mut mark, open, find) else { break };
        let ends = closings.get(name).map(Vec::as_slice).unwrap_or_default();
        let end = ends.get(ends.partition_point(|end| *end <= open)).copied();
        foreign.push(open..end.unwrap_or(mark + 1));
    }
}

fn tag_name(inside: &str) -> &str {
    inside.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).next().unwrap_or_default()
}

/// What stands where something was taken out.
fn marks(lower: &str, foreign: &mut Vec<Range<usize>>) {
    for mark in ["[forgotten]", "[redacted:"] {
        let mut end = None;
        for (at, _) in lower.match_indices(mark) {
            let find = |from| Some(from + lower.get(from..)?.find(']')?);
            foreign.push(at..ahead(&mut end, at, find).map_or(lower.len(), |end| end + 1));
        }
    }
}

/// Lines that a machine wrote, or that are cited, and those that a line of their own dates.
fn pasted_lines(lower: &str, foreign: &mut Vec<Range<usize>>) {
    let mut is_headed = false;
    for line in lines(lower) {
        let written = lower.get(line.clone()).unwrap_or_default().trim();
        let is_head = !written.is_empty() && is_head(written);
        if !written.is_empty() && (is_pasted(written) || is_head || is_headed) {
            foreign.push(line);
        }
        is_headed = is_head;
    }
}

/// Returns true if a line tells only when, and perhaps by whom, the next one was said.
fn is_head(line: &str) -> bool {
    let ends_with_stamp = line
        .trim_end_matches([':', ']', ')'])
        .rsplit_once(['[', '('])
        .is_some_and(|(_, stamp)| line.ends_with([':', ']', ')']) && numbers(stamp) > 4);
    let is_bare = is_stamped(line)
        && !line.contains(": ")
        && !line.contains('=')
        && line.split_whitespace().nth(5).is_none();
    line.contains(" --> ") || ends_with_stamp || is_bare
}

/// Returns true if a line begins with a day and a time, as exported chats and logs do.
fn is_stamped(line: &str) -> bool {
    let stamp = line.split(|c: char| c.is_alphabetic() && !matches!(c, 't' | '年' | '月' | '日')).next();
    line.starts_with(|c: char| c.is_ascii_digit() || c == '[' || c == '(')
        && numbers(stamp.unwrap_or_default()) > 4
}

fn numbers(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).count()
}

fn is_pasted(line: &str) -> bool {
    let is_data =
        line.starts_with(['{', '[', '}', ']']) && line.contains(['"', ':']) && !line.starts_with("[x]");
    let is_field = line.starts_with('"') && line.contains("\":");
    let is_row = line.starts_with('|') && line.ends_with('|') && line.len() > 1;
    let is_dated = line.len() > 10
        && line
            .chars()
            .zip("dddd-dd-dd".chars())
            .all(|(c, shape)| if shape == 'd' { c.is_ascii_digit() } else { c == shape });
    let is_trace = line.starts_with("at ") && line.contains('(') && line.ends_with(')')
        || ["traceback (", "file \"", "exception in ", "caused by:"]
            .iter()
            .any(|head| line.starts_with(head));
    let is_log = [" info ", " warn ", " error ", " debug ", "[info]", "[warn]", "[error]", "[debug]"]
        .iter()
        .any(|level| {
            line.contains(level)
                && line.contains(['=', ':', '['])
                && line.contains(|c: char| c.is_ascii_digit())
        });
    line.starts_with('>')
        || is_header(line)
        || is_data
        || is_field
        || is_row
        || is_dated
        || is_stamped(line)
        || is_trace
        || is_log
}

fn is_header(line: &str) -> bool {
    HEADERS.split('|').any(|header| line.starts_with(header))
}

const HEADERS: &str =
    "from: |to: |cc: |bcc: |subject: |sent: |reply-to: |message-id: |von: |betreff: |发件人|主题：";

/// All that follows the line with which programs begin a forwarded message.
fn forwarded(lower: &str, foreign: &mut Vec<Range<usize>>) {
    let Some(first) = FORWARDED.split('|').filter_map(|mark| lower.find(mark)).min() else { return };
    let line = lower.get(..first).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    foreign.push(line..lower.len());
}

const FORWARDED: &str = "forwarded message|forwarded from|begin forwarded|-----original message|---- original message|fwd:|\
     weitergeleitete nachricht|mensaje reenviado|【转发】|[转发]|转发自";

/// Marks that open and close a quotation.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('»', '«'),
    ('「', '」'),
    ('『', '』'),
    ('‘', '’'),
    ('\'', '\''),
    ('*', '*'),
];

/// The most words in quotation marks that only set off a name.
const LONGEST_NAME: usize = 3;

fn quotations(text: &str, foreign: &mut Vec<Range<usize>>) {
    let mut before = ' ';
    let mut chars = text.char_indices();
    let mut closings: Vec<_> = QUOTES.iter().map(|(_, close)| Closings::new(text, *close)).collect();
    while let Some((at, c)) = chars.next() {
        // An apostrophe follows a letter, an opening mark does not.
        let opens = !matches!(c, '\'' | '‘' | '"' | '*') || !before.is_alphanumeric();
        before = c;
        let mut kinds = QUOTES.iter().zip(&mut closings);
        let Some(((_, close), closings)) = kinds.find(|((open, _), _)| *open == c && opens) else { continue };
        let start = at + c.len_utf8();
        let Some(closing) = closings.of(start) else { continue };
        let end = closing + close.len_utf8();
        if !is_name(text.get(start..closing).unwrap_or_default()) {
            foreign.push(at..end);
        }
        while chars.offset() < end && chars.next().is_some() {}
    }
}

/// The places where quotations with one kind of mark end, asked for from left to right.
struct Closings<'t> {
    text: &'t str,
    close: char,
    /// The next mark, and the next end of a paragraph: a quotation does not reach beyond it.
    mark: Option<usize>,
    paragraph: Option<usize>,
}

impl<'t> Closings<'t> {
    fn new(text: &'t str, close: char) -> Self {
        Self { text, close, mark: None, paragraph: None }
    }

    /// Where the quotation ends whose words begin at `start`, if it ends. There is at least one of them.
    fn of(&mut self, start: usize) -> Option<usize> {
        let (text, close) = (self.text, self.close);
        let paragraph =
            ahead(&mut self.paragraph, start, |from| Some(from + text.get(from..)?.find("\n\n")?))
                .unwrap_or(text.len());
        // An apostrophe within a word ends nothing.
        let ends = |rest: &str| {
            let after = rest.chars().next();
            !matches!(close, '\'' | '’') || after.is_none_or(|after| !after.is_alphanumeric())
        };
        let first = text.get(start..)?.chars().next()?.len_utf8();
        let mark = ahead(&mut self.mark, start + first, |from| {
            let rest = text.get(from..)?;
            let mut marks = rest.match_indices(close).map(|(at, mark)| (at, at + mark.len()));
            marks.find(|(_, end)| rest.get(*end..).is_some_and(ends)).map(|(at, _)| from + at)
        })?;
        (mark < paragraph).then_some(mark)
    }
}

/// What was found before, if it lies ahead, or else what is found from here on; the end of all text if that is nothing.
fn ahead(found: &mut Option<usize>, from: usize, find: impl FnOnce(usize) -> Option<usize>) -> Option<usize> {
    if found.is_none_or(|found| found < from) {
        *found = Some(find(from).unwrap_or(usize::MAX));
    }
    found.filter(|found| *found != usize::MAX)
}

fn is_name(quoted: &str) -> bool {
    let words: Vec<&str> = quoted.split_whitespace().collect();
    let speaks = words.iter().any(|word| {
        matches!(
            word.to_lowercase().as_str(),
            "i" | "i'm" | "im" | "i’m" | "my" | "we" | "our" | "ich" | "yo"
        )
    });
    let cjk = quoted.chars().filter(|c| !c.is_ascii() && c.is_alphanumeric()).count();
    !speaks && !quoted.contains('我') && words.len() <= LONGEST_NAME && cjk <= 12
}

fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..at
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn own(text: &str) -> String {
        let parts: Vec<&str> =
            unquoted(text).into_iter().map(|part| text.get(part).unwrap().trim()).collect();
        parts.join(" | ")
    }

    #[test]
    fn i2_what_is_set_apart_is_not_the_persons_own() {
        for (text, theirs) in [
            ("I live in Oslo.", "I live in Oslo."),
            ("He wrote: \"I live in Oslo and hate it\". Nice?", "He wrote: | . Nice?"),
            ("“我住在上海市”怎么翻译", "怎么翻译"),
            ("My dog is called \"Rex\".", "My dog is called \"Rex\"."),
            ("> I live in Oslo\nMe too", "Me too"),
            ("See ```let home = \"Oslo\";``` ok?", "See | ok?"),
            ("{\"home\": \"Oslo\"}\nwhat is this", "what is this"),
            ("2026-09-15T02:58:11Z INFO home=Oslo\nwhy", "why"),
            ("2/14/26, 7:45 PM - Dad: I sold the boat\nme too", "me too"),
            ("Ana, [11 May 2026 at 10:02:11]:\nI start on Monday\nwho is she", "who is she"),
            ("14\n00:02:11,000 --> 00:02:13,500\nI have a wife.\nfunny", "14 | funny"),
            ("On 3/4 at 10:30 I see Dr Rao", "On 3/4 at 10:30 I see Dr Rao"),
            ("<tool>I live in Oslo</tool> fine", "fine"),
            ("I live in [forgotten] now", "I live in | now"),
            ("I don't like Mondays, it's Ana's fault", "I don't like Mondays, it's Ana's fault"),
            ("i <3 tea", "i <3 tea"),
            ("look\n---------- Forwarded message ----------\nI live in Oslo", "look"),
        ] {
            assert_eq!(own(text), theirs, "{text}");
        }
    }

    #[test]
    fn a_part_taken_out_may_reach_over_several() {
        let own = without(&[2..4, 8..15, 16..17, 35..99], [0..10, 12..20, 30..40]);
        assert_eq!(own, [0..2, 4..8, 15..16, 17..20, 30..35]);
    }

    proptest! {
        #[test]
        fn i2_own_words_lie_in_order_within_any_text(text in "[\\PC\n]{0,120}") {
            let mut end = 0;
            for part in unquoted(&text) {
                prop_assert!(part.start >= end && text.get(part.clone()).is_some());
                end = part.end;
            }
        }
    }
}
