//! Measures how much of the evidence the context of a turn contains at several budgets, and how much small talk
//! recalls.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use throughline_domain::context::{Context, Current, LayerName};
use throughline_domain::lane::Lane;
use throughline_engine::Engine;
use throughline_engine::ports::FixedClock;
use throughline_engine::turn::gather::ContextRequest;

use super::progress;
use super::set::{Chat, Set};
use crate::output::{Failure, Style};

/// Messages that need no recall, written before the ranking that they grade.
const SMALL_TALK: &str = include_str!("small-talk.txt");
/// Number of a message's first letters and digits that must be in the context for the message to count.
const LETTERS: usize = 60;
/// The time between the last message of a chat and the question.
const LATER: SignedDuration = SignedDuration::from_hours(24);

/// The measurements of a set's contexts.
pub struct Contexts {
    budgets: Vec<(u32, Vec<Measured>)>,
    /// The recalled tokens for each piece of small talk.
    small_talk: Vec<u32>,
}

/// The measurements of one question's context.
struct Measured {
    category: String,
    /// The share of gold messages in the context.
    gold: f64,
    tokens: u32,
}

impl Measured {
    /// 1 if at least one gold message is in the context, else 0.
    fn any(&self) -> f64 {
        f64::from(u8::from(self.gold > 0.0))
    }
}

/// Measures every question with gold messages at every budget, and small talk in every chat.
pub async fn measure(engine: &Engine, set: &Set, budgets: &[u32]) -> Result<Contexts, Failure> {
    let bar = progress((set.questions.len() * budgets.len()) as u64);
    let mut all = Vec::with_capacity(budgets.len());
    for budget in budgets {
        let mut held = Vec::with_capacity(set.questions.len());
        for question in &set.questions {
            bar.inc(1);
            let Some(chat) = set.chats.get(question.chat).filter(|_| !question.gold.is_empty()) else {
                continue;
            };
            let context = context(engine, chat, &question.text, Some(*budget)).await?;
            let texts: Vec<String> = shown(&context).map(letters).collect();
            let gold = question.gold.iter().filter_map(|place| chat.messages.get(*place));
            let found = gold.filter(|message| {
                let beginning: String = letters(&message.text).chars().take(LETTERS).collect();
                texts.iter().any(|text| text.contains(&beginning))
            });
            held.push(Measured {
                category: question.category.clone(),
                gold: found.count() as f64 / question.gold.len() as f64,
                tokens: context.tokens,
            });
        }
        all.push((*budget, held));
    }
    bar.finish_and_clear();
    let mut small_talk = Vec::new();
    for chat in &set.chats {
        for line in SMALL_TALK.lines() {
            let context = context(engine, chat, line, None).await?;
            small_talk.push(context.layer(LayerName::Memories).map_or(0, |layer| layer.tokens));
        }
    }
    Ok(Contexts { budgets: all, small_talk })
}

/// The context of a message sent a day after the chat's last message.
async fn context(engine: &Engine, chat: &Chat, text: &str, budget: Option<u32>) -> Result<Context, Failure> {
    let mut engine = engine.clone();
    let last = chat.last_moment().unwrap_or(Timestamp::UNIX_EPOCH);
    engine.clock = Arc::new(FixedClock(last.saturating_add(LATER).unwrap_or(last)));
    let plan = engine.settings.plan;
    let request = ContextRequest {
        message: Some(Current { ids: Vec::new(), text: text.to_owned(), speaker: None }),
        plan: Some(budget.map_or(plan, |budget| plan.with_budget(budget))),
        ..ContextRequest::new(chat.id.clone(), Lane::Root)
    };
    Ok(engine.preview(request).await?)
}

fn shown(context: &Context) -> impl Iterator<Item = &str> {
    context.layers.iter().filter(|layer| layer.name != LayerName::Message).map(|layer| layer.text.as_str())
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

impl Contexts {
    /// A table with a row for each budget, and one for small talk.
    pub fn text(&self, style: Style) -> String {
        let mut out = format!(
            "{}\n",
            style.bold(&format!("{:<26}{:>10}{:>10}{:>10}", "context of", "gold", "any", "tokens"))
        );
        for (budget, held) in &self.budgets {
            let gold = 100.0 * mean(held.iter().map(|measured| measured.gold));
            let any = 100.0 * mean(held.iter().map(Measured::any));
            let tokens = mean(held.iter().map(|measured| f64::from(measured.tokens)));
            let name = format!("{budget} tokens");
            let _ = writeln!(out, "{name:<26}{gold:>10.1}{any:>10.1}{tokens:>10.0}");
        }
        let _ = writeln!(out, "{:<46}{:>10.0}", "recalled for small talk", self.recalled_for_small_talk());
        out
    }

    fn recalled_for_small_talk(&self) -> f64 {
        mean(self.small_talk.iter().map(|tokens| f64::from(*tokens)))
    }

    pub fn document(&self) -> Value {
        let mut document: Map<String, Value> =
            self.budgets.iter().map(|(budget, held)| (budget.to_string(), figures(held))).collect();
        let small_talk = json!({ "recalled_tokens": self.recalled_for_small_talk() });
        document.insert("small_talk".to_owned(), small_talk);
        document.into()
    }
}

fn figures(held: &[Measured]) -> Value {
    let mut categories: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
    for one in held {
        categories.entry(one.category.as_str()).or_default().push(one);
        if one.category != super::report::ADVERSARIAL {
            categories.entry(super::report::NON_ADVERSARIAL).or_default().push(one);
        }
    }
    let mut document = shares(&held.iter().collect::<Vec<_>>());
    let categories: Map<_, _> =
        categories.into_iter().map(|(name, held)| (name.to_owned(), shares(&held).into())).collect();
    document.insert("by_category".to_owned(), categories.into());
    document.into()
}

fn shares(held: &[&Measured]) -> Map<String, Value> {
    let figure = |name: &str, value: f64| (name.to_owned(), json!(value));
    [
        ("questions".to_owned(), json!(held.len())),
        figure("gold", mean(held.iter().map(|measured| measured.gold))),
        figure("any", mean(held.iter().map(|measured| measured.any()))),
        figure("tokens", mean(held.iter().map(|measured| f64::from(measured.tokens)))),
    ]
    .into_iter()
    .collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}
