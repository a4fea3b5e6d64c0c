//! Small linear models over words and their parts, which the scripts in `training` fit and write as bytes.

use std::collections::HashSet;

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
    let mut found: HashSet<String> = HashSet::new();
    found.insert(format!("n {}", (usize::BITS - words.len().leading_zeros()).min(6)));
    for (at, word) in words.iter().enumerate() {
        found.insert(format!("w {word}"));
        if let Some(before) = at.checked_sub(1).and_then(|before| words.get(before)) {
            found.insert(format!("2 {before} {word}"));
        }
        let letters: Vec<char> = word.chars().collect();
        if letters.iter().any(|c| u32::from(*c) > 0x2E80) {
            for length in 1..=3 {
                found.extend(
                    letters.windows(length).map(|part| format!("c {}", part.iter().collect::<String>())),
                );
            }
        } else {
            for length in [3, 4].into_iter().filter(|length| letters.len() >= *length) {
                let ending: String = letters.iter().skip(letters.len() + 1 - length).collect();
                let beginning: String = letters.iter().take(length).collect();
                found.insert(format!("s {ending}>"));
                found.insert(format!("p {beginning}"));
            }
        }
    }
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        found.insert(format!("^ {first}"));
        found.insert(format!("$ {last}"));
        if let Some(second) = words.get(1) {
            found.insert(format!("^^ {first} {second}"));
        }
    }
    found.iter().map(|feature| bucket(feature)).collect()
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

fn bucket(feature: &str) -> usize {
    fnv(feature) as usize % BUCKETS
}

/// FNV-1a.
pub(crate) fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |value, byte| (value ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
