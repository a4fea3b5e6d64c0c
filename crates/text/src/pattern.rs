//! Patterns over the words of a text: steps in order, some of which may be missing or repeat. What one step matches is
//! for those who write the patterns.

/// One step of a pattern.
#[derive(Debug)]
pub(crate) struct Step<A> {
    /// What stands here.
    pub atom: A,
    least: usize,
    most: usize,
    is_short: bool,
}

impl<A> Step<A> {
    /// A step that is there once.
    pub(crate) const fn once(atom: A) -> Self {
        Self { atom, least: 1, most: 1, is_short: false }
    }

    /// A step that may be missing.
    pub(crate) const fn optional(atom: A) -> Self {
        Self { atom, least: 0, most: 1, is_short: false }
    }

    /// A step that may be missing or repeat, as often as it can.
    pub(crate) const fn repeated(atom: A, most: usize) -> Self {
        Self { atom, least: 0, most, is_short: false }
    }

    /// A gap, as short as the steps after it allow.
    pub(crate) const fn gap(atom: A, most: usize) -> Self {
        Self { atom, least: 0, most, is_short: true }
    }

    /// Whether it may be missing.
    pub(crate) const fn is_optional(&self) -> bool {
        self.least == 0
    }
}

/// Where the steps end that begin at `at`, and the state behind the last. `take` tells the same of one atom.
pub(crate) fn follow<A, S: Copy>(
    steps: &[Step<A>],
    at: usize,
    state: S,
    take: &impl Fn(&A, usize, S) -> Option<(usize, S)>,
) -> Option<(usize, S)> {
    let Some((step, rest)) = steps.split_first() else { return Some((at, state)) };
    if step.least == 1 && step.most == 1 {
        let (end, state) = take(&step.atom, at, state)?;
        return follow(rest, end, state, take);
    }
    let mut ends = vec![(at, state)];
    while ends.len() <= step.most {
        let (here, state) = ends.last().copied()?;
        match take(&step.atom, here, state) {
            Some(end) => ends.push(end),
            None => break,
        }
    }
    let enough = ends.get(step.least..)?;
    let go_on = |(end, state): &(usize, S)| follow(rest, *end, *state, take);
    if step.is_short { enough.iter().find_map(go_on) } else { enough.iter().rev().find_map(go_on) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_step_is_as_long_as_it_can_be_and_a_gap_as_short() {
        let end = |steps: &[Step<char>], text: &str| {
            let take = |atom: &char, at: usize, taken: usize| {
                text.chars().nth(at).filter(|c| *atom == '_' || c == atom).map(|_| (at + 1, taken + 1))
            };
            follow(steps, 0, 0, &take)
        };
        let once = Step::once;
        assert_eq!(end(&[once('a'), Step::optional('b'), once('c')], "ac"), Some((2, 2)));
        assert_eq!(end(&[Step::optional('a'), once('a')], "a"), Some((1, 1)));
        assert_eq!(end(&[Step::repeated('_', 9), once('b')], "abab"), Some((4, 4)));
        assert_eq!(end(&[Step::gap('_', 9), once('b')], "abab"), Some((2, 2)));
        assert_eq!(end(&[Step::gap('_', 1), once('c')], "abc"), None);
        assert_eq!(end(&[], "a"), Some((0, 0)));
    }
}
