//! Patterns over the words of a text: steps in order, some of them optional. The authors of the patterns define what
//! one step matches.

/// One step of a pattern.
#[derive(Debug)]
pub(crate) struct Step<A> {
    /// The atom to match.
    pub atom: A,
    is_optional: bool,
}

impl<A> Step<A> {
    /// A required step.
    pub(crate) const fn once(atom: A) -> Self {
        Self { atom, is_optional: false }
    }

    /// An optional step.
    pub(crate) const fn optional(atom: A) -> Self {
        Self { atom, is_optional: true }
    }

    /// True if the step is optional.
    pub(crate) const fn is_optional(&self) -> bool {
        self.is_optional
    }
}

/// Matches the steps from `at` on, and returns the end of the match with the state after the last step. `take` does the
/// same for one atom.
pub(crate) fn follow<A, S: Copy>(
    steps: &[Step<A>],
    at: usize,
    state: S,
    take: &impl Fn(&A, usize, S) -> Option<(usize, S)>,
) -> Option<(usize, S)> {
    let Some((step, rest)) = steps.split_first() else { return Some((at, state)) };
    let taken = take(&step.atom, at, state).and_then(|(end, state)| follow(rest, end, state, take));
    if step.is_optional { taken.or_else(|| follow(rest, at, state, take)) } else { taken }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_may_be_missing_is_taken_if_the_others_still_fit() {
        let end = |steps: &[Step<char>], text: &str| {
            let take = |atom: &char, at: usize, taken: usize| {
                text.chars().nth(at).filter(|c| c == atom).map(|_| (at + 1, taken + 1))
            };
            follow(steps, 0, 0, &take)
        };
        let once = Step::once;
        assert_eq!(end(&[once('a'), Step::optional('b'), once('c')], "ac"), Some((2, 2)));
        assert_eq!(end(&[once('a'), Step::optional('b'), once('c')], "abc"), Some((3, 3)));
        assert_eq!(end(&[Step::optional('a'), once('a')], "a"), Some((1, 1)));
        assert_eq!(end(&[once('a'), once('b')], "ac"), None);
        assert_eq!(end(&[], "a"), Some((0, 0)));
    }
}
