//! The one table of layers: their order, headings, caps and shares. Plans, settings, formats and docs are made from it.

use serde::Serialize;
use strum::IntoStaticStr;

/// A layer's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum LayerName {
    /// The rules of the house: search first, history is past.
    Policy,
    /// Who the assistant is.
    Identity,
    /// Who the person is.
    Profile,
    /// Summaries of older conversations.
    Summaries,
    /// What recall found for this message.
    Memories,
    /// The window, word for word, and the thread's status.
    Recent,
    /// The message that is replied to.
    Quote,
    /// The current message. Never cut, and outside the budget.
    Message,
}

as_str!(LayerName);

impl LayerName {
    /// The layer's row of [`LAYERS`].
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "the table has a row for each name, which a test checks")]
    pub fn rule(self) -> &'static LayerRule {
        &LAYERS[self as usize]
    }
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct LayerRule {
    /// The layer.
    pub name: LayerName,
    /// Its content, as the end of a sentence.
    pub holds: &'static str,
    /// Its heading in the `text` format.
    pub heading: &'static str,
    /// Its limit; a layer without one takes what the others leave, or is never cut.
    pub cap: Option<Cap>,
}

/// The limits of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    /// Maximum tokens in presets with a large budget.
    pub roomy: u32,
    /// Maximum tokens in presets with a small budget.
    pub tight: u32,
    /// Maximum share of any budget, so that a small budget still has room for the window.
    pub percent: u32,
}

/// Every layer, in the order in which a model sees them.
pub static LAYERS: [LayerRule; 8] = [
    LayerRule {
        name: LayerName::Policy,
        holds: "the policy",
        heading: "INSTRUCTIONS",
        cap: Some(Cap { roomy: 1_000, tight: 300, percent: 20 }),
    },
    LayerRule {
        name: LayerName::Identity,
        holds: "the identity",
        heading: "WHO YOU ARE",
        cap: Some(Cap { roomy: 2_000, tight: 200, percent: 15 }),
    },
    LayerRule {
        name: LayerName::Profile,
        holds: "the profile",
        heading: "USER PROFILE",
        cap: Some(Cap { roomy: 500, tight: 400, percent: 10 }),
    },
    LayerRule {
        name: LayerName::Summaries,
        holds: "summaries",
        heading: "EARLIER CONVERSATIONS",
        cap: Some(Cap { roomy: 6_000, tight: 600, percent: 20 }),
    },
    LayerRule {
        name: LayerName::Memories,
        holds: "recalled memories",
        heading: "RELEVANT MEMORIES",
        cap: Some(Cap { roomy: 1_500, tight: 800, percent: 20 }),
    },
    LayerRule {
        name: LayerName::Recent,
        holds: "recent messages, word for word",
        heading: "RECENT CONVERSATION",
        cap: None,
    },
    LayerRule {
        name: LayerName::Quote,
        holds: "the quoted message",
        heading: "QUOTED MESSAGE",
        cap: Some(Cap { roomy: 1_000, tight: 300, percent: 7 }),
    },
    LayerRule {
        name: LayerName::Message,
        holds: "the current message",
        heading: "CURRENT MESSAGE",
        cap: None,
    },
];

/// One value for each layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerLayer<T>([T; LAYERS.len()]);

/// Maximum tokens of each layer that has a cap.
pub type Caps = PerLayer<u32>;

impl<T: Copy> PerLayer<T> {
    /// Makes the values from the rows of the table.
    pub fn from_rules(value: impl Fn(&LayerRule) -> T) -> Self {
        Self(LAYERS.each_ref().map(value))
    }

    /// The value of one layer.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "there is a value for each name")]
    pub fn of(&self, name: LayerName) -> T {
        self.0[name as usize]
    }

    /// The value of one layer, to be changed.
    #[expect(clippy::indexing_slicing, reason = "there is a value for each name")]
    pub fn of_mut(&mut self, name: LayerName) -> &mut T {
        &mut self.0[name as usize]
    }

    /// The same values but for one layer.
    #[must_use]
    pub fn with(mut self, name: LayerName, value: T) -> Self {
        *self.of_mut(name) = value;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_finds_its_own_row() {
        for layer in &LAYERS {
            assert_eq!(layer.name.rule(), layer);
        }
        let shares: u32 = LAYERS.iter().filter_map(|layer| layer.cap).map(|cap| cap.percent).sum();
        assert_eq!(shares, 92, "the window keeps the rest of a small budget");
    }

    #[test]
    fn names_in_order() {
        let names = LAYERS.each_ref().map(|layer| layer.name.as_str());
        assert_eq!(
            names,
            ["policy", "identity", "profile", "summaries", "memories", "recent", "quote", "message"]
        );
    }
}
