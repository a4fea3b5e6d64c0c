//! The context of one turn: eight layers, each with a cap, chosen from what was gathered and rendered for a model.
//!
//! [`inputs`] is what comes in, [`layers`] and [`preset`] say how much may go out, [`assemble`] decides, [`render`] writes.

pub mod assemble;
pub mod collapse;
mod evidence;
mod fit;
pub mod inputs;
pub mod layers;
mod passages;
mod past;
pub mod preset;
mod recent;
pub mod render;
mod summaries;
#[cfg(test)]
pub(crate) mod testing;
mod tiers;
mod window;

use std::borrow::Cow;

use serde::Serialize;

use crate::conversation::Thread;
use crate::turn::{Anchor, ItemReceipt, LayerReceipt};

pub use assemble::{OLDER_FOR_THE_PRESENT, TooLong, assemble};
pub use collapse::{Side, Utterance};
pub use inputs::{ContextInputs, Current, Focus, History, Recalled, StoredMessage};
pub use layers::{Caps, LAYERS, LayerName, PerLayer};
pub use passages::best_passages;
pub use preset::{Older, Plan, Preset, Window};
pub use render::{Format, Prompt, Provider};

/// One piece that was considered for a layer, and why it is there or is not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// What it is: `message`, `summary`, `memory`, `file`, `note`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// What it costs, or would cost; nothing if that was not worked out.
    pub tokens: u32,
    /// Why it is there, or is not.
    pub why: Cow<'static, str>,
}

/// One layer, rendered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layer {
    /// Its name.
    pub name: LayerName,
    /// What its text costs.
    pub tokens: u32,
    /// What it may cost.
    pub budget: u32,
    /// The text a model sees; empty when there is nothing to say.
    pub text: String,
    /// What it holds.
    pub items: Vec<Item>,
    /// What it had no room or no reason for.
    pub dropped: Vec<Item>,
}

impl Layer {
    fn empty(name: LayerName, budget: u32) -> Self {
        Self { name, tokens: 0, budget, text: String::new(), items: Vec::new(), dropped: Vec::new() }
    }
}

/// Everything for one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// The preset it was made by.
    pub preset: Preset,
    /// The format its layers are written in.
    pub format: Format,
    /// Whether a conversation continues or begins.
    pub thread: Thread,
    /// What the message is most likely about.
    pub anchor: Option<Anchor>,
    /// What all layers but the message may cost together: the plan's budget, or more if the preset promises to keep
    /// messages that need more.
    pub budget: u32,
    /// What they do cost.
    pub tokens: u32,
    /// The eight layers, in order.
    pub layers: Vec<Layer>,
    /// The window, utterance by utterance, for models that take turns rather than text.
    pub said: Vec<Utterance>,
    /// What recall found and the memories layer shows.
    pub recalled: Vec<Recalled>,
    /// What the person says now.
    pub message: Option<Current>,
    /// Who says what of it, if several people wrote at the same time; else empty.
    pub voices: Vec<Voice>,
    /// The context as turns, if the format is one of turns.
    pub prompt: Option<Prompt>,
}

/// What one of several people says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    /// Their name.
    pub speaker: String,
    /// Their words.
    pub text: String,
}

impl Context {
    /// One layer by name.
    #[must_use]
    pub fn layer(&self, name: LayerName) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    /// The layers as a receipt keeps them: ids and figures, no text. A long run of messages that are there for one reason
    /// is told by its ends.
    #[must_use]
    pub fn receipt(&self) -> Vec<LayerReceipt> {
        let told = |items: &[Item]| runs(items).flat_map(told).collect();
        self.layers
            .iter()
            .map(|layer| LayerReceipt {
                name: layer.name.as_str().to_owned(),
                tokens: layer.tokens,
                budget: layer.budget,
                items: told(&layer.items),
                dropped: told(&layer.dropped),
            })
            .collect()
    }
}

/// A text of a file as a prompt's turn can carry it: it cannot pass for one of our labels or tags.
#[must_use]
pub fn as_data(text: &str) -> String {
    render::escape::turn(text, render::escape::First::OfLine)
}

/// A stored text as it can stand inside a tag of ours, behind a label: it can neither close the tag nor forge a label.
#[must_use]
pub fn as_fenced(text: &str) -> String {
    render::escape::tagged_lines(text, render::escape::First::AfterLabel)
}

/// A file's name as a label can carry it.
#[must_use]
pub fn as_name(name: &str) -> String {
    render::escape::name(name)
}

/// A receipt names each piece of a shorter run.
const SHORT_RUN: usize = 24;

/// Neighbors of one kind that are there for one reason.
fn runs(items: &[Item]) -> impl Iterator<Item = &[Item]> {
    items.chunk_by(|one, next| one.kind == next.kind && one.why == next.why)
}

fn told(run: &[Item]) -> Vec<ItemReceipt> {
    let kept = |item: &Item| ItemReceipt {
        kind: item.kind.to_owned(),
        id: item.id.clone(),
        tokens: item.tokens,
        why: item.why.to_string(),
    };
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return Vec::new() };
    if run.len() <= SHORT_RUN {
        return run.iter().map(kept).collect();
    }
    let between = run.get(1..run.len() - 1).unwrap_or_default();
    let middle = ItemReceipt {
        kind: first.kind.to_owned(),
        id: format!("{} more", between.len()),
        tokens: between.iter().map(|item| item.tokens).sum(),
        why: first.why.to_string(),
    };
    vec![kept(first), middle, kept(last)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_tells_a_long_run_by_its_ends_and_keeps_every_token() {
        let item = |n: u32, why: &str| Item {
            kind: "message",
            id: n.to_string(),
            tokens: n,
            why: why.to_owned().into(),
        };
        let items: Vec<Item> =
            (0..100).map(|n| item(n, "recent")).chain([item(100, "the beginning")]).collect();
        let receipt: Vec<ItemReceipt> = runs(&items).flat_map(told).collect();
        let ids: Vec<&str> = receipt.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["0", "98 more", "99", "100"]);
        assert_eq!(receipt.iter().map(|item| item.tokens).sum::<u32>(), (0..=100).sum::<u32>());
    }
}
