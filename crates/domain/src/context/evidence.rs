//! The memories layer: what recall found, in the order of its ranking, until the budget is used. Messages stand by
//! conversation and in the order they were said, so that they can be read.

use std::collections::{HashMap, HashSet};

use super::inputs::{ContextInputs, Recalled};
use super::passages::best_passages;
use super::recent::Recent;
use super::render::Renderer;
use super::{Dropped, Item, Layer, LayerName};
use crate::message::MessageId;
use throughline_text::tokens::estimate;

/// A message that costs more than this comes in as its best passages, in tokens.
const LONG: u32 = 160;
/// The passages of one message take at most this share of the layer.
const SHARE_OF_ONE: u32 = 4;
/// Line breaks, and what an estimate of parts may miss of the whole.
const PER_LINE: u32 = 1;

/// One chosen piece with its line as it is written.
struct Chosen<'a> {
    hit: &'a Recalled,
    line: String,
    tokens: u32,
}

/// Chooses what was recalled within `cap`, and says what was taken.
pub(super) fn layer(
    renderer: &Renderer<'_>,
    inputs: &ContextInputs,
    recent: &Recent,
    cap: u32,
) -> (Layer, Vec<Recalled>) {
    let mut layer = Layer::empty(LayerName::Memories, cap);
    let mut seen = Seen::new(inputs, recent);
    let mut left = cap.saturating_sub(estimate(&renderer.memories(&[], inputs.match_is_certain)));
    let mut groups: HashMap<Option<MessageId>, u32> = HashMap::new();
    let mut chosen: Vec<Chosen<'_>> = Vec::new();
    let question = inputs.message.as_ref().map_or("", |message| message.text.as_str());
    for hit in &inputs.recalled {
        let refuse = |why: &str| Dropped { kind: hit.kind, id: hit.id.clone(), why: why.to_owned() };
        if seen.shows(hit) {
            layer.dropped.push(refuse("shown already"));
            continue;
        }
        let longest = LONG.max(cap / SHARE_OF_ONE).min(left);
        let text = best_passages(
            &hit.text,
            question,
            if estimate(&hit.text) > LONG { longest.min(LONG) } else { longest },
        );
        let line = renderer.recalled_line(hit, &text);
        let opening = match groups.get(&hit.conversation) {
            Some(_) => 0,
            None => estimate(&renderer.recalled_group(hit, &[])) + PER_LINE,
        };
        let tokens = estimate(&line) + PER_LINE;
        match left.checked_sub(tokens + opening) {
            Some(rest) => {
                left = rest;
                groups.entry(hit.conversation).or_default();
                seen.add(hit);
                chosen.push(Chosen { hit, line, tokens });
            }
            None => layer.dropped.push(refuse("over the budget")),
        }
    }
    // The estimate of the whole decides; should it exceed the cap, what ranks last goes.
    loop {
        layer.text = write(renderer, &chosen, inputs.match_is_certain);
        layer.tokens = estimate(&layer.text);
        if layer.tokens <= cap {
            break;
        }
        if let Some(last) = chosen.pop() {
            let (kind, id) = (last.hit.kind, last.hit.id.clone());
            layer.dropped.push(Dropped { kind, id, why: "over the budget".to_owned() });
        }
    }
    let item = |chosen: &Chosen<'_>| Item {
        kind: chosen.hit.kind,
        id: chosen.hit.id.clone(),
        tokens: chosen.tokens,
        why: format!("matches the message, score {:.2}", chosen.hit.score),
    };
    layer.items = chosen.iter().map(item).collect();
    (layer, chosen.into_iter().map(|chosen| chosen.hit.clone()).collect())
}

/// Memories and summaries first, then messages by conversation, all in the order of their times.
fn write(renderer: &Renderer<'_>, chosen: &[Chosen<'_>], is_certain: bool) -> String {
    if chosen.is_empty() {
        return String::new();
    }
    let mut order: Vec<&Chosen<'_>> = chosen.iter().collect();
    order.sort_by_key(|chosen| (chosen.hit.conversation.is_some(), chosen.hit.at));
    let mut started: HashMap<Option<MessageId>, usize> = HashMap::new();
    let mut groups: Vec<(&Recalled, Vec<&str>)> = Vec::new();
    for chosen in order {
        let at = *started.entry(chosen.hit.conversation).or_insert_with(|| {
            groups.push((chosen.hit, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, lines)) = groups.get_mut(at) {
            lines.push(&chosen.line);
        }
    }
    let groups: Vec<String> =
        groups.iter().map(|(first, lines)| renderer.recalled_group(first, lines)).collect();
    renderer.memories(&groups.iter().map(String::as_str).collect::<Vec<_>>(), is_certain)
}

/// The messages and summaries that the context shows already.
struct Seen<'a> {
    messages: HashSet<MessageId>,
    summaries: HashSet<&'a str>,
    /// Messages that recall found too: a memory does not stand beside the message that proves it.
    found: HashSet<MessageId>,
}

impl<'a> Seen<'a> {
    fn new(inputs: &ContextInputs, recent: &'a Recent) -> Self {
        let current = inputs.message.iter().flat_map(|current| &current.ids);
        // Of what is shown by its summary, all of it may be asked for.
        let window = recent.said().filter(|said| !said.is_summed_up).flat_map(|said| &said.ids);
        let quoted = inputs.quoted.iter().map(|quoted| &quoted.id);
        let messages = inputs.recalled.iter().filter(|hit| hit.kind == "message");
        Self {
            messages: window.chain(current).chain(quoted).copied().collect(),
            summaries: recent.summaries.items.iter().map(|item| item.id.as_str()).collect(),
            found: messages.flat_map(|hit| &hit.messages).copied().collect(),
        }
    }

    fn shows(&self, hit: &Recalled) -> bool {
        let mut messages = hit.messages.iter();
        match hit.kind {
            "message" => messages.any(|id| self.messages.contains(id)),
            "summary" => self.summaries.contains(hit.id.as_str()),
            _ => messages.any(|id| self.messages.contains(id) || self.found.contains(id)),
        }
    }

    fn add(&mut self, hit: &Recalled) {
        if hit.kind == "message" {
            self.messages.extend(&hit.messages);
        }
    }
}
