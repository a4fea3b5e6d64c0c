//! The built-in embedder: it adds up vectors of word pieces from a table. It needs no network, no weights on disk and
//! hardly any time. It also compares the words of a question and a text.

mod table;

use async_trait::async_trait;
use rustc_hash::FxHashMap;
use throughline_domain::recall::overlap::Overlap;
use throughline_text::words::{self, Telling};

use self::table::Table;
use super::wordpiece::{self, Vocabulary as _};
use super::{Embedder, Error, normalized};

/// The embedder's id; a change of the table or of the arithmetic needs a new one.
const NAME: &str = "builtin-1";
/// Maximum length of a text, in word pieces; the rest is ignored.
const MAX_PIECES: usize = 512;
/// Maximum length of a word, in bytes; the rest is ignored.
const MAX_WORD_BYTES: usize = 100;
/// Similarity below which two words count as unrelated.
const UNRELATED: f32 = 0.3;
/// Minimum similarity of words that count for the order of texts.
const SLIGHTLY_RELATED: f32 = 0.2;

/// The table has its directions sorted by how much they tell words apart, so most pairs of words need no more than the first:
/// of pairs with a similarity of 0.2 or more, one in two hundred has less than this in them, and hardly any from 0.3 on.
const FIRST_DIRECTIONS: usize = 64;
const DISSIMILAR: f32 = 0.05;

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
            let is_number = word.contains(|c: char| c.is_ascii_digit());
            let weight = self.table.weight(piece) * telling;
            let is_common = telling > words::ASKING && words::is_common(word);
            pieces.push(Wanted {
                length: length(&row),
                row,
                weight,
                weight_for_order: if is_common { weight * words::ASKING } else { weight },
                word: beginning(word).to_owned(),
                term: words::terms(beginning(word)).into_iter().next().unwrap_or_default(),
                is_number,
                // The parts of a word have a meaning of their own, which says little about the word's.
                is_known: is_number || word.is_ascii() && self.table.beginning(word).is_some(),
            });
        });
        let all = pieces.iter().map(|wanted| wanted.weight).sum();
        let all_for_order: f32 = pieces.iter().map(|wanted| wanted.weight_for_order).sum();
        let known: f32 =
            pieces.iter().filter(|wanted| wanted.is_known).map(|wanted| wanted.weight_for_order).sum();
        Asked {
            builtin: *self,
            known: if all_for_order > 0.0 { known / all_for_order } else { 0.0 },
            pieces,
            all,
            all_for_order,
            words: FxHashMap::default(),
            near: Vec::new(),
        }
    }

    /// Calls `each` with the known pieces of a text and their words.
    fn pieces(&self, text: &str, mut each: impl FnMut(&str, u32)) {
        let mut left = MAX_PIECES;
        let mut found = Vec::new();
        wordpiece::for_each_word(text, |word| {
            found.clear();
            wordpiece::known_pieces(&self.table, beginning(word), &mut found);
            for piece in found.iter().take(left) {
                each(word, *piece);
            }
            left = left.saturating_sub(found.len());
            left > 0
        });
    }
}

/// The beginning of a word. A longer word is no word, and its beginning says as much as the rest.
fn beginning(word: &str) -> &str {
    let end = (0..=word.len().min(MAX_WORD_BYTES)).rev().find(|end| word.is_char_boundary(*end));
    end.and_then(|end| word.get(..end)).unwrap_or_default()
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
    /// The total weight of the words, and that for the order of texts.
    all: f32,
    all_for_order: f32,
    /// Share of the latter in pieces that are known words.
    known: f32,
    /// The words of the texts that were compared: texts share most of theirs.
    words: FxHashMap<Box<str>, Compared>,
    /// How near each of them is to each piece, one word after the other.
    near: Vec<Near>,
}

/// A piece of a question.
struct Wanted {
    row: Vec<i16>,
    length: f32,
    weight: f32,
    /// The weight for the order of texts, in which words that are common in any chat count less.
    weight_for_order: f32,
    /// The word it is of, and its term.
    word: String,
    term: String,
    /// A number is that number or another one; nothing is near it.
    is_number: bool,
    /// Whether it is a word as a whole, or a number.
    is_known: bool,
}

impl Wanted {
    /// The cosine similarity of a row of this length, or 0 if the first directions show that it is low.
    fn similarity(&self, row: &[i16], length: f32) -> f32 {
        let scale = 1.0 / (self.length * length);
        let (Some((own, own_rest)), Some((other, other_rest))) =
            (self.row.split_at_checked(FIRST_DIRECTIONS), row.split_at_checked(FIRST_DIRECTIONS))
        else {
            return product(&self.row, row) * scale;
        };
        let first = product(own, other) * scale;
        if first < DISSIMILAR { 0.0 } else { first + product(own_rest, other_rest) * scale }
    }
}

/// A word of a text.
#[derive(Clone, Copy)]
struct Compared {
    /// The number of its pieces.
    pieces: usize,
    /// The place in the list of all words where its own begins.
    start: usize,
}

/// How near a word is to a piece of a question.
#[derive(Clone, Copy, Default)]
struct Near {
    /// By meaning.
    by_meaning: f32,
    /// As the order of texts needs it: a word in pieces is that word or another.
    for_order: f32,
}

impl Asked {
    /// The share of the question that a text covers, possibly in other words, from 0 to 1.
    pub fn soft_overlap(&mut self, text: &str) -> f32 {
        self.overlap(text).share
    }

    /// What a text covers of the question, perhaps in other words.
    pub fn overlap(&mut self, text: &str) -> Overlap {
        if self.all <= 0.0 {
            return Overlap::default();
        }
        let nearest = self.nearest(text);
        let covered = |near: f32, floor: f32| ((near - floor) / (1.0 - floor)).max(0.0);
        let all = || nearest.iter().zip(&self.pieces);
        let share: f32 =
            all().map(|(near, wanted)| wanted.weight * covered(near.by_meaning, UNRELATED)).sum();
        let words =
            all().map(|(near, wanted)| wanted.weight_for_order * covered(near.for_order, SLIGHTLY_RELATED));
        Overlap {
            share: share / self.all,
            words: words.map(|covered| covered / self.all_for_order).collect(),
            known: self.known,
        }
    }

    /// How near the nearest word of a text is to each piece of the question.
    fn nearest(&mut self, text: &str) -> Vec<Near> {
        let mut nearest = vec![Near::default(); self.pieces.len()];
        let mut left = MAX_PIECES;
        wordpiece::for_each_word(text, |word| {
            let word = beginning(word);
            let compared = match self.words.get(word) {
                Some(compared) => *compared,
                None => self.compare(word),
            };
            let near = self.near.get(compared.start..).unwrap_or_default();
            for (nearest, near) in nearest.iter_mut().zip(near) {
                nearest.by_meaning = nearest.by_meaning.max(near.by_meaning);
                nearest.for_order = nearest.for_order.max(near.for_order);
            }
            left = left.saturating_sub(compared.pieces);
            left > 0
        });
        nearest
    }

    /// Compares a word with each piece of the question.
    fn compare(&mut self, word: &str) -> Compared {
        let table = &self.builtin.table;
        let mut found = Vec::new();
        wordpiece::known_pieces(table, word, &mut found);
        let compared = Compared { pieces: found.len(), start: self.near.len() };
        self.near.resize(compared.start + self.pieces.len(), Near::default());
        let near = self.near.get_mut(compared.start..).unwrap_or_default();
        for piece in &found {
            let row = wide(table.row(*piece));
            let length = length(&row);
            for (near, wanted) in near.iter_mut().zip(&self.pieces) {
                near.by_meaning = near.by_meaning.max(wanted.similarity(&row, length));
            }
        }
        let mut term = None;
        for (near, wanted) in near.iter_mut().zip(&self.pieces) {
            let is_same = if wanted.is_number {
                wanted.word == word && !found.is_empty()
            } else {
                !wanted.is_known
                    && wanted.term
                        == *term
                            .get_or_insert_with(|| words::terms(word).into_iter().next().unwrap_or_default())
            };
            let same = if is_same { 1.0 } else { 0.0 };
            if wanted.is_number {
                near.by_meaning = same;
            }
            near.for_order = if wanted.is_known { near.by_meaning } else { same };
        }
        self.words.insert(word.into(), compared);
        compared
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
    fn an_overlap_is_told_word_by_word_and_related_words_count_for_more_in_it() {
        let mut asked = BuiltIn::new().unwrap().ask("Which instrument does Ana play?", &["Ana".to_owned()]);
        let [both, violin] =
            ["I play an instrument", "I practice the violin daily"].map(|text| asked.overlap(text));
        assert_eq!(both.words.len(), 2);
        assert!((0.99..=1.01).contains(&both.sum()) && both.known == 1.0, "{both:?}");
        assert!(violin.sum() > violin.share && violin.share > 0.0, "{violin:?}");
        assert!(violin.added_by([&both].into_iter()) > 0.3);
    }

    #[test]
    fn a_subject_outranks_words_that_are_common_in_any_chat() {
        let mut asked = BuiltIn::new().unwrap().ask("I'm planning a trip to Denver soon", &[]);
        let [subject, common] =
            ["the concert in Denver was great", "we are planning to go soon"].map(|text| asked.overlap(text));
        assert!(subject.sum() > common.sum(), "{subject:?} {common:?}");
    }

    #[test]
    fn h4_a_word_in_pieces_is_that_word_or_another() {
        let builtin = BuiltIn::new().unwrap();
        for (question, same, other) in [
            ("Wohnungsschlüssel", "mein Wohnungsschlüssel", "Wohnungssuche"),
            ("сестра", "моя сестра", "собака"),
            ("rollercoasters", "a rollercoaster", "a roller blind"),
        ] {
            let mut asked = builtin.ask(question, &[]);
            let [same, other] = [same, other].map(|text| asked.overlap(text));
            assert!(
                (0.99..=1.01).contains(&same.sum()) && other.sum() == 0.0,
                "{question}: {same:?} {other:?}"
            );
            assert_eq!(same.known, 0.0, "{question}");
        }
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
