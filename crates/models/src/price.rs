//! List prices of hosted models, as of November 2026. A model that is not listed has no known cost.

/// Tokens of one call, by price category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Read without a cache.
    pub input: u32,
    /// Written to a cache.
    pub cache_write: u32,
    /// Read from a cache.
    pub cache_read: u32,
    /// Written.
    pub output: u32,
}

impl std::ops::Add for Tokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            output: self.output.saturating_add(other.output),
        }
    }
}

impl Tokens {
    /// All tokens read.
    #[must_use]
    pub fn read(self) -> u32 {
        self.input.saturating_add(self.cache_write).saturating_add(self.cache_read)
    }
}

/// US dollars per million tokens.
struct Price {
    input: f64,
    cache_write: f64,
    cache_read: f64,
    output: f64,
}

/// Anthropic charges a quarter more for writing to the cache, and a tenth for reading from it.
const fn anthropic(input: f64, output: f64) -> Price {
    Price { input, cache_write: input * 1.25, cache_read: input * 0.1, output }
}

/// OpenAI charges nothing extra for writing to the cache.
const fn openai(input: f64, cache_read: f64, output: f64) -> Price {
    Price { input, cache_write: input, cache_read, output }
}

/// Model name prefixes and their prices.
const PRICES: [(&str, Price); 37] = [
    ("claude-fable-5", anthropic(10.0, 50.0)),
    ("claude-opus-5", anthropic(5.0, 25.0)),
    ("claude-opus-4-8", anthropic(5.0, 25.0)),
    ("claude-opus-4-7", anthropic(5.0, 25.0)),
    ("claude-opus-4-6", anthropic(5.0, 25.0)),
    ("claude-opus-4-5", anthropic(5.0, 25.0)),
    ("claude-opus-4-1", anthropic(15.0, 75.0)),
    ("claude-opus-4", anthropic(15.0, 75.0)),
    ("claude-sonnet-5", anthropic(2.0, 10.0)),
    ("claude-sonnet-4-6", anthropic(3.0, 15.0)),
    ("claude-sonnet-4-5", anthropic(3.0, 15.0)),
    ("claude-sonnet-4", anthropic(3.0, 15.0)),
    ("claude-3-7-sonnet", anthropic(3.0, 15.0)),
    ("claude-3-5-sonnet", anthropic(3.0, 15.0)),
    ("claude-haiku-4-5", anthropic(1.0, 5.0)),
    ("claude-3-5-haiku", anthropic(0.8, 4.0)),
    ("claude-3-haiku", anthropic(0.25, 1.25)),
    ("gpt-5.5-pro", openai(30.0, 3.0, 180.0)),
    ("gpt-5.5", openai(5.0, 0.5, 30.0)),
    ("gpt-5.4-pro", openai(30.0, 3.0, 180.0)),
    ("gpt-5.4-mini", openai(0.75, 0.075, 4.5)),
    ("gpt-5.4", openai(2.5, 0.25, 15.0)),
    ("gpt-5.2", openai(1.75, 0.175, 14.0)),
    ("gpt-5.1", openai(1.25, 0.125, 10.0)),
    ("gpt-5-mini", openai(0.25, 0.025, 2.0)),
    ("gpt-5-nano", openai(0.05, 0.005, 0.4)),
    ("gpt-5", openai(1.25, 0.125, 10.0)),
    ("gpt-4.1-mini", openai(0.4, 0.1, 1.6)),
    ("gpt-4.1-nano", openai(0.1, 0.025, 0.4)),
    ("gpt-4.1", openai(2.0, 0.5, 8.0)),
    ("gpt-4o-mini", openai(0.15, 0.075, 0.6)),
    ("gpt-4o", openai(2.5, 1.25, 10.0)),
    ("o4-mini", openai(1.1, 0.275, 4.4)),
    ("o3-mini", openai(1.1, 0.55, 4.4)),
    ("o3", openai(2.0, 0.5, 8.0)),
    ("o1-mini", openai(1.1, 0.55, 4.4)),
    ("o1", openai(15.0, 7.5, 60.0)),
];

/// The cost of a call, in US dollars.
#[must_use]
pub fn cost(model: &str, tokens: Tokens) -> Option<f64> {
    let (_, price) = PRICES.iter().find(|(name, _)| has_name(model, name))?;
    let sum = f64::from(tokens.input) * price.input
        + f64::from(tokens.cache_write) * price.cache_write
        + f64::from(tokens.cache_read) * price.cache_read
        + f64::from(tokens.output) * price.output;
    Some(sum / 1e6)
}

/// The cost of reading and writing this many tokens without a cache, in US dollars.
pub(crate) fn list_cost(model: &str, read: u64, written: u64) -> Option<f64> {
    let (_, price) = PRICES.iter().find(|(name, _)| has_name(model, name))?;
    Some((read as f64 * price.input + written as f64 * price.output) / 1e6)
}

/// Returns true if a model has this name, possibly with a date or `latest`. Other versions, such as `gpt-5-max` for
/// `gpt-5`, may have another price.
fn has_name(model: &str, name: &str) -> bool {
    match model.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(['-', '@']).is_some_and(|rest| {
            rest == "latest" || rest.len() >= 8 && rest.chars().all(|c| c.is_ascii_digit() || c == '-')
        }),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g7_a_call_costs_what_its_tokens_are_listed_at() {
        let tokens =
            Tokens { input: 1_000_000, cache_write: 1_000_000, cache_read: 1_000_000, output: 1_000_000 };
        let cases = [
            ("claude-sonnet-4-5", Some(3.0 + 3.75 + 0.3 + 15.0)),
            ("claude-sonnet-4-5-20250929", Some(3.0 + 3.75 + 0.3 + 15.0)),
            ("claude-opus-4-20250514", Some(15.0 + 18.75 + 1.5 + 75.0)),
            ("claude-opus-4-9", None),
            ("gpt-4o-2024-08-06", Some(2.5 + 2.5 + 1.25 + 10.0)),
            ("gpt-4o-mini", Some(0.15 + 0.15 + 0.075 + 0.6)),
            ("gpt-4o-audio", None),
            ("somebody/else", None),
            ("", None),
        ];
        for (model, expected) in cases {
            let cost = cost(model, tokens);
            let close = cost.zip(expected).is_some_and(|(cost, expected)| (cost - expected).abs() < 1e-9);
            assert!(close || cost == expected, "{model}: {cost:?}, not {expected:?}");
        }
    }
}
