//! Cuts a text into pieces that can be compared however it was written: case, accents, width, invisible characters,
//! CamelCase and groups of digits. Each piece knows where it stands in the text.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{compose, is_combining_mark};

use super::han::simplified;
use crate::cjk;

/// The class of the characters of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Letters of a script that sets spaces or marks between words.
    Word,
    /// Decimal digits.
    Digits,
    /// One Chinese character or one of hiragana.
    Han,
    /// A run of katakana.
    Katakana,
    /// A run of Korean syllables.
    Hangul,
    /// The sign of a currency, or of percent.
    Sign,
    /// An emoji or another pictograph.
    Emoji,
}

/// A piece of a text.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The characters, folded.
    pub text: String,
    /// The same with ä, ö, ü written as ae, oe, ue, if it has any.
    pub spelled: Option<String>,
    pub class: Class,
    pub range: Range<usize>,
    /// Whether its first letter is a capital.
    pub is_capital: bool,
    /// Whether all its letters are capitals, and there are several.
    pub is_upper: bool,
    /// Whether it has a Latin letter with an accent.
    pub is_accented: bool,
    /// The characters between it and the piece before, without invisible ones.
    pub gap: String,
    /// An ending set off by an apostrophe: "Rex's", "Ankara'da".
    pub is_ending: bool,
    /// Whether it is written with ß.
    pub is_sharp: bool,
    /// Whether it is a part of a topic of names alone, such as "Anna Beck".
    pub is_of_full_name: bool,
}

impl Piece {
    /// Returns true if nothing or only a joining mark stands between it and the piece before.
    pub fn is_joined(&self) -> bool {
        // A hyphen at the end of a line divides a word; a dot ends a sentence there.
        let mark = self.gap.trim_end_matches(['\n', '\r']);
        matches!(mark, "-" | "‐" | "‑")
            || matches!(self.gap.as_str(), "" | "://" | "@" | "_" | "." | "/" | "'" | "·" | "・" | ":")
    }

    pub fn len(&self) -> usize {
        self.text.chars().count()
    }
}

/// The pieces of a text, in order.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut cutter = Cutter { found: Vec::new(), gap: String::new(), open: None, was_upper: false };
    let all = visible(text);
    for (at, letter) in all.iter().enumerate() {
        let next = |at: usize| all.get(at).map(|next| next.char);
        // TVs: what follows is the plural of a word in capitals, and not a word of its own.
        let is_plural = |at: usize| next(at) == Some('s') && !next(at + 1).is_some_and(char::is_alphabetic);
        let next = if is_plural(at + 1) { None } else { next(at + 1) };
        cutter.take(letter, next, is_plural(at));
    }
    cutter.close();
    cutter.found
}

/// A visible character and its place.
struct VisibleChar {
    char: char,
    range: Range<usize>,
}

/// The visible characters of a text, composed.
fn visible(text: &str) -> Vec<VisibleChar> {
    let mut all: Vec<VisibleChar> = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let range = at..at + c.len_utf8();
        if c.is_ascii() {
            all.push(VisibleChar { char: c, range });
            continue;
        }
        let joins = all.last().is_some_and(|last| class(last.char) == Some(Class::Emoji));
        if is_invisible(c) || c == JOINER && !joins {
            continue;
        }
        for char in std::iter::once(c).nfkc() {
            let composed = all.last().and_then(|last| compose(last.char, char));
            match (composed, all.last_mut()) {
                (Some(composed), Some(last)) => {
                    last.char = composed;
                    last.range.end = range.end;
                }
                _ => all.push(VisibleChar { char: digit(char), range: range.clone() }),
            }
        }
    }
    all
}

/// Characters without a width: soft hyphens, joiners, directions, variation selectors, skin tones, tags.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Arabic, Persian and Indic digits as a keyboard has them.
fn digit(c: char) -> char {
    let zeros = ['٠', '۰', '०', '০', '๐'];
    let value =
        zeros.iter().find_map(|zero| u32::from(c).checked_sub(u32::from(*zero)).filter(|value| *value < 10));
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
}

/// Joins pictographs to one; between letters it is invisible.
const JOINER: char = '\u{200d}';

fn class(c: char) -> Option<Class> {
    Some(match c {
        '0'..='9' => Class::Digits,
        '$' | '€' | '£' | '¥' | '₽' | '₺' | '₹' | '₩' | '₴' | '₪' | '%' => Class::Sign,
        'ー' | '\u{30a1}'..='\u{30fa}' | '\u{31f0}'..='\u{31ff}' => Class::Katakana,
        _ if cjk::is_han(c) || cjk::is_hiragana(c) || matches!(c, '々' | '〇') => Class::Han,
        // Thai, Lao, Burmese and Khmer set no spaces between words.
        '\u{e01}'..='\u{ede}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17d3}' => Class::Han,
        '\u{ac00}'..='\u{d7af}' => Class::Hangul,
        _ if c.is_alphabetic() => Class::Word,
        _ if c.is_numeric() => Class::Word,
        JOINER
        | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{27bf}'
        | '\u{2b00}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1faff}' => Class::Emoji,
        _ => return None,
    })
}

struct Cutter {
    found: Vec<Piece>,
    gap: String,
    open: Option<Piece>,
    was_upper: bool,
}

impl Cutter {
    fn take(&mut self, letter: &VisibleChar, next: Option<char>, is_plural: bool) {
        let c = letter.char;
        let is_kana = |open: &Piece| open.class == Class::Han && open.text.ends_with(cjk::is_hiragana);
        // らーめん is written with the same long mark as ラーメン.
        let found =
            if c == 'ー' && self.open.as_ref().is_some_and(is_kana) { Some(Class::Han) } else { class(c) };
        let Some(class) = found else {
            match &mut self.open {
                // Marks of scripts that do not compose belong to the word.
                Some(open) if is_combining_mark(c) => open.range.end = letter.range.end,
                _ => {
                    self.close();
                    self.gap.push(if matches!(c, '’' | 'ʼ' | '`' | '´' | '＇') { '\'' } else { c });
                }
            }
            return;
        };
        if self.begins_another(class, c, next) {
            self.close();
        }
        let gap = &mut self.gap;
        let open = self.open.get_or_insert_with(|| Piece {
            text: String::new(),
            spelled: None,
            class,
            range: letter.range.clone(),
            is_capital: c.is_uppercase(),
            is_upper: true,
            is_accented: false,
            gap: std::mem::take(gap),
            is_ending: false,
            is_sharp: false,
            is_of_full_name: false,
        });
        open.range.end = letter.range.end;
        open.is_upper &= c.is_uppercase() || is_plural && open.len() > 1;
        open.is_sharp |= matches!(c, 'ß' | 'ẞ');
        open.is_accented |= c != 'ß' && matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
        fold(c, open);
        self.was_upper = c.is_uppercase();
    }

    /// Returns true if a character belongs to a new piece, though no mark stands before it.
    fn begins_another(&self, class: Class, c: char, next: Option<char>) -> bool {
        let Some(open) = &self.open else { return false };
        if open.class != class || matches!(class, Class::Han | Class::Sign) {
            return true;
        }
        if class == Class::Emoji {
            // Two letters make a flag, and a joiner makes one picture of two.
            let is_flag = |c: char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
            let pairs = open.text.chars().nth(1).is_none() && open.text.starts_with(is_flag) && is_flag(c);
            return !pairs && !open.text.ends_with(JOINER) && c != JOINER;
        }
        let begins_name = !self.was_upper || next.is_some_and(char::is_lowercase);
        class == Class::Word && c.is_uppercase() && begins_name
    }

    fn close(&mut self) {
        let Some(mut piece) = self.open.take() else { return };
        piece.is_upper &= piece.len() > 1;
        let before = self.found.last();
        piece.is_ending = piece.gap == "'"
            && piece.class == Class::Word
            && !piece.is_capital
            && piece.len() <= 5
            && before.is_some_and(|before| {
                before.class == Class::Word && before.len() >= 3 || before.class == Class::Digits
            });
        self.found.push(piece);
    }
}

/// Adds a character to a piece without its case and accent.
fn fold(c: char, piece: &mut Piece) {
    let umlaut = match c {
        'ä' | 'Ä' | 'æ' | 'Æ' => Some("ae"),
        'ö' | 'Ö' | 'ø' | 'Ø' | 'œ' | 'Œ' => Some("oe"),
        'ü' | 'Ü' => Some("ue"),
        'å' | 'Å' => Some("aa"),
        _ => None,
    };
    if umlaut.is_some() && piece.spelled.is_none() {
        piece.spelled = Some(piece.text.clone());
    }
    let start = piece.text.len();
    match c {
        'ß' | 'ẞ' => piece.text.push_str("ss"),
        'ł' | 'Ł' => piece.text.push('l'),
        'đ' | 'Đ' | 'ð' | 'Ð' => piece.text.push('d'),
        'ø' | 'Ø' => piece.text.push('o'),
        'æ' | 'Æ' => piece.text.push_str("ae"),
        'œ' | 'Œ' => piece.text.push_str("oe"),
        'þ' | 'Þ' => piece.text.push_str("th"),
        'ı' | 'İ' => piece.text.push('i'),
        'ё' | 'Ё' => piece.text.push('е'),
        'ς' => piece.text.push('σ'),
        'أ' | 'إ' | 'آ' | 'ٱ' => piece.text.push('ا'),
        'ى' | 'ی' => piece.text.push('ي'),
        'ک' => piece.text.push('ك'),
        // Vowel points are letters to Unicode, and seldom written.
        '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}' => {}
        'ة' => piece.text.push('ه'),
        'ـ' => {}
        'ם' => piece.text.push('מ'),
        'ן' => piece.text.push('נ'),
        'ץ' => piece.text.push('צ'),
        'ף' => piece.text.push('פ'),
        'ך' => piece.text.push('כ'),
        _ if c.is_ascii() => piece.text.push(c.to_ascii_lowercase()),
        _ if piece.class == Class::Han => piece.text.push(simplified(c)),
        // Й is a letter of its own, and so are kana with marks and Korean syllables.
        _ if piece.class != Class::Word || matches!(c, '\u{400}'..='\u{52f}') => {
            piece.text.extend(c.to_lowercase())
        }
        _ => piece.text.extend(c.to_lowercase().nfd().filter(|c| !matches!(c, '\u{300}'..='\u{36f}'))),
    }
    let added = piece.text.get(start..).unwrap_or_default().to_owned();
    if let Some(spelled) = &mut piece.spelled {
        spelled.push_str(umlaut.unwrap_or(&added));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        pieces(text).into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn j2_a_text_is_cut_the_same_however_it_is_written() {
        for (written, expected) in [
            ("Blue Heron", vec!["blue", "heron"]),
            ("BlueHeron", vec!["blue", "heron"]),
            ("blue_heron-2", vec!["blue", "heron", "2"]),
            ("HTTPServer", vec!["http", "server"]),
            ("two TVs", vec!["two", "tvs"]),
            ("ＢＬＵＥ ｈｅｒ\u{200b}ｏｎ", vec!["blue", "heron"]),
            ("he\u{ad}ron", vec!["heron"]),
            ("Zoe\u{308} Müller", vec!["zoe", "muller"]),
            ("Rex’s", vec!["rex", "s"]),
            ("ｶﾞｽ 가", vec!["ガス", "가"]),
            ("李雷", vec!["李", "雷"]),
            ("٤٧١١", vec!["4711"]),
            ("👋🏽hi", vec!["👋", "hi"]),
            ("й ё", vec!["й", "е"]),
        ] {
            assert_eq!(texts(written), expected, "{written}");
        }
        let muller = pieces("Müller").remove(0);
        assert_eq!(muller.spelled.as_deref(), Some("mueller"));
        assert_eq!(pieces("a Zoë b").get(1).unwrap().range, 2..6);
    }
}
