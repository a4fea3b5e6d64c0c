//! Estimates the tokens and cost of learning from messages before a model is asked. Estimates are slightly too high
//! rather than too low.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;
use throughline_domain::chat::ChatId;
use throughline_domain::conversation::opens;
use throughline_domain::message::Role;
use throughline_text::tokens::estimate;

use crate::import::OWN;
use crate::jobs::{compact, extract};
use crate::work::DailyCap;
use crate::{Engine, Inbound};

/// Tokens of existing memories and instructions around each extracted message.
const OVERHEAD_TOKENS: u64 = 400;
/// Maximum tokens of the assistant's answer in an extraction request.
const MAX_ANSWER_TOKENS: u64 = 250;
/// Typical tokens that a model writes: the statements of one message, and one summary.
const STATEMENT_TOKENS: u64 = 60;
const SUMMARY_TOKENS: u64 = 300;

/// The messages that a model would read.
#[derive(Debug, Default)]
pub struct ToLearn {
    /// Number of the person's messages.
    pub messages: u64,
    conversations: u64,
    said: u64,
    all: u64,
    last: HashMap<ChatId, Timestamp>,
}

/// The estimated tokens and cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The model that would be asked.
    pub model: String,
    /// Tokens read and written.
    pub tokens: u64,
    /// The cost, if the price is known.
    pub cost_usd: Option<f64>,
    /// The daily cap.
    pub cap: DailyCap,
}

impl Expected {
    /// Returns true if the estimate exceeds a day's cap.
    #[must_use]
    pub fn exceeds_cap(&self) -> bool {
        self.tokens > self.cap.tokens || self.cost_usd.is_some_and(|cost| cost > self.cap.usd)
    }
}

impl Engine {
    /// Adds a message that is about to be imported.
    pub fn add_to_learn(&self, to: &mut ToLearn, inbound: &Inbound) {
        let tokens = u64::from(estimate(&inbound.text));
        to.all += tokens;
        match inbound.role {
            Role::User if inbound.metadata.get(OWN) != Some(&Value::Bool(false)) => {
                to.messages += 1;
                to.said += tokens;
            }
            Role::Assistant => to.said += tokens.min(MAX_ANSWER_TOKENS),
            _ => {}
        }
        let at = inbound.at.unwrap_or_else(|| self.now());
        let before = to.last.insert(inbound.chat.clone(), at);
        to.conversations += u64::from(before.is_none_or(|before| opens(before, at, self.settings.gap)));
    }

    /// The estimate; `None` if no model would be asked.
    #[must_use]
    pub fn expected(&self, to: &ToLearn) -> Option<Expected> {
        let model = self.small.as_ref()?;
        let instructions = |text: &str| u64::from(estimate(text));
        let read = to.messages * (instructions(extract::INSTRUCTIONS) + OVERHEAD_TOKENS)
            + to.conversations * instructions(compact::INSTRUCTIONS)
            + to.said
            + to.all;
        let written = to.messages * STATEMENT_TOKENS + to.conversations * SUMMARY_TOKENS;
        Some(Expected {
            model: model.name().to_owned(),
            tokens: read + written,
            cost_usd: model.expected_cost(read, written),
            cap: self.settings.daily_cap,
        })
    }
}
