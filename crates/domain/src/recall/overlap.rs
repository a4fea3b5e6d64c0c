//! How much of a question a text covers, word by word, so that the texts of neighbors can be taken together.

/// What a text covers of a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overlap {
    /// Share of the question that the text covers, 0 to 1. A word that is only related to one of the question covers little
    /// of it, because this share also decides whether anything was found at all.
    pub share: f32,
    /// For each word of the question, the share of the question that the text covers with it. Related words count for more
    /// here: for the order of messages, any relation is a hint.
    pub words: Vec<f32>,
    /// Share of the question in words whose meaning is known, 0 to 1. It is low in languages that the table of words was not
    /// made for; the messages are then ranked by their terms.
    pub known: f32,
}

impl Overlap {
    /// The overlap of a text that was not compared: it covers what its terms do.
    #[must_use]
    pub fn of_terms(coverage: f32, known: f32) -> Self {
        Self { share: coverage, words: vec![coverage], known }
    }

    /// The share of the question that the text covers, related words counting for more.
    #[must_use]
    pub fn sum(&self) -> f32 {
        self.words.iter().sum()
    }

    /// What other texts cover of the question that this one does not.
    #[must_use]
    pub fn added_by<'a>(&self, others: impl Iterator<Item = &'a Self>) -> f32 {
        let mut all = self.words.clone();
        for other in others {
            all.iter_mut().zip(&other.words).for_each(|(most, covered)| *most = most.max(*covered));
        }
        all.iter().sum::<f32>() - self.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_add_only_what_a_text_does_not_cover() {
        let overlap = |words: &[f32]| Overlap { words: words.to_vec(), ..Overlap::default() };
        let (own, before, after) =
            (overlap(&[0.5, 0.0, 0.125]), overlap(&[0.5, 0.25, 0.0]), overlap(&[0.25, 0.125, 0.0]));
        assert_eq!(own.added_by([&before, &after].into_iter()), 0.25);
        assert_eq!(own.added_by(std::iter::empty()), 0.0);
        assert_eq!(Overlap::default().added_by([&before].into_iter()), 0.0);
    }
}
