//! The built-in embedder: it adds up vectors of word pieces from a table. It needs no network, no weights on disk and
//! hardly any time. It also compares the words of a question and a text.

mod table;

use async_trait::async_trait;
use rustc_hash::FxHashMap;
use throughline_text::words::{self, Telling};

use self::table::Table;
use super::wordpiece;
use super::{Embedder, Error, normalized};

/// The embedder's id; a change of the table or of the arithmetic needs a new one.
const NAME: &str = "builtin-1";
/// Maximum length of a text, in word pieces; the rest is ignored.
const MAX_PIECES: usize = 512;
/// Maximum length of a word, in bytes; the rest is ignored.
const MAX_WORD_BYTES: usize = 100;
/// Similarity below which two words count as unrelated.
const UNRELATED: f32 = 0.3;

/// The built-in embedder.
#[derive(Clone, Copy)]
pub struct BuiltIn {
    table: Table,
}

impl BuiltIn {
    /// Creates the embedder from the table in the binary.
    ///
    /// # Errors
    /// If the binary was built with a damaged table.
    pub fn new() -> Result<Self, Error> {
        let damaged =
            || Error::Unreadable("the built-in table is damaged: build the program again".to_owned());
        Ok(Self { table: Table::read().ok_or_else(damaged)? })
    }

    /// The vector of a text; all zeros if it has no known word.
    #[must_use]
    pub fn vector(&self, text: &str) -> Vec<f32> {
        self.add_up(text, |_| 1.0)
    }

    /// The vector of a question: question words weigh less than its subject.
    #[must_use]
    pub fn vector_of_question(&self, text: &str) -> Vec<f32> {
        self.add_up(text, |word| if words::telling(word) == Telling::Asks { words::ASKING } else { 1.0 })
    }

    fn add_up(&self, text: &str, weight: impl Fn(&str) -> f32) -> Vec<f32> {
        let mut sum = vec![0.0f32; self.table.dimensions()];
        self.pieces(text, |word, piece| {
            let gain = self.table.weight(piece) * self.table.scale(piece) * weight(word);
            for (sum, part) in sum.iter_mut().zip(self.table.row(piece)) {
                *sum += gain * f32::from(part.cast_signed());
            }
        });
        let silent = vec![0.0; sum.len()];
        normalized(sum).unwrap_or(silent)
    }

    /// Prepares a question for [`Asked::soft_overlap`]. Words in `apart`, such as speakers' names, do not count.
    #[must_use]
    pub fn ask(&self, question: &str, apart: &[String]) -> Asked {
        let mut pieces: Vec<Wanted> = Vec::new();
        self.pieces(question, |word, piece| {
            let telling = match words::telling(word) {
                Telling::Nothing => return,
                _ if apart.iter().any(|name| name.eq_ignore_ascii_case(word)) => return,
                Telling::Asks => words::ASKING,
                Telling::Much => 1.0,
            };
            let row = wide(self.table.row(piece));
            // A number matches only itself.
            let exact = word.contains(|c: char| c.is_ascii_digit()).then(|| word.to_owned());
            pieces.push(Wanted {
                length: length(&row),
                row,
                weight: self.table.weight(piece) * telling,
                exact,
            });
        });
        let all = pieces.iter().map(|wanted| wanted.weight).sum();
        Asked { builtin: *self, pieces, all, known: FxHashMap::default() }
    }

    /// Calls `each` with the known pieces of a text and their words.
    fn pieces(&self, text: &str, mut each: impl FnMut(&str, u32)) {
        let mut left = MAX_PIECES;
        let mut found = Vec::new();
        wordpiece::for_each_word(text, |word| {
            found.clear();
            // An overlong token is not a word, and its beginning is enough.
            let end = (0..=word.len().min(MAX_WORD_BYTES)).rev().find(|end| word.is_char_boundary(*end));
            let beginning = end.and_then(|end| word.get(..end)).unwrap_or_default();
            wordpiece::known_pieces(&self.table, beginning, &mut found);
            for piece in found.iter().take(left) {
                each(word, *piece);
            }
            left = left.saturating_sub(found.len());
            left > 0
        });
    }
}

#[async_trait]
impl Embedder for BuiltIn {
    fn id(&self) -> &str {
        NAME
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }

    async fn embed_question(&self, question: &str) -> Result<Vec<f32>, Error> {
        Ok(self.vector_of_question(question))
    }
}

/// A question, word by word.
pub struct Asked {
    builtin: BuiltIn,
    pieces: Vec<Wanted>,
    /// The total weight of the words.
    all: f32,
    /// Cached similarities of a text's pieces to each piece of the question; texts share most of their pieces.
    known: FxHashMap<u32, Vec<f32>>,
}

struct Wanted {
    row: Vec<i16>,
    length: f32,
    weight: f32,
    /// The exact word that is required, if only that one matches.
    exact: Option<String>,
}

impl Asked {
    /// The share of the question that a text covers, possibly in other words, from 0 to 1.
    pub fn soft_overlap(&mut self, text: &str) -> f32 {
        if self.all <= 0.0 {
            return 0.0;
        }
        let mut nearest = vec![0.0f32; self.pieces.len()];
        let Self { builtin, pieces, known, .. } = self;
        builtin.pieces(text, |word, piece| {
            let near = known.entry(piece).or_insert_with(|| {
                let row = wide(builtin.table.row(piece));
                let length = length(&row);
                pieces.iter().map(|wanted| product(&wanted.row, &row) / (wanted.length * length)).collect()
            });
            for ((nearest, wanted), near) in nearest.iter_mut().zip(pieces.iter()).zip(near) {
                let near = match &wanted.exact {
                    Some(exact) if exact == word => 1.0,
                    Some(_) => 0.0,
                    None => *near,
                };
                *nearest = nearest.max(near);
            }
        });
        let told = nearest
            .iter()
            .zip(&self.pieces)
            .map(|(near, wanted)| wanted.weight * ((near - UNRELATED) / (1.0 - UNRELATED)).max(0.0));
        told.sum::<f32>() / self.all
    }
}

/// A row as integers that every processor multiplies several at a time.
fn wide(row: &[u8]) -> Vec<i16> {
    row.iter().map(|part| i16::from(part.cast_signed())).collect()
}

fn product(a: &[i16], b: &[i16]) -> f32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>() as f32
}

fn length(row: &[i16]) -> f32 {
    product(row, row).sqrt().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn h1_texts_of_like_meaning_are_nearer_than_others() {
        let builtin = BuiltIn::new().unwrap();
        for (text, similar, other) in [
            ("My dog is ill", "The puppy needs a vet", "The train was late again"),
            ("We moved to a new flat", "our apartment has two rooms", "she plays the violin"),
            ("I lost my job", "he was fired from the company", "a recipe for onion soup"),
        ] {
            let [text, similar, other] = [text, similar, other].map(|text| builtin.vector(text));
            assert!(similarity(&text, &similar) > similarity(&text, &other) + 0.1);
        }
    }

    #[test]
    fn h1_a_question_is_nearer_to_words_that_mean_the_same() {
        let builtin = BuiltIn::new().unwrap();
        let mut asked = builtin.ask("Which instrument does Ana play?", &["Ana".to_owned()]);
        let [violin, same, train] =
            ["I practice the violin daily", "which instrument do you play", "the train was late"]
                .map(|text| asked.soft_overlap(text));
        assert!(same > violin && violin > train, "{same} {violin} {train}");
        assert!((0.99..=1.0).contains(&same));
    }

    #[test]
    fn a_number_is_near_to_itself_only() {
        let mut asked = BuiltIn::new().unwrap().ask("room47b", &[]);
        assert_eq!(
            [asked.soft_overlap("room47b"), asked.soft_overlap("room48b"), asked.soft_overlap("the rooms")],
            [1.0, 0.0, 0.0]
        );
    }

    #[test]
    fn h4_any_text_has_a_vector_and_silence_has_no_direction() {
        let builtin = BuiltIn::new().unwrap();
        for text in ["", "   ", "\u{1f600}\u{200d}", "\u{10ffff}"] {
            assert!(builtin.vector(text).iter().all(|part| *part == 0.0), "{text:?}");
            assert!(builtin.ask(text, &[]).soft_overlap("anything").abs() < f32::EPSILON);
        }
        for text in ["我住在北京", "Straße", "한국어", "a\0b", &"x".repeat(1_000_000)] {
            let vector = builtin.vector(text);
            assert!((similarity(&vector, &vector) - 1.0).abs() < 1e-3, "{text:?}");
        }
    }
}
