//! Metrics of a ranking, independent of the meaning of the ids.

use std::collections::HashSet;
use std::hash::Hash;

/// The names of the metrics, in the order of [`Figures`].
pub const NAMES: [&str; 8] = [
    "recall_any@5",
    "recall_all@5",
    "recall@5",
    "recall_any@10",
    "recall_all@10",
    "recall@10",
    "ndcg@10",
    "mrr",
];

/// One number from 0 to 1 for each of [`NAMES`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures([f64; NAMES.len()]);

impl Figures {
    /// The figures of one ranking, best first and without repeats; `None` if there is no gold.
    pub fn of<T: Eq + Hash>(ranking: &[T], gold: &HashSet<T>) -> Option<Self> {
        if gold.is_empty() {
            return None;
        }
        let found: Vec<bool> = ranking.iter().map(|id| gold.contains(id)).collect();
        let among = |first: usize| found.iter().take(first).filter(|found| **found).count();
        let any = |first| if among(first) > 0 { 1.0 } else { 0.0 };
        let all = |first| if among(first) == gold.len() { 1.0 } else { 0.0 };
        let share = |first| among(first) as f64 / gold.len() as f64;
        let first = found.iter().position(|found| *found);
        let reciprocal = first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
        Some(Self([
            any(5),
            all(5),
            share(5),
            any(10),
            all(10),
            share(10),
            ndcg(&found, gold.len(), 10),
            reciprocal,
        ]))
    }

    /// The mean; `None` if there are no figures.
    pub fn mean(many: impl IntoIterator<Item = Self>) -> Option<Self> {
        let (mut sum, mut count) = ([0.0; NAMES.len()], 0_u32);
        for Self(figures) in many {
            sum.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
            count += 1;
        }
        (count > 0).then(|| Self(sum.map(|sum| sum / f64::from(count))))
    }

    /// The numbers, in the order of [`NAMES`].
    pub fn values(&self) -> [f64; NAMES.len()] {
        self.0
    }
}

/// The normalized discounted cumulative gain of the first `first` places.
fn ndcg(found: &[bool], gold: usize, first: usize) -> f64 {
    let worth = |at: usize| 1.0 / ((at + 2) as f64).log2();
    let gained: f64 =
        found.iter().take(first).enumerate().filter(|(_, found)| **found).map(|(at, _)| worth(at)).sum();
    let best: f64 = (0..gold.min(first)).map(worth).sum();
    gained / best
}

/// The percentile of samples; 0 if there are none.
pub fn percentile(samples: &[f64], share: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(ranking: &[u32], gold: &[u32]) -> [f64; NAMES.len()] {
        Figures::of(ranking, &gold.iter().copied().collect()).unwrap().values()
    }

    #[test]
    fn each_figure_is_what_its_name_says() {
        let twelve: Vec<u32> = (1..=12).collect();
        let at = |place: f64| 1.0 / (place + 1.0).log2();
        for (name, ranking, gold, expected) in [
            ("the best", &twelve[..], &[1][..], [1.0; 8]),
            ("both at the top", &twelve, &[2, 1], [1.0; 8]),
            ("the last of five", &twelve, &[5], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, at(5.0), 0.2]),
            ("the first after five", &twelve, &[6], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, at(6.0), 1.0 / 6.0]),
            ("the last of ten", &twelve, &[10], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, at(10.0), 0.1]),
            ("the first after ten", &twelve, &[11], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 / 11.0]),
            (
                "one of two in five",
                &twelve,
                &[2, 8],
                [1.0, 0.0, 0.5, 1.0, 1.0, 1.0, (at(2.0) + at(8.0)) / (at(1.0) + at(2.0)), 0.5],
            ),
            ("never found", &twelve, &[99], [0.0; 8]),
            ("nothing ranked", &[], &[1], [0.0; 8]),
        ] {
            assert_eq!(figures(ranking, gold), expected, "{name}");
        }
    }

    #[test]
    fn more_gold_than_places_can_still_be_ranked_perfectly() {
        let twenty: Vec<u32> = (1..=20).collect();
        assert_eq!(figures(&twenty, &twenty), [1.0, 0.0, 0.25, 1.0, 0.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn without_gold_there_is_nothing_to_say() {
        assert_eq!(Figures::of(&[1], &HashSet::new()), None);
        assert_eq!(Figures::mean([]), None);
    }

    #[test]
    fn the_mean_counts_every_question_alike() {
        let found = Figures([1.0; 8]);
        let missed = Figures([0.0; 8]);
        assert_eq!(Figures::mean([found, missed, missed, missed]), Some(Figures([0.25; 8])));
    }

    #[test]
    fn a_percentile_is_one_of_the_samples() {
        let samples: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        let found = [0.0, 0.5, 0.99, 1.0].map(|share| percentile(&samples, share));
        assert_eq!(found, [1.0, 100.0, 198.0, 200.0]);
        assert_eq!((percentile(&[7.0], 0.99), percentile(&[], 0.5)), (7.0, 0.0));
    }
}
