//! The words that carry the value of a statement: what must be gone for it to be forgotten.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use crate::calendar::is_english_term;
use crate::cjk;
use crate::extract::Kind;
use crate::relate::attribute::attribute;
use crate::word_list::WordList;
use crate::words::{for_each_term, is_stop_word, terms};

/// Calls `each` with every word a text holds, folded; a possessive is held as its owner.
pub fn for_each_held(text: &str, each: impl FnMut(&str)) {
    for_each_term(&without_possessives(text), each);
}

/// Every word a text holds.
#[must_use]
pub fn held(text: &str) -> HashSet<String> {
    let mut all = HashSet::new();
    for_each_held(text, |term| {
        if !all.contains(term) {
            all.insert(term.to_owned());
        }
    });
    all
}

/// The words a text is about: without stop words, unless it has nothing else.
pub(super) fn content(text: &str) -> BTreeSet<String> {
    let all = all_words(text);
    let telling: BTreeSet<String> = all.iter().filter(|word| !is_stop_word(word)).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// The fewest words that give a statement away: what it names, or else its words that are not everyday ones. A sentence
/// that holds them all tells the value, or might; forgetting takes one too many rather than one too few.
#[must_use]
pub fn value(statement: &str) -> BTreeSet<String> {
    if let Some(attribute) = attribute(Kind::Fact, statement).filter(|attribute| attribute.is_named()) {
        let named = content(&attribute.value);
        if !named.is_empty() {
            return named;
        }
    }
    let names = names(statement);
    if !names.is_empty() {
        return names;
    }
    let content = content(statement);
    let rare: BTreeSet<String> = content.iter().filter(|word| !is_everyday(word)).cloned().collect();
    if rare.is_empty() { content } else { rare }
}

/// Words written as names inside a sentence, and numbers too long to be a count or a year.
fn names(statement: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut opens = true;
    for written in statement.split_whitespace() {
        let word = written.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = !opens && word.chars().next().is_some_and(char::is_uppercase);
        opens = written.ends_with(['.', '!', '?', ':']);
        let is_code = word.chars().filter(char::is_ascii_digit).count() > 4;
        if is_name || is_code {
            names.extend(content(word).into_iter().filter(|word| !is_stop_word(word) && !is_everyday(word)));
        }
    }
    names
}

fn without_possessives(text: &str) -> Cow<'_, str> {
    if text.contains("'s") || text.contains("’s") {
        Cow::Owned(text.replace("’s", " ").replace("'s", " "))
    } else {
        Cow::Borrowed(text)
    }
}

fn all_words(text: &str) -> BTreeSet<String> {
    let spaced: String = text.chars().map(|c| if is_cjk(c) { ' ' } else { c }).collect();
    let mut all: BTreeSet<String> = terms(&without_possessives(&spaced)).into_iter().collect();
    let mut cut = text.to_owned();
    for word in EVERYDAY_HAN_WORDS.iter() {
        cut = cut.replace(word, " ");
    }
    let before = all.len();
    cut.split(|c: char| !is_cjk(c) || is_function(c)).for_each(|run| add_run(run, &mut all));
    if all.len() == before {
        text.split(|c: char| !is_cjk(c)).for_each(|run| add_run(run, &mut all));
    }
    all
}

/// A pair is a word; a longer run is asked for by its pairs.
fn add_run(run: &str, all: &mut BTreeSet<String>) {
    match run.chars().count() {
        0 => {}
        1 | 2 => {
            all.insert(run.to_owned());
        }
        _ => all.extend(run.chars().zip(run.chars().skip(1)).map(|(a, b)| format!("{a}{b}"))),
    }
}

/// A character that the index takes for a word.
fn is_cjk(c: char) -> bool {
    c.is_alphanumeric() && cjk::is_cjk(c)
}

/// Characters that join words, and those of everyday statements; in Japanese, all of hiragana.
fn is_function(c: char) -> bool {
    cjk::is_hiragana(c) || "我你您他她它们的了是在和与也都就很吗呢吧啊呀把被这那叫住对".contains(c)
}

static EVERYDAY_HAN_WORDS: WordList = WordList::new("喜欢 讨厌 名字 工作 上班 现在 今年 过敏 用户 搬到 搬去");

fn is_everyday(word: &str) -> bool {
    EVERYDAY.contains(word) || is_english_term(word)
}

/// Terms (stemmed) that statements of all kinds are made with, so that they give nothing away.
static EVERYDAY: WordList = WordList::new(
    "ag allergic allergy alway bas becam becom been best born call cannot cant current currently day \
     dislik eat enjoy every favorit favourit feel goal going good hat hom hop job join liv long look lov \
     mak married month mov nam need never new old person plan prefer really start tak tim today tomorrow \
     user usually want week work year",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(statement: &str) -> Vec<String> {
        value(statement).into_iter().collect()
    }

    #[test]
    fn j2_the_value_is_what_a_statement_names() {
        for (statement, expected) in [
            ("I live in Berlin", vec!["berlin"]),
            ("The user lives in New York", vec!["new", "york"]),
            ("My dog's name is Rex", vec!["rex"]),
            ("my dog's name is rex", vec!["rex"]),
            ("My sister Anna moved to Paris in May", vec!["anna", "paris"]),
            ("I'm allergic to peanuts", vec!["peanut"]),
            ("I have 2 cats", vec!["2", "cat"]),
            ("my locker opens with 48213", vec!["48213"]),
            ("I work every day", vec!["day", "every", "work"]),
            ("我住在柏林", vec!["柏林"]),
            ("我对花生过敏", vec!["花生"]),
        ] {
            assert_eq!(value_of(statement), expected, "{statement}");
        }
    }

    #[test]
    fn everyday_words_are_terms_of_the_index() {
        for word in EVERYDAY.iter() {
            assert!(terms(word).len() == 1, "{word}");
        }
    }
}
