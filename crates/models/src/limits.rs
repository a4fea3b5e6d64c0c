//! Time and size limits of an answer.

use std::time::Duration;

/// Limits after which an answer is given up or cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum time until the first words.
    pub first: Duration,
    /// Maximum time between two pieces.
    pub between: Duration,
    /// Maximum time for the whole answer.
    pub whole: Duration,
    /// Maximum size of the answer's text, in bytes.
    pub largest: usize,
    /// Maximum length of a reply, in tokens.
    pub reply_tokens: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(60),
            between: Duration::from_secs(30),
            whole: Duration::from_secs(300),
            largest: 1 << 20,
            reply_tokens: 8192,
        }
    }
}
