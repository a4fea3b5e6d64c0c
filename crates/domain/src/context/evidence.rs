//! The memories layer: what recall found, until the budget is used. Each part of a question gets its best match first, the
//! rest follows in the order of the ranking. Messages stand by conversation and in the order they were said, so that they
//! can be read.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::inputs::{ContextInputs, Recalled};
use super::passages::passages;
use super::recent::Recent;
use super::render::Renderer;
use super::{Item, Layer, LayerName};
use crate::message::{MessageId, Role};
use throughline_text::intent::wanted::{Wanted, wanted};
use throughline_text::tokens::estimate;
use throughline_text::words;

/// A message that costs more than this comes in as its best passages, in tokens.
const LONG: u32 = 160;
/// The passages of one message take at most this share of the layer.
const SHARE_OF_ONE: u32 = 4;
/// Line breaks, and what an estimate of parts may miss of the whole.
const PER_LINE: u32 = 1;
/// Room below which no further piece is tried, in tokens.
const LEAST_ROOM: u32 = 12;
/// The receipt names what this many more tokens would have bought.
const NEXT: u32 = 500;

/// One chosen piece with its line as it is written.
struct Chosen<'a> {
    hit: &'a Recalled,
    line: String,
    tokens: u32,
    why: Cow<'static, str>,
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
    let mut groups: HashSet<Option<MessageId>> = HashSet::new();
    let mut chosen: Vec<Chosen<'_>> = Vec::new();
    let mut over: Vec<(&Recalled, u32)> = Vec::new();
    let question = inputs.message.as_ref().map_or("", |message| message.text.as_str());
    let asked: HashSet<String> = words::terms(question).into_iter().collect();
    let wants_all = wanted(question) == Wanted::RoutineText;
    let mut has_memories = false;
    for hit in first_helpings(&inputs.recalled, question) {
        if seen.shows(hit) {
            layer.dropped.push(item(hit, 0, "shown already"));
            continue;
        }
        let cost = estimate(&hit.text);
        let proves_one = has_memories && chosen.iter().any(|it| it.hit.is_proven_by(hit));
        if left < LEAST_ROOM && !proves_one {
            over.push((hit, cost.min(LONG)));
            continue;
        }
        let longest = match hit.role {
            // "Give me the full message": all of it, while it fits.
            Role::Assistant if wants_all => left,
            _ if cost > LONG => LONG.min(left),
            _ => LONG.max(cap / SHARE_OF_ONE).min(left),
        };
        let text = if cost <= longest {
            Cow::Borrowed(hit.text.as_str())
        } else {
            Cow::Owned(passages(&hit.text, &asked, longest))
        };
        let line = renderer.recalled_line(hit, &text);
        let opening = match groups.contains(&hit.conversation) {
            true => 0,
            false => estimate(&renderer.recalled_group(hit, &[])) + PER_LINE,
        };
        let tokens = estimate(&line) + PER_LINE;
        // A memory makes room for the message that proves it, if that can be shown whole.
        let proven: Vec<Chosen<'_>> = match proves_one {
            true => chosen.extract_if(.., |it| it.hit.is_proven_by(hit)).collect(),
            false => Vec::new(),
        };
        let spare = left + proven.iter().map(|it| it.tokens).sum::<u32>();
        let is_worse = !proven.is_empty() && text != hit.text;
        match spare.checked_sub(tokens + opening).filter(|_| !is_worse) {
            Some(rest) => {
                left = rest;
                groups.insert(hit.conversation);
                seen.add(hit);
                has_memories |= hit.kind == "memory";
                let replaced =
                    |it: Chosen<'_>| item(it.hit, it.tokens, "the message that proves it is shown");
                layer.dropped.extend(proven.into_iter().map(replaced));
                let why = format!("matches the message, score {:.2}", hit.score);
                chosen.push(Chosen { hit, line, tokens, why: why.into() });
                let asked = hit.question.as_deref().filter(|asked| !seen.shows(asked));
                let asked = asked.map(|asked| asked_before(renderer, asked));
                if let Some(asked) = asked.filter(|asked| asked.tokens <= left) {
                    left -= asked.tokens;
                    seen.add(asked.hit);
                    chosen.push(asked);
                }
            }
            None => {
                chosen.extend(proven);
                over.push((hit, tokens));
            }
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
            over.insert(0, (last.hit, last.tokens));
        }
    }
    layer.dropped.extend(over_budget(&over));
    layer.items = chosen.iter().map(|chosen| item(chosen.hit, chosen.tokens, chosen.why.clone())).collect();
    (layer, chosen.into_iter().map(|chosen| chosen.hit.clone()).collect())
}

/// The question that a message answers.
fn asked_before<'a>(renderer: &Renderer<'_>, asked: &'a Recalled) -> Chosen<'a> {
    let line = renderer.recalled_line(asked, &asked.text);
    let tokens = estimate(&line) + PER_LINE;
    Chosen { hit: asked, line, tokens, why: "asks what the message after it answers".into() }
}

fn item(hit: &Recalled, tokens: u32, why: impl Into<Cow<'static, str>>) -> Item {
    Item { kind: hit.kind, id: hit.id.clone(), tokens, why: why.into() }
}

/// What had no room: that which a few more tokens would have bought with its score, the rest without.
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

/// The hits in the order in which they are offered: those that are the first to have a word of the question or to be by
/// somebody it names, then the others, both as they rank. So a question of two parts gets an answer to each before it gets
/// a second one to either.
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
    fn new(inputs: &ContextInputs, recent: &'a Recent) -> Self {
        let current = inputs.message.iter().flat_map(|current| &current.ids);
        // Of what is shown by its summary, all of it may be asked for.
        let window = recent.said().filter(|said| !said.is_summed_up).flat_map(|said| &said.ids);
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
