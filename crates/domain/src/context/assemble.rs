//! Fits what was gathered into the budget: each layer under its cap, no message twice, the stable part first.

use std::collections::HashSet;

use super::fit::{Filling, head_and_tail, shorten_to};
use super::inputs::{ContextInputs, Recalled};
use super::layers::Caps;
use super::past::Past;
use super::preset::{Plan, Window};
use super::recent::{self, Recent, Room};
use super::render::{self, Format, MessageSetting, Renderer};
use super::{Context, Item, Layer, LayerName, window};
use crate::conversation::Thread;
use crate::message::{Message, MessageId};
use crate::turn::Anchor;
use throughline_text::tokens::estimate;

/// What must be kept does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "what must be kept needs {needed} tokens, and the most is {most}; shorten the message, change the budget, or choose another preset"
)]
pub struct TooLong {
    /// What it needs.
    pub needed: u32,
    /// What there is.
    pub most: u32,
}

/// Blank lines between layers are tokens too.
const SEPARATORS: u32 = 8;

/// Makes the context of one turn.
///
/// # Errors
/// When the preset promises to keep messages that exceed its ceiling.
pub fn assemble(
    inputs: &ContextInputs,
    plan: &Plan,
    format: Format,
    thread: Thread,
) -> Result<Context, TooLong> {
    let renderer = Renderer { format, zone: &inputs.zone, now: inputs.now, person: inputs.person.as_deref() };
    let caps = plan.effective_caps();
    let ours = |text: &str| text.to_owned();
    let theirs = |text: &str| renderer.stored(text);
    let files = inputs.identity.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let profile = inputs.profile.iter().map(|text| ("profile", text.as_str()));
    let policy =
        fixed(&renderer, LayerName::Policy, [("policy", &*inputs.policy)], ours, caps.of(LayerName::Policy));
    let identity = fixed(&renderer, LayerName::Identity, files, ours, caps.of(LayerName::Identity));
    let profile = fixed(&renderer, LayerName::Profile, profile, theirs, caps.of(LayerName::Profile));
    let quote = quote_layer(&renderer, inputs.quoted.as_ref(), caps.of(LayerName::Quote));

    let fixed = policy.tokens + identity.tokens + profile.tokens + SEPARATORS;
    let room = room_for_window(inputs, plan, caps, fixed, quote.tokens);
    let past = Past::new(&renderer, inputs, plan.window, thread, room);
    let shares = Shares::new(&past, plan, caps, fixed + quote.tokens, room)?;
    let recent = recent::choose(&renderer, inputs, &past, plan, thread, shares.room);
    let (memories, recalled) = memories_layer(&renderer, inputs, &recent, shares.memories);
    let said = recent.said().cloned().collect();

    let mut layers = vec![policy, identity, profile, recent.summaries, memories, recent.layer, quote];
    let message = message_layer(&renderer, inputs, &layers);
    layers.push(message);
    let prompt = (format == Format::Messages)
        .then(|| render::prompt(&renderer, &layers, &recent.strands, &recent.thread_status));
    let tokens =
        layers.iter().filter(|layer| layer.name != LayerName::Message).map(|layer| layer.tokens).sum();
    let last_reply = inputs.last_reply.as_ref().map(|message| message.id);
    Ok(Context {
        preset: plan.preset,
        format,
        thread,
        anchor: Anchor::choose(inputs.quoted.as_ref().map(|quoted| quoted.id), last_reply),
        budget: shares.budget,
        tokens,
        layers,
        said,
        recalled,
        message: inputs.message.clone(),
        prompt,
    })
}

/// What the window may cost. What may differ from turn to turn is taken off whole if the window's start has to stand
/// still, so that it depends on nothing that changes.
fn room_for_window(inputs: &ContextInputs, plan: &Plan, caps: Caps, fixed: u32, quote: u32) -> u32 {
    let summaries = if inputs.summaries.is_empty() { 0 } else { caps.of(LayerName::Summaries) };
    let quote = if plan.block > 1 { caps.of(LayerName::Quote) } else { quote };
    let room = plan.budget.saturating_sub(fixed + summaries + caps.of(LayerName::Memories) + quote);
    plan.history.map_or(room, |history| room.min(history))
}

/// Who may cost what, once it is known what must be kept.
struct Shares {
    budget: u32,
    room: Room,
    memories: u32,
}

impl Shares {
    /// Messages that must be kept come before summaries and memories, and may exceed the budget up to the ceiling.
    fn new(past: &Past, plan: &Plan, caps: Caps, fixed: u32, room: u32) -> Result<Self, TooLong> {
        let shares = Self {
            budget: plan.budget,
            room: Room { recent: room, summaries: caps.of(LayerName::Summaries) },
            memories: caps.of(LayerName::Memories),
        };
        let Window::Everything { at_least, ceiling, .. } = plan.window else { return Ok(shares) };
        let newest = past.candidates.iter().rev().take(at_least);
        let recent = past.frame.saturating_add(window::cost(newest));
        if past.candidates.is_empty() || recent <= room {
            return Ok(shares);
        }
        let (needed, most) = (recent.saturating_add(fixed), ceiling.max(plan.budget));
        if needed > most {
            return Err(TooLong { needed, most });
        }
        let spare = plan.budget.saturating_sub(needed);
        let summaries = caps.of(LayerName::Summaries).min(spare);
        let memories = caps.of(LayerName::Memories).min(spare - summaries);
        Ok(Self { budget: plan.budget.max(needed), room: Room { recent, summaries }, memories })
    }
}

/// A layer of whole files: as many as fit, in order; the first is rather cut than dropped.
fn fixed<'a>(
    renderer: &Renderer<'_>,
    name: LayerName,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    written: impl Fn(&str) -> String,
    cap: u32,
) -> Layer {
    let mut filling = Filling::new(name, cap, &renderer.section(name, "\n"));
    for (id, text) in
        files.into_iter().map(|(id, text)| (id, text.trim())).filter(|(_, text)| !text.is_empty())
    {
        let cut = if filling.is_empty() { shorten_to(text, filling.left(), &written) } else { None };
        let text = cut.unwrap_or_else(|| written(text));
        filling.offer((), text, "file", id.to_owned(), "always there".to_owned());
    }
    let texts = |pieces: &[((), String)]| {
        pieces.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n\n")
    };
    filling.finish(|pieces| renderer.section(name, &texts(pieces))).0
}

fn quote_layer(renderer: &Renderer<'_>, quoted: Option<&Message>, cap: u32) -> Layer {
    let mut filling = Filling::new(LayerName::Quote, cap, "");
    if let Some(quoted) = quoted {
        let written = |text: &str| renderer.quote(quoted, text);
        let text = shorten_to(&quoted.text, filling.left(), written).unwrap_or_else(|| written(&quoted.text));
        filling.offer((), text, "message", quoted.id.to_string(), "the message replied to".to_owned());
    }
    filling.finish(|pieces| pieces.iter().map(|(_, text)| text.as_str()).collect()).0
}

fn memories_layer(
    renderer: &Renderer<'_>,
    inputs: &ContextInputs,
    recent: &Recent,
    cap: u32,
) -> (Layer, Vec<Recalled>) {
    let mut filling = Filling::new(LayerName::Memories, cap, &renderer.memories(&[""]));
    let current = inputs.message.iter().flat_map(|current| &current.ids);
    // Of what is shown by its summary, all of it may be asked for.
    let window = recent.said().filter(|said| !said.is_summed_up).flat_map(|said| &said.ids);
    let mut seen: HashSet<MessageId> =
        window.chain(current).chain(inputs.quoted.iter().map(|quoted| &quoted.id)).copied().collect();
    let summaries: HashSet<&str> = recent.summaries.items.iter().map(|item| item.id.as_str()).collect();
    for hit in &inputs.recalled {
        let mut messages = hit.messages.iter();
        let repeats = match hit.kind {
            "message" => messages.any(|id| seen.contains(id)),
            _ => !hit.messages.is_empty() && messages.all(|id| seen.contains(id)),
        };
        if repeats || hit.kind == "summary" && summaries.contains(hit.id.as_str()) {
            filling.refuse(hit.kind, hit.id.clone(), "shown already");
            continue;
        }
        // One long hit must not push out the others.
        let text = renderer.memory(hit, &head_and_tail(&hit.text, cap / 2));
        let why = format!("matches the message, score {:.2}", hit.score);
        if filling.offer(hit, text, hit.kind, hit.id.clone(), why) && hit.kind == "message" {
            seen.extend(&hit.messages);
        }
    }
    let texts = |pieces: &[(&Recalled, String)]| {
        renderer.memories(&pieces.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>())
    };
    let (layer, recalled) = filling.finish(texts);
    (layer, recalled.into_iter().cloned().collect())
}

/// What the person says now, after the other layers.
fn message_layer(renderer: &Renderer<'_>, inputs: &ContextInputs, others: &[Layer]) -> Layer {
    let Some(current) = &inputs.message else { return Layer::empty(LayerName::Message, 0) };
    let has_text = |layer: &&Layer| !layer.text.is_empty();
    let beside = match others.iter().find(|layer| layer.name == LayerName::Recent).filter(has_text) {
        Some(_) => MessageSetting::Window,
        None if others.iter().any(|layer| has_text(&layer)) => MessageSetting::OtherLayers,
        None => MessageSetting::Nothing,
    };
    let text = renderer.message(current, beside);
    let tokens = estimate(&text);
    let why = || "what the person says now".to_owned();
    let item = |id: String| Item { kind: "message", id, tokens, why: why() };
    let items = match current.ids.as_slice() {
        [] => vec![item("preview".to_owned())],
        ids => ids.iter().map(|id| item(id.to_string())).collect(),
    };
    Layer { tokens, text, items, ..Layer::empty(LayerName::Message, tokens) }
}
