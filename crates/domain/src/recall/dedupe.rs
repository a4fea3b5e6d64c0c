//! Joins hits that say the same.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher as _};

/// Groups texts that have the same letters and digits in the same order, however they are written. Each group keeps the
/// place of its first text.
#[must_use]
pub fn groups<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Vec<usize>> {
    let mut known: HashMap<u64, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut letters = Vec::new();
    for (place, text) in texts.enumerate() {
        // Texts without a letter, such as a smile, do not differ by their letters.
        let group = fingerprint(text, &mut letters)
            .map_or(groups.len(), |print| *known.entry(print).or_insert(groups.len()));
        match groups.get_mut(group) {
            Some(same) => same.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}

/// The hash of the letters and digits of a text. `letters` is used again from text to text.
fn fingerprint(text: &str, letters: &mut Vec<u8>) -> Option<u64> {
    letters.clear();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            letters.push(c.to_ascii_lowercase() as u8);
        } else if !c.is_ascii() && c.is_alphanumeric() {
            c.to_lowercase().for_each(|c| letters.extend(c.encode_utf8(&mut [0; 4]).bytes()));
        }
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(letters);
    (!letters.is_empty()).then(|| hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h1_the_same_words_are_one_hit() {
        let texts = ["My dog is Rex.", "the cat", "my dog is rex", "🙂", "The Cat!", "🙂"];
        assert_eq!(groups(texts.into_iter()), [vec![0, 2], vec![1, 4], vec![3], vec![5]]);
    }
}
