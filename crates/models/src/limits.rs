//! How long and how large an answer may be.

use std::time::Duration;

/// Time and size after which an answer is given up or cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until the first words.
    pub first: Duration,
    /// Between two pieces.
    pub between: Duration,
    /// For the whole answer.
    pub whole: Duration,
    /// Bytes of the answer's text.
    pub largest: usize,
    /// Tokens of a reply.
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
