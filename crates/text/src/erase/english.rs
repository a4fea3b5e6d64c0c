//! Forms and spellings of one English word.

use super::language::is_small;
use crate::word_list::WordList;

/// Returns true if two words are forms of one: dog, dogs; plan, planned; knife, knives; colour, color. "Plane" is no
/// form of "plan".
pub(super) fn is_form(a: &str, b: &str) -> bool {
    let begin_alike = a.get(..1).is_some_and(|start| b.starts_with(start));
    if !begin_alike {
        return false;
    }
    // Of so short a word only the plural is read: ad, ads.
    if a.len() < 3 || b.len() < 3 {
        let is_plural = |a: &str, b: &str| {
            a.len() == 2 && matches!(b.strip_prefix(a), Some("s" | "es")) && !is_small(a) && !is_small(b)
        };
        return is_plural(a, b) || is_plural(b, a);
    }
    let meet = |a: &str, b: &str| {
        let known = lemmas(a);
        lemmas(b).iter().any(|lemma| known.contains(lemma))
    };
    meet(a, b) || is_swapped(a, b) || meet(&american(a), &american(b))
}

/// Words that end as forms do, and are none.
static NO_FORMS: WordList = WordList::new(
    "rugged ragged dogged jagged wicked crooked wretched news lens earnings herring evening morning pudding",
);

/// The words that a word may be a form of.
pub(super) fn lemmas(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    if NO_FORMS.contains(word) {
        return all;
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        all.push(format!("{stem}y"));
    }
    if let Some(stem) = word.strip_suffix("es").filter(|stem| ends_with_hiss(stem)) {
        all.push(stem.to_owned());
    }
    let is_plural = word.len() > 3 && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    if let Some(stem) = word.strip_suffix('s').filter(|_| is_plural) {
        all.push(stem.to_owned());
    }
    // Quizzes, busses.
    let doubled = ["zzes", "sses"].iter().find(|ending| word.ends_with(*ending));
    all.extend(doubled.and_then(|_| word.get(..word.len() - 3)).map(str::to_owned));
    for ending in ["ing", "ed"] {
        let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.bytes().any(is_vowel)) else {
            continue;
        };
        match stem.len() {
            // Sued, using; but "feed" and "being" are words of their own.
            2 if stem.ends_with('e') || ending == "ing" && stem.ends_with(['o', 'y']) => {}
            2 => all.push(format!("{stem}e")),
            0..2 => {}
            _ => all.extend(verbs(stem)),
        }
    }
    if let Some(stem) = word.strip_suffix("ied") {
        all.extend([format!("{stem}y"), format!("{stem}ie")]);
    }
    if let Some(stem) = word.strip_suffix("ying") {
        all.push(format!("{stem}ie"));
    }
    all
}

/// The verbs of which a stem is left without "ing" or "ed". A short one with a single vowel has lost an e, since its
/// consonant would be doubled: "caring" is of "care", "barring" of "bar".
fn verbs(stem: &str) -> Vec<String> {
    let mut tail = stem.bytes().rev();
    let (last, before, third) = (tail.next(), tail.next(), tail.next());
    let is_doubled = last == before && last.is_some_and(|last| !is_vowel(last));
    let vowels = stem.bytes().filter(|byte| is_vowel(*byte)).count();
    let is_single = vowels == 1
        && before.is_some_and(is_vowel)
        && third.is_some_and(|third| !is_vowel(third))
        && last.is_some_and(|last| !is_vowel(last) && !matches!(last, b'w' | b'x'));
    // A consonant is doubled after a single vowel, so "earring" is not of "ear"; after l also after two: "fuelled".
    let fourth = tail.next();
    let is_long =
        third.is_some_and(is_vowel) && fourth.is_some_and(|fourth| is_vowel(fourth) && fourth != b'u');
    let with_e = format!("{stem}e");
    match (is_doubled, is_single) {
        (true, _) if is_long && last != Some(b'l') => vec![stem.to_owned()],
        (true, _) => vec![stem.to_owned(), stem.get(..stem.len() - 1).unwrap_or_default().to_owned()],
        (false, true) => vec![with_e],
        (false, false) => vec![stem.to_owned(), with_e],
    }
}

fn ends_with_hiss(stem: &str) -> bool {
    ["s", "x", "z", "sh", "ch", "o"].iter().any(|ending| stem.ends_with(ending))
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Returns true if two words differ only in an ending that no rule above takes off: knife, knives; postman, postmen.
fn is_swapped(a: &str, b: &str) -> bool {
    const SWAPS: [(&str, &str); 3] = [("fe", "ves"), ("f", "ves"), ("man", "men")];
    let one_way = |a: &str, b: &str| {
        SWAPS.iter().any(|(from, to)| match (a.strip_suffix(from), b.strip_suffix(to)) {
            (Some(one), Some(other)) => one == other && one.len() + from.len() > 3,
            _ => false,
        })
    };
    one_way(a, b) || one_way(b, a)
}

/// A word as Americans spell it; words that are too short to tell stay.
fn american(word: &str) -> String {
    const BRITISH: [(&str, &str); 8] = [
        ("our", "or"),
        ("isation", "ization"),
        ("yse", "yze"),
        ("ysing", "yzing"),
        ("aemi", "emi"),
        ("paed", "ped"),
        ("oestro", "estro"),
        ("rrhoea", "rrhea"),
    ];
    const ENDINGS: [(&str, &str); 6] = [
        ("ise", "ize"),
        ("ises", "izes"),
        ("ised", "ized"),
        ("ising", "izing"),
        ("tre", "ter"),
        ("tres", "ters"),
    ];
    if word.len() < 5 {
        return word.to_owned();
    }
    let spelled = BRITISH.iter().fold(word.to_owned(), |word, (from, to)| word.replace(from, to));
    let ended = ENDINGS.iter().find_map(|(from, to)| Some(format!("{}{to}", spelled.strip_suffix(from)?)));
    ended.unwrap_or(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j2_forms_of_an_english_word_meet_and_its_neighbors_do_not() {
        for (a, b) in [
            ("dog", "dogs"),
            ("party", "parties"),
            ("box", "boxes"),
            ("move", "moving"),
            ("moved", "moves"),
            ("plan", "planned"),
            ("call", "calling"),
            ("knife", "knives"),
            ("potato", "potatoes"),
            ("colour", "colors"),
            ("organise", "organized"),
            ("centre", "center"),
            ("cry", "cried"),
            ("lie", "lying"),
        ] {
            assert!(is_form(a, b) && is_form(b, a), "{a} and {b}");
        }
        for (a, b) in
            [("plan", "plane"), ("car", "care"), ("car", "caring"), ("hop", "hoped"), ("bus", "busy")]
        {
            assert!(!is_form(a, b) && !is_form(b, a), "{a} and {b}");
        }
    }
}
