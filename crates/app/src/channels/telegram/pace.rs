//! Telegram's rate limits: about one message a second in a chat, twenty a minute in a group, and thirty a second in
//! total. A bot that respects them is rarely told to wait.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use throughline_domain::channel::is_group;
use throughline_domain::chat::ChatId;

/// Number of messages that may be sent to a chat at once.
const BURST: f64 = 3.0;
const GROUP_BURST: f64 = 5.0;
const A_SECOND: f64 = 1.0;
const A_GROUP_SECOND: f64 = 15.0 / 60.0;
const ALL_BURST: f64 = 30.0;
const ALL_A_SECOND: f64 = 30.0;

/// Back-off after the first failure; each further failure doubles it, up to the maximum.
const PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The back-off after this many consecutive failures.
pub fn pause(failures: u32) -> Duration {
    PAUSE.saturating_mul(2u32.saturating_pow(failures)).min(LONGEST_PAUSE)
}

/// Token buckets for messages.
#[derive(Default)]
pub struct Pace {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    chats: HashMap<ChatId, Bucket>,
    all: Option<Bucket>,
    /// The chats for which Telegram asked to wait, and until when.
    paused: HashMap<ChatId, Instant>,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn refill(before: Option<Self>, burst: f64, rate: f64, now: Instant) -> Self {
        let Some(Self { left, at }) = before else { return Self { left: burst, at: now } };
        Self { left: (left + now.saturating_duration_since(at).as_secs_f64() * rate).min(burst), at: now }
    }

    fn wait(self, needed: f64, rate: f64) -> Duration {
        if self.left >= needed {
            Duration::ZERO
        } else {
            Duration::from_secs_f64((needed - self.left) / rate)
        }
    }
}

impl Pace {
    /// The wait before the next message to a chat. Zero means that a message may be sent now, and counts it as sent.
    pub fn acquire(&self, chat: &ChatId, now: Instant) -> Duration {
        self.step_leaving(0.0, chat, now)
    }

    /// The same for an optional edit, which leaves room for messages that must be sent.
    pub fn acquire_optional(&self, chat: &ChatId, now: Instant) -> Duration {
        self.step_leaving(1.0, chat, now)
    }

    fn step_leaving(&self, left: f64, chat: &ChatId, now: Instant) -> Duration {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (burst, rate) = if is_group(chat) { (GROUP_BURST, A_GROUP_SECOND) } else { (BURST, A_SECOND) };
        let mut own = Bucket::refill(state.chats.get(chat).copied(), burst, rate, now);
        let mut all = Bucket::refill(state.all, ALL_BURST, ALL_A_SECOND, now);
        state.paused.retain(|_, until| *until > now);
        let paused =
            state.paused.get(chat).map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        let wait = own.wait(1.0 + left, rate).max(all.wait(1.0 + left, ALL_A_SECOND)).max(paused);
        if wait.is_zero() {
            own.left -= 1.0;
            all.left -= 1.0;
        }
        // Full buckets need no entry.
        state.chats.retain(|_, bucket| {
            Bucket::refill(Some(*bucket), GROUP_BURST, A_GROUP_SECOND, now).left < GROUP_BURST
        });
        state.chats.insert(chat.clone(), own);
        state.all = Some(all);
        wait
    }

    /// Uncounts a message that was not sent.
    pub fn release(&self, chat: &ChatId) {
        let mut guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *guard;
        for bucket in state.chats.get_mut(chat).into_iter().chain(&mut state.all) {
            bucket.left += 1.0;
        }
    }

    /// Pauses sending to a chat.
    pub fn pause(&self, chat: &ChatId, wait: Duration, now: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.paused.insert(chat.clone(), now + wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_gets_a_short_burst_and_then_a_message_a_second() {
        let (pace, chat, start) = (Pace::default(), "telegram:chat:1".parse().unwrap(), Instant::now());
        let waits: Vec<u64> = (0..4).map(|_| pace.acquire(&chat, start).as_millis() as u64).collect();
        assert_eq!(waits, [0, 0, 0, 1000]);
        assert_eq!(pace.acquire(&chat, start + Duration::from_secs(1)), Duration::ZERO);
        pace.release(&chat);
        assert_eq!(pace.acquire(&chat, start + Duration::from_secs(1)), Duration::ZERO, "nothing was sent");
        let other = "telegram:chat:2".parse().unwrap();
        assert_eq!(pace.acquire(&other, start), Duration::ZERO, "others do not wait for it");
        pace.pause(&other, Duration::from_secs(9), start);
        assert_eq!(pace.acquire(&other, start + Duration::from_secs(4)), Duration::from_secs(5));
    }

    #[test]
    fn edits_and_messages_of_a_group_together_keep_within_twenty_a_minute() {
        let (pace, chat, start) = (Pace::default(), "telegram:chat:-5".parse().unwrap(), Instant::now());
        let (mut edits, mut messages) = (0, 0);
        for tenths in 0..600 {
            let now = start + Duration::from_millis(tenths * 100);
            edits += u32::from(pace.acquire_optional(&chat, now).is_zero());
            if tenths % 100 == 99 {
                // What must be sent finds room, however much is edited.
                assert_eq!(pace.acquire(&chat, now), Duration::ZERO, "{tenths}");
                messages += 1;
            }
        }
        assert!(edits > 5 && edits + messages <= 20, "{edits} edits, {messages} messages");
    }
}
