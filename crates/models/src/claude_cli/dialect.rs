//! Parses the program's `stream-json` lines.

use serde_json::Value;
use tokio::time::Instant;

use super::{failure, tools};
use crate::Toolbox;
use crate::anthropic::{Messages, tokens};
use crate::price::Tokens;
use crate::wire::{Dialect, Event, PARAGRAPH, count, has, out_of_tokens, text};

/// Maximum announced wait, in milliseconds, before another model is asked.
const MAX_WAIT_MS: f64 = 3000.0;

/// The state of the answer. Words arrive in pieces, then as whole blocks, then again in the result.
#[derive(Default)]
pub(super) struct StreamJson<'a> {
    toolbox: Option<&'a Toolbox>,
    /// The calls without an answer: id, tool, and when they were made.
    calls: Vec<(String, String, Instant)>,
    /// True if the next words follow a call.
    after_call: bool,
    /// True if the turns were used up by calls.
    is_unanswered: bool,
    messages: Messages,
    /// The words of an incomplete block.
    pieces: String,
    /// True if the program retried in the middle of a block, and repeats it from the beginning.
    repeats: bool,
    /// True if any words arrived.
    spoke: bool,
}

impl Dialect for StreamJson<'_> {
    fn read(&mut self, line: &str) -> Vec<Event> {
        // Warnings may appear between the lines.
        let Ok(line) = serde_json::from_str::<Value>(line) else { return Vec::new() };
        // A subagent's words are not the answer.
        let ours = !has(&line, "/parent_tool_use_id");
        match text(&line, "/type") {
            Some("stream_event") if ours => {
                line.pointer("/event").map(|event| self.event(event)).unwrap_or_default()
            }
            Some("assistant") if ours => self.whole(&line),
            Some("user") if ours => self.answered(&line),
            Some("system") => system(&line),
            Some("result") => self.result(&line),
            Some(_) => vec![Event::Alive],
            None => Vec::new(),
        }
    }
}

impl<'a> StreamJson<'a> {
    pub(super) fn new(toolbox: Option<&'a Toolbox>) -> Self {
        Self { toolbox, ..Self::default() }
    }

    /// Returns true if the turns were used up by calls, without an answer.
    pub(super) fn is_unanswered(&self) -> bool {
        self.is_unanswered
    }

    /// Records the answers to calls.
    fn answered(&mut self, line: &Value) -> Vec<Event> {
        let blocks = line.pointer("/message/content").and_then(Value::as_array);
        for block in blocks.into_iter().flatten() {
            let id = text(block, "/tool_use_id").unwrap_or_default();
            let Some(index) = self.calls.iter().position(|(made, ..)| made == id) else { continue };
            let (_, name, made) = self.calls.swap_remove(index);
            let is_error = block.pointer("/is_error").and_then(Value::as_bool) == Some(true);
            if let Some(toolbox) = self.toolbox {
                toolbox.record(tools::own_name(&name), None, made.elapsed(), is_error);
            }
        }
        vec![Event::Alive]
    }

    /// The words, separated from those before a call.
    fn separated(&mut self, words: &str) -> String {
        let is_first = std::mem::take(&mut self.after_call) && self.spoke;
        if is_first { format!("{PARAGRAPH}{}", words.trim_start()) } else { words.to_owned() }
    }

    fn event(&mut self, event: &Value) -> Vec<Event> {
        if text(event, "/type") == Some("message_start") {
            self.repeats = !self.pieces.is_empty();
        }
        let mut events = self.messages.event(event);
        events.retain_mut(|event| match event {
            Event::Words(piece) if !self.repeats => {
                self.pieces.push_str(piece);
                *piece = self.separated(piece);
                self.spoke = true;
                true
            }
            Event::Took(_) | Event::Alive | Event::Cut(_) => true,
            // The result says how it ended after all retries.
            Event::Words(_)
            | Event::Call(_)
            | Event::Cost(_)
            | Event::Complete
            | Event::Failed(_)
            | Event::Over => false,
        });
        events
    }

    fn whole(&mut self, line: &Value) -> Vec<Event> {
        let mut events = vec![Event::Alive];
        // The program's own words about a failure are not an answer.
        if text(line, "/message/model") == Some("<synthetic>") {
            return events;
        }
        events.extend(took(line, "/message/usage"));
        let blocks = line.pointer("/message/content").and_then(Value::as_array);
        for block in blocks.into_iter().flatten() {
            if let (Some("tool_use"), Some(id), Some(name)) =
                (text(block, "/type"), text(block, "/id"), text(block, "/name"))
            {
                self.calls.push((id.to_owned(), name.to_owned(), Instant::now()));
                self.after_call = true;
            }
            let Some(words) = text(block, "/text") else { continue };
            let pieces = std::mem::take(&mut self.pieces);
            events.push(Event::Words(match words.strip_prefix(pieces.as_str()) {
                Some("") => String::new(),
                Some(rest) => self.separated(rest),
                // Words that were shown cannot be taken back.
                None => format!("{PARAGRAPH}{words}"),
            }));
            self.spoke = true;
        }
        events
    }

    fn result(&mut self, line: &Value) -> Vec<Event> {
        let mut events: Vec<Event> = took(line, "/usage").into_iter().collect();
        let cost = line.pointer("/total_cost_usd").and_then(Value::as_f64);
        events.extend(cost.filter(|cost| *cost > 0.0).map(Event::Cost));
        let words = text(line, "/result").unwrap_or_default();
        let stopped = text(line, "/stop_reason");
        let failed = line.pointer("/is_error").and_then(Value::as_bool) == Some(true)
            || text(line, "/subtype").is_some_and(|kind| kind != "success");
        if text(line, "/subtype") == Some("error_max_turns") {
            self.is_unanswered = true;
            events.extend([Event::Complete, Event::Over]);
        } else if stopped == Some("refusal") {
            events.push(Event::Failed(failure::refusal()));
        } else if failed && words.contains("output token maximum") {
            events.extend([out_of_tokens(), Event::Over]);
        } else if failed {
            events.push(Event::Failed(failure::from_result(count(line, "/api_error_status"), words)));
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

/// Fails if the program announces a longer wait for its server than a person would accept.
fn system(line: &Value) -> Vec<Event> {
    let wait = line.pointer("/retry_delay_ms").and_then(Value::as_f64).unwrap_or_default();
    if text(line, "/subtype") == Some("api_retry") && wait > MAX_WAIT_MS {
        let seconds = (wait / 1000.0).ceil();
        return vec![Event::Failed(failure::busy(
            count(line, "/error_status"),
            "",
            &format!("in {seconds} s"),
        ))];
    }
    vec![Event::Alive]
}

/// Tokens of a call. After a retry the program may omit them, but no call uses zero.
fn took(line: &Value, usage: &str) -> Option<Event> {
    let tokens = tokens(line, usage);
    (tokens != Tokens::default()).then_some(Event::Took(tokens))
}
