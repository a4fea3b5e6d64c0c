//! What a summary may cost, in tokens.

/// The share of what it stands for that a conversation's summary may cost, in percent.
const SHARE: u32 = 40;
/// The same of a chunk.
const SHARE_OF_CHUNK: u32 = 80;
/// Bounds of a conversation's summary: a short talk is rather kept whole, a long one is still read at a glance.
const LEAST: u32 = 80;
const MOST: u32 = 1_000;
/// What a lane's summary costs at least and at most, and how much more with every doubling of the messages.
const LEAST_OF_LANE: f64 = 900.0;
const MOST_OF_LANE: f64 = 3_000.0;
const DOUBLING: f64 = 600.0;
/// The messages with which the doubling begins.
const FIRST_OF_LANE: f64 = 25.0;

/// The most that the summary of a conversation, or of a part of one, may cost. Below the least, whole sentences and their
/// headings are all there is to save.
#[must_use]
pub fn span_cap(tokens: u32) -> u32 {
    share(tokens, SHARE)
}

/// The most that the summary of a chunk may cost. What falls out of a rolling window has no other place, so more is kept.
#[must_use]
pub fn chunk_cap(tokens: u32) -> u32 {
    share(tokens, SHARE_OF_CHUNK)
}

fn share(tokens: u32, percent: u32) -> u32 {
    let share = u64::from(tokens) * u64::from(percent) / 100;
    u32::try_from(share).unwrap_or(MOST).clamp(LEAST, MOST)
}

/// The most that the summary of a lane or chat may cost: it grows with the logarithm of the messages that it stands for.
#[must_use]
pub fn lane_cap(messages: u64) -> u32 {
    let doublings = (1.0 + messages as f64 / FIRST_OF_LANE).log2();
    (DOUBLING * doublings).clamp(LEAST_OF_LANE, MOST_OF_LANE) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d4_a_summary_costs_a_share_of_a_conversation_and_is_bounded() {
        assert_eq!([0, 60, 150, 1_000, 50_000, u32::MAX].map(span_cap), [80, 80, 80, 400, 1_000, 1_000]);
    }

    #[test]
    fn d4_a_lanes_summary_grows_slowly_and_is_bounded() {
        assert_eq!([0, 20, 100, 419, 663, 1_000_000].map(lane_cap), [900, 900, 1_393, 2_490, 2_869, 3_000]);
    }
}
