//! The six presets: which window, what budget, how much for each layer. Every number can be set.

use std::str::FromStr;

use jiff::SignedDuration;

/// A named way to fill a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

impl Preset {
    /// All presets.
    pub const ALL: [Self; 6] =
        [Self::Tiered, Self::Rolling, Self::Lane, Self::Full, Self::Pairs, Self::Standard];

    /// The name in JSON and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tiered => "tiered",
            Self::Rolling => "rolling",
            Self::Lane => "lane",
            Self::Full => "full",
            Self::Pairs => "pairs",
            Self::Standard => "standard",
        }
    }

    /// The preset's numbers as they come.
    #[must_use]
    pub fn plan(self) -> Plan {
        let tiers = |older| Window::Tiers { carry_over: SignedDuration::from_hours(6), older };
        let roomy = Caps {
            policy: 1_000,
            identity: 2_000,
            profile: 500,
            summaries: 6_000,
            memories: 1_500,
            quote: 1_000,
        };
        let tight =
            Caps { policy: 300, identity: 200, profile: 400, summaries: 600, memories: 800, quote: 300 };
        let steady =
            |window, budget, history, caps| Plan { preset: self, window, budget, history, caps, block: 10 };
        let plan = |window, budget, history, caps| Plan { block: 1, ..steady(window, budget, history, caps) };
        match self {
            Self::Tiered => steady(tiers(Older::Verbatim), 30_000, None, roomy),
            Self::Standard => {
                steady(tiers(Older::ByRelevance), 30_000, None, Caps { memories: 10_000, ..roomy })
            }
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

impl FromStr for Preset {
    type Err = UnknownPreset;
    fn from_str(text: &str) -> Result<Self, UnknownPreset> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.as_str() == text)
            .ok_or_else(|| UnknownPreset(text.chars().take(40).collect()))
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
        /// What must be kept may not cost more than this, or than the budget where that is larger.
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
    /// Those of the last days word for word; of the others what bears on the message, by recall.
    ByRelevance,
}

/// What each layer may cost at most, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// The rules of the house.
    pub policy: u32,
    /// Who the assistant is.
    pub identity: u32,
    /// Who the person is.
    pub profile: u32,
    /// Older conversations.
    pub summaries: u32,
    /// What recall found.
    pub memories: u32,
    /// The message replied to.
    pub quote: u32,
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
    /// What the window may cost, where it has a share of its own.
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
        let share = |cap: u32, percent: u64| {
            cap.min(u32::try_from(u64::from(self.budget) * percent / 100).unwrap_or(u32::MAX))
        };
        Caps {
            policy: share(self.caps.policy, 20),
            identity: share(self.caps.identity, 15),
            profile: share(self.caps.profile, 10),
            summaries: share(self.caps.summaries, 20),
            memories: share(self.caps.memories, 20),
            quote: share(self.caps.quote, 7),
        }
    }
}
