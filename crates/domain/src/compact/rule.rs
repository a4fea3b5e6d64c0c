//! Decides when to summarize a lane's older messages, and which of them.

use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

use crate::context::Preset;

/// When to compact, and which messages stay verbatim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Due if more messages than this follow the watermark.
    pub messages: usize,
    /// Due if these messages have more tokens than this.
    pub tokens: u32,
    /// Due if the watermark last moved this long ago; without one, if the first message is this old.
    pub age: SignedDuration,
    /// Number of newest messages that are never summarized.
    pub keep: usize,
    /// Number of messages summarized at once; `None` for all but the kept ones.
    pub chunk: Option<usize>,
}

/// The properties of a message that a rule considers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// When it was sent.
    pub at: Timestamp,
    /// Its tokens.
    pub tokens: u32,
}

impl Rule {
    /// The rule of a preset; `None` if it never compacts.
    #[must_use]
    pub fn of(preset: Preset) -> Option<Self> {
        let never =
            Self { messages: usize::MAX, tokens: u32::MAX, age: SignedDuration::MAX, keep: 10, chunk: None };
        match preset {
            Preset::Lane | Preset::Standard => {
                Some(Self { messages: 30, tokens: 2_500, age: SignedDuration::from_hours(24), ..never })
            }
            // Whole chunks leave a remainder of newest messages. With `keep`, up to twenty messages would be neither
            // in the window nor in a summary.
            Preset::Rolling => Some(Self { messages: 20, keep: 0, chunk: Some(20), ..never }),
            // Due when the tokens reach 140,000.
            Preset::Full => Some(Self { tokens: 139_999, ..never }),
            Preset::Tiered | Preset::Pairs => None,
        }
    }
}

/// The messages after the watermark, oldest first, that are due to be summarized.
///
/// The range begins right after the watermark, so that spans leave no gap, and never includes the newest `keep`. With
/// a `chunk` it is one whole chunk: call again until nothing is due. `watermark_at` is when the watermark last moved
/// rather than the time of its message, so that a slow conversation is summarized now and then instead of at every
/// message.
///
/// Nothing is due if only kept messages are left, whatever their tokens and age.
#[must_use]
pub fn due(
    rule: &Rule,
    unsummarized: &[Measure],
    now: Timestamp,
    watermark_at: Option<Timestamp>,
) -> Option<Range<usize>> {
    let free = unsummarized.len().saturating_sub(rule.keep);
    let cost = unsummarized.iter().fold(0u32, |sum, message| sum.saturating_add(message.tokens));
    let since = watermark_at.or_else(|| unsummarized.first().map(|first| first.at));
    let is_old = since.is_some_and(|since| now.duration_since(since) >= rule.age);
    if unsummarized.len() <= rule.messages && cost <= rule.tokens && !is_old {
        return None;
    }
    let taken = match rule.chunk {
        Some(chunk) => Some(chunk).filter(|chunk| *chunk <= free)?,
        None => free,
    };
    (taken > 0).then_some(0..taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);

    fn start() -> Timestamp {
        "2026-02-18T09:00:00Z".parse().unwrap()
    }

    /// A number of messages, a minute apart.
    fn talk(count: usize, tokens: u32) -> Vec<Measure> {
        (0..count).map(|n| Measure { at: start() + SignedDuration::from_mins(n as i64), tokens }).collect()
    }

    #[test]
    fn d4_each_preset_compacts_when_it_says() {
        use Preset::{Full, Lane, Rolling, Standard};
        // preset, messages, tokens each, hours since the first, what is taken
        for (preset, count, tokens, hours, taken) in [
            (Lane, 30, 10, 1, None),
            (Lane, 31, 10, 1, Some(0..21)),
            (Standard, 31, 10, 1, Some(0..21)),
            (Lane, 20, 125, 1, None),
            (Lane, 20, 126, 1, Some(0..10)),
            (Lane, 8, 10_000, 1, None),
            (Lane, 12, 10, 23, None),
            (Lane, 12, 10, 24, Some(0..2)),
            (Lane, 10, 10, 48, None),
            (Lane, 0, 0, 48, None),
            (Rolling, 20, 10_000, 48, None),
            (Rolling, 21, 10, 1, Some(0..20)),
            (Rolling, 90, 10, 1, Some(0..20)),
            (Full, 500, 10, 900, None),
            (Full, 139, 1_000, 1, None),
            (Full, 140, 1_000, 1, Some(0..130)),
        ] {
            let rule = Rule::of(preset).unwrap();
            let range = due(&rule, &talk(count, tokens), start() + HOUR * hours, None);
            assert_eq!(range, taken, "{preset:?} with {count} messages of {tokens} after {hours} h");
        }
        assert_eq!([Preset::Tiered, Preset::Pairs].map(Rule::of), [None, None]);
    }

    #[test]
    fn l2_a_rolling_lane_of_47_messages_has_two_summaries_and_none_outside_both_them_and_the_window() {
        let rule = Rule::of(Preset::Rolling).unwrap();
        let mut left = talk(47, 10);
        let mut summaries = 0;
        while let Some(range) = due(&rule, &left, start(), None) {
            left.drain(range);
            summaries += 1;
        }
        assert_eq!((summaries, left.len()), (2, 7));
    }

    #[test]
    fn d4_the_age_is_counted_from_the_watermark() {
        let rule = Rule::of(Preset::Lane).unwrap();
        let now = start() + HOUR;
        assert_eq!(due(&rule, &talk(12, 10), now, Some(start() - HOUR * 22)), None);
        assert_eq!(due(&rule, &talk(12, 10), now, Some(start() - HOUR * 23)), Some(0..2));
    }

    proptest! {
        #[test]
        fn d4_kept_messages_are_never_taken_and_what_was_compacted_is_not_due_again_at_once(
            tokens in proptest::collection::vec(0u32..3_000, 0..120),
            hours in 0i32..100,
            preset in proptest::sample::select(vec![Preset::Lane, Preset::Rolling, Preset::Full]),
        ) {
            let rule = Rule::of(preset).unwrap();
            let mut left: Vec<Measure> = talk(tokens.len(), 0);
            left.iter_mut().zip(tokens).for_each(|(message, tokens)| message.tokens = tokens);
            let now = start() + HOUR * hours;
            let (mut mark, mut rounds) = (None, 0);
            while let Some(range) = due(&rule, &left, now, mark) {
                prop_assert!(range.start == 0 && range.end > 0 && range.end + rule.keep <= left.len());
                left.drain(range);
                mark = Some(now);
                rounds += 1;
            }
            // All at once, or chunk by chunk.
            prop_assert!(rounds <= 1 || rule.chunk.is_some());
        }
    }
}
