//! Percentiles of many samples, memory, and figures beside their goals as people read them.

use std::time::Duration;

/// Times of one thing done many times.
#[derive(Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    pub fn push(&mut self, took: Duration) {
        self.0.push(took.as_secs_f64() * 1e3);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The longest time in milliseconds.
    pub fn longest(&self) -> f64 {
        self.percentile(1.0)
    }

    /// The time in milliseconds that this share of the samples stayed within.
    pub fn percentile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
        sorted.get(at).copied().unwrap_or(0.0)
    }
}

/// The most memory that a process has held, in kilobytes: one by its id, or `self`. Only Linux tells.
pub fn peak_memory(process: &str) -> Option<u64> {
    let told = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    told.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

/// The goals of figures that have one.
pub fn goal(part: &str, figure: &str) -> Option<&'static str> {
    match (part, figure) {
        ("record", "share_of_bare_commits") => Some("at least 0.6"),
        ("import", "messages_per_s") => Some("at least 50000"),
        ("import", "peak_memory_mb") => Some("under 200"),
        ("cold", "p99_ms") => Some("under 20"),
        ("embedder", "microseconds_per_message") => Some("about 10"),
        ("search", "p99_ms") => Some("under 3"),
        ("memory", "peak_memory_mb") => Some("under 150"),
        ("turn", "p99_ms") => Some("under 15"),
        ("embed", "total_s") => Some("under 60"),
        ("search_large", "p99_ms") => Some("under 10"),
        ("context", "large_p99_ms") => Some("under 10"),
        ("http", "p99_ms") => Some("under 10"),
        ("context", "ratio_p50" | "ratio_p99") => Some("at most 1.5"),
        _ => None,
    }
}

pub fn short(value: f64) -> String {
    if value.fract() == 0.0 || value.abs() >= 1_000.0 {
        format!("{value:.0}")
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.3}")
    }
}
