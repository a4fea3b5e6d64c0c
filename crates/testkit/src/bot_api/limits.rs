//! The send limits of a bot: about one message a second to a chat, 20 a minute to a group, 30 a second in all.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Recent sends.
#[derive(Debug, Default)]
pub(super) struct Limits {
    chats: HashMap<i64, VecDeque<Instant>>,
    all: VecDeque<Instant>,
}

impl Limits {
    /// Admits a message to a chat, or returns the seconds to wait.
    pub fn pass(&mut self, chat: i64, is_group: bool, now: Instant) -> Result<(), u64> {
        let sent = self.chats.entry(chat).or_default();
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        // A short burst is allowed as long as the average is kept.
        let to_chat = delay(sent, 3, 3 * second, now);
        let to_group = if is_group { delay(sent, 20, minute, now) } else { Duration::ZERO };
        let longest = to_chat.max(to_group).max(delay(&self.all, 30, second, now));
        if !longest.is_zero() {
            return Err(longest.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX));
        }
        sent.push_back(now);
        self.all.push_back(now);
        Ok(())
    }
}

/// The delay until another send is allowed, at `most` per span.
fn delay(past: &VecDeque<Instant>, most: usize, span: Duration, now: Instant) -> Duration {
    match past.len().checked_sub(most).and_then(|oldest| past.get(oldest)) {
        Some(oldest) => span.saturating_sub(now.duration_since(*oldest)),
        None => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_takes_a_burst_of_three_and_then_one_a_second() {
        let (mut limits, start) = (Limits::default(), Instant::now());
        let sent: Vec<_> = (0..4).map(|_| limits.pass(1, false, start)).collect();
        assert_eq!(sent, [Ok(()), Ok(()), Ok(()), Err(3)]);
        assert_eq!(limits.pass(2, false, start), Ok(()), "another chat is not held up");
        assert_eq!(limits.pass(1, false, start + Duration::from_millis(2500)), Err(1));
        assert_eq!(limits.pass(1, false, start + Duration::from_secs(3)), Ok(()));
    }

    #[test]
    fn a_group_takes_twenty_a_minute() {
        let (mut limits, start) = (Limits::default(), Instant::now());
        for second in 0..20 {
            assert_eq!(limits.pass(-1, true, start + Duration::from_secs(second)), Ok(()));
        }
        assert_eq!(limits.pass(-1, true, start + Duration::from_secs(20)), Err(40));
    }

    #[test]
    fn all_chats_together_take_thirty_a_second() {
        let (mut limits, start) = (Limits::default(), Instant::now());
        assert!((0..30).all(|chat| limits.pass(chat, false, start).is_ok()));
        assert_eq!(limits.pass(30, false, start), Err(1));
    }
}
