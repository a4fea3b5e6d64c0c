//! Fits what was gathered into the budget: each layer under its cap, no message twice, the stable part first.

use jiff::Timestamp;

use super::collapse::{self, Utterance};
use super::material::{Material, Placed, Recalled};
use super::preset::{Plan, Window};
use super::render::{self, Format, Line, Page, Standing, Strand};
use super::window::{self, Candidates, Kept};
use super::{Context, Dropped, Item, Layer, LayerName, tiers};
use crate::conversation::Thread;
use crate::message::{Message, MessageId, Role};
use crate::summary::{Scope, Summary};
use crate::time::days_before;
use crate::tokens::{estimate, head, tail};
use crate::turn::Anchor;

/// What must be kept does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("what must be kept needs {needed} tokens, and the most is {most}; raise the budget, choose another preset, or shorten the message")]
pub struct TooLong {
    /// What it needs.
    pub needed: u32,
    /// What there is.
    pub most: u32,
}

/// Blank lines between layers are tokens too.
const SEPARATORS: u32 = 8;
/// A single message takes at most this share of the window; a longer one keeps its head and tail.
const LONGEST_SHARE: u32 = 4;
/// Summaries older than this give way to the lane's own.
const DAYS_OF_SUMMARIES: i32 = 7;

/// Makes the context of one turn.
///
/// # Errors
/// When the preset promises to keep messages that exceed its ceiling.
pub fn assemble(material: &Material, plan: &Plan, format: Format, thread: Thread) -> Result<Context, TooLong> {
    let page = Page { format, zone: &material.zone, now: material.now, person: material.person.as_deref() };
    let caps = plan.effective_caps();
    let policy = fixed(&page, LayerName::Policy, &[("policy.md".to_owned(), material.policy.clone())], caps.policy);
    let identity = fixed(&page, LayerName::Identity, &material.identity, caps.identity);
    let profile_text = material.profile.iter().map(|text| ("profile".to_owned(), profile(&page, text)));
    let profile = fixed(&page, LayerName::Profile, &profile_text.collect::<Vec<_>>(), caps.profile);
    let quote = quote_layer(&page, material.quoted.as_ref(), caps.quote);

    // What may differ from turn to turn is reserved whole, so that the window's start depends on nothing that changes.
    let summaries_cap = if material.summaries.is_empty() { 0 } else { caps.summaries };
    let taken = [policy.tokens, identity.tokens, profile.tokens, summaries_cap, caps.memories, caps.quote, SEPARATORS];
    let room = plan.budget.saturating_sub(taken.iter().sum());
    let room = plan.history.map_or(room, |history| room.min(history));

    let window = choose_window(&page, material, plan, thread, room)?;
    let mut recent = recent_layer(&page, &window, room);
    if recent.tokens > room {
        recent = Layer { dropped: recent.items.iter().map(over_budget).collect(), ..empty(LayerName::Recent, room) };
    }
    let shown: Vec<MessageId> = window.said().flat_map(|said| said.ids.iter().copied()).collect();
    let summaries = summaries_layer(&page, material, &window, caps.summaries);
    let (memories, recalled) = memories_layer(&page, material, &shown, caps.memories);
    let message = message_layer(&page, material, recent.text.is_empty());

    let layers = vec![policy, identity, profile, summaries, memories, recent, quote, message];
    let prompt = (format == Format::Messages).then(|| render::prompt(&page, &layers, &window.strands, &window.standing));
    let tokens = layers.iter().filter(|layer| layer.name != LayerName::Message).map(|layer| layer.tokens).sum();
    let last_reply = material.last_reply.as_ref().map(|message| message.id);
    Ok(Context {
        preset: plan.preset,
        format,
        thread,
        anchor: Anchor::choose(material.quoted.as_ref().map(|quoted| quoted.id), last_reply),
        budget: plan.budget,
        tokens,
        layers,
        said: window.said().cloned().collect(),
        recalled,
        message: material.message.clone(),
        prompt,
    })
}

fn empty(name: LayerName, budget: u32) -> Layer {
    Layer { name, tokens: 0, budget, text: String::new(), items: Vec::new(), dropped: Vec::new() }
}

fn over_budget(item: &Item) -> Dropped {
    Dropped { kind: item.kind, id: item.id.clone(), why: "over the budget".to_owned() }
}

/// A layer of whole files: as many as fit, in order.
fn fixed(page: &Page<'_>, name: LayerName, files: &[(String, String)], cap: u32) -> Layer {
    let mut layer = empty(name, cap);
    let mut texts: Vec<&str> = Vec::new();
    for (id, text) in files.iter().filter(|(_, text)| !text.trim().is_empty()) {
        texts.push(text.trim());
        let tokens = estimate(&page.section(name, &texts.join("\n\n")));
        if tokens > cap {
            texts.pop();
            layer.dropped.push(Dropped { kind: "file", id: id.clone(), why: "over the layer's cap".to_owned() });
            continue;
        }
        layer.items.push(Item { kind: "file", id: id.clone(), tokens: tokens - layer.tokens, why: "always there".to_owned() });
        layer.tokens = tokens;
    }
    layer.text = page.section(name, &texts.join("\n\n"));
    layer
}

fn profile(page: &Page<'_>, text: &str) -> String {
    use render::escape::{First, lines, tagged_lines};
    match page.format {
        Format::Xml | Format::Messages => tagged_lines(text, First::OfLine),
        Format::Text | Format::Roles => lines(text, First::OfLine).into_owned(),
    }
}

fn quote_layer(page: &Page<'_>, quoted: Option<&Message>, cap: u32) -> Layer {
    let mut layer = empty(LayerName::Quote, cap);
    let Some(quoted) = quoted else { return layer };
    let mut shown = quoted.clone();
    let frame = estimate(&page.quote(&Message { text: String::new(), ..quoted.clone() }));
    let mut room = cap.saturating_sub(frame);
    loop {
        shown.text = head_and_tail(&quoted.text, room);
        let text = page.quote(&shown);
        let tokens = estimate(&text);
        if tokens <= cap {
            let why = "the message replied to".to_owned();
            layer.items.push(Item { kind: "message", id: quoted.id.to_string(), tokens, why });
            return Layer { tokens, text, ..layer };
        }
        if room == 0 {
            layer.dropped.push(Dropped { kind: "message", id: quoted.id.to_string(), why: "over the layer's cap".to_owned() });
            return layer;
        }
        room = room * 3 / 4;
    }
}

/// The text, or its beginning and end around a marker where it costs more than `most`.
fn head_and_tail(text: &str, most: u32) -> String {
    let whole = estimate(text);
    if whole <= most {
        return text.to_owned();
    }
    let marker = format!("\n… {} tokens left out …\n", whole.saturating_sub(most));
    let room = most.saturating_sub(estimate(&marker));
    format!("{}{marker}{}", head(text, room * 2 / 3), tail(text, room / 3))
}

/// The messages that stay word for word, and where the talk stands.
struct Chosen {
    strands: Vec<Strand>,
    standing: Standing,
    items: Vec<Item>,
    dropped: Vec<Dropped>,
    /// Summaries that existed when the conversation began, or that stand for what the window had to drop.
    summaries: Vec<usize>,
}

impl Chosen {
    fn said(&self) -> impl Iterator<Item = &Utterance> {
        self.strands.iter().flat_map(Strand::said)
    }
}

fn choose_window(page: &Page<'_>, material: &Material, plan: &Plan, thread: Thread, room: u32) -> Result<Chosen, TooLong> {
    let history = &material.history;
    let loaded = history.head.iter().chain(&history.messages);
    let shortened: Vec<Placed> = loaded
        .filter(|placed| placed.message.role != Role::System)
        .map(|placed| shorten(placed, plan, room / LONGEST_SHARE))
        .collect();
    let candidates = Candidates { costs: costs(page, &shortened), messages: shortened.iter().collect() };
    let newest = history.messages.last();
    let last = newest.map(|placed| placed.message.occurred_at);
    let as_of = match thread {
        Thread::Continuation => live_start(&shortened).unwrap_or(page.now),
        Thread::New => page.now,
    };
    let mut standing = Standing {
        thread,
        last,
        left_out: u64::from(u32::MAX),
        last_reply: material.last_reply.clone(),
        notices: material.notices.clone(),
    };
    let frame = frame_cost(page, &standing);
    let budget = room.saturating_sub(frame);
    let frozen: Vec<&Summary> = material.summaries.iter().filter(|summary| summary.updated_at <= as_of).collect();
    let kept = match window::choose(&candidates, plan.window, budget, plan.block) {
        Ok(Some(kept)) => kept,
        Ok(None) => {
            let Window::Tiers { carry_over } = plan.window else { return Err(TooLong { needed: 0, most: 0 }) };
            let frame = tiers::Frame { as_of, thread, zone: page.zone, carry_over, block: plan.block };
            tiers::choose(&candidates, &frozen, &frame, budget)
        }
        Err(needed) => {
            let most = if let Window::Everything { ceiling, .. } = plan.window { ceiling } else { budget };
            return Err(TooLong { needed, most });
        }
    };

    let summaries = eligible_summaries(material, &candidates, &kept, as_of);
    let strands = strands(&candidates, &kept);
    let shown = kept.iter().filter(|why| why.is_some()).count() as u64;
    let system = loaded_system(material);
    let total = newest.map_or(0, |placed| placed.ordinal + 1);
    let covered: u64 = summaries
        .iter()
        .filter_map(|index| material.summaries.get(*index))
        .map(|summary| summary.messages.saturating_sub(shown_within(summary, &candidates, &kept)))
        .sum();
    standing.left_out = total.saturating_sub(shown + system + covered);
    let reply_shown = material.last_reply.as_ref().is_some_and(|reply| {
        candidates.messages.iter().zip(&kept).any(|(placed, why)| why.is_some() && placed.message.id == reply.id)
    });
    if reply_shown {
        standing.last_reply = None;
    }
    let (items, dropped) = accounts(&candidates, &kept);
    Ok(Chosen { strands, standing, items, dropped, summaries })
}

/// When the newest conversation began, as far as it was loaded.
fn live_start(messages: &[Placed]) -> Option<Timestamp> {
    let opening = messages.iter().rev().find(|placed| placed.opens);
    opening.or(messages.first()).map(|placed| placed.message.occurred_at)
}

fn loaded_system(material: &Material) -> u64 {
    let history = &material.history;
    history.head.iter().chain(&history.messages).filter(|placed| placed.message.role == Role::System).count() as u64
}

/// A message that would fill the window alone keeps its head and tail. `full` promises never to cut.
fn shorten(placed: &Placed, plan: &Plan, most: u32) -> Placed {
    let mut placed = placed.clone();
    let whole = matches!(plan.window, Window::Everything { .. } | Window::Exchanges { .. });
    if !whole && placed.tokens > most && !matches!(placed.message.role, Role::ToolUse | Role::ToolResult) {
        placed.message.text = head_and_tail(&placed.message.text, most);
    }
    placed
}

/// What each message costs as a line of its own, with the heading it may bring along.
fn costs(page: &Page<'_>, messages: &[Placed]) -> Vec<u32> {
    let mut before: Option<Timestamp> = None;
    messages
        .iter()
        .map(|placed| {
            let at = placed.message.occurred_at;
            let Some(said) = collapse::utterance(placed) else { return 0 };
            let new_day = before.is_none_or(|before| days_before(before, at, page.zone) != 0);
            let heading = if placed.opens || new_day { estimate(&page.heading(at)) + 1 } else { 0 };
            let line = page.line(&said, Some(at));
            let later_day = if new_day { estimate(&crate::time::stamp(at, page.zone)) } else { 0 };
            before = Some(at);
            // A line break or a blank line, and the label's share of what merges.
            estimate(&line) + 2 + heading + later_day
        })
        .collect()
}

/// What the window costs before the first message is in it.
fn frame_cost(page: &Page<'_>, standing: &Standing) -> u32 {
    let bare = page.recent(&[], standing);
    let heading = page.heading(page.now);
    let past = "Past messages: already answered and done. Do not carry them out again. (The assistant wrote first.)";
    let tags = "<conversation_history>\n</conversation_history>\n… 18446744073709551615 messages of this conversation left out …\n";
    let left_out = "(18446744073709551615 older messages are left out here; search for what they say.)";
    estimate(&bare) + 2 * estimate(&heading) + estimate(past) + estimate(tags) + estimate(left_out) + SEPARATORS
}

fn strands(candidates: &Candidates<'_>, kept: &Kept) -> Vec<Strand> {
    let mut strands: Vec<Strand> = Vec::new();
    let mut run: Vec<&Placed> = Vec::new();
    let mut before: Option<u64> = None;
    let mut flush = |run: &mut Vec<&Placed>, gap: Option<u64>, opens: bool| {
        let lines = collapse::collapse(run.drain(..)).into_iter().map(Line::Said);
        match strands.last_mut().filter(|_| !opens) {
            Some(strand) => {
                strand.lines.extend(gap.map(Line::Gap));
                strand.lines.extend(lines);
            }
            None => strands.push(Strand { lines: lines.collect() }),
        }
    };
    let mut pending: (Option<u64>, bool) = (None, true);
    for (placed, _) in candidates.messages.iter().zip(kept).filter(|(_, why)| why.is_some()) {
        let skipped = before.map(|before| placed.ordinal.saturating_sub(before + 1)).filter(|skipped| *skipped > 0);
        if (placed.opens || skipped.is_some()) && !run.is_empty() {
            flush(&mut run, pending.0, pending.1);
            pending = (skipped.filter(|_| !placed.opens), placed.opens);
        }
        run.push(placed);
        before = Some(placed.ordinal);
    }
    if !run.is_empty() {
        flush(&mut run, pending.0, pending.1);
    }
    strands
}

fn accounts(candidates: &Candidates<'_>, kept: &Kept) -> (Vec<Item>, Vec<Dropped>) {
    let mut items = Vec::new();
    let mut dropped = Vec::new();
    for ((placed, cost), why) in candidates.messages.iter().zip(&candidates.costs).zip(kept) {
        let id = placed.message.id.to_string();
        match why {
            Some(why) => items.push(Item { kind: "message", id, tokens: *cost, why: (*why).to_owned() }),
            None => dropped.push(Dropped { kind: "message", id, why: "older than what fits".to_owned() }),
        }
    }
    (items, dropped)
}

fn shown_within(summary: &Summary, candidates: &Candidates<'_>, kept: &Kept) -> u64 {
    let shown = candidates.messages.iter().zip(kept).filter(|(placed, why)| why.is_some() && summary.covers(placed.position()));
    shown.count() as u64
}

/// Summaries that may be shown: they hold a message that the window does not, and they stood when the conversation began,
/// or nothing else stands for what the window dropped.
fn eligible_summaries(material: &Material, candidates: &Candidates<'_>, kept: &Kept, as_of: Timestamp) -> Vec<usize> {
    let frozen = |summary: &Summary| summary.updated_at <= as_of;
    let stands_for_a_gap = |summary: &Summary| {
        let dropped = candidates.messages.iter().zip(kept).filter(|(_, why)| why.is_none()).map(|(placed, _)| placed.position());
        let uncovered = |position| !material.summaries.iter().any(|other| frozen(other) && other.covers(position));
        dropped.into_iter().any(|position| summary.covers(position) && uncovered(position))
    };
    let holds_unshown = |summary: &Summary| shown_within(summary, candidates, kept) < summary.messages;
    let all = material.summaries.iter().enumerate();
    all.filter(|(_, summary)| holds_unshown(summary) && (frozen(summary) || stands_for_a_gap(summary))).map(|(index, _)| index).collect()
}

fn recent_layer(page: &Page<'_>, window: &Chosen, budget: u32) -> Layer {
    let text = page.recent(&window.strands, &window.standing);
    let tokens = estimate(&text);
    Layer { name: LayerName::Recent, tokens, budget, text, items: window.items.clone(), dropped: window.dropped.clone() }
}

fn summaries_layer(page: &Page<'_>, material: &Material, window: &Chosen, cap: u32) -> Layer {
    let mut layer = empty(LayerName::Summaries, cap);
    let eligible = |index: usize| window.summaries.contains(&index);
    let mut order: Vec<(usize, &Summary)> = material.summaries.iter().enumerate().collect();
    let wide = |summary: &Summary| matches!(summary.scope, Scope::Lane | Scope::Chat);
    // The lane's own first: it carries what must not be lost. Then newest first, so a short budget drops the oldest.
    order.sort_by_key(|(_, summary)| (!wide(summary), std::cmp::Reverse(summary.last.position)));
    let by_the_lane: Vec<&Summary> = order.iter().map(|(_, summary)| *summary).filter(|summary| wide(summary)).collect();
    let mut chosen: Vec<(&Summary, String)> = Vec::new();
    for (index, summary) in order {
        let id = summary.id.to_string();
        let old = days_before(summary.last.position.at, page.now, page.zone) > DAYS_OF_SUMMARIES;
        let stood_for = by_the_lane.iter().any(|lane| lane.covers(summary.first.position) && lane.covers(summary.last.position));
        let refusal = if !eligible(index) {
            Some("all of it is shown word for word, or it is newer than this conversation")
        } else if !wide(summary) && old && stood_for {
            Some("older than a week; the lane's summary stands for it")
        } else {
            None
        };
        if let Some(why) = refusal {
            layer.dropped.push(Dropped { kind: "summary", id, why: why.to_owned() });
            continue;
        }
        let text = page.summary(summary);
        let mut trial: Vec<(&Summary, String)> = chosen.clone();
        trial.push((summary, text));
        let tokens = estimate(&joined(page, &mut trial));
        if tokens > cap {
            layer.dropped.push(Dropped { kind: "summary", id, why: "over the layer's cap".to_owned() });
            continue;
        }
        let why = format!("stands for {} messages", summary.messages);
        layer.items.push(Item { kind: "summary", id, tokens: tokens - layer.tokens, why });
        layer.tokens = tokens;
        chosen = trial;
    }
    layer.text = joined(page, &mut chosen);
    layer
}

fn joined(page: &Page<'_>, chosen: &mut [(&Summary, String)]) -> String {
    chosen.sort_by_key(|(summary, _)| summary.first.position);
    let texts: Vec<&str> = chosen.iter().map(|(_, text)| text.as_str()).collect();
    page.section(LayerName::Summaries, &texts.join("\n"))
}

fn memories_layer(page: &Page<'_>, material: &Material, shown: &[MessageId], cap: u32) -> (Layer, Vec<Recalled>) {
    let mut layer = empty(LayerName::Memories, cap);
    let current: Vec<MessageId> = material.message.iter().flat_map(|current| current.ids.iter().copied()).collect();
    let mut chosen: Vec<&Recalled> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for hit in &material.recalled {
        let seen = |id: &MessageId| shown.contains(id) || current.contains(id);
        if !hit.messages.is_empty() && hit.messages.iter().all(seen) {
            let why = "shown word for word already".to_owned();
            layer.dropped.push(Dropped { kind: hit.kind, id: hit.id.clone(), why });
            continue;
        }
        texts.push(page.memory(hit));
        let tokens = estimate(&page.memories(&texts));
        if tokens > cap {
            texts.pop();
            layer.dropped.push(Dropped { kind: hit.kind, id: hit.id.clone(), why: "over the layer's cap".to_owned() });
            continue;
        }
        let why = format!("matches the message, score {:.2}", hit.score);
        layer.items.push(Item { kind: hit.kind, id: hit.id.clone(), tokens: tokens - layer.tokens, why });
        layer.tokens = tokens;
        chosen.push(hit);
    }
    layer.text = page.memories(&texts);
    (layer, chosen.into_iter().cloned().collect())
}

fn message_layer(page: &Page<'_>, material: &Material, alone: bool) -> Layer {
    let mut layer = empty(LayerName::Message, 0);
    let Some(current) = &material.message else { return layer };
    layer.text = page.message(current, alone);
    layer.tokens = estimate(&layer.text);
    layer.budget = layer.tokens;
    let item = |id: String| Item { kind: "message", id, tokens: layer.tokens, why: "what the person says now".to_owned() };
    layer.items = if current.ids.is_empty() { vec![item("preview".to_owned())] } else { current.ids.iter().map(|id| item(id.to_string())).collect() };
    layer
}
