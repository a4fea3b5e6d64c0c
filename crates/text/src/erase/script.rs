//! The same name in two scripts: Волков and Volkov, ケンジ and Kenji, 김민수 and Kim Minsu, 王芳 and Wang Fang.

use any_ascii::any_ascii_char;

use super::inflection::is_korean_ending;
use super::pieces::{Class, Piece};
use crate::cjk;

/// Fewest letters of a name that is compared across scripts.
const SHORTEST: usize = 3;
/// Fewest letters that two forms share, and most letters of the endings of Slavic and Greek names.
const STEM: usize = 3;
const LONGEST_ENDING: usize = 3;

/// A writing system whose names are compared with those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Kana,
    Hangul,
    Han,
}

pub(super) fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

pub(super) fn is_greek(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3ff}')
}

pub(super) fn is_devanagari(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{97f}')
}

pub(super) fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}')
}

pub(super) fn is_hebrew(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{5ff}')
}

fn script(piece: &Piece) -> Option<Script> {
    let first = piece.text.chars().next()?;
    Some(match piece.class {
        Class::Word if first.is_ascii() => Script::Latin,
        Class::Word if is_cyrillic(first) => Script::Cyrillic,
        Class::Word if is_greek(first) => Script::Greek,
        Class::Katakana => Script::Kana,
        Class::Hangul => Script::Hangul,
        Class::Han if cjk::is_hiragana(first) => Script::Kana,
        Class::Han if cjk::is_han(first) => Script::Han,
        _ => return None,
    })
}

/// Returns true if two pieces are written in different scripts that can be compared, or in the two kinds of kana.
pub(super) fn are_other(a: &Piece, b: &Piece) -> bool {
    match (script(a), script(b)) {
        (Some(Script::Kana), Some(Script::Kana)) => a.class != b.class,
        (Some(a), Some(b)) => a != b,
        _ => false,
    }
}

/// Returns true if a word in Latin letters is compared with Chinese characters.
pub(super) fn is_chinese(of: &Piece, word: &Piece) -> bool {
    script(of) == Some(Script::Latin) && script(word) == Some(Script::Han)
}

/// Returns true if a word in another script sounds like the one that is looked for. Only names are compared: Latin,
/// Cyrillic and Greek write them with a capital.
pub(super) fn is_same(of: &Piece, word: &Piece) -> bool {
    begin_alike(of, word) && sounds_same(of, &sound(&of.text), word)
}

/// The same, if it is known how the word sounds that is looked for.
pub(super) fn sounds_same(of: &Piece, own: &str, word: &Piece) -> bool {
    let (Some(one), Some(other)) = (script(of), script(word)) else { return false };
    let is_name = |script: Script, piece: &Piece| {
        piece.is_capital || !matches!(script, Script::Latin | Script::Cyrillic | Script::Greek)
    };
    if !is_name(one, of) || !is_name(other, word) || !begin_alike(of, word) {
        return false;
    }
    let is_korean = one == Script::Hangul || other == Script::Hangul;
    // In the other scripts, words of one sound begin with the same letter of it.
    if !is_korean && !may_begin_with(&word.text, own) {
        return false;
    }
    let sound = |text: &str| if is_korean { korean(&sound(text)) } else { sound(text) };
    let wanted = if is_korean { korean(own) } else { own.to_owned() };
    if wanted.len() < SHORTEST && !matches!((one, other), (Script::Han, _) | (_, Script::Han)) {
        return false;
    }
    match other {
        // Particles follow a Korean name without a space.
        Script::Hangul => {
            word.text.char_indices().skip(1).map(|(at, _)| at).chain([word.text.len()]).any(|end| {
                let (name, rest) = word.text.split_at_checked(end).unwrap_or_default();
                (rest.is_empty() || is_korean_ending(rest)) && sound(name) == wanted
            })
        }
        _ => {
            let told = sound(&word.text);
            let inflects = matches!(one, Script::Cyrillic | Script::Greek)
                || matches!(other, Script::Cyrillic | Script::Greek);
            told == wanted || inflects && are_cases(&wanted, &told)
        }
    }
}

/// Returns true if two words may begin with the same sound. Most do not, and are not spelled out.
pub(super) fn begin_alike(a: &Piece, b: &Piece) -> bool {
    let group = |piece: &Piece| {
        let first = piece.text.chars().next().map(any_ascii_char).and_then(|latin| latin.chars().next())?;
        Some(match first.to_ascii_lowercase() {
            'g' | 'h' | 'q' | 'x' => 'k',
            'd' | 'c' => 't',
            'b' | 'f' => 'p',
            'r' => 'l',
            'w' => 'v',
            'y' | 'j' | 'e' => 'i',
            other => other,
        })
    };
    group(a) == group(b)
}

/// Returns true if the sound of a word may begin with the same letter as another.
fn may_begin_with(word: &str, sound: &str) -> bool {
    let first = word.chars().next().map(any_ascii_char).and_then(|latin| latin.chars().next());
    let (Some(first), Some(wanted)) = (first.filter(char::is_ascii_alphabetic), sound.chars().next()) else {
        return true;
    };
    match first.to_ascii_lowercase() {
        'c' => matches!(wanted, 'c' | 'k'),
        'k' => matches!(wanted, 'k' | 'h'),
        't' => matches!(wanted, 't' | 'c'),
        'p' => matches!(wanted, 'p' | 'f'),
        'q' | 'x' => wanted == 'k',
        'i' | 'j' | 'y' => matches!(wanted, 'i' | 'e'),
        'w' => wanted == 'v',
        other => wanted == other,
    }
}

/// The endings of Slavic and Greek names in Latin letters, as [`sound`] writes them.
const CASES: [&str; 22] = [
    "", "a", "u", "e", "i", "o", "om", "em", "oi", "ei", "oiu", "am", "ami", "ah", "ogo", "omu", "im", "ih",
    "iu", "ia", "ou", "os",
];

fn are_cases(a: &str, b: &str) -> bool {
    let shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let is_case = |word: &str, stem: usize| word.get(stem..).is_some_and(|rest| CASES.contains(&rest));
    (STEM.max(shared.saturating_sub(LONGEST_ENDING))..=shared)
        // A bare consonant against a vowel would make Alexandra of Alexander.
        .any(|stem| is_case(a, stem) && is_case(b, stem) && a.len() > STEM && b.len() > STEM)
}

/// How a word sounds, roughly: in Latin letters, so that the usual ways to write a foreign name meet.
pub(super) fn sound(text: &str) -> String {
    const MERGED: [(&str, &str); 19] = [
        ("shiya", "sha"),
        ("shiyu", "shu"),
        ("shiyo", "sho"),
        ("chiya", "cha"),
        ("chiyu", "chu"),
        ("chiyo", "cho"),
        ("jiyu", "ju"),
        ("jiyo", "jo"),
        ("shch", "s"),
        ("sch", "s"),
        ("sh", "s"),
        ("kh", "h"),
        ("zh", "z"),
        ("ts", "c"),
        ("tz", "c"),
        ("ph", "f"),
        ("ck", "k"),
        ("x", "ks"),
        ("q", "k"),
    ];
    // A small tsu doubles the next consonant, and doubled letters count once.
    let mut latin = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !matches!(c, 'っ' | 'ッ' | 'ー')) {
        let letters = any_ascii_char(c).chars().filter(char::is_ascii_alphabetic);
        latin.extend(letters.map(|letter| letter.to_ascii_lowercase()));
    }
    let has = |word: &str, part: &str| word.as_bytes().windows(part.len()).any(|at| at == part.as_bytes());
    // Each of them has one of these letters.
    let may_merge = latin.contains(['h', 'j', 'k', 'q', 't', 'x']);
    let merged = MERGED
        .iter()
        .filter(|_| may_merge)
        .fold(latin, |word, (from, to)| if has(&word, from) { word.replace(from, to) } else { word });
    let mut sound = String::with_capacity(merged.len());
    for c in merged.chars() {
        let c = match c {
            'y' | 'j' => 'i',
            'w' => 'v',
            _ => c,
        };
        if !sound.ends_with(c) {
            sound.push(c);
        }
    }
    match sound.strip_prefix("ie") {
        Some(rest) => format!("e{rest}"),
        None => sound,
    }
}

/// The same with consonants that the romanizations of Korean write in several ways.
fn korean(sound: &str) -> String {
    let plain = sound.chars().map(|c| match c {
        'k' => 'g',
        't' => 'd',
        'p' => 'b',
        'l' => 'r',
        _ => c,
    });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use super::super::pieces::pieces;
    use super::*;

    #[test]
    fn j2_a_name_is_the_same_in_another_script_and_a_word_is_not() {
        for (of, word, expected) in [
            ("Volkov", "Волков", true),
            ("Volkov", "Волкову", true),
            ("Наталья", "Natalia", true),
            ("Dmitry", "Дмитрий", true),
            ("Natalia", "Наташа", false),
            ("Roman", "роман", false),
            ("Kenji", "ケンジ", true),
            ("ケンジ", "Ken", false),
            ("Giorgos", "Γιώργος", true),
            ("Minsu", "민수는", true),
            ("Minsu", "민지", false),
            ("Wang", "王", true),
        ] {
            let (of, word) = (&pieces(of)[0], &pieces(word)[0]);
            assert_eq!(are_other(of, word) && is_same(of, word), expected, "{} and {}", of.text, word.text);
        }
    }
}
