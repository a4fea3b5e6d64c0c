//! Splits a message into the words that the network reads, and says what each is known by, as `training/extraction/words.py`
//! does.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::cjk::is_unspaced;
use crate::linear::fnv;

/// How many buckets hold the parts of words. Bucket 0 stands for nothing.
pub(super) const BUCKETS: usize = 1 << 15;

/// What a word is known by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    /// Its buckets: the word, its shape, and its beginning and end, or its pairs with its neighbors.
    pub parts: [usize; 4],
    /// The hash of its form in the embedder's table.
    pub stem: u32,
}

/// What each of the words at these places is known by.
pub(super) fn read(text: &str, places: &[Range<usize>]) -> Vec<Word> {
    let written: Vec<&str> = places.iter().filter_map(|place| text.get(place.clone())).collect();
    let words: Vec<String> = written.iter().map(|word| normal(word)).collect();
    let near = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("#", String::as_str);
    let known = |(at, (written, word)): (usize, (&&str, &String))| {
        let [third, fourth] = if word.starts_with(is_unspaced) {
            let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
            [bucket("2", &format!("{before} {word}")), bucket("3", &format!("{word} {after}"))]
        } else if word.starts_with(char::is_alphabetic) {
            [bucket("p", first(word, 4)), bucket("x", last(word, 3))]
        } else {
            [0, 0]
        };
        Word {
            parts: [bucket("w", word), bucket("h", shape(written)), third, fourth],
            stem: fnv(&stem(word)),
        }
    };
    written.iter().zip(&words).enumerate().map(known).collect()
}

/// The places of words, single ideographs and kana, single marks and line ends. A short form such as "I'm" is two words; other
/// apostrophes stay within theirs.
pub(super) fn places(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start: Option<usize> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '\'' | '’')
            && start.is_some()
            && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if joins || c.is_alphanumeric() && !is_unspaced(c) {
            start.get_or_insert(at);
            continue;
        }
        found.extend(start.take().map(|start| start..at));
        if c == '\n' || !c.is_whitespace() {
            found.push(at..at + c.len_utf8());
        }
    }
    found.extend(start.map(|start| start..text.len()));
    found.into_iter().flat_map(|place| parted(text, place)).collect()
}

/// The words that short forms end with, as they are written out.
const SHORT_FORMS: [(&str, &str); 5] =
    [("'m", "am"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would")];

fn parted(text: &str, place: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let word = text.get(place.clone()).unwrap_or_default();
    let lower = word.to_lowercase().replace('’', "'");
    let ends = |(form, _): &&(&str, &str)| lower.ends_with(form) && lower.len() > form.len();
    let letters = SHORT_FORMS.iter().find(ends).map_or(0, |(form, _)| form.len());
    let bytes: usize = word.chars().rev().take(letters).map(char::len_utf8).sum();
    let end = place.end - bytes;
    [place.start..end, end..place.end].into_iter().filter(|part| !part.is_empty())
}

/// A word in lower case, in its usual form; of a number only its length is kept.
fn normal(word: &str) -> String {
    let lower: String =
        word.nfkc().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect();
    if let Some((_, word)) = SHORT_FORMS.iter().find(|(form, _)| *form == lower) {
        return (*word).to_owned();
    }
    if lower.chars().all(char::is_numeric) { "0".repeat(lower.chars().count().min(5)) } else { lower }
}

fn shape(word: &str) -> &'static str {
    let Some(first) = word.chars().next() else { return "." };
    if word.chars().all(char::is_numeric) {
        "0"
    } else if word.contains(char::is_numeric) {
        "a0"
    } else if first.is_uppercase() {
        let mut rest = word.chars().skip(1).filter(|c| c.is_alphabetic()).peekable();
        if rest.peek().is_some() && rest.all(char::is_uppercase) { "AA" } else { "Aa" }
    } else if first.is_alphabetic() {
        "a"
    } else {
        "."
    }
}

/// A word as the embedder's table has it: without accents, up to its apostrophe.
fn stem(word: &str) -> String {
    word.nfd().filter(|c| !is_combining_mark(*c)).take_while(|c| *c != '\'').collect()
}

fn first(word: &str, length: usize) -> &str {
    word.char_indices().nth(length).and_then(|(end, _)| word.get(..end)).unwrap_or(word)
}

fn last(word: &str, length: usize) -> &str {
    word.char_indices().rev().nth(length - 1).and_then(|(start, _)| word.get(start..)).unwrap_or(word)
}

fn bucket(mark: &str, part: &str) -> usize {
    fnv(&format!("{mark} {part}")) as usize % (BUCKETS - 1) + 1
}
