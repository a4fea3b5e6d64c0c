//! Joins hits that say the same.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Groups texts that have the same letters and digits in the same order, however they are written. Each group keeps the
/// place of its first text.
#[must_use]
pub fn groups<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Vec<usize>> {
    let mut known: HashMap<u64, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, text) in texts.enumerate() {
        // Texts without a letter, such as a smile, do not differ by their letters.
        let group =
            fingerprint(text).map_or(groups.len(), |print| *known.entry(print).or_insert(groups.len()));
        match groups.get_mut(group) {
            Some(same) => same.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}

fn fingerprint(text: &str) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut letters = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).peekable();
    letters.peek()?;
    letters.for_each(|letter| letter.hash(&mut hasher));
    Some(hasher.finish())
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
