//! Seed phrases: the twelve to twenty-four words that a wallet is restored with, told by their form. Prose has little words
//! and marks between its words; a seed phrase has neither.

use super::names::{Kind, NAMES};
use super::{Class, Found};
use crate::cjk::is_cjk_or_mark;
use crate::word_list::WordList;

/// How many words a phrase has that nothing announces.
const LENGTHS: &[usize] = &[12, 15, 18, 21, 24];

/// The fewest words of a phrase that is announced: people leave words out.
const FEWEST_NAMED: usize = 9;

/// The same in languages whose little words are not all known.
const FEWEST_FOREIGN: usize = 12;

/// How far before the phrase its name may stand.
const REACH: usize = 120;

/// The little words of prose, none of which the usual word lists of wallets hold. Shorter ones need not be listed.
static LITTLE_WORDS: WordList = WordList::new(
    "the and are was were for his our your but not from into here these those which who how where been had has does did \
     could should would its him them because while please want said got get let really her their mine some words word \
     phrase seed wallet follows \
     que los las con por para una como pero del muy sin sus \
     und der die das ist nicht mit den ein eine auf bei von aus wie noch auch sind \
     les des est pas une dans pour qui sur avec mais plus \
     che non con per una del sono della nel gli \
     het een dat niet met voor zijn ook nog wel maar \
     nie jest jak ale tylko dla \
     bir ama daha var gibi \
     och att det som inte med men har \
     это что как для они она его или если когда тоже уже можно нужно только чтобы было есть \
     yang dan dengan untuk tidak saya ini itu dari akan bisa ada mau kita dia sudah",
);

/// Words in a row that could be a phrase.
#[derive(Default)]
struct Run<'t> {
    words: Vec<&'t str>,
    /// Commas or numbers part the words, as in any list.
    listed: bool,
}

/// Adds every seed phrase of the text.
pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let mut run = Run::default();
    for token in text.split_whitespace() {
        if is_number(token) {
            run.listed = true;
            continue;
        }
        let word = token.trim_start_matches(['"', '“', '`', '(', '\'']);
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ')']);
        let bare = word.trim_end_matches(['"', '”', '`', ')', '\'', '.', ',', ';', '!']);
        // Without a blank, a colon or an ideograph parts the name from its value.
        let bare = bare
            .rsplit(|c: char| matches!(c, ':' | '：' | '=' | '>') || !c.is_alphabetic())
            .next()
            .unwrap_or(bare);
        if is_phrase_word(bare) {
            if bare.len() < word.trim_end_matches([',', '.', '"', '”', '`', ')', '\'', ';', '!']).len() {
                run.close(text, found);
            }
            run.words.push(bare);
            run.listed |= token.ends_with(',');
            if token.ends_with(['.', ';', '!', '"', '”', '`', ')']) {
                run.close(text, found);
            }
        } else {
            run.close(text, found);
        }
    }
    run.close(text, found);
}

fn is_number(token: &str) -> bool {
    let digits = token.trim_end_matches(['.', ')', ':']);
    (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        || matches!(token, "-" | "*" | "•" | "|")
}

fn is_phrase_word(word: &str) -> bool {
    let least = if word.starts_with(is_cjk_or_mark) { 1 } else { 3 };
    (least..=8).contains(&word.chars().count())
        && word.chars().all(|c| c.is_lowercase() || is_cjk_or_mark(c) && c.is_alphabetic())
        && !LITTLE_WORDS.contains(word)
}

impl Run<'_> {
    /// Ends the run, and adds it if it is a phrase.
    fn close(&mut self, text: &str, found: &mut Vec<Found>) {
        let run = std::mem::take(self);
        let (Some(first), Some(last)) = (run.words.first(), run.words.last()) else { return };
        if run.words.len() < FEWEST_NAMED {
            return;
        }
        let span = super::span_of(first, text).start..super::span_of(last, text).end;
        let ascii = run.words.iter().all(|word| word.is_ascii());
        let whole = run.words.len() >= FEWEST_FOREIGN;
        let plain = ascii && !run.listed && LENGTHS.contains(&run.words.len()) && run.is_varied();
        if plain || (ascii || whole) && is_named(text, span.start) {
            found.push(Found { span, class: Class::PrivateKey });
        }
    }

    /// The words of wallets' lists differ in their first four letters.
    fn is_varied(&self) -> bool {
        let mut heads: Vec<&str> = self.words.iter().map(|word| word.get(..4).unwrap_or(word)).collect();
        heads.sort_unstable();
        heads.windows(2).filter(|pair| pair.first() == pair.last()).count() <= 1
    }
}

/// Returns true if a name of seed phrases stands shortly before.
fn is_named(text: &str, start: usize) -> bool {
    let before = text.get(text.ceil_char_boundary(start.saturating_sub(REACH))..start).unwrap_or_default();
    let lower = before.to_lowercase();
    NAMES.iter().any(|name| name.kind == Kind::Seed && lower.contains(name.literal))
}
