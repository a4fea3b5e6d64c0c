//! The terms of the search index: folded, lightly stemmed words, and characters and pairs of characters of CJK text.

use crate::cjk::is_cjk;
use crate::word_list::WordList;

mod short_forms;

pub(crate) use self::short_forms::spelled_out;

/// The version of the terms. It changes whenever the same text would give other terms; an index of another version is
/// rebuilt.
pub const VERSION: u32 = 2;

/// Maximum bytes of a term. Longer ones are cut, in the index and in the query alike.
const LONGEST: usize = 48;

/// Calls `each` with every term of a text, in order.
pub fn for_each_term(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::with_capacity(32);
    let mut before: Option<char> = None;
    for c in text.chars() {
        if is_cjk(c) {
            flush(&mut word, &mut each);
            word.push(c);
            each(&word);
            word.clear();
            if let Some(before) = before {
                word.push(before);
                word.push(c);
                each(&word);
                word.clear();
            }
            before = Some(c);
            continue;
        }
        before = None;
        if c.is_ascii() {
            if c.is_ascii_alphanumeric() {
                word.push(c.to_ascii_lowercase());
            } else if c != '\'' {
                flush(&mut word, &mut each);
            }
        } else if c == '’' {
            // The same apostrophe, typeset.
        } else if c.is_alphanumeric() {
            match fold(c) {
                Some(plain) => word.push_str(plain),
                None => word.extend(c.to_lowercase()),
            }
        } else if !is_mark(c) {
            flush(&mut word, &mut each);
        }
    }
    flush(&mut word, &mut each);
}

/// All terms of a text, in order.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for_each_term(text, |term| all.push(term.to_owned()));
    all
}

/// A term of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The term.
    pub text: String,
    /// Its weight, from 0 to 1.
    pub weight: f32,
}

/// The distinct terms of a question, without stop words unless it has nothing else.
#[must_use]
pub fn query_terms(text: &str) -> Vec<Term> {
    let mut distinct: Vec<String> = Vec::new();
    for_each_term(text, |term| {
        // The first words of a pasted page are enough.
        if distinct.len() < 256 && !distinct.iter().any(|known| known == term) {
            distinct.push(term.to_owned());
        }
    });
    // A single character adds little to a pair that contains it.
    let pairs: Vec<String> = distinct.iter().filter(|term| is_pair(term)).cloned().collect();
    let in_a_pair = |term: &str| {
        !is_pair(term) && term.chars().all(is_cjk) && pairs.iter().any(|pair| pair.contains(term))
    };
    let telling: Vec<String> =
        distinct.iter().filter(|term| !is_stop_word(term) && !in_a_pair(term)).cloned().collect();
    let mut chosen = if telling.is_empty() { distinct } else { telling };
    chosen.truncate(64);
    let weigh = |text: String| Term { weight: if is_asking_word(&text) { ASKING } else { 1.0 }, text };
    chosen.into_iter().map(weigh).collect()
}

/// What a word of a question says about its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Telling {
    /// Nothing: a stop word, a mark.
    Nothing,
    /// Only that something is asked, and of what kind: "how many days ago".
    Asks,
    /// The subject.
    Much,
}

/// The weight of words that only ask.
pub const ASKING: f32 = 0.4;

/// The most that one of these words, as written, says about a question's subject.
#[must_use]
pub fn telling(words: &str) -> Telling {
    let mut told = Telling::Nothing;
    for_each_term(words, |term| {
        let tells = match (is_asking_word(term), is_stop_word(term)) {
            (true, _) => Telling::Asks,
            (_, true) => Telling::Nothing,
            _ => Telling::Much,
        };
        told = told.max(tells);
    });
    told
}

/// Returns true if a term is so common that it says nothing about a subject.
#[must_use]
pub fn is_stop_word(term: &str) -> bool {
    STOP_WORDS.contains(term)
}

fn is_asking_word(term: &str) -> bool {
    ASKING_WORDS.contains(term)
}

/// Returns true if all terms of a word, as it is written, are common in chats about anything. Such a word says little
/// about the subject of a question: "planning" and "soon" in "I'm planning a trip to Denver soon".
#[must_use]
pub fn is_common(word: &str) -> bool {
    let (mut has_terms, mut are_common) = (false, true);
    for_each_term(word, |term| {
        has_terms = true;
        are_common = are_common && COMMON_WORDS.contains(term);
    });
    has_terms && are_common
}

fn is_pair(term: &str) -> bool {
    let mut chars = term.chars();
    chars.next().is_some_and(is_cjk) && chars.next().is_some_and(is_cjk)
}

fn flush(word: &mut String, each: &mut impl FnMut(&str)) {
    if word.is_empty() {
        return;
    }
    stem(word);
    if word.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| word.is_char_boundary(*end)).unwrap_or(0);
        word.truncate(end);
    }
    each(word);
    word.clear();
}

/// Removes the endings of English plurals and verb forms, so that "called" finds "call". Words of other languages go
/// through the same rules, which is harmless: the index and the query agree.
fn stem(word: &mut String) {
    if word.len() < 4 || !word.is_ascii() || word.bytes().any(|b| b.is_ascii_digit()) {
        return;
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        let end = stem.len();
        word.truncate(end);
        word.push('y');
    } else if ["sses", "shes", "ches", "xes", "zes"].iter().any(|ending| word.ends_with(ending)) {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        word.pop();
    }
    for ending in ["ing", "ed"] {
        let Some(stem) = word.strip_suffix(ending) else { continue };
        if stem.len() < 3 || !stem.bytes().any(is_vowel) {
            break;
        }
        let end = stem.len();
        word.truncate(end);
        undouble(word);
        break;
    }
    // "moved", "moving" and "move" are the same without their e.
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
}

/// "planned" gives "plan", but "called" keeps "call".
fn undouble(word: &mut String) {
    let mut tail = word.bytes().rev();
    if let (Some(last), Some(other)) = (tail.next(), tail.next())
        && last == other
        && !is_vowel(last)
        && !matches!(last, b'l' | b's' | b'z')
    {
        word.pop();
    }
}

fn is_vowel(b: u8) -> bool {
    matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Typeset apostrophes and full-width digits as a keyboard has them.
pub(crate) fn plain(c: char) -> char {
    match c {
        '’' => '\'',
        '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10).unwrap_or(c),
        _ => c,
    }
}

/// The text before the next word, the word, and the rest.
pub(crate) fn next_word(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find(char::is_alphanumeric)?;
    let (gap, from) = text.split_at_checked(start)?;
    let ends = |c: char| !(c.is_alphanumeric() || c == '\'' || c == '’' || c == '-');
    let (word, after) = from.split_at_checked(from.find(ends).unwrap_or(from.len()))?;
    Some((gap, word, after))
}

/// The words of a text as they are written, with their apostrophes and hyphens.
pub(crate) fn written(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, word, after) = next_word(rest)?;
        rest = after;
        Some(word)
    })
}

/// Combining marks belong to the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{64b}'..='\u{65f}')
}

/// Letters that people type with and without their accent.
fn fold(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' | 'À' | 'Á' | 'Â' | 'Ã' | 'Å' | 'Ā' | 'Ă' | 'Ą'
        | 'ä' | 'Ä' => "a",
        'ç' | 'ć' | 'č' | 'Ç' | 'Ć' | 'Č' => "c",
        'ď' | 'đ' | 'Ď' | 'Đ' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' | 'È' | 'É' | 'Ê' | 'Ë' | 'Ē' | 'Ė' | 'Ę' | 'Ě' => {
            "e"
        }
        'ğ' | 'Ğ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'į' | 'ı' | 'İ' | 'Ì' | 'Í' | 'Î' | 'Ï' | 'Ī' | 'Į' => {
            "i"
        }
        'ł' | 'Ł' | 'ľ' | 'Ľ' => "l",
        'ñ' | 'ń' | 'ň' | 'Ñ' | 'Ń' | 'Ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ø' | 'ō' | 'ő' | 'Ò' | 'Ó' | 'Ô' | 'Õ' | 'Ø' | 'Ō' | 'Ő' | 'ö' | 'Ö' => {
            "o"
        }
        'ř' | 'Ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' | 'Ś' | 'Š' | 'Ş' | 'Ș' => "s",
        'ß' => "ss",
        'ť' | 'ţ' | 'ț' | 'Ť' | 'Ţ' | 'Ț' => "t",
        'ù' | 'ú' | 'û' | 'ū' | 'ů' | 'ű' | 'ų' | 'Ù' | 'Ú' | 'Û' | 'Ū' | 'Ů' | 'Ű' | 'Ų' | 'ü' | 'Ü' => {
            "u"
        }
        'ý' | 'ÿ' | 'Ý' | 'Ÿ' => "y",
        'ź' | 'ž' | 'ż' | 'Ź' | 'Ž' | 'Ż' => "z",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'þ' | 'Þ' => "th",
        _ => return None,
    })
}

/// Stop words, as stemmed terms.
static STOP_WORDS: WordList = WordList::new(
    "a about after again all also am an and any are as at be becaus been befor being but by can could did \
     do doe don dont down ever for from get got had has hav he her hers him his how i if im in into is it \
     its ive just know let lik m many may me might mor most much my no not now of off on onc only or \
     other our out over own pleas re s said say shall she should so som such t tell than that the their \
     them then ther thes they this thos to too up us ve very was we wer what when wher which whil who \
     whom whos why will with would yes you your",
);

/// Stemmed terms of asking, remembering, counting and dating, which show the kind of answer wanted.
static ASKING_WORDS: WordList = WordList::new(
    "advic ago amount between chat conversation current currently day different discuss earlier find \
     first giv help kind last mention month new number order pass past previous previously recent \
     recently recommend remember remind sinc suggest talk thing think tim told total typ week wonder year",
);

/// Terms (stemmed) that are common both in what people write to an assistant and in what friends write to each other: those in
/// 3 % of the messages of LongMemEval's development half and in 0.5 % of LoCoMo's, without nouns that name a subject.
static COMMON_WORDS: WordList = WordList::new(
    "add alway amaz around back best better bit chang check com creat definitely doing dur each \
     especially even excit experienc explor feel few focus go going good great heard hop id idea ill \
     improv interest keep lately learn list liv long look lot lov mad mak mean need next offer one open \
     organiz peopl plac plan play practic pretty really right see set show someth soon sound speak start \
     stay still suggestion sur tak thank through tip try use visit want watch way well work wow writ yeah",
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(text: &str) -> Vec<String> {
        query_terms(text).into_iter().map(|term| term.text).collect()
    }

    #[test]
    fn h4_words_meet_across_case_accents_and_endings() {
        for (a, b) in [
            ("Café", "cafe"),
            ("dogs", "dog"),
            ("called", "calls"),
            ("moving", "moved"),
            ("planned", "plan"),
            ("parties", "party"),
            ("don't", "don’t"),
            ("Straße", "strasse"),
            ("boxes", "box"),
        ] {
            assert_eq!(terms(a), terms(b), "{a} and {b}");
        }
        assert_ne!(terms("bus"), terms("bu"));
        assert_ne!(terms("king"), terms("k"));
    }

    #[test]
    fn h4_chinese_and_japanese_are_found_by_characters_and_pairs() {
        assert_eq!(terms("我住北京"), ["我", "住", "我住", "北", "住北", "京", "北京"]);
        assert_eq!(asked("北京"), ["北京"]);
        assert_eq!(asked("京"), ["京"]);
    }

    #[test]
    fn h4_a_query_of_stop_words_is_still_a_query() {
        assert_eq!(asked("What is my dog called?"), ["dog", "call"]);
        assert_eq!(asked("who am I"), ["who", "am", "i"]);
        assert!(asked("?!…  🙂").is_empty());
    }

    #[test]
    fn words_that_only_ask_count_less_than_the_subject() {
        let weights: Vec<f32> = query_terms("How many days ago did I start the guitar lessons?")
            .iter()
            .map(|term| term.weight)
            .collect();
        assert_eq!(weights, [ASKING, ASKING, 1.0, 1.0, 1.0]);
        for (word, told) in [
            ("the", Telling::Nothing),
            ("?", Telling::Nothing),
            ("Days", Telling::Asks),
            ("guitar", Telling::Much),
        ] {
            assert_eq!(telling(word), told, "{word}");
        }
    }

    #[test]
    fn words_of_any_chat_are_common_and_a_subject_is_not() {
        for word in ["planning", "soon", "Something", "suggestions", "I'll"] {
            assert!(is_common(word), "{word}");
        }
        for word in ["Denver", "trip", "guitar", "", "?", "北京"] {
            assert!(!is_common(word), "{word}");
        }
    }

    #[test]
    fn asking_and_common_words_are_terms_of_the_index() {
        for word in ASKING_WORDS.iter().chain(COMMON_WORDS.iter()) {
            assert_eq!(terms(word), [word]);
        }
    }

    proptest! {
        #[test]
        fn h4_any_text_gives_terms_without_fault(text in "\\PC{0,200}") {
            for term in terms(&text) {
                prop_assert!(!term.is_empty() && term.len() <= LONGEST);
            }
        }
    }
}
