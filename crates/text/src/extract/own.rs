//! Which parts of a message are in the person's own voice, and which they quote, paste, forward, report or play.

use std::collections::HashMap;
use std::ops::Range;

use crate::sentences;
use crate::word_list::WordList;

/// The parts in the person's own voice, in order, in bytes.
#[must_use]
pub fn own_words(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut foreign = Vec::new();
    fences(text, &mut foreign);
    tags(&lower, &mut foreign);
    marks(&lower, &mut foreign);
    pasted_lines(&lower, &mut foreign);
    let sentences = Sentences::of(&lower);
    rest_of_message(&lower, &sentences, &mut foreign);
    reported(&lower, &sentences, &mut foreign);
    quotations(text, &mut foreign);
    complement(text, foreign)
}

/// What lies between the foreign parts and is not blank.
fn complement(text: &str, mut foreign: Vec<Range<usize>>) -> Vec<Range<usize>> {
    foreign.sort_by_key(|part| part.start);
    let mut own = Vec::new();
    let mut at = 0;
    for part in foreign.into_iter().chain(std::iter::once(text.len()..text.len())) {
        let is_said =
            |part: &Range<usize>| text.get(part.clone()).is_some_and(|words| !words.trim().is_empty());
        own.extend(Some(at..part.start).filter(|part| part.start < part.end).filter(is_said));
        at = at.max(part.end);
    }
    own
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
        let is_head = is_head(written);
        if !written.is_empty() && (is_pasted(written) || is_head || is_headed) {
            foreign.push(line);
        }
        is_headed = is_head;
    }
}

/// Whether a line tells only when, and perhaps by whom, the next one was said.
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

/// Whether a line begins with a day and a time, as exported chats and logs do.
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

/// What makes a stranger's text of all that follows.
fn rest_of_message(lower: &str, sentences: &Sentences, foreign: &mut Vec<Range<usize>>) {
    let end = lower.len();
    for line in lines(lower) {
        let written = lower.get(line.clone()).unwrap_or_default();
        if written.trim().is_empty() {
            continue;
        }
        let is_forwarded = FORWARDED.split('|').any(|head| written.contains(head));
        if is_forwarded || is_header(written.trim_start()) || is_rule(written.trim()) {
            foreign.push(line.start..end);
        } else if let Some(after) = given_to_work_on(written) {
            foreign.push(line.start + after..end);
        }
    }
    parts_given(lower, sentences, foreign);
    let is_begun = |at: &usize| {
        lower.get(..*at).is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let played = PLAYED.split('|').flat_map(|play| lower.match_indices(play)).map(|(at, _)| at);
    for at in played.filter(is_begun) {
        foreign.push(sentences.around(at).start..end);
    }
}

/// A line drawn under the person's own words.
fn is_rule(line: &str) -> bool {
    line.len() > 2 && line.chars().all(|c| matches!(c, '-' | '=' | '_' | '—' | '*'))
}

const FORWARDED: &str = "forwarded message|forwarded from|begin forwarded|-----original message|---- original message|fwd |fwd:|fw:|\
     weitergeleitete nachricht|mensaje reenviado|【转发】|[转发]|转发自|转发：|转发:|转发的";

/// Signs of a story or a part that is played.
const PLAYED: &str = "role-play|roleplay|role play|let's rp|lets rp|rp:|pretend |let's play |lets play |you be the |you play the |i'll be the |\
     i'll play |in character|act as |you are now |in my story|in my novel|\
     in the story|in this story|my character|my protagonist|the narrator|narrator in|made-up|fictional|\
     from the perspective of|in the voice of|first person|first-person|point of view of|diary entry|backstory|monologue|fan fiction|fanfic|once upon a time|角色扮演|扮演|假装|我的小说|小说里|\
     故事里|剧本|台词|独白|rollenspiel|stell dir vor";

/// "You're the robot, I'm the captain": who gives both a part speaks in theirs.
fn parts_given(lower: &str, sentences: &Sentences, foreign: &mut Vec<Range<usize>>) {
    let gives = |sentence: &str, parts: &[&str]| parts.iter().any(|part| sentence.contains(part));
    let given = GIVEN_TO_YOU.iter().flat_map(|part| lower.match_indices(part));
    let mut around: Vec<Range<usize>> = given.map(|(at, _)| sentences.around(at)).collect();
    around.sort_by_key(|sentence| sentence.start);
    around.dedup();
    for sentence in around {
        let said = lower.get(sentence.clone()).unwrap_or_default();
        if gives(said, &["i'm ", "i am ", "i'll be ", "i’m "]) {
            foreign.push(sentence.start..lower.len());
        }
    }
}

const GIVEN_TO_YOU: &[&str] =
    &["you're a ", "you’re a ", "you are a ", "you're my ", "you're the ", "you are the ", "you be "];

/// Where a text begins that the line asks to have translated, summed up or mended.
fn given_to_work_on(line: &str) -> Option<usize> {
    let asks = ASKED_WORK.split('|').any(|work| {
        line.match_indices(work).any(|(at, _)| {
            let before = line.get(..at).unwrap_or_default().trim();
            before.len() <= LONGEST_PREFACE
                && before
                    .split_whitespace()
                    .all(|word| POLITE.contains(word.trim_matches(|c: char| !c.is_alphanumeric())))
                || !work.is_ascii()
                || line.trim_end().ends_with([':', '：'])
        })
    });
    let points = POINTS_AT_TEXT.split('|').any(|word| line.contains(word)) && line.contains([':', '：']);
    if !asks && !points {
        return None;
    }
    let colon = [": ", ":\n", "：", ":\"", ":“", ":"]
        .iter()
        .filter_map(|colon| Some(line.find(colon)? + colon.len()))
        .min();
    Some(colon.unwrap_or(line.len()))
}

/// Maximum length of what is said before the request out of politeness, in bytes.
const LONGEST_PREFACE: usize = 200;

const ASKED_WORK: &str = "translate|summarize|summarise|sum this up|sum up|proofread|polish this|polish my|polish the|rewrite|rephrase|paraphrase|\
     correct this|correct the|fix the grammar|fix this|edit this|shorten|tl;dr|tldr|explain this|\
     explain the following|improve this|check this|review this|what does this|read this|classify|\
     extract|übersetze|fasse |korrigiere|traduce|traducir|resume |corrige|翻译|概括|总结一下|总结这|\
     润色|改写|校对";

/// Words with which a line announces a text after a colon.
const POINTS_AT_TEXT: &str = " this:| this sound| this message| this text| this email| this line| this bit|the following|below:|下面|这段|这句|\
     这条|以下|这篇";

static POLITE: WordList = WordList::new(
    "please pls can could would you help me to hey hi hello ok okay now and then just quickly quick \
     kannst du bitte puedes por favor so thanks",
);

/// What others said: from the verb to the end of the sentence.
fn reported(lower: &str, sentences: &Sentences, foreign: &mut Vec<Range<usize>>) {
    let is_part = |c: char| c.is_alphanumeric() || c == '\'';
    for verb in REPORTS.split('|') {
        for (at, _) in lower.match_indices(verb) {
            let sentence = sentences.around(at);
            let before = lower.get(sentence.start..at).unwrap_or_default();
            let is_word = !verb.is_ascii()
                || (before.is_empty() || before.ends_with(|c: char| !c.is_alphanumeric()))
                    && lower
                        .get(at + verb.len()..)
                        .is_none_or(|after| !after.starts_with(|c: char| c.is_alphanumeric()));
            let before = before.trim_end_matches(|c| !is_part(c));
            // A longer word is not in the list.
            let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(LONGEST_SELF))..);
            let speaker = near.and_then(|near| near.rsplit(|c| !is_part(c)).next());
            if is_word && !speaker.is_some_and(|speaker| SELF.contains(speaker)) {
                foreign.push(at..sentence.end);
            }
        }
    }
}

const REPORTS: &str = "said|says|told me|told us|tells me|claims|claimed|texted|texted me|wrote|writes|reckons|\
     according to|was like|reads|rumor has it|sagte|sagt|meinte|dice que|dijo|他说|她说|他们说|听说|\
     据说|说他|说她|他告诉我|她告诉我|友说|事说";

/// Who may report without citing another.
static SELF: WordList =
    WordList::new("i we you ve i've have just already never ich wir yo as that what not also");
/// More than the longest of them has, in bytes.
const LONGEST_SELF: usize = 16;

/// Where the sentences of a text end: each mark that ends one, in order.
struct Sentences {
    marks: Vec<Range<usize>>,
    length: usize,
}

impl Sentences {
    fn of(text: &str) -> Self {
        let marks = text.match_indices(ends_sentence).map(|(at, mark)| at..at + mark.len());
        Self { marks: marks.collect(), length: text.len() }
    }

    /// The sentence that holds a place, without the mark that ends it.
    fn around(&self, at: usize) -> Range<usize> {
        let next = self.marks.partition_point(|mark| mark.start < at);
        let start = next.checked_sub(1).and_then(|last| self.marks.get(last)).map_or(0, |mark| mark.end);
        start..self.marks.get(next).map_or(self.length, |mark| mark.start)
    }
}

fn ends_sentence(c: char) -> bool {
    c == '\n' || sentences::ends(c)
}

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
            own_words(text).into_iter().map(|part| text.get(part).unwrap().trim()).collect();
        parts.join(" | ")
    }

    #[test]
    fn i2_only_the_persons_own_words_are_theirs() {
        for (text, theirs) in [
            ("I live in Oslo.", "I live in Oslo."),
            ("He wrote: \"I live in Oslo and hate it\". Nice?", "He | . Nice?"),
            ("“我住在上海市”怎么翻译", "怎么翻译"),
            ("My dog is called \"Rex\".", "My dog is called \"Rex\"."),
            ("> I live in Oslo\nMe too", "Me too"),
            ("See ```let home = \"Oslo\";``` ok?", "See | ok?"),
            ("My sister said she hates rain. I love it.", "My sister | . I love it."),
            ("As I said, I live in Oslo.", "As I said, I live in Oslo."),
            ("look\n---------- Forwarded message ----------\nI live in Oslo", "look"),
            ("Translate this: I live in Oslo", "Translate this:"),
            ("please summarize\n\nI live in Oslo", "please summarize"),
            ("Pretend you are a duck. I am a fox.", ""),
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
        ] {
            assert_eq!(own(text), theirs, "{text}");
        }
    }

    proptest! {
        #[test]
        fn i2_own_words_lie_in_order_within_any_text(text in "[\\PC\n]{0,120}") {
            let mut end = 0;
            for part in own_words(&text) {
                prop_assert!(part.start >= end && text.get(part.clone()).is_some());
                end = part.end;
            }
        }
    }
}
