//! The six presets: the window, the budget, and the caps of the layers. Every number is a setting.

use jiff::SignedDuration;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::layers::{Caps, LayerName};

/// Maximum tokens of recalled items in the `standard` preset, which otherwise get what the window leaves.
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

as_str!(Preset);

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
    /// The default plan of the preset.
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

/// The messages that stay verbatim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The live conversation, then today, yesterday and the week; more of the recent than of the old.
    Tiers {
        /// A conversation that ended less than this before counts as today's, even across midnight.
        carry_over: SignedDuration,
        /// How older conversations are treated.
        older: Older,
    },
    /// This many messages.
    Last {
        /// The number of messages.
        messages: usize,
    },
    /// As many of the lane's newest messages as fit.
    Tail,
    /// All of them, or the newest share of the budget.
    Everything {
        /// Number of newest messages that are kept even if they exceed the budget.
        at_least: usize,
        /// Share of the budget for the newest messages if not all fit.
        percent: u32,
        /// Maximum tokens of the messages that must be kept, unless the budget is larger.
        ceiling: u32,
    },
    /// The last exchanges of a message and its answer.
    Exchanges {
        /// The number of exchanges.
        exchanges: usize,
        /// Maximum characters.
        characters: usize,
    },
}

/// How a window of tiers treats conversations of earlier days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Older {
    /// Verbatim while the budget lasts, unless a summary covers them.
    Verbatim,
    /// Verbatim within a share of the budget: those of the last days even if a summary covers them, older ones with a
    /// summary within a smaller share. The rest of the budget is for recalled items.
    ByRelevance,
}

/// The limits of one context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The preset it comes from.
    pub preset: Preset,
    /// The messages that stay verbatim.
    pub window: Window,
    /// Maximum tokens of all layers but the message.
    pub budget: u32,
    /// Maximum tokens of the window, if it has a limit of its own.
    pub history: Option<u32>,
    /// Maximum tokens of each other layer.
    pub caps: Caps,
    /// Number of messages by which the window's start moves at a time, so that a provider's prompt cache keeps hitting;
    /// 1 if that does not matter.
    pub block: u64,
}

impl Plan {
    /// The same plan under another budget.
    #[must_use]
    pub fn with_budget(self, budget: u32) -> Self {
        Self { budget, ..self }
    }

    /// The caps under this budget: no layer gets more than its share, so that a small budget still has room for the
    /// window.
    #[must_use]
    pub fn effective_caps(&self) -> Caps {
        let share = |percent: u32| u64::from(self.budget) * u64::from(percent) / 100;
        Caps::from_rules(|layer| {
            let percent = layer.cap.map_or(0, |cap| cap.percent);
            self.caps.of(layer.name).min(u32::try_from(share(percent)).unwrap_or(u32::MAX))
        })
    }
}
