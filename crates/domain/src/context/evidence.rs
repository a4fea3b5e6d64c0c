//! The memories layer: recalled items, until the budget is used. Each part of a question gets its best match first; the
//! rest follows in the order of the ranking. Messages are grouped by conversation and in order of time, so that they
//! can be read.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::collapse::Utterance;
use super::inputs::{ContextInputs, Recalled};
use super::passages::passages;
use super::recent::Recent;
use super::render::Renderer;
use super::{Item, Layer, LayerName};
use crate::message::{MessageId, Role};
use throughline_text::intent::wanted::{Wanted, wanted};
use throughline_text::tokens::estimate;
use throughline_text::words;

/// Maximum tokens of a message that is shown in full; a longer one is shortened to its best passages.
const LONG: u32 = 160;
/// The passages of one message take at most one part in this many of the layer.
const SHARE_OF_ONE: u32 = 4;
/// Tokens of line breaks, and of the difference between the estimates of parts and of the whole.
const PER_LINE: u32 = 1;
/// Minimum tokens left for another item to be tried.
const LEAST_ROOM: u32 = 12;
/// Tokens over the budget up to which the receipt shows the scores of dropped items.
const NEXT: u32 = 500;

/// A chosen item with its rendered line.
struct Chosen<'a> {
    hit: &'a Recalled,
    line: String,
    tokens: u32,
    why: Cow<'static, str>,
}

/// Chooses recalled items within `cap`, and returns the layer and the chosen items.
pub(super) fn layer(
    renderer: &Renderer<'_>,
    inputs: &ContextInputs,
    recent: &Recent,
    cap: u32,
) -> (Layer, Vec<Recalled>) {
    let mut selection = Selection::new(renderer, inputs, recent, cap);
    let question = inputs.message.as_ref().map_or("", |message| message.text.as_str());
    for hit in first_helpings(&inputs.recalled, question) {
        selection.offer(hit);
    }
    selection.into_layer(inputs.match_is_certain)
}

/// The items chosen so far, and the room left for others.
struct Selection<'a> {
    renderer: &'a Renderer<'a>,
    cap: u32,
    left: u32,
    /// The terms of the question.
    asked: HashSet<String>,
    /// True if the question asks for the whole message of a routine.
    wants_all: bool,
    seen: Seen<'a>,
    /// The conversations that have a heading already.
    groups: HashSet<Option<MessageId>>,
    chosen: Vec<Chosen<'a>>,
    /// True if a memory was chosen, which a later message may prove.
    has_memories: bool,
    dropped: Vec<Item>,
    /// The items without room, and their costs.
    over: Vec<(&'a Recalled, u32)>,
}

impl<'a> Selection<'a> {
    fn new(renderer: &'a Renderer<'a>, inputs: &'a ContextInputs, recent: &'a Recent, cap: u32) -> Self {
        let question = inputs.message.as_ref().map_or("", |message| message.text.as_str());
        let frame = estimate(&renderer.memories(&[], inputs.match_is_certain));
        let wants_all = wanted(question) == Wanted::RoutineText;
        Self {
            renderer,
            cap,
            left: cap.saturating_sub(frame),
            asked: words::terms(question).into_iter().collect(),
            wants_all,
            seen: Seen::new(inputs, recent, wants_all),
            groups: HashSet::new(),
            chosen: Vec::new(),
            has_memories: false,
            dropped: Vec::new(),
            over: Vec::new(),
        }
    }

    /// Takes a hit if it is not shown yet and fits.
    fn offer(&mut self, hit: &'a Recalled) {
        if self.seen.shows(hit) {
            self.dropped.push(item(hit, 0, "shown already"));
            return;
        }
        let cost = estimate(&hit.text);
        // A memory makes room for the message that proves it, if that can be shown whole.
        let proves = |chosen: &Chosen<'_>| chosen.hit.is_proven_by(hit);
        let proves_one = self.has_memories && self.chosen.iter().any(proves);
        if self.left < LEAST_ROOM && !proves_one {
            self.over.push((hit, cost.min(LONG)));
            return;
        }
        let text = self.shortened(hit, cost);
        let line = self.renderer.recalled_line(hit, &text);
        let tokens = estimate(&line) + PER_LINE;
        let freed: u32 = match proves_one {
            true => self.chosen.iter().filter(|it| proves(it)).map(|it| it.tokens).sum(),
            false => 0,
        };
        let is_worse = proves_one && text != hit.text;
        let rest = (self.left + freed).checked_sub(tokens + self.heading(hit)).filter(|_| !is_worse);
        let Some(rest) = rest else {
            self.over.push((hit, tokens));
            return;
        };
        self.left = rest;
        if proves_one {
            let replaced = self.chosen.extract_if(.., |it| proves(it));
            let why = "the message that proves it is shown";
            self.dropped.extend(replaced.map(|it| item(it.hit, it.tokens, why)));
        }
        let why = format!("matches the message, score {:.2}", hit.score);
        self.take(Chosen { hit, line, tokens, why: why.into() });
        self.offer_question(hit);
    }

    /// The text of a hit, or its best passages if it is long or the room is short.
    fn shortened(&self, hit: &'a Recalled, cost: u32) -> Cow<'a, str> {
        let longest = match hit.role {
            // "Give me the full message": all of it, while it fits.
            Role::Assistant if self.wants_all => self.left,
            _ if cost > LONG => LONG.min(self.left),
            _ => LONG.max(self.cap / SHARE_OF_ONE).min(self.left),
        };
        if cost <= longest {
            Cow::Borrowed(&hit.text)
        } else {
            passages(&hit.text, &self.asked, longest).into()
        }
    }

    /// The cost of the heading of a hit's conversation, if that has none yet.
    fn heading(&self, hit: &Recalled) -> u32 {
        match self.groups.contains(&hit.conversation) {
            true => 0,
            false => estimate(&self.renderer.recalled_group(hit, &[])) + PER_LINE,
        }
    }

    /// Takes the question that a message answers along with it, if that fits.
    fn offer_question(&mut self, hit: &'a Recalled) {
        let question = hit.question.as_deref().filter(|question| !self.seen.shows(question));
        let question = question.map(|question| asked_before(self.renderer, question));
        if let Some(question) = question.filter(|question| question.tokens <= self.left) {
            self.left -= question.tokens;
            self.take(question);
        }
    }

    fn take(&mut self, chosen: Chosen<'a>) {
        self.groups.insert(chosen.hit.conversation);
        self.seen.add(chosen.hit);
        self.has_memories |= chosen.hit.kind == "memory";
        self.chosen.push(chosen);
    }

    fn into_layer(mut self, is_certain: bool) -> (Layer, Vec<Recalled>) {
        let mut layer = Layer::empty(LayerName::Memories, self.cap);
        // The estimate of the whole text decides; if it exceeds the cap, the lowest ranked are dropped.
        loop {
            layer.text = write(self.renderer, &self.chosen, is_certain);
            layer.tokens = estimate(&layer.text);
            if layer.tokens <= self.cap {
                break;
            }
            if let Some(last) = self.chosen.pop() {
                self.over.insert(0, (last.hit, last.tokens));
            }
        }
        self.dropped.extend(over_budget(&self.over));
        layer.dropped = self.dropped;
        let items = self.chosen.iter().map(|chosen| item(chosen.hit, chosen.tokens, chosen.why.clone()));
        layer.items = items.collect();
        (layer, self.chosen.into_iter().map(|chosen| chosen.hit.clone()).collect())
    }
}

/// The question that a message answers.
fn asked_before<'a>(renderer: &Renderer<'_>, asked: &'a Recalled) -> Chosen<'a> {
    let line = renderer.recalled_line(asked, &asked.text);
    let tokens = estimate(&line) + PER_LINE;
    Chosen { hit: asked, line, tokens, why: "asks what the message after it answers".into() }
}

fn item(hit: &Recalled, tokens: u32, why: impl Into<Cow<'static, str>>) -> Item {
    Item { kind: hit.kind.into(), id: hit.id.clone(), tokens, why: why.into() }
}

/// The items without room: with their scores if a few more tokens would have been enough, else without.
fn over_budget(over: &[(&Recalled, u32)]) -> Vec<Item> {
    let mut left = NEXT;
    let told = |(hit, tokens): &(&Recalled, u32)| {
        let rest = left.checked_sub(*tokens);
        left = rest.unwrap_or(0);
        let why = match rest {
            Some(_) => Cow::Owned(format!("over the budget, score {:.2}", hit.score)),
            None => Cow::Borrowed("over the budget"),
        };
        item(hit, *tokens, why)
    };
    over.iter().map(told).collect()
}

/// The hits in the order in which they are offered: first those that are the first with some word of the question, or
/// by a speaker it names, then the others, both by rank. So a question of two parts gets an answer to each part before
/// a second answer to either.
fn first_helpings<'a>(hits: &'a [Recalled], question: &str) -> Vec<&'a Recalled> {
    let mut missing: HashSet<String> =
        words::query_terms(question).into_iter().map(|term| term.text).collect();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for hit in hits {
        let before = missing.len();
        if before > 0 {
            for text in [hit.text.as_str(), hit.speaker.as_deref().unwrap_or_default()] {
                words::for_each_term(text, |term| {
                    missing.remove(term);
                });
            }
        }
        if missing.len() < before { first.push(hit) } else { others.push(hit) }
    }
    first.extend(others);
    first
}

/// Memories and summaries first, then messages by conversation, all in the order of their times.
fn write(renderer: &Renderer<'_>, chosen: &[Chosen<'_>], is_certain: bool) -> String {
    if chosen.is_empty() {
        return String::new();
    }
    let mut order: Vec<&Chosen<'_>> = chosen.iter().collect();
    order.sort_by_key(|chosen| (chosen.hit.conversation.is_some(), chosen.hit.at, chosen.hit.seq));
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
}

impl<'a> Seen<'a> {
    fn new(inputs: &ContextInputs, recent: &'a Recent, wants_all: bool) -> Self {
        let current = inputs.message.iter().flat_map(|current| &current.ids);
        // A message shown by its summary may be recalled in full. An uncertain match is not, unless the full text is
        // asked for.
        let is_enough = !inputs.match_is_certain && !wants_all;
        let is_shown = |said: &&Utterance| is_enough || !said.is_summed_up;
        let window = recent.said().filter(is_shown).flat_map(|said| &said.ids);
        let quoted = inputs.quoted.iter().map(|quoted| &quoted.id);
        Self {
            messages: window.chain(current).chain(quoted).copied().collect(),
            summaries: recent.summaries.items.iter().map(|item| item.id.as_str()).collect(),
        }
    }

    fn shows(&self, hit: &Recalled) -> bool {
        self.summaries.contains(hit.id.as_str()) || hit.messages.iter().any(|id| self.messages.contains(id))
    }

    fn add(&mut self, hit: &Recalled) {
        if hit.kind == "message" {
            self.messages.extend(&hit.messages);
        }
    }
}
