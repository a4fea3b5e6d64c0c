//! Splits text into the word pieces of an uncased BERT vocabulary.
//!
//! Special tokens are not recognized: `[SEP]` in a message is a bracket, a word and a bracket.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use super::Error;

/// Maximum length of a word, in characters; a longer one is unknown.
const MAX_WORD_CHARS: usize = 100;
/// Maximum length of a piece, in bytes.
const MAX_PIECE_BYTES: usize = 100;

/// The pieces that words are made of.
pub(super) trait Vocabulary {
    /// The id of a piece that begins a word.
    fn beginning(&self, piece: &str) -> Option<u32>;
    /// The id of a piece that continues a word, without its `##`.
    fn continuation(&self, piece: &str) -> Option<u32>;
}

/// A vocabulary of word pieces.
#[derive(Debug)]
pub(super) struct WordPiece {
    /// Pieces that begin a word.
    beginnings: HashMap<String, u32>,
    /// Pieces that continue a word, without the `##`.
    continuations: HashMap<String, u32>,
    start: u32,
    end: u32,
    unknown: u32,
}

impl WordPiece {
    /// Reads a `vocab.txt`: one piece per line, numbered by line.
    pub(super) fn load(path: &Path) -> Result<Self, Error> {
        let lines = fs::read_to_string(path).map_err(|error| Error::file(path, &error))?;
        Self::parse(&lines).ok_or_else(|| {
            Error::Unreadable(format!(
                "{} is not a BERT vocabulary, which names [CLS], [SEP] and [UNK]: unpack the model's files again",
                path.display()
            ))
        })
    }

    fn parse(lines: &str) -> Option<Self> {
        let (mut beginnings, mut continuations) = (HashMap::new(), HashMap::new());
        for (line, id) in lines.lines().zip(0..) {
            match line.strip_prefix("##") {
                // The piece `##` itself is two characters of text.
                Some(rest) if !rest.is_empty() => continuations.insert(rest.to_owned(), id),
                _ => beginnings.insert(line.to_owned(), id),
            };
        }
        let special = |name: &str| beginnings.get(name).copied();
        let (start, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        Some(Self { beginnings, continuations, start, end, unknown })
    }

    /// The largest piece id.
    pub(super) fn largest(&self) -> u32 {
        self.beginnings.values().chain(self.continuations.values()).copied().max().unwrap_or_default()
    }

    /// The pieces of a text between its start and end tokens, at most `most` in all.
    pub(super) fn encode(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = vec![self.start];
        for word in words(text) {
            // Words are split lazily, so a long text costs no more than its beginning.
            if ids.len() >= most {
                break;
            }
            self.push_pieces(&word, &mut ids);
        }
        ids.truncate(most.saturating_sub(1));
        ids.push(self.end);
        ids
    }

    /// Adds the pieces of a word, or the unknown token if a part of it has none.
    fn push_pieces(&self, word: &str, ids: &mut Vec<u32>) {
        let known = ids.len();
        if word.chars().count() > MAX_WORD_CHARS || !known_pieces(self, word, ids) {
            ids.truncate(known);
            ids.push(self.unknown);
        }
    }
}

impl Vocabulary for WordPiece {
    fn beginning(&self, piece: &str) -> Option<u32> {
        self.beginnings.get(piece).copied()
    }

    fn continuation(&self, piece: &str) -> Option<u32> {
        self.continuations.get(piece).copied()
    }
}

/// Adds the longest matching pieces of a word until a part has none. Returns true if the whole word was covered.
pub(super) fn known_pieces(vocabulary: &impl Vocabulary, word: &str, ids: &mut Vec<u32>) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let find = |piece: &str| match rest.len() == word.len() {
            true => vocabulary.beginning(piece),
            false => vocabulary.continuation(piece),
        };
        let ends = (1..=rest.len().min(MAX_PIECE_BYTES)).rev().filter(|end| rest.is_char_boundary(*end));
        let longest = ends.filter_map(|end| rest.split_at_checked(end)).find_map(|(piece, after)| {
            let id = find(piece)?;
            Some((id, after))
        });
        let Some((id, after)) = longest else { return false };
        ids.push(id);
        rest = after;
    }
    true
}

/// Calls `each` with every word of a text until it returns false. ASCII texts take a fast path.
pub(super) fn for_each_word(text: &str, mut each: impl FnMut(&str) -> bool) {
    if !text.is_ascii() {
        for word in words(text) {
            if !each(&word) {
                return;
            }
        }
        return;
    }
    let mut word = String::with_capacity(32);
    let mut go_on = |word: &mut String| {
        let more = word.is_empty() || each(word);
        word.clear();
        more
    };
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        } else if matches!(c, ' ' | '\t' | '\n' | '\r') || c.is_ascii_punctuation() {
            if !go_on(&mut word) {
                return;
            }
            if c.is_ascii_punctuation() {
                word.push(c);
                if !go_on(&mut word) {
                    return;
                }
            }
        }
    }
    go_on(&mut word);
}

/// The words of a text in lower case and without accents; each punctuation mark and Chinese character is a word.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text
        .chars()
        .filter(|&c| !is_invisible(c))
        .nfd()
        .filter(|&c| get_general_category(c) != GeneralCategory::NonspacingMark)
        .flat_map(char::to_lowercase)
        .peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|c| c.is_whitespace()).is_some() {}
        let first = rest.next()?;
        let mut word = String::from(first);
        if !stands_alone(first) {
            while let Some(next) = rest.next_if(|&c| !c.is_whitespace() && !stands_alone(c)) {
                word.push(next);
            }
        }
        Some(word)
    })
}

/// Returns true for characters that are dropped: control and format characters, and the replacement character.
fn is_invisible(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    let invisible = matches!(get_general_category(c), Control | Format | PrivateUse) || c == '\u{FFFD}';
    invisible && !matches!(c, '\t' | '\n' | '\r')
}

fn stands_alone(c: char) -> bool {
    is_punctuation(c) || is_chinese(c)
}

fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation, InitialPunctuation,
        OpenPunctuation, OtherPunctuation,
    };
    // BERT counts all ASCII symbols as punctuation, including `$` and `+`.
    c.is_ascii_punctuation()
        || matches!(
            get_general_category(c),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}

/// Returns true for a character that BERT makes a word of its own. The ranges are those of its tokenizer, which ends
/// earlier than `throughline_text::cjk`.
fn is_chinese(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}' | '\u{2A700}'..='\u{2CEAF}' | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_those_of_bert() {
        // As the Python package `tokenizers` splits them.
        let cases: [(&str, &[&str]); 18] = [
            ("", &[]),
            (" \n ", &[]),
            ("Héllo, WÖRLD!", &["hello", ",", "world", "!"]),
            ("İstanbul ΣΊΣΥΦΟΣ ẞ", &["istanbul", "σισυφοσ", "ß"]),
            ("日本のテストです。", &["日", "本", "のテストてす", "。"]),
            ("한국", &["\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"]),
            ("你好world", &["你", "好", "world"]),
            ("nin\u{303}o", &["nino"]),
            ("soft\u{ad}hyphen zero\u{200b}width\u{feff}", &["softhyphen", "zerowidth"]),
            ("tab\tline\r\nnbsp\u{a0}wide\u{3000}end", &["tab", "line", "nbsp", "wide", "end"]),
            ("a\0b\u{7}c\u{fffd}d", &["abcd"]),
            ("👩\u{200d}👧 yes🎉!", &["👩👧", "yes🎉", "!"]),
            ("don't $5.00 a_b", &["don", "'", "t", "$", "5", ".", "00", "a", "_", "b"]),
            ("ﬁne ½ Ⅷ", &["ﬁne", "½", "ⅷ"]),
            ("«quote» …", &["«", "quote", "»", "…"]),
            ("नमस्ते", &["नमसत"]),
            ("𠮷野", &["𠮷", "野"]),
            ("[SEP]", &["[", "sep", "]"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_quick_way_through_ascii_gives_the_same_words(text in "[ -~\\t\\n\\x00-\\x1f]{0,80}") {
            let mut quick = Vec::new();
            for_each_word(&text, |word| { quick.push(word.to_owned()); true });
            prop_assert_eq!(quick, words(&text).collect::<Vec<_>>());
        }
    }

    fn small() -> WordPiece {
        WordPiece::parse("[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\naff\nunaff\n!\nx\n##x\n##\n日").unwrap()
    }

    #[test]
    fn a_word_is_its_longest_pieces_or_unknown() {
        let unknown = 0;
        let cases: [(&str, &[u32]); 8] = [
            ("unaffable", &[7, 5]),
            ("UN aff", &[3, 6]),
            ("unable!", &[3, 5, 8]),
            ("unknown aff", &[unknown, 6]),
            ("able", &[unknown]),
            ("日日", &[12, 12]),
            ("# ##", &[unknown, unknown, unknown]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(small().encode(text, 99), [&[1], expected, &[2]].concat(), "{text:?}");
        }
    }

    #[test]
    fn a_word_over_100_characters_is_unknown() {
        assert_eq!(small().encode(&"x".repeat(100), 999).len(), 102);
        assert_eq!(small().encode(&"x".repeat(101), 999), [1, 0, 2]);
    }

    proptest! {
        #[test]
        fn a_text_cut_short_keeps_its_beginning_and_its_marks(text in "(un|aff|able|日|!|\\PC| ){0,40}", most in 2usize..30) {
            let whole = small().encode(&text, usize::MAX);
            let cut = small().encode(&text, most);
            prop_assert_eq!(cut.len(), whole.len().min(most));
            prop_assert_eq!(&cut[..cut.len() - 1], &whole[..cut.len() - 1]);
            prop_assert_eq!(cut.last(), Some(&2));
        }
    }
}
