//! Joins hits that say the same.

use std::collections::HashMap;

use super::words;

/// Groups texts that have the same words in the same order, however they are written. Each group keeps the place of its
/// first text.
#[must_use]
pub fn groups<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Vec<usize>> {
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, text) in texts.enumerate() {
        let terms = words::terms(text);
        // Texts without a word, such as a smile, are not told apart by their words.
        let group = if terms.is_empty() { groups.len() } else { *known.entry(terms).or_insert(groups.len()) };
        match groups.get_mut(group) {
            Some(same) => same.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
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
