//! The queue of updates: waiting and acknowledged ones, and the polls for them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::params::Params;
use super::refusal::Refusal;

/// Update kinds that must be requested by name.
const ON_REQUEST: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];

/// Updates that wait for the bot.
#[derive(Debug)]
pub(super) struct Updates {
    next: i64,
    waiting: BTreeMap<i64, Value>,
    /// The requested kinds; all usual ones by default.
    allowed: Option<BTreeSet<String>>,
    pub webhook: Option<String>,
    /// How long a dropped poll blocks the next one.
    pub hold: Duration,
    dropped_at: Option<Instant>,
    newest_poll: u64,
    /// True if a poll is waiting.
    pub is_polled: bool,
}

impl Default for Updates {
    fn default() -> Self {
        Self {
            // Real ids are large and start anywhere.
            next: 830_000_001,
            waiting: BTreeMap::new(),
            allowed: None,
            webhook: None,
            hold: Duration::from_secs(50),
            dropped_at: None,
            newest_poll: 0,
            is_polled: false,
        }
    }
}

impl Updates {
    /// Adds an update, unless its kind was not requested.
    pub fn push(&mut self, mut update: Value) {
        let Some(fields) = update.as_object_mut() else { return };
        let id = fields.get("update_id").and_then(Value::as_i64).unwrap_or(self.next);
        let kind = fields.keys().find(|name| *name != "update_id").cloned().unwrap_or_default();
        let wanted = match &self.allowed {
            Some(allowed) => allowed.contains(&kind),
            None => !ON_REQUEST.contains(&kind.as_str()),
        };
        if wanted {
            let mut whole = json!({ "update_id": id });
            if let Some(whole) = whole.as_object_mut() {
                whole.append(fields);
            }
            self.waiting.insert(id, whole);
        }
        self.next = self.next.max(id + 1);
    }

    /// Adds an update of a kind.
    pub fn add(&mut self, kind: &str, content: Value) {
        self.push(json!({ kind: content }));
    }

    /// Begins a poll, which ends the one before it, and returns its number.
    pub fn begin(&mut self, params: &Params, now: Instant) -> Result<u64, Refusal> {
        if self.webhook.is_some() {
            return Err(Refusal::new(
                409,
                "Conflict: can't use getUpdates method while webhook is active; \
                 use deleteWebhook to delete the webhook first",
            ));
        }
        if self.dropped_at.is_some_and(|at| now.duration_since(at) < self.hold) {
            return Err(Refusal::second_poll());
        }
        if let Some(Value::Array(kinds)) = params.nested("allowed_updates") {
            let kinds: BTreeSet<_> = kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            self.allowed = (!kinds.is_empty()).then_some(kinds);
        }
        self.acknowledge(params.number("offset").unwrap_or_default());
        self.newest_poll += 1;
        self.is_polled = true;
        Ok(self.newest_poll)
    }

    /// The answer to a poll: updates, nothing yet, or a conflict with a newer poll.
    pub fn poll(&self, poll: u64, params: &Params) -> Result<Option<Value>, Refusal> {
        if poll != self.newest_poll {
            return Err(Refusal::second_poll());
        }
        let limit = params.number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(100);
        let limit = limit.clamp(1, 100);
        let ready: Vec<_> = self.waiting.values().take(limit).cloned().collect();
        Ok((!ready.is_empty()).then_some(Value::Array(ready)))
    }

    /// Ends a poll that was answered.
    pub fn end(&mut self, poll: u64) {
        if poll == self.newest_poll {
            self.is_polled = false;
        }
    }

    /// Ends a poll whose client vanished. The server notices late, and refuses other polls until then.
    pub fn drop_poll(&mut self, poll: u64, now: Instant) {
        if poll == self.newest_poll {
            self.is_polled = false;
            self.dropped_at = Some(now);
        }
    }

    /// Number of waiting updates.
    pub fn pending(&self) -> usize {
        self.waiting.len()
    }

    /// Drops all updates below an offset; a negative offset counts from the end.
    fn acknowledge(&mut self, offset: i64) {
        let first = match usize::try_from(offset.unsigned_abs()) {
            Ok(last) if offset < 0 => self.waiting.keys().rev().nth(last.saturating_sub(1)).copied(),
            _ => Some(offset),
        };
        if let Some(first) = first {
            self.waiting = self.waiting.split_off(&first);
        }
    }

    /// Drops all waiting updates.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }
}
