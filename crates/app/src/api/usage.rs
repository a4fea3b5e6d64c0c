//! The cost of models.

use std::collections::BTreeMap;

use serde::Serialize;
use throughline_engine::Settings;
use throughline_engine::work::DailyCap;
use throughline_store::ledger::{Spent, SpentOnDay};
use utoipa::ToSchema;

/// What models cost over a number of days.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpentDocument {
    /// The first day.
    pub since: String,
    /// The total.
    pub total: SpentFigures,
    /// The days on which a model was called, oldest first.
    pub days: Vec<SpentOnDayDocument>,
    /// The purposes and models.
    pub by: Vec<SpentOnDocument>,
    /// The most that a day may cost, all chats together.
    pub caps: CapsDocument,
}

/// Figures of calls.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct SpentFigures {
    /// Calls.
    pub calls: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// The known part of the cost, in dollars.
    pub cost_usd: f64,
}

/// A day.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpentOnDayDocument {
    /// The day in the person's zone, such as 2026-02-18.
    pub day: String,
    /// Calls that a person waited for.
    pub replies: SpentFigures,
    /// Other calls.
    pub background: SpentFigures,
}

/// A purpose and model.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpentOnDocument {
    /// The purpose, such as reply or extract.
    pub purpose: String,
    /// The model.
    pub model: String,
    /// The figures.
    #[serde(flatten)]
    pub spent: SpentFigures,
}

/// The most that a day may cost.
#[derive(Debug, Serialize, ToSchema)]
pub struct CapsDocument {
    /// Of replies.
    pub replies: CapDocument,
    /// Of background work.
    pub background: CapDocument,
}

/// A cap.
#[derive(Debug, Serialize, ToSchema)]
pub struct CapDocument {
    /// In dollars.
    pub usd: f64,
    /// In tokens read and written.
    pub tokens: u64,
}

impl SpentDocument {
    /// The document of calls since a day.
    pub fn new(since: String, spent: &[SpentOnDay], settings: &Settings) -> Self {
        let mut total = SpentFigures::default();
        let mut days: BTreeMap<&str, (SpentFigures, SpentFigures)> = BTreeMap::new();
        let mut by: BTreeMap<(&str, &str), SpentFigures> = BTreeMap::new();
        for row in spent {
            total.add(&row.on.spent);
            let (replies, background) = days.entry(&row.day).or_default();
            if row.background { background } else { replies }.add(&row.on.spent);
            by.entry((&row.on.purpose, &row.on.model)).or_default().add(&row.on.spent);
        }
        let cap = |cap: &DailyCap| CapDocument { usd: cap.usd, tokens: cap.tokens };
        Self {
            since,
            total,
            days: days
                .into_iter()
                .map(|(day, (replies, background))| SpentOnDayDocument {
                    day: day.to_owned(),
                    replies,
                    background,
                })
                .collect(),
            by: by
                .into_iter()
                .map(|((purpose, model), spent)| SpentOnDocument {
                    purpose: purpose.to_owned(),
                    model: model.to_owned(),
                    spent,
                })
                .collect(),
            caps: CapsDocument { replies: cap(&settings.reply_cap), background: cap(&settings.daily_cap) },
        }
    }
}

impl SpentFigures {
    fn add(&mut self, spent: &Spent) {
        self.calls += spent.calls;
        self.failed += spent.failed;
        self.input_tokens += spent.input_tokens;
        self.output_tokens += spent.output_tokens;
        self.cost_usd += spent.cost_usd;
    }
}
