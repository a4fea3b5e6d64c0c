//! A statement as plain words: folded, contractions written out, and "the user" read as the person who speaks.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::cjk::is_unspaced;
use crate::word_list::WordList;
use crate::words::{for_each_term, spelled_out};

/// One word of a statement; of Chinese, one character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word without case and accents. A possessive is the word `'s`.
    pub(super) text: String,
    /// Whether it is written with a capital letter.
    pub(super) capital: bool,
    /// Whether a clause starts with it: the text, or what follows a mark.
    pub(super) opens: bool,
}

impl Word {
    /// The word as the index knows it, without its ending.
    pub(super) fn stem(&self) -> String {
        stem(&self.text)
    }

    /// Returns true if it is written in characters that are not set apart by spaces.
    pub(super) fn is_han(&self) -> bool {
        self.text.chars().all(is_unspaced)
    }
}

/// A folded word without its ending.
pub(super) fn stem(word: &str) -> String {
    let mut stemmed = String::new();
    for_each_term(word, |term| {
        if stemmed.is_empty() {
            stemmed.push_str(term);
        }
    });
    stemmed
}

/// The terms of a list of words, as statements have them.
pub(super) fn stems(list: &str) -> HashSet<String> {
    list.split_whitespace().map(stem).collect()
}

/// Returns true if a term is an article, a pronoun, a preposition or a helping verb of German, Spanish or French. The
/// stop words of the index are those of English.
pub(crate) fn is_small(term: &str) -> bool {
    static SMALL: LazyLock<HashSet<String>> = LazyLock::new(|| {
        stems(
            "ab als am an auf aus bei beim bin das dass dem den der des die ein eine einen einem einer es fur habe haben hat ich \
             ihr im in ist jetzt mein meine meinen meiner mit nach nun sein seine sich sie sind soll uber um und uns unser \
             unsere vom von vor war wegen wird wir wurde wurden zu zum zur bis worden \
             a al ahora como con de del desde e el ella en era es esta este estoy fue ha han he hemos hasta la las le lo los \
             me mi mis nos nuestra nuestro o para por que se ser será si son soy su sus un una y ya yo \
             à au aux avec avons c ce ces cette chez dans des du elle est et été etre il j j'ai jai je l la les leur ma \
             maintenant mes moi mon nos notre nous on ont ou par pour qui sa sera ses son sont suis sur une vers",
        )
    });
    SMALL.contains(term)
}

/// The words of a statement, in order.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut all = Vec::new();
    let mut written = String::new();
    let mut opens = true;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_unspaced(c) {
            add(&mut written, &mut opens, &mut all);
            all.push(Word { text: c.to_string(), capital: false, opens });
            opens = false;
        } else if c.is_alphanumeric() || is_inside(c) {
            written.push(c);
        } else {
            add(&mut written, &mut opens, &mut all);
            // "example.org", "7:30"
            let joins = chars.peek().is_some_and(|next| next.is_alphanumeric() && !is_unspaced(*next))
                && matches!(c, '.' | ',' | ':');
            opens |= !joins && !c.is_whitespace() && !JOINING.contains(&c);
        }
    }
    add(&mut written, &mut opens, &mut all);
    as_the_person(all)
}

/// Marks that are no pause.
const JOINING: &[char] = &['-', '"', '“', '”', '/', '@', '+', '#', '_', '&'];

fn add(written: &mut String, opens: &mut bool, all: &mut Vec<Word>) {
    let word = written.trim_matches(['\'', '’']);
    // A quotation mark alone is no word.
    if !word.is_empty() {
        let capital = word.chars().next().is_some_and(char::is_uppercase);
        for (at, text) in written_out(&folded(word)).into_iter().enumerate() {
            all.push(Word { text, capital: capital && at == 0, opens: *opens && at == 0 });
        }
        *opens = false;
    }
    written.clear();
}

/// Letter by letter, because a whole word would lose its ending too.
fn folded(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut buffer = [0; 4];
    for c in word.chars() {
        match c {
            '\'' | '’' => plain.push('\''),
            _ if c.is_ascii() => plain.push(c.to_ascii_lowercase()),
            _ => for_each_term(c.encode_utf8(&mut buffer), |letter| plain.push_str(letter)),
        }
    }
    plain
}

fn written_out(word: &str) -> Vec<String> {
    match spelled_out(word) {
        Some((first, _, "'s")) if IS_AFTER.contains(first) => vec![first.to_owned(), "is".to_owned()],
        Some((first, _, second)) => vec![first.to_owned(), second.to_owned()],
        None => vec![word.replace('\'', "")],
    }
}

/// After these, `'s` is a short "is"; after others it may say whose something is.
static IS_AFTER: WordList = WordList::new("he here how it name she that there what where who");

/// "The user's dog" is "my dog", and "the user likes" is "I likes": the comparison folds the ending.
fn as_the_person(words: Vec<Word>) -> Vec<Word> {
    let mut told: Vec<Word> = Vec::with_capacity(words.len());
    let mut rest = words.into_iter().peekable();
    while let Some(mut word) = rest.next() {
        let is_user =
            word.text == "user" || (word.text == "户" && told.last().is_some_and(|word| word.text == "用"));
        if is_user {
            if told.last().is_some_and(|before| before.text == "the" || before.text == "用")
                && let Some(before) = told.pop()
            {
                word.opens = before.opens;
            }
            let owns = rest.next_if(|next| next.text == "'s").is_some();
            let person = match (word.text.as_str(), owns) {
                ("户", _) => "我",
                (_, true) => "my",
                (_, false) => "i",
            };
            word.text = person.to_owned();
            word.capital = false;
        }
        told.push(word);
    }
    told
}

/// Apostrophes and the marks that sit on a letter.
fn is_inside(c: char) -> bool {
    matches!(c, '\'' | '’' | '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_reads_the_same_however_it_is_contracted_and_in_either_person() {
        for (text, expected) in [
            ("I'm allergic", "i am allergic"),
            ("Im allergic", "i am allergic"),
            ("I can’t, won't and don't", "i can not will not and do not"),
            ("The user's dog is 'old'", "my dog is old"),
            ("User likes tea", "i likes tea"),
            ("My dog's name's Rex", "my dog 's name is rex"),
            ("Señor Müller", "senor muller"),
            ("用户住在柏林", "我 住 在 柏 林"),
        ] {
            let words: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
            assert_eq!(words.join(" "), expected);
        }
    }

    #[test]
    fn a_mark_opens_a_clause_and_a_space_does_not() {
        let opening: Vec<String> = words("Well, I live in Bad-Berka (now). 我住，你")
            .into_iter()
            .filter(|word| word.opens)
            .map(|word| word.text)
            .collect();
        assert_eq!(opening, ["well", "i", "now", "我", "你"]);
    }
}
