//! Reads the program's `stream-json` lines.

use serde_json::Value;

use super::trouble;
use crate::anthropic::{Messages, tokens};
use crate::price::Tokens;
use crate::wire::{Dialect, Event, count, has, out_of_tokens, text};

/// Another model could have answered by then.
const LONGEST_WAIT_MS: f64 = 3000.0;

/// The state of the answer. Words come in pieces, then as whole blocks, then once more in the result.
#[derive(Default)]
pub(super) struct StreamJson {
    messages: Messages,
    /// The words of a block that is not yet whole.
    pieces: String,
    /// Whether the program asked again in the middle of a block, and repeats it from the beginning.
    repeats: bool,
    /// Whether any words came.
    spoke: bool,
}

impl Dialect for StreamJson {
    fn read(&mut self, line: &str) -> Vec<Event> {
        // Warnings may stand between the lines.
        let Ok(line) = serde_json::from_str::<Value>(line) else { return Vec::new() };
        // The words of a subagent are not the answer.
        let ours = !has(&line, "/parent_tool_use_id");
        match text(&line, "/type") {
            Some("stream_event") if ours => {
                line.pointer("/event").map(|event| self.event(event)).unwrap_or_default()
            }
            Some("assistant") if ours => self.whole(&line),
            Some("system") => system(&line),
            Some("result") => self.result(&line),
            Some(_) => vec![Event::Alive],
            None => Vec::new(),
        }
    }
}

impl StreamJson {
    fn event(&mut self, event: &Value) -> Vec<Event> {
        if text(event, "/type") == Some("message_start") {
            self.repeats = !self.pieces.is_empty();
        }
        let mut events = self.messages.event(event);
        events.retain_mut(|event| match event {
            Event::Words(piece) if !self.repeats => {
                self.pieces.push_str(piece);
                self.spoke = true;
                true
            }
            Event::Took(_) | Event::Alive | Event::Cut(_) => true,
            // The result says how it ended after all retries.
            Event::Words(_) | Event::Cost(_) | Event::Complete | Event::Failed(_) | Event::Over => false,
        });
        events
    }

    fn whole(&mut self, line: &Value) -> Vec<Event> {
        let mut events = vec![Event::Alive];
        // The program's own words about a failure are no answer.
        if text(line, "/message/model") == Some("<synthetic>") {
            return events;
        }
        events.extend(took(line, "/message/usage"));
        let blocks = line.pointer("/message/content").and_then(Value::as_array);
        for block in blocks.into_iter().flatten().filter_map(|block| text(block, "/text")) {
            let pieces = std::mem::take(&mut self.pieces);
            events.push(Event::Words(match block.strip_prefix(pieces.as_str()) {
                Some(rest) => rest.to_owned(),
                // Words that were shown cannot be taken back.
                None => format!("\n\n{block}"),
            }));
            self.spoke = true;
        }
        events
    }

    fn result(&self, line: &Value) -> Vec<Event> {
        let mut events: Vec<Event> = took(line, "/usage").into_iter().collect();
        let cost = line.pointer("/total_cost_usd").and_then(Value::as_f64);
        events.extend(cost.filter(|cost| *cost > 0.0).map(Event::Cost));
        let words = text(line, "/result").unwrap_or_default();
        let stopped = text(line, "/stop_reason");
        let failed = line.pointer("/is_error").and_then(Value::as_bool) == Some(true)
            || text(line, "/subtype").is_some_and(|kind| kind != "success");
        if stopped == Some("refusal") {
            events.push(Event::Failed(trouble::refusal()));
        } else if failed && words.contains("output token maximum") {
            events.extend([out_of_tokens(), Event::Over]);
        } else if failed {
            events.push(Event::Failed(trouble::of_result(count(line, "/api_error_status"), words)));
        } else {
            if !self.spoke {
                events.push(Event::Words(words.to_owned()));
            }
            events.push(if stopped == Some("max_tokens") { out_of_tokens() } else { Event::Complete });
            events.push(Event::Over);
        }
        events
    }
}

/// The program may wait for its server longer than a person waits for an answer.
fn system(line: &Value) -> Vec<Event> {
    let wait = line.pointer("/retry_delay_ms").and_then(Value::as_f64).unwrap_or_default();
    if text(line, "/subtype") == Some("api_retry") && wait > LONGEST_WAIT_MS {
        let seconds = (wait / 1000.0).ceil();
        return vec![Event::Failed(trouble::busy(
            count(line, "/error_status"),
            "",
            &format!("in {seconds} s"),
        ))];
    }
    vec![Event::Alive]
}

/// Tokens of a call. After a retry the program may leave them out, but no call takes nothing.
fn took(line: &Value, usage: &str) -> Option<Event> {
    let tokens = tokens(line, usage);
    (tokens != Tokens::default()).then_some(Event::Took(tokens))
}
