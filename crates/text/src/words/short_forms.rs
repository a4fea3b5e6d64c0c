//! Short forms of English words, with and without their apostrophe: "don't", "dont".

/// The two words that a short form in lower case stands for, and how many of its characters make the first.
pub(crate) fn spelled_out(word: &str) -> Option<(&str, usize, &'static str)> {
    if let Some(found) = listed(WHOLE, word) {
        return Some(found);
    }
    let (head, second) = ENDINGS.iter().find_map(|(ending, second)| {
        word.strip_suffix(ending).filter(|head| !head.is_empty()).map(|head| (head, *second))
    })?;
    let whole = CHANGED.iter().find(|(cut, _)| *cut == head && second == "not");
    Some((whole.map_or(head, |(_, whole)| *whole), head.chars().count(), second))
}

fn listed(table: &[ShortForm], word: &str) -> Option<(&'static str, usize, &'static str)> {
    table
        .iter()
        .find(|(short, ..)| *short == word)
        .map(|(_, length, first, second)| (*first, *length, *second))
}

/// A short form, how many of its characters make the first word, and both words.
type ShortForm = (&'static str, usize, &'static str, &'static str);

/// Endings, and the word that each stands for. A possessive looks the same as a short "is".
const ENDINGS: &[(&str, &str)] = &[
    ("n't", "not"),
    ("'m", "am"),
    ("'re", "are"),
    ("'ve", "have"),
    ("'ll", "will"),
    ("'d", "would"),
    ("'s", "'s"),
];

/// Beginnings that the ending of a short form has changed.
const CHANGED: &[(&str, &str)] = &[("ca", "can"), ("wo", "will"), ("sha", "shall")];

/// Short forms without an apostrophe.
const WHOLE: &[ShortForm] = &[
    ("im", 1, "i", "am"),
    ("ive", 1, "i", "have"),
    ("dont", 2, "do", "not"),
    ("doesnt", 4, "does", "not"),
    ("didnt", 3, "did", "not"),
    ("cant", 2, "can", "not"),
    ("cannot", 3, "can", "not"),
    ("isnt", 2, "is", "not"),
    ("arent", 3, "are", "not"),
    ("wasnt", 3, "was", "not"),
    ("werent", 4, "were", "not"),
    ("havent", 4, "have", "not"),
    ("hasnt", 3, "has", "not"),
    ("wouldnt", 5, "would", "not"),
    ("couldnt", 5, "could", "not"),
    ("shouldnt", 6, "should", "not"),
    ("wont", 2, "will", "not"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_form_is_spelled_out_with_and_without_its_apostrophe() {
        for (short, expected) in [
            ("don't", Some(("do", 2, "not"))),
            ("dont", Some(("do", 2, "not"))),
            ("can't", Some(("can", 2, "not"))),
            ("won't", Some(("will", 2, "not"))),
            ("i've", Some(("i", 1, "have"))),
            ("wife's", Some(("wife", 4, "'s"))),
            ("gonna", None),
            ("'s", None),
            ("tea", None),
        ] {
            assert_eq!(spelled_out(short), expected, "{short}");
        }
    }
}
