//! Fits the inputs into the budget: each layer under its cap, no message twice, the stable part first.

use super::evidence;
use super::fit::{Filling, shorten_to};
use super::inputs::{ContextInputs, Focus};
use super::past::Past;
use super::preset::{Older, Plan, Window};
use super::recent::{self, Room};
use super::render::{self, Format, MessageSetting, Renderer};
use super::{Context, Item, Layer, LayerName, window};
use crate::conversation::Thread;
use crate::message::Message;
use crate::turn::Anchor;
use throughline_text::tokens::estimate;

/// The messages that must be kept do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "what must be kept needs {needed} tokens, and the most is {most}; shorten the message, change the budget (context.budget), or choose another preset (context.preset)"
)]
pub struct TooLong {
    /// The tokens needed.
    pub needed: u32,
    /// The tokens available.
    pub most: u32,
}

/// Tokens of the blank lines between layers.
const SEPARATORS: u32 = 8;
/// Maximum share of the budget for conversations older than the live one, in percent, if the conversation asks about
/// the past (evidence takes precedence) or for conversations older than a week (summaries do).
const OLDER_FOR_THE_PAST: u32 = 10;
/// Maximum share in all other cases.
pub const OLDER_FOR_THE_PRESENT: u32 = 60;
/// Share of the budget that a long live conversation leaves to recalled items, in percent.
const LEAST_EVIDENCE: u32 = 25;

/// Assembles the context of one turn.
///
/// # Errors
/// If the preset guarantees to keep messages that exceed its ceiling.
pub fn assemble(
    inputs: &ContextInputs,
    plan: &Plan,
    format: Format,
    thread: Thread,
) -> Result<Context, TooLong> {
    let renderer = Renderer { format, zone: &inputs.zone, now: inputs.now, person: inputs.person.as_deref() };
    let caps = plan.effective_caps();
    let ours = |_: &str, text: &str| text.to_owned();
    let file = |name: &str, text: &str| renderer.file(name, text);
    let theirs = |_: &str, text: &str| renderer.stored(text);
    let files = inputs.identity.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let profile = inputs.profile.iter().map(|text| ("profile", text.as_str()));
    let policy =
        fixed(&renderer, LayerName::Policy, [("policy", &*inputs.policy)], ours, caps.of(LayerName::Policy));
    let identity = fixed(&renderer, LayerName::Identity, files, file, caps.of(LayerName::Identity));
    let profile = fixed(&renderer, LayerName::Profile, profile, theirs, caps.of(LayerName::Profile));
    let quote = quote_layer(&renderer, inputs.quoted.as_ref(), caps.of(LayerName::Quote));

    let fixed = policy.tokens + identity.tokens + profile.tokens + SEPARATORS;
    let shares = Shares::of(inputs, plan, fixed, quote.tokens);
    let past = Past::new(&renderer, inputs, plan.window, thread, shares.room.recent);
    let shares = shares.keeping(&past, plan, fixed + quote.tokens)?;
    let recent = recent::choose(&renderer, inputs, &past, plan, thread, shares.room);
    let spent = fixed + quote.tokens + recent.layer.tokens + recent.summaries.tokens;
    let memories = shares.memories.min(shares.budget.saturating_sub(spent));
    let (memories, recalled) = evidence::layer(&renderer, inputs, &recent, memories);
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
        speaker_parts: Vec::new(),
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

/// The division of the budget.
struct Shares {
    budget: u32,
    room: Room,
    /// Token limit of the memories layer, unless the window and the summaries leave less.
    memories: u32,
}

impl Shares {
    /// The room of the window. If its start must not move, the caps of changing layers are subtracted instead of their
    /// sizes, so that the start depends on nothing that changes from turn to turn.
    fn of(inputs: &ContextInputs, plan: &Plan, fixed: u32, quote: u32) -> Self {
        let caps = plan.effective_caps();
        let quote = if plan.block > 1 { caps.of(LayerName::Quote) } else { quote };
        let rest = plan.budget.saturating_sub(fixed + quote);
        let share = |percent: u32| u32::try_from(u64::from(rest) * u64::from(percent) / 100).unwrap_or(rest);
        let is_by_relevance = matches!(plan.window, Window::Tiers { older: Older::ByRelevance, .. });
        let (older, summaries, reserve) = match inputs.focus {
            _ if !is_by_relevance => (rest, caps.of(LayerName::Summaries), caps.of(LayerName::Memories)),
            Focus::Past => (
                share(OLDER_FOR_THE_PAST),
                caps.of(LayerName::Summaries) / 2,
                caps.of(LayerName::Memories).min(share(LEAST_EVIDENCE)),
            ),
            Focus::Present => (
                share(OLDER_FOR_THE_PRESENT),
                caps.of(LayerName::Summaries),
                caps.of(LayerName::Memories).min(share(LEAST_EVIDENCE)),
            ),
        };
        let for_summaries = if inputs.summaries.is_empty() { 0 } else { summaries };
        let recent = rest.saturating_sub(for_summaries + reserve);
        let recent = plan.history.map_or(recent, |history| recent.min(history));
        let memories =
            if is_by_relevance { plan.caps.of(LayerName::Memories) } else { caps.of(LayerName::Memories) };
        let oldest = share(OLDER_FOR_THE_PAST).min(older);
        // Where the talk left off stands in full as long as no recalled item could need its room.
        let last = rest.saturating_sub(summaries + plan.caps.of(LayerName::Memories)).max(older);
        let [older, last, oldest] = [older, last, oldest].map(|share| share.min(recent));
        let room = Room { recent, older, last, oldest, summaries };
        Self { budget: plan.budget, room, memories }
    }

    /// Messages that must be kept come before summaries and memories, and may exceed the budget up to the ceiling.
    fn keeping(self, past: &Past, plan: &Plan, fixed: u32) -> Result<Self, TooLong> {
        let Window::Everything { at_least, ceiling, .. } = plan.window else { return Ok(self) };
        let newest = past.candidates.iter().rev().take(at_least);
        let recent = past.frame.saturating_add(window::cost(newest));
        if past.candidates.is_empty() || recent <= self.room.recent {
            return Ok(self);
        }
        let (needed, most) = (recent.saturating_add(fixed), ceiling.max(plan.budget));
        if needed > most {
            return Err(TooLong { needed, most });
        }
        let spare = plan.budget.saturating_sub(needed);
        let summaries = self.room.summaries.min(spare);
        let memories = self.memories.min(spare - summaries);
        let room = Room { recent, older: recent, last: recent, oldest: recent, summaries };
        Ok(Self { budget: plan.budget.max(needed), room, memories })
    }
}

/// A layer of whole files: as many as fit, in order. The first is shortened rather than dropped.
fn fixed<'a>(
    renderer: &Renderer<'_>,
    name: LayerName,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    written: impl Fn(&str, &str) -> String,
    cap: u32,
) -> Layer {
    let mut filling = Filling::new(name, cap, &renderer.section(name, "\n"));
    for (id, text) in
        files.into_iter().map(|(id, text)| (id, text.trim())).filter(|(_, text)| !text.is_empty())
    {
        let written = |text: &str| written(id, text);
        let cut = if filling.is_empty() { shorten_to(text, filling.left(), written) } else { None };
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

/// The layer of the current message, after the other layers.
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
    let item =
        |id: String| Item { kind: "message".into(), id, tokens, why: "what the person says now".into() };
    let items = match current.ids.as_slice() {
        [] => vec![item("preview".to_owned())],
        ids => ids.iter().map(|id| item(id.to_string())).collect(),
    };
    Layer { tokens, text, items, ..Layer::empty(LayerName::Message, tokens) }
}
