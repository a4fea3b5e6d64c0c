//! Whether two statements say the same, by their words.

use std::collections::HashSet;

use super::wording::{Word, stem, words};
use crate::word_list::WordList;

/// A statement without what does not change it: case, accents, marks, contractions, endings, and who tells it. A text
/// without a word, such as a smile, is its own.
#[must_use]
pub fn normalized(text: &str) -> String {
    let folded = Folded::of(text);
    if folded.words.is_empty() {
        return text.trim().to_owned();
    }
    folded.texts().collect::<Vec<_>>().join(" ")
}

/// Returns true if two statements are the same but for how they are written.
#[must_use]
pub fn exact(a: &str, b: &str) -> bool {
    normalized(a) == normalized(b)
}

/// The words of a statement as they are compared. Made once, however many others it is compared with.
#[derive(Debug)]
pub(super) struct Folded<'t> {
    text: &'t str,
    words: Vec<Word>,
}

impl<'t> Folded<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, words: folded(words(text)) }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.text.as_str())
    }

    /// All of its words.
    pub(super) fn words(&self) -> &[Word] {
        &self.words
    }

    /// The words that carry the statement.
    pub(super) fn telling(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| !FILLERS.contains(&word.text))
    }

    /// The same words as in another statement, in the same order.
    pub(super) fn is_exactly(&self, other: &Self) -> bool {
        match (self.words.is_empty(), other.words.is_empty()) {
            (true, true) => self.text.trim() == other.text.trim(),
            _ => self.texts().eq(other.texts()),
        }
    }

    /// The same telling words, whatever their order, endings and slips of the pen. A number, a negation or a name that
    /// differs makes them two.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let (mut a, mut b): (Vec<&Word>, Vec<&Word>) = (self.telling().collect(), other.telling().collect());
        if a.is_empty() || a.len() != b.len() || self.differs(other) {
            return false;
        }
        if !is_ordered(&a) && !is_ordered(&b) {
            a.sort_by(|a, b| a.text.cmp(&b.text));
            b.sort_by(|a, b| a.text.cmp(&b.text));
        }
        a.iter().zip(&b).all(|(a, b)| a.text == b.text || is_slip(a, b))
    }

    /// Returns true if the two differ in a number, a negation or a name: then they are never the same, however alike.
    pub(super) fn differs(&self, other: &Self) -> bool {
        let numbers = |of: &'_ Self| {
            let mut numbers: Vec<String> =
                of.texts().filter(|word| has_digit(word)).map(str::to_owned).collect();
            numbers.sort();
            numbers
        };
        let negations = |of: &Self| of.texts().filter(|word| is_negation(word)).count();
        let lacks = |names: &Self, all: &Self| {
            let mut names = names.words.iter().filter(|word| is_name(word));
            names.any(|name| !all.texts().any(|word| word == name.text))
        };
        numbers(self) != numbers(other)
            || negations(self) != negations(other)
            || lacks(self, other)
            || lacks(other, self)
    }

    /// Returns true if an odd number of words deny the rest.
    pub(super) fn denies(&self) -> bool {
        self.texts().filter(|word| is_negation(word)).count() % 2 == 1
    }
}

/// The words that carry a text, folded.
pub(super) fn telling(text: &str) -> Vec<Word> {
    let mut words = folded(words(text));
    words.retain(|word| !FILLERS.contains(&word.text));
    words
}

/// The words of a list as they stand in folded statements.
pub(super) fn folded_list(list: &str) -> HashSet<String> {
    list.split_whitespace().flat_map(|word| folded(words(word))).map(|word| word.text).collect()
}

/// Returns true if a word denies what the others say.
pub(crate) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(word)
}

/// Returns true if a folded word is a number.
pub(super) fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns true if a folded word has a digit in it, as a number, a code or a seat has: then each of its letters
/// counts.
pub(super) fn has_digit(word: &str) -> bool {
    word.contains(char::is_numeric)
}

/// Returns true if a word is written as a name: with a capital where none is due.
pub(super) fn is_name(word: &Word) -> bool {
    word.capital && !word.opens && word.text != "i"
}

/// The digits of a number word.
pub(super) fn digits(word: &str) -> Option<String> {
    let at = NUMBER_WORDS.position(word)?;
    let number = if at <= 20 { at } else { (at - 18) * 10 };
    Some(number.to_string())
}

/// "5th" as "5".
pub(super) fn without_ordinal(word: &str) -> &str {
    let shorter = ["st", "nd", "rd", "th"].into_iter().find_map(|ending| word.strip_suffix(ending));
    shorter.filter(|number| is_number(number)).unwrap_or(word)
}

fn folded(words: Vec<Word>) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::with_capacity(words.len());
    for mut word in words {
        let is_helper = |before: &&Word| matches!(before.text.as_str(), "do" | "doe" | "did");
        if word.text == "not" && all.last().as_ref().is_some_and(is_helper) {
            all.pop();
        }
        word.text = match word.text.as_str() {
            "am" | "is" | "are" => "be".to_owned(),
            "has" | "have" | "having" => "have".to_owned(),
            "favourite" => "favorit".to_owned(),
            "anymore" => {
                all.push(Word { text: "any".to_owned(), ..word.clone() });
                "mor".to_owned()
            }
            // Kept apart from "s", which may be a word.
            "'s" => "'s".to_owned(),
            other => match digits(other) {
                Some(unit) => with_tens(&mut all, unit),
                None => stem(without_ordinal(other)),
            },
        };
        all.push(word);
    }
    let tells_of_self = all.len() > 1
        && all.first().is_some_and(|word| ["i", "we", "我", "ich", "yo"].contains(&word.text.as_str()));
    if tells_of_self {
        all.remove(0);
    }
    all
}

/// "thirty" and "four" are one number.
fn with_tens(before: &mut Vec<Word>, unit: String) -> String {
    let tens =
        before.last().and_then(|word| word.text.parse::<u32>().ok()).filter(|tens| (20..100).contains(tens));
    match (tens, unit.parse::<u32>()) {
        (Some(tens), Ok(unit @ 1..=9)) if tens % 10 == 0 => {
            before.pop();
            (tens + unit).to_string()
        }
        _ => unit,
    }
}

/// Returns true if the order of a statement's words is part of what it says: "tea over coffee", "Anna loves Tom", and
/// Chinese.
fn is_ordered(words: &[&Word]) -> bool {
    words.iter().any(|word| word.is_han() || DIRECTIONS.contains(&word.text))
        || words.iter().filter(|word| word.capital).count() > 1
}

/// One letter more, less, other or swapped, inside a long word. Short words and endings carry too much: "Anna" is not
/// "Anne", and "hermano" not "hermana".
fn is_slip(a: &Word, b: &Word) -> bool {
    if a.capital || b.capital || has_digit(&a.text) || has_digit(&b.text) {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.text.chars().collect(), b.text.chars().collect());
    if a.len().min(b.len()) < 6 {
        return false;
    }
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    if start == 0 || end == 0 {
        return false;
    }
    let longest = a.len().max(b.len());
    let one_letter = a.len().abs_diff(b.len()) <= 1 && start + end + 1 >= longest;
    let swapped = a.len() == b.len()
        && start + end + 2 == longest
        && a.get(start) == b.get(start + 1)
        && a.get(start + 1) == b.get(start);
    one_letter || swapped
}

/// Words (folded) that a statement can do without.
static FILLERS: WordList = WordList::new(
    "'s a actually also an at be currently i in it just me my now of on really so still that the there \
     too very 了 吧 呀 呢 啊 我 的",
);

static DIRECTIONS: WordList =
    WordList::new("after befor behind but from instead into not over than to und while");

static NEGATIONS: WordList = WordList::new(
    "hardly kein keine keinen neither never nicht no nobody nor not nothing nunca without 不 别 无 没 非",
);

static NUMBER_WORDS: WordList = WordList::new(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
     sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety",
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: &str, b: &str) -> bool {
        Folded::of(a).is_near(&Folded::of(b))
    }

    #[test]
    fn i3_a_statement_is_the_same_however_it_is_written() {
        for (a, b) in [
            ("I live in Berlin", "i live in berlin!"),
            ("I live in Berlin", "The user lives in Berlin."),
            ("I live in Berlin", "Lives in Berlin"),
            ("I'm allergic to peanuts", "User is allergic to peanuts"),
            ("My dog's called Rex", "The user’s dog's called Rex"),
            ("I don't like coffee", "User doesn't like coffee"),
            ("I have two cats", "has 2 cats"),
            ("Mi perro está aquí", "mi perro esta aqui"),
            ("我住在柏林", "用户住在柏林。"),
        ] {
            assert!(exact(a, b), "{} / {}", normalized(a), normalized(b));
        }
        for (a, b) in
            [("I live in Berlin", "I live in Bern"), ("🙂", "🙃"), ("I", "we"), ("我住柏林", "我住北京")]
        {
            assert!(!exact(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn i3_near_statements_differ_in_order_endings_and_slips_only() {
        for (a, b, expected) in [
            ("I live in Berlin", "Berlin is where I live", false),
            ("I really like hiking in the mountains", "In the mountains I like to hike", false),
            ("I love dark chocolate", "Dark chocolate I love!", true),
            ("I'm allergic to peanuts", "I'm alergic to peanuts", true),
            ("I want to learn the guitar", "I wanted to learn guitar", true),
            ("I play the violin on Sundays", "I play the viloin on Sundays", true),
            ("I have two cats", "I have three cats", false),
            ("I like coffee", "I don't like coffee", false),
            ("I like coffee", "I have coffee", false),
            ("My dog is called Rex", "My dog is called Max", false),
            ("The invoice is inv4417x", "The invoice is inv4418x", false),
            ("My seat is in row b12", "My seat is in row b14", false),
            ("My sister is Hannah Miller", "My sister is Hannah Möller", false),
            ("I prefer tea over coffee", "I prefer coffee over tea", false),
            ("I moved from Berlin", "I moved to Berlin", false),
            ("Anna loves Tom", "Tom loves Anna", false),
            ("Mi hermano es alto", "Mi hermana es alto", false),
            ("我喜欢猫", "我喜欢猫了", true),
            ("我喜欢猫", "我不喜欢猫", false),
            ("", "", false),
        ] {
            assert_eq!(near(a, b), expected, "{a} / {b}");
            assert_eq!(near(b, a), expected, "{b} / {a}");
        }
    }

    #[test]
    fn number_words_are_their_digits() {
        for (word, number) in
            [("zero", "0"), ("twelve", "12"), ("twenty", "20"), ("thirty", "30"), ("ninety", "90")]
        {
            assert_eq!(digits(word).as_deref(), Some(number));
        }
    }

    proptest! {
        #[test]
        fn i3_what_is_normalized_is_the_same_as_itself_shouted(text in "[a-z]{1,8}( [a-z']{1,8}){0,6}") {
            let shouted = format!("  {}!", text.to_uppercase());
            prop_assert!(exact(&text, &shouted));
        }

        #[test]
        fn i3_any_texts_are_compared_without_fault(a in "\\PC{0,60}", b in "\\PC{0,60}") {
            prop_assert_eq!(near(&a, &b), near(&b, &a));
            prop_assert!(exact(&a, &a));
        }
    }
}
