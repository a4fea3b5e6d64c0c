//! Small linear models over words and their parts, which the scripts in `training` fit and write as bytes.

use rustc_hash::FxHashSet;
use unicode_normalization::UnicodeNormalization;

pub(crate) const BUCKETS: usize = 1 << 14;
/// Maximum number of words that are read: the beginning of a message shows its intent.
const LONGEST: usize = 200;

/// A model as a training script writes it: scale, bias, one signed byte for each bucket.
pub(crate) struct Linear(pub &'static [u8]);

impl Linear {
    /// The probability that a text belongs to the class that the model was trained on.
    pub fn probability(&self, text: &str) -> f32 {
        let Some((scale, bias, weights)) = self.parts() else { return 0.5 };
        let features = features(text);
        let sum: f32 = features
            .iter()
            .filter_map(|bucket| weights.get(*bucket))
            .map(|weight| f32::from(weight.cast_signed()))
            .sum();
        let score = sum * scale / (features.len() as f32).sqrt() + bias;
        1.0 / (1.0 + (-score).exp())
    }

    fn parts(&self) -> Option<(f32, f32, &'static [u8])> {
        let (scale, rest) = self.0.split_first_chunk::<4>()?;
        let (bias, weights) = rest.split_first_chunk::<4>()?;
        Some((f32::from_le_bytes(*scale), f32::from_le_bytes(*bias), weights))
    }
}

/// The buckets of all features, as the training script makes them.
pub(crate) fn features(text: &str) -> Vec<usize> {
    let words = words(text);
    let mut found = Features::default();
    let length = (usize::BITS - words.len().leading_zeros()).min(6);
    found.add(&["n ", &length.to_string()]);
    let mut starts = Vec::new();
    for (at, word) in words.iter().enumerate() {
        found.add(&["w ", word]);
        if let Some(before) = at.checked_sub(1).and_then(|before| words.get(before)) {
            found.add(&["2 ", before, " ", word]);
        }
        starts.clear();
        starts.extend(word.char_indices().map(|(start, _)| start).chain([word.len()]));
        let part = |from: usize, to: usize| {
            let (from, to) = (starts.get(from).copied(), starts.get(to).copied());
            from.zip(to).and_then(|(from, to)| word.get(from..to)).unwrap_or_default()
        };
        let letters = starts.len() - 1;
        if word.chars().any(|c| u32::from(c) > 0x2E80) {
            for length in 1..=3 {
                (0..(letters + 1).saturating_sub(length))
                    .for_each(|from| found.add(&["c ", part(from, from + length)]));
            }
        } else {
            for length in [3, 4].into_iter().filter(|length| letters >= *length) {
                found.add(&["s ", part(letters + 1 - length, letters), ">"]);
                found.add(&["p ", part(0, length)]);
            }
        }
    }
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        found.add(&["^ ", first]);
        found.add(&["$ ", last]);
        if let Some(second) = words.get(1) {
            found.add(&["^^ ", first, " ", second]);
        }
    }
    found.buckets
}

/// Features, each once: a hash of 64 bits tells them apart, so that none is written down.
#[derive(Default)]
struct Features {
    seen: FxHashSet<u64>,
    buckets: Vec<usize>,
}

impl Features {
    /// Adds the feature that these parts make.
    fn add(&mut self, parts: &[&str]) {
        let bytes = || parts.iter().flat_map(|part| part.bytes());
        let long = bytes().fold(0xCBF2_9CE4_8422_2325, |value: u64, byte| {
            (value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        if self.seen.insert(long) {
            self.buckets.push(fnv_of(bytes()) as usize % BUCKETS);
        }
    }
}

/// Runs of letters and digits in lower case, question marks and exclamation marks. All numbers become the same word.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    let end = |word: &mut String, found: &mut Vec<String>| {
        if !word.is_empty() {
            let is_number = word.chars().all(|c| c.is_ascii_digit());
            found.push(if is_number { "0".to_owned() } else { std::mem::take(word) });
            word.clear();
        }
    };
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        end(&mut word, &mut found);
        if "?!¿¡".contains(c) {
            found.push(c.to_string());
        }
        if found.len() >= LONGEST {
            return found;
        }
    }
    end(&mut word, &mut found);
    found
}

/// FNV-1a.
pub(crate) fn fnv(text: &str) -> u32 {
    fnv_of(text.bytes())
}

fn fnv_of(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0x811C_9DC5, |value, byte| (value ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
