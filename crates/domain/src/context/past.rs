//! The lane's messages so far as candidates for the window, each with the cost of its line.

use std::collections::HashSet;

use jiff::Timestamp;

use super::collapse::{Side, Utterance, fulfillment, utterance};
use super::fit::head_and_tail;
use super::inputs::{ContextInputs, StoredMessage};
use super::preset::Window;
use super::render::escape::may_be_escaped;
use super::render::{Line, Renderer, Strand, ThreadStatus};
use crate::conversation::Thread;
use crate::message::{Message, MessageId, Role};
use crate::summary::Position;
use crate::time::day;
use throughline_text::tokens::estimate;

/// A message longer than one part in this many of the window keeps only its head and tail.
const LONGEST_SHARE: u32 = 4;
/// Tokens of line breaks, and of the difference between the estimates of parts and of the whole.
const PER_LINE: u32 = 2;
/// Additional tokens that the time and the relative labels of the frame may cost on another day.
const PER_FRAME: u32 = 16;

/// A message that the window could show.
pub(super) struct Candidate {
    pub said: Utterance,
    pub role: Role,
    pub position: Position,
    pub recorded_at: Timestamp,
    /// The number of messages before it in the lane.
    pub ordinal: u64,
    /// The same without the loaded messages that are never shown.
    pub rank: u64,
    /// The index of its conversation among those loaded.
    pub conversation: usize,
    /// Maximum tokens of its line.
    pub cost: u32,
}

/// The lane so far.
pub(super) struct Past {
    /// Oldest first.
    pub candidates: Vec<Candidate>,
    /// The start of the live conversation, or now. Relative to it, nothing moves while the conversation is live.
    pub as_of: Timestamp,
    /// The sequence number of the first message of the live conversation.
    pub live_seq: Option<i64>,
    /// The time of the newest message.
    pub last: Option<Timestamp>,
    /// The first loaded message; older ones are known by summaries only.
    pub reaches_back_to: Option<Position>,
    /// The messages before and after those that were not loaded, if only the head of a conversation was.
    pub hole: Option<(Position, Position)>,
    /// The tokens of the window without messages.
    pub frame: u32,
}

impl Past {
    /// Computes the costs of the loaded messages. `room` is the token limit of the window.
    pub fn new(
        renderer: &Renderer<'_>,
        inputs: &ContextInputs,
        window: Window,
        thread: Thread,
        room: u32,
    ) -> Self {
        let tail = &inputs.history.messages;
        // Only the tiers show the beginning of a conversation apart from its end.
        let head: &[StoredMessage] = match (window, tail.first()) {
            (Window::Tiers { .. }, Some(first)) if first.ordinal > 0 => &inputs.history.head,
            _ => &[],
        };
        let before_tail =
            |stored: &&StoredMessage| tail.first().is_none_or(|first| stored.ordinal < first.ordinal);
        let loaded: Vec<&StoredMessage> = head.iter().filter(before_tail).chain(tail).collect();
        let hole = loaded.windows(2).find_map(|pair| match pair {
            [before, after] if after.ordinal > before.ordinal + 1 => {
                Some((before.position(), after.position()))
            }
            _ => None,
        });
        let live_start = inputs.history.head.first().filter(|head| head.opens);
        let live_start = tail.iter().rev().find(|stored| stored.opens).or(live_start).or(tail.first());
        let live = live_start.filter(|_| thread == Thread::Continuation);
        let as_of = live.map_or(renderer.now, |stored| stored.message.occurred_at);
        let live_seq = live.map(|stored| stored.seq);
        // Prices must not change while the conversation is live, or the window's start would.
        let steady = Renderer { now: as_of, ..*renderer };
        let longest = match window {
            // These promise whole messages.
            Window::Everything { .. } | Window::Exchanges { .. } => u32::MAX,
            Window::Tiers { .. } | Window::Last { .. } | Window::Tail => room / LONGEST_SHARE,
        };
        let mut candidates = candidates(&loaded, inputs, longest);
        price(&steady, &mut candidates);
        Self {
            last: candidates.last().map(|candidate| candidate.position.at),
            reaches_back_to: loaded.first().map(|stored| stored.position()),
            frame: frame(&steady, &inputs.notices),
            candidates,
            as_of,
            live_seq,
            hole,
        }
    }

    /// The number of messages of the lane that could be shown if all were loaded.
    pub fn total(&self) -> u64 {
        self.candidates.last().map_or(0, |newest| newest.rank + 1)
    }
}

fn candidates(loaded: &[&StoredMessage], inputs: &ContextInputs, longest: u32) -> Vec<Candidate> {
    let current: HashSet<MessageId> =
        inputs.message.iter().flat_map(|current| current.ids.iter().copied()).collect();
    let mut candidates: Vec<Candidate> = Vec::with_capacity(loaded.len());
    let (mut hidden, mut opens, mut conversation) = (0, false, 0);
    for stored in loaded {
        opens |= stored.opens;
        let shown = utterance(stored).filter(|_| !current.contains(&stored.message.id));
        let Some(mut said) = shown else {
            hidden += 1;
            continue;
        };
        // If a hidden message begins the conversation, the next one counts as its beginning.
        said.opens = opens;
        conversation += usize::from(opens && !candidates.is_empty());
        opens = false;
        if let Some((start, line)) = fulfilled(&candidates, &said, &stored.message) {
            let pair = candidates.drain(start..);
            hidden += pair.len() as u64;
            said.stand_for(pair.map(|candidate| candidate.said), line);
        }
        let words = words(stored, &mut said, longest);
        candidates.push(Candidate {
            said,
            role: stored.message.role,
            position: stored.position(),
            recorded_at: stored.message.recorded_at,
            ordinal: stored.ordinal,
            rank: stored.ordinal.saturating_sub(hidden),
            conversation,
            cost: words,
        });
    }
    candidates
}

/// The index of the request that a reply fulfilled, in the same conversation and with nothing but tools between, and
/// the line in place of all of it.
fn fulfilled(before: &[Candidate], said: &Utterance, reply: &Message) -> Option<(usize, String)> {
    let line = fulfillment(reply).filter(|_| !said.opens)?;
    let is_tool = |candidate: &Candidate| matches!(candidate.role, Role::ToolUse | Role::ToolResult);
    let (start, request) = before.iter().enumerate().rfind(|(_, candidate)| !is_tool(candidate))?;
    let is_apart = before.iter().skip(start + 1).any(|candidate| candidate.said.opens);
    (request.role == Role::User && !is_apart).then_some((start, line))
}

/// The tokens of the words, shortened if they exceed `longest`.
fn words(stored: &StoredMessage, said: &mut Utterance, longest: u32) -> u32 {
    if stored.tokens <= longest && said.text == stored.message.text {
        return stored.tokens;
    }
    said.text = head_and_tail(&said.text, longest).into_owned();
    estimate(&said.text)
}

/// Adds to each message's cost that of its label and of the heading it may need.
fn price(renderer: &Renderer<'_>, candidates: &mut [Candidate]) {
    let label = |side| estimate(&renderer.line(&Utterance::blank(side, renderer.now), Some(renderer.now)));
    let (person, assistant) = (label(Side::Person), label(Side::Assistant));
    let heading = estimate(&renderer.heading(renderer.now)) + PER_LINE;
    let mut before = None;
    for candidate in candidates {
        let said = &candidate.said;
        let today = Some(day(said.at, renderer.zone));
        // Rendering every line to count it would be slow; only a line whose words are escaped or labeled needs it.
        let line = match said.side {
            _ if said.routine.is_some() || may_be_escaped(&said.text) => {
                estimate(&renderer.line(said, Some(said.at)))
            }
            Side::Person => {
                candidate.cost + person + said.speaker.as_deref().map_or(0, |name| estimate(name) + PER_LINE)
            }
            Side::Assistant => candidate.cost + assistant,
        };
        let opening = if said.opens || today != before { heading } else { 0 };
        candidate.cost = line + PER_LINE + opening;
        before = today;
    }
}

/// Maximum tokens of the text around the lines.
fn frame(renderer: &Renderer<'_>, notices: &[String]) -> u32 {
    let thread_status = ThreadStatus {
        thread: Thread::Continuation,
        last: Some(renderer.now),
        left_out: u64::from(u32::MAX),
        last_reply: None,
        notices: notices.to_vec(),
    };
    let said = |side| Line::Said(Utterance::blank(side, renderer.now));
    let lines = vec![said(Side::Assistant), Line::Gap(u64::from(u32::MAX)), said(Side::Person)];
    estimate(&renderer.recent(&[Strand { lines }], &thread_status)) + PER_FRAME
}
