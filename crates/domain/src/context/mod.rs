//! The context of one turn: eight layers, each with a cap, chosen from the gathered inputs and rendered for a model.
//!
//! [`inputs`] are the candidates, [`layers`] and [`preset`] the limits; [`assemble`] chooses, and [`render`] writes.

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

use serde::{Deserialize, Serialize};

use crate::conversation::Thread;
use crate::turn::{Anchor, LayerReceipt};

pub use assemble::{OLDER_FOR_THE_PRESENT, TooLong, assemble};
pub use collapse::{Side, Utterance};
pub use inputs::{ContextInputs, Current, Focus, History, Recalled, StoredMessage};
pub use layers::{Caps, LAYERS, LayerName, PerLayer};
pub use passages::best_passages;
pub use preset::{Older, Plan, Preset, Window};
pub use render::{Format, Prompt, Provider};

/// One item that was considered for a layer, and why it was kept or dropped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its kind: `message`, `summary`, `memory`, `file` or `note`.
    pub kind: Cow<'static, str>,
    /// Its id.
    pub id: String,
    /// The tokens it uses, or would use; 0 if they were not computed.
    pub tokens: u32,
    /// Why it was kept or dropped.
    pub why: Cow<'static, str>,
}

/// One layer, rendered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layer {
    /// Its name.
    pub name: LayerName,
    /// The tokens of its text.
    pub tokens: u32,
    /// Its token limit.
    pub budget: u32,
    /// The text that the model sees; may be empty.
    pub text: String,
    /// The items kept.
    pub items: Vec<Item>,
    /// The items dropped.
    pub dropped: Vec<Item>,
}

impl Layer {
    fn empty(name: LayerName, budget: u32) -> Self {
        Self { name, tokens: 0, budget, text: String::new(), items: Vec::new(), dropped: Vec::new() }
    }
}

/// The assembled context of one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// The preset it was made by.
    pub preset: Preset,
    /// The format its layers are written in.
    pub format: Format,
    /// Whether the message continues a conversation or begins one.
    pub thread: Thread,
    /// The likely subject of the message.
    pub anchor: Option<Anchor>,
    /// Token limit of all layers but the message: the plan's budget, or more if the preset guarantees to keep messages
    /// that need more.
    pub budget: u32,
    /// The tokens they use.
    pub tokens: u32,
    /// The eight layers, in order.
    pub layers: Vec<Layer>,
    /// The utterances of the window, for models that take turns rather than text.
    pub said: Vec<Utterance>,
    /// The recalled items in the memories layer.
    pub recalled: Vec<Recalled>,
    /// The current message.
    pub message: Option<Current>,
    /// The parts of the current message by speaker, if several people wrote at the same time; else empty.
    pub speaker_parts: Vec<SpeakerPart>,
    /// The context as turns, if the format is one of turns.
    pub prompt: Option<Prompt>,
}

/// The part of a message that one of several people wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeakerPart {
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

    /// The layers for a receipt: ids and figures, no text. A long run of items with the same reason is shortened to its
    /// first and last.
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

/// The text of a file, escaped for a turn of a prompt: it cannot pass for one of our labels or tags.
#[must_use]
pub fn as_data(text: &str) -> String {
    render::escape::turn(text, render::escape::First::OfLine)
}

/// A stored text, escaped for use inside one of our tags and after a label: it can neither close the tag nor forge a
/// label.
#[must_use]
pub fn as_fenced(text: &str) -> String {
    render::escape::tagged_lines(text, render::escape::First::AfterLabel)
}

/// A file's name, escaped for a label.
#[must_use]
pub fn as_name(name: &str) -> String {
    render::escape::name(name)
}

/// Maximum length of a run whose items a receipt names one by one.
const SHORT_RUN: usize = 24;

/// Runs of neighboring items with the same kind and reason.
fn runs(items: &[Item]) -> impl Iterator<Item = &[Item]> {
    items.chunk_by(|one, next| one.kind == next.kind && one.why == next.why)
}

fn told(run: &[Item]) -> Vec<Item> {
    let [first, between @ .., last] = run else { return run.to_vec() };
    if run.len() <= SHORT_RUN {
        return run.to_vec();
    }
    let middle = Item {
        id: format!("{} more", between.len()),
        tokens: between.iter().map(|item| item.tokens).sum(),
        ..first.clone()
    };
    vec![first.clone(), middle, last.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_tells_a_long_run_by_its_ends_and_keeps_every_token() {
        let item = |n: u32, why: &str| Item {
            kind: "message".into(),
            id: n.to_string(),
            tokens: n,
            why: why.to_owned().into(),
        };
        let items: Vec<Item> =
            (0..100).map(|n| item(n, "recent")).chain([item(100, "the beginning")]).collect();
        let receipt: Vec<Item> = runs(&items).flat_map(told).collect();
        let ids: Vec<&str> = receipt.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["0", "98 more", "99", "100"]);
        assert_eq!(receipt.iter().map(|item| item.tokens).sum::<u32>(), (0..=100).sum::<u32>());
    }
}
