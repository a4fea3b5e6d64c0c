//! A small convolutional network over the words of a message, trained by `training/extraction/train.py`: for each word, how
//! likely it is to tell something about the person who wrote the message.
//!
//! The layers are written out here: an inference crate would be a hundred times their size.

use std::sync::LazyLock;

use ndarray::{Array1, Array2, ArrayView1, ArrayViewMut1, Axis};

use super::word::{self, Word};

static MODEL: &[u8] = include_bytes!("network.bin");
/// Outside of any statement, then for each kind its beginning and its continuation.
pub(super) const LABELS: usize = 9;
/// Numbers that each word has in a layer, for its parts, and in the embedder's table.
const WIDTH: usize = 96;
const PART: usize = 48;
const VECTOR: usize = 64;
/// How far each layer looks to both sides, in words.
const REACH: [usize; 8] = [1, 2, 4, 8, 16, 1, 2, 4];
/// The layer before which each word learns what the whole message is like.
const POOLED: usize = 4;

/// What the network tells of a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scores {
    /// One for each label.
    pub labels: [f32; LABELS],
    /// That it is another's.
    pub foreign: f32,
}

/// The scores of each word.
pub(super) fn scores(words: &[Word]) -> Option<Vec<Scores>> {
    static NETWORK: LazyLock<Option<Network>> = LazyLock::new(|| Network::read(MODEL));
    Some(NETWORK.as_ref()?.scores(words))
}

/// The trained weights. Tables are read in place; layers are small enough to hold as numbers.
struct Network {
    /// The hashes of the words that have a vector, sorted.
    known: &'static [[u8; 4]],
    vectors: Table<VECTOR>,
    parts: Table<PART>,
    input: Layer,
    layers: Vec<Layer>,
    pool: Layer,
    output: Layer,
    voice: Layer,
}

impl Network {
    fn read(bytes: &'static [u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let known = usize::try_from(bytes.number()?).ok()?;
        Some(Self {
            known: bytes.take(4 * known)?.as_chunks().0,
            vectors: bytes.table(known)?,
            parts: bytes.table(word::BUCKETS)?,
            input: bytes.layer(PART + VECTOR, WIDTH)?,
            layers: REACH.iter().map(|_| bytes.layer(3 * WIDTH, WIDTH)).collect::<Option<_>>()?,
            pool: bytes.layer(2 * WIDTH, WIDTH)?,
            output: bytes.layer(WIDTH, LABELS)?,
            voice: bytes.layer(WIDTH, 1)?,
        })
    }

    fn scores(&self, words: &[Word]) -> Vec<Scores> {
        if words.is_empty() {
            return Vec::new();
        }
        let mut entries = Array2::zeros((words.len(), PART + VECTOR));
        entries.rows_mut().into_iter().zip(words).for_each(|(entry, word)| self.enter(word, entry));
        let mut states = self.input.apply(&entries);
        for (number, (layer, reach)) in self.layers.iter().zip(REACH).enumerate() {
            if number == POOLED {
                states += &self.of_message(&states);
            }
            states += &positive(layer.apply(&with_neighbors(&leveled(&states), reach)));
        }
        let end = leveled(&states);
        let (labels, foreign) = (self.output.apply(&end), self.voice.apply(&end));
        let scores = |(labels, foreign): (ArrayView1<'_, f32>, &f32)| Scores {
            labels: std::array::from_fn(|label| labels.get(label).copied().unwrap_or(0.0)),
            foreign: *foreign,
        };
        labels.rows().into_iter().zip(&foreign).map(scores).collect()
    }

    /// Adds up what a word is known by.
    fn enter(&self, word: &Word, mut entry: ArrayViewMut1<'_, f32>) {
        let (mut parts, mut vector) = entry.view_mut().split_at(Axis(0), PART);
        word.parts
            .iter()
            .filter(|bucket| **bucket > 0)
            .for_each(|bucket| self.parts.add(*bucket, &mut parts));
        if let Ok(row) = self.known.binary_search_by_key(&word.stem, |bytes| u32::from_le_bytes(*bytes)) {
            self.vectors.add(row, &mut vector);
        }
    }

    /// The largest and the mean values of a message, as each of its words is to know them.
    fn of_message(&self, states: &Array2<f32>) -> Array2<f32> {
        let level = leveled(states);
        let most = level.fold_axis(Axis(0), f32::NEG_INFINITY, |most, value| most.max(*value));
        let mean = level.sum_axis(Axis(0)) / level.nrows() as f32;
        let both: Array1<f32> = most.into_iter().chain(mean).collect();
        positive(self.pool.apply(&both.insert_axis(Axis(0))))
    }
}

/// Each word between the two that lie so far before and after it.
fn with_neighbors(level: &Array2<f32>, reach: usize) -> Array2<f32> {
    let mut all = Array2::zeros((level.nrows(), 3 * WIDTH));
    let far = reach.min(level.nrows());
    let places = [(0, far), (0, 0), (far, 0)];
    for ((from, to), mut columns) in places.into_iter().zip(all.axis_chunks_iter_mut(Axis(1), WIDTH)) {
        let length = level.nrows() - far.min(from + to);
        let seen = level.slice_axis(Axis(0), (from..from + length).into());
        columns.slice_axis_mut(Axis(0), (to..to + length).into()).assign(&seen);
    }
    all
}

/// Rows of the same mean square: how large a state is says nothing.
fn leveled(states: &Array2<f32>) -> Array2<f32> {
    let mut level = states.clone();
    for mut row in level.rows_mut() {
        let mean = row.iter().map(|value| value * value).sum::<f32>() / WIDTH as f32;
        row *= (mean + 1e-6).sqrt().recip();
    }
    level
}

fn positive(states: Array2<f32>) -> Array2<f32> {
    states.mapv_into(|value| value.max(0.0))
}

/// Rows of signed bytes with one scale.
struct Table<const N: usize> {
    scale: f32,
    rows: &'static [[u8; N]],
}

impl<const N: usize> Table<N> {
    fn add(&self, row: usize, to: &mut ArrayViewMut1<'_, f32>) {
        for (to, byte) in to.iter_mut().zip(self.rows.get(row).into_iter().flatten()) {
            *to += f32::from(byte.cast_signed()) * self.scale;
        }
    }
}

/// A matrix, and what is added to its result.
struct Layer {
    matrix: Array2<f32>,
    base: Array1<f32>,
}

impl Layer {
    fn apply(&self, rows: &Array2<f32>) -> Array2<f32> {
        rows.dot(&self.matrix) + &self.base
    }
}

/// The weights as the training script writes them.
struct Bytes(&'static [u8]);

impl Bytes {
    fn take(&mut self, length: usize) -> Option<&'static [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn table<const N: usize>(&mut self, rows: usize) -> Option<Table<N>> {
        let scale = f32::from_bits(self.number()?);
        Some(Table { scale, rows: self.take(rows * N)?.as_chunks().0 })
    }

    fn numbers(&mut self, count: usize) -> Option<Array1<f32>> {
        let bytes = self.take(4 * count)?.as_chunks().0;
        Some(bytes.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn layer(&mut self, inputs: usize, outputs: usize) -> Option<Layer> {
        let (base, scales) = (self.numbers(outputs)?, self.numbers(outputs)?);
        let bytes = self.take(inputs * outputs)?.iter().map(|byte| f32::from(byte.cast_signed()));
        let matrix = Array2::from_shape_vec((inputs, outputs), bytes.collect()).ok()? * &scales;
        Some(Layer { matrix, base })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_training_script() {
        for (text, labels, foreign) in EXPECTED {
            let scores = scores(&word::read(text, &word::places(text))).unwrap();
            let near = |found: f32, expected: f32| (found - expected).abs() < 0.02;
            let first: Vec<f32> = scores[0].labels.iter().take(3).copied().collect();
            assert!(first.iter().zip(labels).all(|(found, expected)| near(*found, *expected)), "{first:?}");
            let told: Vec<f32> = scores.iter().map(|scores| scores.foreign).collect();
            assert_eq!(told.len(), foreign.len(), "{text}");
            assert!(told.iter().zip(*foreign).all(|(found, expected)| near(*found, *expected)), "{told:?}");
        }
        assert!(scores(&[]).is_some_and(|scores| scores.is_empty()));
    }

    type Expected = (&'static str, [f32; 3], &'static [f32]);

    /// The first labels of the first word, and that each word is another's, as the script computes them from the same
    /// weights.
    const EXPECTED: &[Expected] = &[
        (
            "I'm Ana, 34, from Évora.\nTom wrote: I live in Rome",
            [3.797, 5.032, -0.394],
            &[
                -0.2, -0.17, 0.09, -0.58, 0.22, -0.12, 0.81, 0.49, 0.16, -1.01, 3.66, 4.09, 4.74, 5.35, 5.81,
                5.13, 4.62,
            ],
        ),
        (
            "我住在上海，三月五日考试。",
            [1.709, 6.509, -0.783],
            &[-4.59, -5.16, -5.34, -5.73, -5.83, -6.67, -6.97, -6.74, -6.44, -6.47, -6.69, -6.71, -5.76],
        ),
    ];
}
