//! The maximum length of summaries, in tokens.

/// Maximum length of a conversation's summary, in percent of its messages' tokens.
const SHARE: u32 = 40;
/// The same for a chunk.
const SHARE_OF_CHUNK: u32 = 80;
/// Bounds of a conversation's summary: a short one is kept almost whole, a long one stays readable at a glance.
const MIN_OF_SPAN: u32 = 80;
const MAX_OF_SPAN: u32 = 1_000;
/// Bounds of a lane's summary, and its growth with every doubling of the messages.
const MIN_OF_LANE: f64 = 900.0;
const MAX_OF_LANE: f64 = 3_000.0;
const DOUBLING: f64 = 600.0;
/// The number of messages at which the growth begins.
const FIRST_OF_LANE: f64 = 25.0;

/// The maximum tokens of the summary of a conversation or a part of one. Below the minimum, summarizing saves nothing
/// but whole sentences and headings.
#[must_use]
pub fn span_cap(tokens: u32) -> u32 {
    share(tokens, SHARE)
}

/// The maximum tokens of a chunk's summary. Messages that leave a rolling window are shown nowhere else, so more is
/// kept.
#[must_use]
pub fn chunk_cap(tokens: u32) -> u32 {
    share(tokens, SHARE_OF_CHUNK)
}

fn share(tokens: u32, percent: u32) -> u32 {
    let share = u64::from(tokens) * u64::from(percent) / 100;
    u32::try_from(share).unwrap_or(MAX_OF_SPAN).clamp(MIN_OF_SPAN, MAX_OF_SPAN)
}

/// The maximum tokens of the summary of a lane or chat, which grows with the logarithm of the messages it covers.
#[must_use]
pub fn lane_cap(messages: u64) -> u32 {
    let doublings = (1.0 + messages as f64 / FIRST_OF_LANE).log2();
    (DOUBLING * doublings).clamp(MIN_OF_LANE, MAX_OF_LANE) as u32
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
