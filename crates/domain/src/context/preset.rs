//! The six presets: which window, what budget, how much for each layer. Every number can be set.

use jiff::SignedDuration;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::layers::{Caps, LayerName};

/// Maximum tokens of what is recalled in the `standard` preset, which otherwise takes what the window leaves.
const MOST_EVIDENCE: u32 = 7_600;

/// A named way to fill a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownPreset, parse_err_fn = UnknownPreset::new)]
pub enum Preset {
    /// Time tiers under a hard budget.
    Tiered,
    /// The last 20 messages, with small fixed shares.
    Rolling,
    /// The last messages of the lane.
    Lane,
    /// Everything, for models with a large window.
    Full,
    /// The last 20 exchanges.
    Pairs,
    /// The live conversation word for word, then tiers.
    Standard,
}

/// A text that names no preset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a preset: choose tiered, rolling, lane, full, pairs or standard")]
pub struct UnknownPreset(String);

impl UnknownPreset {
    fn new(text: &str) -> Self {
        Self(text.chars().take(40).collect())
    }
}

impl Preset {
    /// The name in JSON and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The preset's numbers as they come.
    #[must_use]
    pub fn plan(self) -> Plan {
        let tiers = |older| Window::Tiers { carry_over: SignedDuration::from_hours(6), older };
        let roomy = Caps::from_rules(|layer| layer.cap.map_or(0, |cap| cap.roomy));
        let tight = Caps::from_rules(|layer| layer.cap.map_or(0, |cap| cap.tight));
        let steady =
            |window, budget, history, caps| Plan { preset: self, window, budget, history, caps, block: 10 };
        let plan = |window, budget, history, caps| Plan { block: 1, ..steady(window, budget, history, caps) };
        match self {
            Self::Tiered => steady(tiers(Older::Verbatim), 30_000, None, roomy),
            Self::Standard => steady(
                tiers(Older::ByRelevance),
                30_000,
                None,
                roomy.with(LayerName::Memories, MOST_EVIDENCE),
            ),
            Self::Rolling => plan(Window::Last { messages: 20 }, 4_300, Some(2_000), tight),
            // The window's share and all caps.
            Self::Lane => steady(Window::Tail, 5_200, Some(2_500), tight),
            Self::Full => {
                plan(Window::Everything { at_least: 10, percent: 80, ceiling: 180_000 }, 150_000, None, roomy)
            }
            Self::Pairs => {
                plan(Window::Exchanges { exchanges: 20, characters: 100_000 }, 100_000, None, roomy)
            }
        }
    }
}

/// Which messages stay word for word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The live conversation, then today, yesterday and the week, fuller the nearer.
    Tiers {
        /// A conversation that ended this shortly before still counts as today's, midnight or not.
        carry_over: SignedDuration,
        /// What becomes of conversations that are older than that.
        older: Older,
    },
    /// This many messages.
    Last {
        /// How many.
        messages: usize,
    },
    /// As many of the lane's newest as the budget holds.
    Tail,
    /// All of them, or the newest share of the budget.
    Everything {
        /// These many newest are kept, over the budget if need be.
        at_least: usize,
        /// The share of the budget that the newest may fill when not all fits.
        percent: u32,
        /// What must be kept may not cost more than this, or than the budget if that is larger.
        ceiling: u32,
    },
    /// What was said and answered, as units.
    Exchanges {
        /// How many.
        exchanges: usize,
        /// How many characters at most.
        characters: usize,
    },
}

/// How conversations of earlier days come into a window of tiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Older {
    /// Word for word while the budget lasts, unless a summary covers them.
    Verbatim,
    /// Word for word within a share of the budget, those of the last days even if a summary covers them, older ones that
    /// have a summary within a smaller share. The rest of the budget goes to what bears on the message, by recall.
    ByRelevance,
}

/// How one context is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The preset it comes from.
    pub preset: Preset,
    /// Which messages stay word for word.
    pub window: Window,
    /// What all layers but the message may cost, in tokens.
    pub budget: u32,
    /// What the window may cost, if it has a share of its own.
    pub history: Option<u32>,
    /// What each other layer may cost.
    pub caps: Caps,
    /// The window's start moves by this many messages at a time, so that a provider's prompt cache keeps hitting; 1 where
    /// it need not.
    pub block: u64,
}

impl Plan {
    /// The same plan under another budget.
    #[must_use]
    pub fn with_budget(self, budget: u32) -> Self {
        Self { budget, ..self }
    }

    /// The caps as they hold under this budget: no layer takes more than its share, so that a small budget still has
    /// room for the window.
    #[must_use]
    pub fn effective_caps(&self) -> Caps {
        let share = |percent: u32| u64::from(self.budget) * u64::from(percent) / 100;
        Caps::from_rules(|layer| {
            let percent = layer.cap.map_or(0, |cap| cap.percent);
            self.caps.of(layer.name).min(u32::try_from(share(percent)).unwrap_or(u32::MAX))
        })
    }
}
